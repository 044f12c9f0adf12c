// What is known of the fetches under way, and each step of theirs as one change: an asker is admitted, leaves or is told; a flight
// begins, announces, lands. The coordinator keeps it under its lock and acts on what a step returns when the lock is free. Stamps and
// counters are atomic, so nothing in here takes a lock.
import LarderCache
import LarderCore
import Synchronization

/// One asker on its way to a flight.
final class FlightTicket: Sendable {
    let number: UInt64
    /// Looks whether its wait has ended.
    let timer = WaitTimer()
    private let left = Atomic<Bool>(false)

    init(number: UInt64) { self.number = number }

    /// Said before its membership is given up, so that a ticket which comes to the coordinator after that finds none.
    func leave() { left.store(true, ordering: .releasing) }
    var hasLeft: Bool { left.load(ordering: .acquiring) }
}

/// The task of a flight. It is known from the instant at which the flight leads, and has its task a moment later.
final class FlightTask: Sendable {
    private let task = Lock<Task<Void, Never>?>(nil)
    /// Atomic, since it is read inside the coordinator's lock, where no other is taken.
    private let cancelled = Atomic<Bool>(false)

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func attach(_ task: Task<Void, Never>) {
        self.task.withLock { $0 = task }
        // Whoever cancelled before found no task.
        if isCancelled { task.cancel() }
    }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
        task.withLock { $0 }?.cancel()
    }
}

/// What is asked for.
struct FlightQuestion: Sendable {
    var key: CacheKey
    var removable: Digest
    /// Others may join, and what comes of it is remembered.
    var isShared: Bool
    /// A flight whose call was sent before is not joined.
    var sentSince: WallTime?
    var work: @Sendable (FlightVoice) async -> FlightResult
}

struct FlightState {
    /// An asker who waits on its own loop. What it is told is made up here, so that it goes there at once.
    struct Waiter: Sendable {
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

    /// A flight under way.
    struct Flight: Sendable {
        let task = FlightTask()
        /// How long it has waited in our queue.
        let wait = FlightWait()
        let interim = InterimRelay()
        /// The state of removals when it began.
        var beginning: RemovalStamp
        /// What it has told already.
        var announced: Made?
    }

    /// Where an asker waits.
    struct Membership: Sendable {
        var number: FlightNumber
        /// Others may join its flight.
        var isShared: Bool
        var wait: FlightWait
        var interim: InterimRelay
    }

    /// What becomes of an asker.
    enum Admittance: Sendable {
        case answered(Obtained)
        case told(FlightResult)
        /// A limit is reached.
        case refused
        /// It waits with that flight.
        /// - Parameter lead: the flight that is to be started, where it is the asker's.
        case admitted(Membership, lead: Lead?)
    }

    /// A flight that is to be started.
    struct Lead: Sendable {
        var number: FlightNumber
        var task: FlightTask
        var wait: FlightWait
        var interim: InterimRelay
    }

    /// Who is to be told, and where each sat.
    typealias Told = [(waiter: Waiter, membership: Membership?)]

    private var table = FlightTable<CacheKey, Waiter>(maxFlights: 4096, maxWaiters: 16_384)
    private var flights: [FlightNumber: Flight] = [:]
    private var failures = FailureMemory<RememberedFailure>(limit: 10_000)
    /// Keys whose last answer could not be shared: askers do not queue for each other on them.
    private var unshareable = FailureMemory<Bool>(limit: 10_000)
    var failurePause: Duration
    /// By ticket.
    private var memberships: [UInt64: Membership] = [:]
    /// Who waits until no flight is under way.
    var enders: [CheckedContinuation<Void, Never>] = []

    init(failurePause: Duration) {
        self.failurePause = failurePause
    }

    /// Flights under way.
    var count: Int { flights.count }
    var tasks: [FlightTask] { flights.values.map(\.task) }

    func isWaiting(_ ticket: UInt64) -> Bool { memberships[ticket] != nil }

    // MARK: Steps

    /// Finds the asker its flight and enters it there, in one step: else the flight could end before the asker waits for it.
    /// - Parameter beginning: the state of removals, for a flight that begins now.
    mutating func admit(
        _ waiter: inout Waiter, _ ticket: FlightTicket, _ question: FlightQuestion, _ beginning: RemovalStamp,
        _ memory: MemoryTier, now: Moment
    ) -> Admittance {
        // A leave before this line found no waiter to take out, so it is looked for here.
        if ticket.hasLeft { return .answered(.left) }
        let key = question.key
        if question.isShared {
            if let remembered = failures.recall(key.digest, now: now.monotonic) {
                return .answered(.result(.failed(remembered.failure(now: now)), joined: false))
            }
            if unshareable.recall(key.digest, now: now.monotonic) != nil { return .answered(.alone) }
            letGo(key, memory, sentSince: question.sentSince)
        }
        let number: FlightNumber
        var lead: Lead?
        switch question.isShared ? table.enter(key, wantedByItself: false) : table.enterAlone(key) {
        case .refused:
            return .refused
        case .lead(let led):
            number = led
            lead = begin(led, beginning)
        case .joined(let found):
            number = found
            waiter.hasJoined = true
        }
        guard let flight = flights[number] else { return .answered(.left) }
        if let made = flight.announced { return .told(.answered(made)) }
        guard table.wait(number, ticket: waiter.ticket, waiter) else { return .answered(.left) }
        let membership = Membership(
            number: number, isShared: question.isShared, wait: flight.wait, interim: flight.interim)
        memberships[waiter.ticket] = membership
        return .admitted(membership, lead: lead)
    }

    /// Leads a flight for which nobody waits, unless one is under way or failed a moment ago.
    mutating func refresh(
        _ question: FlightQuestion, _ beginning: RemovalStamp, _ memory: MemoryTier, now: MonotonicTime
    ) -> Lead? {
        guard failures.recall(question.key.digest, now: now) == nil else { return nil }
        letGo(question.key, memory)
        guard case .lead(let number) = table.enter(question.key, wantedByItself: true) else { return nil }
        return begin(number, beginning)
    }

    /// An asker waits no longer.
    /// - Returns: who is to be told, and the flight that nobody wants any more.
    mutating func leave(_ ticket: UInt64, isLate: Bool) -> (Waiter, Membership, abandoned: FlightTask?)? {
        guard let membership = memberships.removeValue(forKey: ticket) else { return nil }
        // A flight that others may use goes on when its asker's patience ends; one of its own ends with it.
        let found = table.leave(membership.number, ticket: ticket, keepFlight: isLate && membership.isShared)
        guard let (waiter, departure) = found else { return nil }
        guard case .cancel(let number) = departure else { return (waiter, membership, nil) }
        return (waiter, membership, flights[number]?.task)
    }

    /// What a flight brings is known before its end: everyone who waits is answered now, and who comes later at once.
    mutating func announce(
        _ number: FlightNumber, _ question: FlightQuestion, _ made: Made, now: MonotonicTime
    ) -> Told {
        guard let flight = flights[number], flight.announced == nil else { return [] }
        flights[number]?.announced = made
        if question.isShared, !made.mayBeShared {
            table.detach(number)
            markUnshareable(question.key, now: now)
        }
        return release(table.announce(number))
    }

    /// The flight is over.
    /// - Returns: who is to be told of the result; and the flight, since what it holds is not to be let go within the lock.
    mutating func land(
        _ number: FlightNumber, _ question: FlightQuestion, _ result: FlightResult, now: Moment
    ) -> (told: Told, flight: Flight?) {
        let flight = flights.removeValue(forKey: number)
        if question.isShared {
            switch result {
            case .failed(let failure):
                let isOwn = flight?.task.isCancelled == true || flight?.announced != nil
                if !isOwn, failurePause > .zero { remember(failure, of: question.key, now: now) }
            case .answered(let made):
                if !made.mayBeShared { markUnshareable(question.key, now: now.monotonic) }
            }
        }
        return (release(table.finish(number)), flight)
    }

    // MARK: What is known

    /// Whether an asker of the key would spend no call: it would join a flight, or hear what has just failed.
    mutating func isAnswered(_ key: CacheKey, _ memory: MemoryTier, now: MonotonicTime) -> Bool {
        if failures.recall(key.digest, now: now) != nil { return true }
        guard let number = table.flight(of: key), let flight = flights[number] else { return false }
        return memory.isCurrent(flight.beginning)
    }

    mutating func forgetFailures() { failures.forgetAll() }

    mutating func forgetFailures(of provider: String) { failures.forget { $0.provider == provider } }

    // MARK: Parts of steps

    private mutating func markUnshareable(_ key: CacheKey, now: MonotonicTime) {
        unshareable.remember(key.digest, true, until: now + .seconds(120), now: now)
    }

    private mutating func release(_ waiters: [Waiter]) -> Told {
        waiters.map { ($0, memberships.removeValue(forKey: $0.ticket)) }
    }

    /// Whoever asks after a purge, after an unsafe request, or after a newer answer that is not stored, asks anew; so does
    /// who may not use the answer of a call that was sent too early.
    private mutating func letGo(_ key: CacheKey, _ memory: MemoryTier, sentSince: WallTime? = nil) {
        guard let number = table.flight(of: key), let flight = flights[number] else { return }
        // The order of answers has a lock of its own, which calls nothing while it is held.
        let isWithdrawn = flight.announced?.selection?.place?.isWithdrawn ?? false
        var isTooEarly = false
        if let sentSince, let made = flight.announced { isTooEarly = made.entry.requestTime < sentSince }
        if isWithdrawn || isTooEarly || !memory.isCurrent(flight.beginning) { table.detach(number) }
    }

    private mutating func begin(_ number: FlightNumber, _ beginning: RemovalStamp) -> Lead {
        let flight = Flight(beginning: beginning)
        flights[number] = flight
        return Lead(number: number, task: flight.task, wait: flight.wait, interim: flight.interim)
    }

    /// The pause counts from the end of the attempt, else a slow failure would be repeated at once.
    private mutating func remember(_ failure: UpstreamFailure, of key: CacheKey, now: Moment) {
        // An instant that the failure itself names for the next try is not passed over.
        let end = now.monotonic + failurePause
        let named = failure.retryAt.map { now.monotonic(at: $0) }
        // An answer that has room in memory is not kept for who asks later.
        var remembered = failure
        if failure.response?.hold != nil { remembered.response = nil }
        failures.remember(
            key.digest, RememberedFailure(remembered, now: now), until: min(end, named ?? end), now: now.monotonic)
    }
}
