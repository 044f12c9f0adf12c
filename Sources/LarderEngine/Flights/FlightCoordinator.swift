// The flights in progress: who leads each, who waits for it, and what failed recently. Callers come from every loop, so
// the table is under one lock. A flight runs on the loop of the caller that leads it, so a lone miss never changes
// threads.
//
// A flight belongs to the daemon, not to its first caller. No caller joins a flight that began before its entry was
// removed. The work of a flight ends only when its row is committed or refused, or when a stalled disk has used up its
// time. So a later caller finds the row in the store or in memory, or joins the flight. A leader looks in the store
// once more, because another flight may have ended between the leader's look-up and the start of its own flight.
import LarderCache
import LarderCore
import LarderIO
import Synchronization

/// Owns every flight in progress, and resumes the callers that wait for it.
public final class FlightCoordinator: Sendable {
    typealias Work = @Sendable (FlightVoice) async -> FlightResult

    /// The loop of refreshes, and of flights whose leader is on no loop.
    public let home: EventLoop
    /// The clock of the loops' timers. Patience and plans are measured with it.
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
    ///   - loop: the home loop. Refreshes run there, and flights whose leader is on no loop.
    ///   - failurePause: how long a failure answers further requests for the same key.
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

    /// Joins the key's flight or leads a new one, and waits for its result, until `patience` or the plan ends.
    ///
    /// - Parameters:
    ///   - removable: the entry whose removal makes a flight in progress outdated. No caller joins an outdated flight.
    ///   - provider: the provider whose groups the response may belong to; empty if it has none.
    ///   - sentSince: a flight is not joined if it brings the response to a call that was sent before this time.
    ///   - interim: gets the upstream's interim responses while a leader waits. Others get them with the final
    ///     response.
    ///   - exchange: does the work in place of `work` if it can.
    // More than six parameters: what is asked for, and what limits or observes the wait.
    func obtain(
        _ key: Digest, of removable: Digest, groupsOf provider: String = "", patience: Duration?,
        plan: WaitClock? = nil, interim: InterimRelay.Listener? = nil, sentSince: WallTime? = nil,
        exchange: PassExchange? = nil, work: @escaping Work
    ) async -> Obtained {
        var question = FlightQuestion(
            key: key, removable: removable, provider: provider, isShared: true, exchange: exchange, work: work)
        question.sentSince = sentSince
        return await join(question, patience, plan, interim)
    }

    /// Leads a flight for this caller alone, and waits like `obtain`. No caller joins the flight, its result is
    /// remembered for nobody, and it ends when this caller stops waiting.
    func obtainAlone(
        _ key: Digest, patience: Duration?, plan: WaitClock? = nil, interim: InterimRelay.Listener? = nil,
        work: @escaping Work
    ) async -> Obtained {
        await join(
            FlightQuestion(key: key, removable: key, isShared: false, work: work), patience, plan, interim)
    }

    /// Fetches the key in the background, unless a flight is in progress or failed recently. No caller waits for it.
    func refresh(_ key: Digest, of removable: Digest, groupsOf provider: String = "", work: @escaping Work) {
        let now = time.monotonic()
        let question = FlightQuestion(
            key: key, removable: removable, provider: provider, isShared: true, work: work)
        let beginning = memory.removalStamp(removable)
        let lead = state.withLock { state in
            let lead = state.refresh(question, beginning, memory, now: now)
            underWay.set(state.count)
            return lead
        }
        if let lead { start(lead, question, on: home) }
    }

    /// Waits for a result on the caller's own loop.
    private func join(
        _ question: FlightQuestion, _ patience: Duration?, _ plan: WaitClock?, _ interim: InterimRelay.Listener?
    ) async -> Obtained {
        let ticket = ticket()
        // The timer ends with the membership. In most cases the caller resumes on the loop of its timer.
        defer { ticket.timer.end() }
        return await handover { continuation in
            admit({ continuation.resume(returning: $0) }, ticket, question, patience, plan, interim)
        } onCancel: {
            leave(ticket)
        }
    }

    /// Waits like `obtain`, for a caller that is no task.
    /// - Parameter done: gets the result once, on any thread, and perhaps before this method has returned.
    /// - Returns: what ends the wait, because nobody wants the result.
    func begin(
        _ question: FlightQuestion, patience: Duration?, interim: InterimRelay.Listener?,
        _ done: @escaping @Sendable (Obtained) -> Void
    ) -> @Sendable () -> Void {
        let ticket = ticket()
        let told: @Sendable (Obtained) -> Void = {
            ticket.timer.end()
            done($0)
        }
        admit(told, ticket, question, patience, nil, interim)
        return { [self] in leave(ticket) }
    }

    private func ticket() -> FlightTicket {
        FlightTicket(number: tickets.wrappingAdd(1, ordering: .relaxed).newValue, asker: .current)
    }

    private func leave(_ ticket: FlightTicket) {
        ticket.leave()
        leave(ticket.number, as: .left)
    }

    /// Finds or begins the caller's flight and registers the caller there, in one step under the lock. Otherwise the
    /// flight could end before the caller waits for it. A new flight starts after everything that ends the caller's
    /// wait is in place.
    // More than six parameters: the caller, its question, and what limits or observes its wait.
    private func admit(
        _ tell: @escaping @Sendable (Obtained) -> Void, _ ticket: FlightTicket, _ question: FlightQuestion,
        _ patience: Duration?, _ plan: WaitClock?, _ interim: InterimRelay.Listener?
    ) {
        let now = time.moment()
        let beginning = memory.removalStamp(question.removable)
        let (admittance, waiter) = state.withLock { state in
            var waiter = FlightState.Waiter(tell: tell, ticket: ticket.number, hasJoined: false)
            let admittance = state.admit(&waiter, ticket, question, beginning, memory, now: now)
            underWay.set(state.count)
            return (admittance, waiter)
        }
        if waiter.hasJoined { joined.add() }
        switch admittance {
        case .answered(let obtained): tell(obtained)
        case .refused:
            refused.add()
            waiter.resume(.failed(Self.overload))
        case .admitted(let membership, let lead):
            let wait = membership.wait
            ticket.asker.hurry(wait, ticket: ticket.number)
            if membership.isQueued { ticket.asker.changed(true, at: timers.monotonic()) }
            // Before the final head it is unknown whether other callers may have the response.
            if let interim, lead != nil { add(interim, to: membership.wait.interim, ticket.number) }
            let now = timers.monotonic()
            let own = patience.map { WaitClock(WaitLimit(began: now, granted: $0), wait) }
            let limits = Limits(own: own, plan: plan)
            if let first = limits.first(at: now) { watch(ticket, limits, until: first.end(at: now)) }
            if let lead { start(lead, question, on: EventLoop.current ?? home) }
        }
    }

    private func add(_ listener: @escaping InterimRelay.Listener, to relay: InterimRelay, _ ticket: UInt64) {
        relay.add(listener, ticket: ticket)
        // The membership may have ended before `add`, and the code that ended it then found nothing to remove.
        if !state.withLock({ $0.isWaiting(ticket) }) { relay.remove(ticket: ticket) }
    }

    // MARK: The end of a wait

    /// The limits of a caller's wait: its own patience, and the end of a plan of several flights. Nil means no limit.
    private struct Limits: Sendable {
        var own: WaitClock?
        var plan: WaitClock?

        /// The limit that ends first. Only this limit decides who is to blame: the plan may have lost its time in the
        /// queue before this wait began.
        func first(at now: MonotonicTime) -> WaitClock? {
            guard let own, let plan else { return own ?? plan }
            return plan.end(at: now) < own.end(at: now) ? plan : own
        }
    }

    /// Sets the timer on the caller's loop, or on the home loop if the caller is on none.
    private func watch(_ ticket: FlightTicket, _ limits: Limits, until end: MonotonicTime) {
        // The timer ends with the membership, so it may hold the ticket.
        let look: @Sendable () -> Void = { [self] in outOfPatience(ticket, limits) }
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
        // The end of a plan moves while its calls wait in Larder's queue.
        watch(ticket, limits, until: max(end, now + Self.leastWatch))
    }

    /// The shortest time between two checks whether a wait has ended.
    private static let leastWatch = Duration.milliseconds(20)

    private func leave(_ ticket: UInt64, as ending: Obtained) {
        let isLate = if case .late = ending { true } else { false }
        let left = state.withLock { $0.leave(ticket, isLate: isLate) }
        guard let (waiter, membership, abandonedTask) = left else { return }
        membership.wait.remove(ticket: ticket, at: timers.monotonic())
        membership.wait.interim.remove(ticket: ticket)
        waiter.tell(ending)
        if let abandonedTask {
            abandoned.add()
            abandonedTask.cancel()
        }
    }

    // MARK: The flight

    private func start(_ lead: FlightState.Lead, _ question: FlightQuestion, on loop: EventLoop) {
        let voice = FlightVoice { [self] in announce(lead.number, question, $0) }
        FlightWait.$current.withValue(lead.flight.wait) {
            if let exchange = question.exchange, loop.isCurrent {
                let flight = PassExchange.Flight(
                    loop: loop, task: lead.flight.task, wait: lead.flight.wait, voice: voice
                ) {
                    [self] in land(lead.number, question, $0)
                }
                if exchange.begin(flight) { return }
            }
            lead.flight.task.attach(
                Task(executorPreference: loop) {
                    let result = await question.work(voice)
                    self.land(lead.number, question, result)
                })
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
            guard state.count == 0 else { return (landing, [TaskContinuation<Void, Never>]()) }
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
            membership?.wait.interim.remove(ticket: waiter.ticket)
            waiter.resume(result)
        }
    }

    // MARK: What is known

    /// Whether a request for the key would cost no call: it would join a flight, or get a remembered failure.
    func isAnswered(_ key: Digest) -> Bool {
        let now = time.monotonic()
        return state.withLock { $0.isAnswered(key, memory, now: now) }
    }

    /// Forgets all remembered failures, after `larder resume` or a change of settings. Nil keeps the current pause.
    public func forgetFailures(pause: Duration? = nil) {
        state.withLock { state in
            state.forgetFailures()
            if let pause { state.failurePause = pause }
        }
    }

    /// Forgets the failures of a provider that is back.
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
        provider: "larder", failure: .overloaded, detail: "Too many fetches are running. Try again in a moment.")
}
