// The one owner of fetches under way, budgets and suspensions: an actor that lives on the fetch loop (decision 7).
//
// A flight belongs to the daemon, never to who asked first, and nobody joins one that began before its entry was
// removed. Its work ends only when its row is committed or refused, or a stalled disk has had its time, so a latecomer
// finds the row, or memory has it, or it joins the flight; a leader looks in the store once more, since a flight may have ended between its own look and its lead.
import LarderCache
import LarderCore
import LarderIO
import Synchronization

/// An entry that a flight has made.
struct Made: Sendable {
    var entry: StoredResponse
    /// What became of its row.
    var written = Written.refused
    /// Whether it may be handed to others who asked for the same key (RFC 9111 §4: only what may be stored).
    var mayBeShared = true
    /// The failure for which a stale entry stands in.
    var covering: UpstreamFailure?
    /// It was made from what is stored, without asking the upstream; the word for that in `Cache-Status`.
    var storedForm: String?
    /// The room in memory of what the upstream sent, kept until the last who waited has used it.
    var hold: BodyHold?
    /// With pass-through: the answer as it came, whose body may still be on its way.
    var passed: PassedAnswer?
    /// It was found stored: another flight ended between the asker's look and its lead.
    var isFound = false
}

extension Made {
    /// An entry that another flight has stored by now.
    init(found entry: StoredResponse, ready: ReadyStamp? = nil, passed: PassedAnswer? = nil) {
        self.init(entry: entry, written: Written(state: .committed, ready: ready), passed: passed, isFound: true)
    }

    /// Where it comes from, as far as decisions go.
    var origin: Fetched.Origin {
        if covering != nil { return .standIn }
        if storedForm != nil { return .otherForm }
        if isFound { return .store }
        return .upstream(status: passed?.upstreamStatus ?? entry.status, isAnswer: passed?.isAnswer ?? true)
    }
}

/// By which a flight's work tells what it brings before its end: everyone who waits is answered then, and who comes
/// later is answered at once, while the flight goes on until its row is committed or refused.
struct FlightVoice: Sendable {
    let announce: @Sendable (Made) async -> Void

    /// Of work that is no flight's.
    static let silent = FlightVoice { _ in }
}

/// What a flight brings to everyone who waits for it.
enum FlightResult: Sendable {
    case answered(Made)
    case failed(UpstreamFailure)
}

/// How one asker's wait ended.
enum Obtained: Sendable {
    case result(FlightResult, joined: Bool)
    /// The answer is nobody else's to use, or the last one of this key was: the asker fetches for itself.
    case alone
    /// The asker's patience ran out; the flight goes on.
    case late(Blame)
    /// The asker itself was cancelled: its client has left.
    case left
}

/// One asker on its way to a flight.
private final class Ticket: Sendable {
    let number: UInt64
    private let left = Atomic<Bool>(false)

    init(number: UInt64) { self.number = number }

    /// Said before its seat is given up, so that a ticket which comes to the desk after that finds none.
    func leave() { left.store(true, ordering: .releasing) }
    var hasLeft: Bool { left.load(ordering: .acquiring) }
}

actor FlightDesk {
    /// An asker who waits on its own loop. What it is told is made up here, so that it goes there at once and need not
    /// come by the desk again.
    private struct Waiter: Sendable {
        var continuation: CheckedContinuation<Obtained, Never>
        var ticket: UInt64
        /// It came to a flight that another had begun.
        var hasJoined: Bool

        func resume(_ result: FlightResult) {
            if hasJoined, case .answered(let made) = result, !made.mayBeShared {
                return continuation.resume(returning: .alone)
            }
            continuation.resume(returning: .result(result, joined: hasJoined))
        }
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The clock of the loop's timers, which patience and plans are measured on. Also for other threads.
    nonisolated let timers: any TimeSource = SystemTime()
    private let time: any TimeSource
    private let memory: MemoryTier
    private var table = FlightTable<CacheKey, Waiter>(maxFlights: 4096, maxWaiters: 16_384)
    private var tasks: [FlightNumber: Task<Void, Never>] = [:]
    /// How long each has waited in our queue.
    private var waits: [FlightNumber: FlightWait] = [:]
    /// The state of removals when each flight began.
    private var beginnings: [FlightNumber: RemovalStamp] = [:]
    /// What flights under way have told already.
    private var announced: [FlightNumber: Made] = [:]
    private var failures = FailureMemory<RememberedFailure>(limit: 10_000)
    /// Keys whose last answer could not be shared: askers do not queue for each other on them (decision 13).
    private var unshareable = FailureMemory<Bool>(limit: 10_000)
    private var failurePause: Duration
    private struct Seat {
        var number: FlightNumber
        /// Others may join its flight.
        var isShared: Bool
        var wait: FlightWait
        /// After which the asker waits no longer: its own patience, and the end of what it makes of several flights. Empty
        /// for as long as it takes.
        var limits: [WaitClock]

        /// The limit that ends first. It alone tells who is to blame: the plan's may have lost its time in the queue before
        /// this wait began.
        func first(at now: MonotonicTime) -> WaitClock? { limits.min { $0.end(at: now) < $1.end(at: now) } }
    }
    /// Where each asker waits, by its ticket.
    private var seats: [UInt64: Seat] = [:]
    private nonisolated let tickets = Atomic<UInt64>(0)
    private let joined: CounterCell
    private let refused: CounterCell
    private let abandoned: CounterCell
    private let underWay: CounterCell

    init(
        loop: EventLoop, time: any TimeSource, memory: MemoryTier, counters: CounterRegistry, failurePause: Duration
    ) {
        self.loop = loop
        self.time = time
        self.memory = memory
        self.failurePause = failurePause
        joined = counters.cell(DaemonCounters.joined)
        refused = counters.cell(DaemonCounters.flightsRefused)
        abandoned = counters.cell(DaemonCounters.flightsAbandoned)
        underWay = counters.cell(DaemonCounters.flightsUnderWay)
    }

    /// Joins the key's flight or leads a new one, and waits for its end, at most for `patience` and until the plan's end.
    ///
    /// - Parameter removable: the entry with whose removal a flight under way becomes one of before, which nobody joins.
    nonisolated func obtain(
        _ key: CacheKey, of removable: Digest, patience: Duration?, plan: WaitClock? = nil,
        work: @escaping @Sendable (FlightVoice) async -> FlightResult
    ) async -> Obtained {
        await sit(key, removable, patience, plan, isShared: true, work)
    }

    /// Leads a flight for this asker alone, as long as the wait of `obtain`: nobody joins it, what comes of it is
    /// remembered for nobody, and when the asker stops waiting it ends.
    nonisolated func obtainAlone(
        _ key: CacheKey, patience: Duration?, plan: WaitClock? = nil,
        work: @escaping @Sendable (FlightVoice) async -> FlightResult
    ) async -> Obtained {
        await sit(key, key.digest, patience, plan, isShared: false, work)
    }

    /// Has the key fetched in the background, unless it is under way or failed a moment ago. Nobody waits.
    func refresh(
        _ key: CacheKey, of removable: Digest, work: @escaping @Sendable (FlightVoice) async -> FlightResult
    ) {
        guard failures.recall(key.digest, now: time.monotonic()) == nil else { return }
        letGo(key)
        if case .lead(let number) = table.enter(key, wantedByItself: true) { start(number, key, removable, work) }
    }

    /// Whoever asks after a purge, or after an unsafe request, asks anew.
    private func letGo(_ key: CacheKey) {
        guard let number = table.flight(of: key), let beginning = beginnings[number], !memory.isCurrent(beginning)
        else {
            return
        }
        table.detach(number)
    }

    /// Whether an asker of the key would spend no call: it would join a flight, or hear what has just failed.
    func isAnswered(_ key: CacheKey) -> Bool {
        if failures.recall(key.digest, now: time.monotonic()) != nil { return true }
        guard let number = table.flight(of: key), let beginning = beginnings[number] else { return false }
        return memory.isCurrent(beginning)
    }

    /// After `larder resume` or a change of settings nothing that failed before is held against anyone.
    func forgetFailures(pause: Duration? = nil) {
        failures.forgetAll()
        if let pause { failurePause = pause }
    }

    /// A provider is back: what failed before it was is no reason not to ask again.
    func forgetFailures(of provider: String) {
        failures.forget { $0.provider == provider }
    }

    /// Cancels every flight and waits for their ends. For the daemon's stop.
    func shutDown() async {
        for task in tasks.values { task.cancel() }
        while let task = tasks.values.first { await task.value }
    }

    private func start(
        _ number: FlightNumber, _ key: CacheKey, _ removable: Digest, isShared: Bool = true,
        _ work: @escaping @Sendable (FlightVoice) async -> FlightResult
    ) {
        underWay.set(table.count)
        beginnings[number] = memory.removalStamp(removable)
        let wait = FlightWait()
        waits[number] = wait
        tasks[number] = FlightWait.$current.withValue(wait) {
            Task(executorPreference: loop) {
                let voice = FlightVoice { await self.announce(number, key, isShared, $0) }
                let result = await work(voice)
                await self.land(number, key, isShared, result)
            }
        }
    }

    private func announce(_ number: FlightNumber, _ key: CacheKey, _ isShared: Bool, _ made: Made) {
        guard tasks[number] != nil, announced[number] == nil else { return }
        announced[number] = made
        if isShared, !made.mayBeShared {
            table.detach(number)
            markUnshareable(key)
        }
        for waiter in table.announce(number) {
            unseat(waiter.ticket)
            waiter.resume(.answered(made))
        }
    }

    private func markUnshareable(_ key: CacheKey) {
        let now = time.monotonic()
        unshareable.remember(key.digest, true, until: now + .seconds(120), now: now)
    }

    /// Whether the last answer of that key could not be shared.
    func isUnshareable(_ key: CacheKey) -> Bool { unshareable.recall(key.digest, now: time.monotonic()) != nil }

    private func land(_ number: FlightNumber, _ key: CacheKey, _ isShared: Bool, _ result: FlightResult) {
        let wasCancelled = tasks.removeValue(forKey: number)?.isCancelled ?? false
        let wasAnnounced = announced.removeValue(forKey: number) != nil
        beginnings[number] = nil
        waits[number] = nil
        if isShared, case .failed(let failure) = result, !wasCancelled, !wasAnnounced, failurePause > .zero {
            // The pause counts from the end of the attempt, else a slow failure would be repeated at once.
            // An instant that the failure itself names for the next try is not passed over.
            let now = time.moment()
            let end = now.monotonic + failurePause
            let named = failure.retryAt.map { now.monotonic(at: $0) }
            // An answer that has room in memory is not kept for who asks later.
            var remembered = failure
            if failure.response?.hold != nil { remembered.response = nil }
            failures.remember(
                key.digest, RememberedFailure(remembered, now: now), until: min(end, named ?? end), now: now.monotonic)
        }
        if isShared, case .answered(let made) = result, !made.mayBeShared { markUnshareable(key) }
        for waiter in table.finish(number) {
            unseat(waiter.ticket)
            waiter.resume(result)
        }
        underWay.set(table.count)
    }

    /// Waits where the asker is: the way to the desk and the way back are one change of thread each.
    nonisolated private func sit(
        _ key: CacheKey, _ removable: Digest, _ patience: Duration?, _ plan: WaitClock?, isShared: Bool,
        _ work: @escaping @Sendable (FlightVoice) async -> FlightResult
    ) async -> Obtained {
        let ticket = Ticket(number: tickets.wrappingAdd(1, ordering: .relaxed).newValue)
        let client = AskingClient.current
        let asker = FlightWait.current
        return await withTaskCancellationHandler {
            await handover { continuation in
                loop.post { [self] in
                    assumeIsolated { desk in
                        // A flight is a task of the daemon's own; its fetches wait in the turns of the client who began it.
                        AskingClient.$current.withValue(client) {
                            desk.admit(
                                continuation, ticket, key, removable, patience, plan, asker, isShared: isShared, work)
                        }
                    }
                }
            }
        } onCancel: {
            ticket.leave()
            loop.post { [weak self] in self?.assumeIsolated { $0.leave(ticket.number, as: .left) } }
        }
    }

    /// Finds the asker its flight and seats it there, in one step: any `await` in between, even of this actor's own
    /// functions, would let the flight end before the asker waits for it.
    private func admit(
        _ continuation: CheckedContinuation<Obtained, Never>, _ ticket: Ticket, _ key: CacheKey, _ removable: Digest,
        _ patience: Duration?, _ plan: WaitClock?, _ asker: FlightWait?, isShared: Bool,
        _ work: @escaping @Sendable (FlightVoice) async -> FlightResult
    ) {
        // A leave before this line found no waiter to take out, so it is looked for here.
        if ticket.hasLeft { return continuation.resume(returning: .left) }
        if isShared {
            if let remembered = failures.recall(key.digest, now: time.monotonic()) {
                let failure = remembered.failure(now: time.moment())
                return continuation.resume(returning: .result(.failed(failure), joined: false))
            }
            if unshareable.recall(key.digest, now: time.monotonic()) != nil {
                return continuation.resume(returning: .alone)
            }
            letGo(key)
        }
        let number: FlightNumber
        var waiter = Waiter(continuation: continuation, ticket: ticket.number, hasJoined: false)
        switch isShared ? table.enter(key, wantedByItself: false) : table.enterAlone(key) {
        case .refused:
            refused.add()
            return waiter.resume(.failed(Self.overload))
        case .lead(let led):
            number = led
            start(number, key, removable, isShared: isShared, work)
        case .joined(let found):
            number = found
            joined.add()
            waiter.hasJoined = true
        }
        if let made = announced[number] { return waiter.resume(.answered(made)) }
        guard let wait = waits[number], table.wait(number, ticket: ticket.number, waiter) else {
            return continuation.resume(returning: .left)
        }
        let now = loop.monotonic
        let own = patience.map { WaitClock(WaitLimit(began: now, granted: $0), wait) }
        let seat = Seat(number: number, isShared: isShared, wait: wait, limits: [own, plan].compactMap { $0 })
        seats[ticket.number] = seat
        if let asker { wait.add(asker, ticket: ticket.number, at: now) }
        if let first = seat.first(at: now) { watch(ticket.number, until: first.end(at: now)) }
    }

    private func watch(_ ticket: UInt64, until end: MonotonicTime) {
        _ = loop.schedule(at: end) { [weak self] in self?.assumeIsolated { $0.outOfPatience(ticket) } }
    }

    private func outOfPatience(_ ticket: UInt64) {
        let now = loop.monotonic
        guard let first = seats[ticket]?.first(at: now) else { return }
        let end = first.end(at: now)
        guard end > now else { return leave(ticket, as: .late(first.blame(at: now))) }
        // The end of a plan moves for as long as its calls wait in our queue.
        watch(ticket, until: max(end, now + Self.leastWatch))
    }

    /// Nobody looks more often whether a wait has ended.
    private static let leastWatch = Duration.milliseconds(20)

    @discardableResult
    private func unseat(_ ticket: UInt64) -> Seat? {
        guard let seat = seats.removeValue(forKey: ticket) else { return nil }
        seat.wait.remove(ticket: ticket, at: loop.monotonic)
        return seat
    }

    private func leave(_ ticket: UInt64, as ending: Obtained) {
        guard let seat = unseat(ticket) else { return }
        let isLate = if case .late = ending { true } else { false }
        // A flight that others may use goes on when its asker's patience ends; one of its own ends with it.
        guard let (waiter, departure) = table.leave(seat.number, ticket: ticket, keepFlight: isLate && seat.isShared)
        else { return }
        waiter.continuation.resume(returning: ending)
        if case .cancel(let number) = departure { cancel(number) }
    }

    private func cancel(_ number: FlightNumber) {
        abandoned.add()
        tasks[number]?.cancel()
    }

    private static let overload = UpstreamFailure(
        provider: "larder", failure: .overloaded, detail: "Too many fetches are under way; ask again in a moment.")
}
