// The fetches under way: who leads, who waits, what failed a moment ago. Askers come from every loop, so the table is under
// one lock, and a flight runs on the loop of the asker who leads it: a lone miss changes no thread.
//
// A flight belongs to the daemon, never to who asked first, and nobody joins one that began before its entry was
// removed. Its work ends only when its row is committed or refused, or a stalled disk has had its time, so a latecomer
// finds the row, or memory has it, or it joins the flight; a leader looks in the store once more, since a flight may have ended between its own look and its lead.
import LarderCache
import LarderCore
import LarderIO
import Synchronization

/// Every fetch under way, and who waits for it.
public final class FlightCoordinator: Sendable {
    typealias Work = @Sendable (FlightVoice) async -> FlightResult

    /// Where work runs that no loop has asked for, and refreshes.
    public let home: EventLoop
    /// The clock of the loops' timers, which patience and plans are measured on.
    let timers: any TimeSource
    private let time: any TimeSource
    private let memory: MemoryTier
    private let state: Lock<FlightState>
    private let tickets = Atomic<UInt64>(0)
    private let joined: CounterCell
    private let refused: CounterCell
    private let abandoned: CounterCell
    private let underWay: CounterCell

    /// - Parameters:
    ///   - loop: the home loop, where flights run that no loop leads.
    ///   - failurePause: for so long a failure answers the same question again.
    public init(
        loop: EventLoop, time: any TimeSource, memory: MemoryTier, counters: CounterRegistry, failurePause: Duration
    ) {
        home = loop
        timers = loop.clock
        self.time = time
        self.memory = memory
        state = Lock(FlightState(failurePause: failurePause))
        joined = counters.cell(EngineCounters.joined)
        refused = counters.cell(EngineCounters.flightsRefused)
        abandoned = counters.cell(EngineCounters.flightsAbandoned)
        underWay = counters.cell(EngineCounters.flightsUnderWay)
    }

    // MARK: Asking

    /// Joins the key's flight or leads a new one, and waits for its end, at most for `patience` and until the plan's end.
    ///
    /// - Parameters:
    ///   - removable: the entry with whose removal a flight under way becomes one of before, which nobody joins.
    ///   - sentSince: a flight is not joined that brings the answer to a call of before.
    ///   - interim: told of the upstream's interim answers while the asker waits, where it leads. Others get them with the answer.
    // More than six parameters: what is asked for, and what ends or colours the wait.
    func obtain(
        _ key: CacheKey, of removable: Digest, patience: Duration?, plan: WaitClock? = nil,
        interim: InterimRelay.Listener? = nil, sentSince: WallTime? = nil, work: @escaping Work
    ) async -> Obtained {
        var question = FlightQuestion(key: key, removable: removable, isShared: true, work: work)
        question.sentSince = sentSince
        return await join(question, patience, plan, interim)
    }

    /// Leads a flight for this asker alone, as long as the wait of `obtain`: nobody joins it, what comes of it is
    /// remembered for nobody, and when the asker stops waiting it ends.
    func obtainAlone(
        _ key: CacheKey, patience: Duration?, plan: WaitClock? = nil, interim: InterimRelay.Listener? = nil,
        work: @escaping Work
    ) async -> Obtained {
        await join(
            FlightQuestion(key: key, removable: key.digest, isShared: false, work: work), patience, plan, interim)
    }

    /// Has the key fetched in the background, unless it is under way or failed a moment ago. Nobody waits.
    func refresh(_ key: CacheKey, of removable: Digest, work: @escaping Work) {
        let now = time.monotonic()
        let question = FlightQuestion(key: key, removable: removable, isShared: true, work: work)
        let beginning = memory.removalStamp(removable)
        let lead = state.withLock { state in
            let lead = state.refresh(question, beginning, memory, now: now)
            underWay.set(state.count)
            return lead
        }
        if let lead { start(lead, question, on: home) }
    }

    /// Waits where the asker is.
    private func join(
        _ question: FlightQuestion, _ patience: Duration?, _ plan: WaitClock?, _ interim: InterimRelay.Listener?
    ) async -> Obtained {
        let ticket = FlightTicket(number: tickets.wrappingAdd(1, ordering: .relaxed).newValue)
        // With its membership goes its timer. It resumes on the loop where the timer is, in most cases.
        defer { ticket.timer.end() }
        return await handover {
            admit($0, ticket, question, patience, plan, interim)
        } onCancel: {
            ticket.leave()
            leave(ticket.number, as: .left)
        }
    }

    /// Finds the asker its flight and enters it there, in one step under the lock: else the flight could end before the asker
    /// waits for it. A flight that it leads is started when all that ends its wait is in place.
    // More than six parameters: the asker, what it asks, and what ends or colours its wait.
    private func admit(
        _ continuation: CheckedContinuation<Obtained, Never>, _ ticket: FlightTicket, _ question: FlightQuestion,
        _ patience: Duration?, _ plan: WaitClock?, _ interim: InterimRelay.Listener?
    ) {
        let now = time.moment()
        let beginning = memory.removalStamp(question.removable)
        let (admittance, waiter) = state.withLock { state in
            var waiter = FlightState.Waiter(continuation: continuation, ticket: ticket.number, hasJoined: false)
            let admittance = state.admit(&waiter, ticket, question, beginning, memory, now: now)
            underWay.set(state.count)
            return (admittance, waiter)
        }
        if waiter.hasJoined { joined.add() }
        switch admittance {
        case .answered(let obtained): continuation.resume(returning: obtained)
        case .told(let result): waiter.resume(result)
        case .refused:
            refused.add()
            waiter.resume(.failed(Self.overload))
        case .admitted(let membership, let lead):
            let wait = membership.wait
            if let asker = FlightWait.current { add(asker, to: wait, ticket.number) }
            // Whether others may have the answer is not known before its final head.
            if let interim, lead != nil { add(interim, to: membership.interim, ticket.number) }
            let now = timers.monotonic()
            let own = patience.map { WaitClock(WaitLimit(began: now, granted: $0), wait) }
            let limits = Limits(own: own, plan: plan)
            if let first = limits.first(at: now) { watch(ticket, limits, until: first.end(at: now)) }
            if let lead { start(lead, question, on: EventLoop.current ?? home) }
        }
    }

    /// The asker's own flight waits for that one while the asker is admitted there.
    private func add(_ asker: FlightWait, to wait: FlightWait, _ ticket: UInt64) {
        wait.add(asker, ticket: ticket, at: timers.monotonic())
        // Its membership may have been taken away before, and whoever did that found nothing to remove.
        if !state.withLock({ $0.isWaiting(ticket) }) { wait.remove(ticket: ticket, at: timers.monotonic()) }
    }

    private func add(_ listener: @escaping InterimRelay.Listener, to relay: InterimRelay, _ ticket: UInt64) {
        relay.add(listener, ticket: ticket)
        if !state.withLock({ $0.isWaiting(ticket) }) { relay.remove(ticket: ticket) }
    }

    // MARK: The end of a wait

    /// After which an asker waits no longer: its own patience, and the end of what it makes of several flights. Nil for as long
    /// as it takes.
    private struct Limits: Sendable {
        var own: WaitClock?
        var plan: WaitClock?

        /// The limit that ends first. It alone tells who is to blame: the plan's may have lost its time in the queue before
        /// this wait began.
        func first(at now: MonotonicTime) -> WaitClock? {
            guard let own, let plan else { return own ?? plan }
            return plan.end(at: now) < own.end(at: now) ? plan : own
        }
    }

    /// The timer belongs to the loop where the asker is.
    private func watch(_ ticket: FlightTicket, _ limits: Limits, until end: MonotonicTime) {
        let look: @Sendable () -> Void = { [weak self, weak ticket] in
            if let ticket { self?.outOfPatience(ticket, limits) }
        }
        if let here = EventLoop.current {
            ticket.timer.set(at: end, on: here, look)
        } else {
            home.post { [home] in ticket.timer.set(at: end, on: home, look) }
        }
    }

    private func outOfPatience(_ ticket: FlightTicket, _ limits: Limits) {
        let now = timers.monotonic()
        guard state.withLock({ $0.isWaiting(ticket.number) }), let first = limits.first(at: now) else { return }
        let end = first.end(at: now)
        guard end > now else { return leave(ticket.number, as: .late(first.blame(at: now))) }
        // The end of a plan moves for as long as its calls wait in our queue.
        watch(ticket, limits, until: max(end, now + Self.leastWatch))
    }

    /// Nobody looks more often whether a wait has ended.
    private static let leastWatch = Duration.milliseconds(20)

    private func leave(_ ticket: UInt64, as ending: Obtained) {
        let isLate = if case .late = ending { true } else { false }
        let left = state.withLock { $0.leave(ticket, isLate: isLate) }
        guard let (waiter, membership, abandonedTask) = left else { return }
        membership.wait.remove(ticket: ticket, at: timers.monotonic())
        membership.interim.remove(ticket: ticket)
        waiter.continuation.resume(returning: ending)
        if let abandonedTask {
            abandoned.add()
            abandonedTask.cancel()
        }
    }

    // MARK: The flight

    private func start(_ lead: FlightState.Lead, _ question: FlightQuestion, on loop: EventLoop) {
        FlightWait.$current.withValue(lead.wait) {
            InterimRelay.$current.withValue(lead.interim) {
                lead.task.attach(
                    Task(executorPreference: loop) {
                        let voice = FlightVoice { self.announce(lead.number, question, $0) }
                        let result = await question.work(voice)
                        self.land(lead.number, question, result)
                    })
            }
        }
    }

    private func announce(_ number: FlightNumber, _ question: FlightQuestion, _ made: Made) {
        let now = time.monotonic()
        let told = state.withLock { $0.announce(number, question, made, now: now) }
        tell(told, .answered(made))
    }

    private func land(_ number: FlightNumber, _ question: FlightQuestion, _ result: FlightResult) {
        let now = time.moment()
        let (landing, enders) = state.withLock { state in
            let landing = state.land(number, question, result, now: now)
            underWay.set(state.count)
            guard state.count == 0 else { return (landing, [CheckedContinuation<Void, Never>]()) }
            defer { state.enders = [] }
            return (landing, state.enders)
        }
        tell(landing.told, result)
        for ender in enders { ender.resume() }
    }

    private func tell(_ told: FlightState.Told, _ result: FlightResult) {
        guard !told.isEmpty else { return }
        let now = timers.monotonic()
        for (waiter, membership) in told {
            membership?.wait.remove(ticket: waiter.ticket, at: now)
            membership?.interim.remove(ticket: waiter.ticket)
            waiter.resume(result)
        }
    }

    // MARK: What is known

    /// Whether an asker of the key would spend no call: it would join a flight, or hear what has just failed.
    func isAnswered(_ key: CacheKey) -> Bool {
        let now = time.monotonic()
        return state.withLock { $0.isAnswered(key, memory, now: now) }
    }

    /// After `larder resume` or a change of settings nothing that failed before is held against anyone.
    public func forgetFailures(pause: Duration? = nil) {
        state.withLock { state in
            state.forgetFailures()
            if let pause { state.failurePause = pause }
        }
    }

    /// A provider is back: what failed before it was is no reason not to ask again.
    func forgetFailures(of provider: String) {
        state.withLock { $0.forgetFailures(of: provider) }
    }

    /// Cancels every flight and waits for their ends. For the daemon's stop.
    public func shutDown() async {
        for task in state.withLock({ $0.tasks }) { task.cancel() }
        await state.wait { state, ender -> Void? in
            guard state.count > 0 else { return () }
            state.enders.append(ender)
            return nil
        }
    }

    private static let overload = UpstreamFailure(
        provider: "larder", failure: .overloaded, detail: "Too many fetches are under way; ask again in a moment.")
}
