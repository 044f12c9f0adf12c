// The state of the flights in progress. Each step is one change: a caller is admitted, leaves or is told; a flight
// begins, announces or lands. The coordinator takes a step under its lock, and acts on the step's result after it has
// released the lock. Stamps and counters are atomic. The only locks that a step takes are those of `AnswerOrders` and
// `FlightWait`, which call nothing while they are held.
import LarderCache
import LarderCore
import Synchronization

/// One caller on its way to a flight.
final class FlightTicket: Sendable {
    let number: UInt64
    let asker: FlightWait.Asker
    /// The timer that checks whether the caller's wait has ended.
    let timer = WaitTimer()
    private let left = Atomic<Bool>(false)

    init(number: UInt64, asker: FlightWait.Asker) { (self.number, self.asker) = (number, asker) }

    /// Marks the ticket before its membership is removed. A later attempt to admit the ticket sees the mark.
    func leave() { left.store(true, ordering: .releasing) }
    var hasLeft: Bool { left.load(ordering: .acquiring) }
}

/// What a caller asks for.
struct FlightQuestion: Sendable {
    /// The digest of what is asked for. Callers with the same digest share a flight.
    var key: Digest
    var removable: Digest
    /// The provider whose groups the response may belong to; empty if it has none.
    var provider = ""
    /// Others may join the flight, and its failure is remembered.
    var isShared: Bool
    /// A flight is not joined if its announced response belongs to a call that was sent before this time.
    var sentSince: WallTime?
    /// Does the work without a task, if it can.
    var exchange: PassExchange?
    var work: @Sendable (FlightVoice) async -> FlightResult
}

/// The flights in progress, their waiters and the remembered failures. Confined to the coordinator's lock.
struct FlightState {
    /// A caller that waits. `resume` chooses here what the caller gets, so that it goes there directly.
    struct Waiter: Sendable {
        /// Resumes a task on its own loop, or posts to a loop.
        var tell: @Sendable (Obtained) -> Void
        var ticket: UInt64
        /// The caller came to a flight that another caller had begun.
        var hasJoined: Bool

        func resume(_ result: FlightResult) {
            if hasJoined, case .answered(let made) = result, !made.mayBeShared {
                return tell(.alone)
            }
            tell(.result(result, joined: hasJoined))
        }
    }

    /// A flight in progress.
    struct Flight: Sendable {
        let task = RunningWork()
        /// How long its calls have waited in Larder's queue.
        let wait = FlightWait()
        /// The removal stamp from when the flight began.
        var beginning: RemovalStamp
        /// See `FlightQuestion`.
        var provider: String
        /// What the flight has announced so far.
        var announced: Made?
    }

    /// The flight in which a caller waits.
    struct Membership: Sendable {
        var number: FlightNumber
        /// Others may join the flight.
        var isShared: Bool
        var wait: FlightWait
        /// Whether a call of the flight waited in Larder's queue when the caller came.
        var isQueued: Bool
    }

    /// What becomes of a caller.
    enum Admittance: Sendable {
        case answered(Obtained)
        /// The limit of flights or of waiters is reached.
        case refused
        /// The caller waits for that flight.
        /// - Parameter lead: the flight to start, if the caller leads it.
        case admitted(Membership, lead: Lead?)
    }

    /// A flight that must be started.
    typealias Lead = (number: FlightNumber, flight: Flight)

    /// The callers to resume, each with the membership that it had.
    typealias Told = [(waiter: Waiter, membership: Membership?)]

    private var table = FlightTable<Digest, Waiter>(maxFlights: 4096, maxWaiters: 16_384)
    private var flights: [FlightNumber: Flight] = Dictionary(minimumCapacity: 8)
    private var failures = FailureMemory<RememberedFailure>(limit: 10_000)
    /// Keys whose last response must not be shared. Callers of such a key do not wait for each other.
    private var unshareable = FailureMemory<Bool>(limit: 10_000)
    var failurePause: Duration
    /// The memberships by ticket number.
    private var memberships: [UInt64: Membership] = Dictionary(minimumCapacity: 8)
    /// Callers that wait until no flight is in progress.
    var enders: [TaskContinuation<Void, Never>] = []

    init(failurePause: Duration) {
        self.failurePause = failurePause
    }

    /// The number of flights in progress.
    var count: Int { flights.count }
    var tasks: [RunningWork] { flights.values.map(\.task) }

    func isWaiting(_ ticket: UInt64) -> Bool { memberships[ticket] != nil }

    // MARK: Steps

    /// Finds or begins the caller's flight and registers the caller there, in one step. Otherwise the flight could end
    /// before the caller waits for it.
    /// - Parameter beginning: the current removal stamp, for a flight that begins now.
    mutating func admit(
        _ waiter: inout Waiter, _ ticket: FlightTicket, _ question: FlightQuestion, _ beginning: RemovalStamp,
        _ memory: MemoryTier, now: Moment
    ) -> Admittance {
        // A leave before this point found no waiter to remove, so this step checks the ticket.
        if ticket.hasLeft { return .answered(.left) }
        let key = question.key
        if question.isShared {
            if let remembered = failures.recall(key, now: now.monotonic) {
                return .answered(.result(.failed(remembered.failure(now: now)), joined: false))
            }
            if unshareable.recall(key, now: now.monotonic) != nil { return .answered(.alone) }
            letGo(key, memory, sentSince: question.sentSince)
        }
        let number: FlightNumber
        var lead: Lead?
        switch question.isShared ? table.enter(key, wantedByItself: false) : table.enterAlone(key) {
        case .refused:
            return .refused
        case .lead(let led):
            number = led
            lead = begin(led, beginning, question.provider)
        case .joined(let found):
            number = found
            waiter.hasJoined = true
        }
        guard let flight = flights[number] else { return .answered(.left) }
        // A response that is announced and not for others is found by nobody.
        if let made = flight.announced { return .answered(.result(.answered(made), joined: true)) }
        guard let isQueued = flight.wait.register(ticket.asker, ticket: ticket.number) else {
            // The flight was given up since `letGo` looked. Now `letGo` detaches it.
            waiter.hasJoined = false
            return admit(&waiter, ticket, question, beginning, memory, now: now)
        }
        guard table.wait(number, ticket: waiter.ticket, waiter) else { return .answered(.left) }
        let membership = Membership(
            number: number, isShared: question.isShared, wait: flight.wait,
            isQueued: isQueued)
        memberships[waiter.ticket] = membership
        return .admitted(membership, lead: lead)
    }

    /// Leads a flight that no caller waits for, unless one is in progress or failed recently.
    mutating func refresh(
        _ question: FlightQuestion, _ beginning: RemovalStamp, _ memory: MemoryTier, now: MonotonicTime
    ) -> Lead? {
        guard failures.recall(question.key, now: now) == nil else { return nil }
        letGo(question.key, memory)
        guard case .lead(let number) = table.enter(question.key, wantedByItself: true) else { return nil }
        return begin(number, beginning, question.provider)
    }

    /// Removes a caller that no longer waits.
    /// - Returns: the caller to resume, its membership, and the task of its flight if that flight is abandoned.
    mutating func leave(_ ticket: UInt64, isLate: Bool) -> (Waiter, Membership, abandoned: RunningWork?)? {
        guard let membership = memberships.removeValue(forKey: ticket) else { return nil }
        // A shared flight goes on when its caller's patience ends. A flight for one caller alone ends with it.
        let found = table.leave(membership.number, ticket: ticket, keepFlight: isLate && membership.isShared)
        guard let (waiter, departure) = found else { return nil }
        guard case .cancel(let number) = departure else { return (waiter, membership, nil) }
        return (waiter, membership, flights[number]?.task)
    }

    /// Announces a flight's result before the flight ends. Waiting callers get it now, and later callers at once.
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

    /// Ends a flight.
    /// - Returns: the callers to resume, and the flight: what it holds must not be released under the lock.
    mutating func land(
        _ number: FlightNumber, _ question: FlightQuestion, _ result: FlightResult, now: Moment
    ) -> (told: Told, flight: Flight?) {
        let flight = flights.removeValue(forKey: number)
        if question.isShared {
            switch result {
            case .failed(let failure):
                // A fetch that was cancelled says nothing about the next one, and calls that are kept from one client may
                // be there for another.
                let isOwn =
                    flight?.task.isCancelled == true || flight?.announced?.isUsefulInPart == true
                    || failure.fetch?.stage == .cancelled || failure.isKeptForOthers
                if !isOwn, failurePause > .zero || failure.lasts != nil {
                    remember(failure, of: question.key, now: now)
                }
            case .answered(let made):
                if !made.mayBeShared { markUnshareable(question.key, now: now.monotonic) }
            }
        }
        return (release(table.finish(number)), flight)
    }

    // MARK: What is known

    /// Whether a request for the key would cost no call: it would join a flight, or get a remembered failure.
    mutating func isAnswered(_ key: Digest, _ memory: MemoryTier, now: MonotonicTime) -> Bool {
        if failures.recall(key, now: now) != nil { return true }
        guard let number = table.flight(of: key), let flight = flights[number] else { return false }
        return memory.isCurrent(flight.beginning, ofAnyGroupOf: flight.provider) && !flight.wait.isGivenUp
    }

    mutating func forgetFailures() { failures.forgetAll() }

    mutating func forgetFailures(of provider: String) { failures.forget { $0.provider == provider } }

    // MARK: Parts of steps

    private mutating func markUnshareable(_ key: Digest, now: MonotonicTime) {
        unshareable.remember(key, true, until: now + .seconds(120), now: now)
    }

    private mutating func release(_ waiters: [Waiter]) -> Told {
        waiters.map { ($0, memberships.removeValue(forKey: $0.ticket)) }
    }

    /// Detaches a flight that a new caller must not join. It began before a purge or an unsafe request, or a newer
    /// response that is not stored withdrew its response, or its call was sent before `sentSince`, or it was given up.
    private mutating func letGo(_ key: Digest, _ memory: MemoryTier, sentSince: WallTime? = nil) {
        guard let number = table.flight(of: key), let flight = flights[number] else { return }
        // The order of responses has a lock of its own, which calls nothing while it is held.
        let isWithdrawn = flight.announced?.selection?.place?.isWithdrawn ?? false
        var isTooEarly = false
        if let sentSince, let made = flight.announced { isTooEarly = made.entry.requestTime < sentSince }
        // The same holds for the removals of groups.
        let isCurrent = memory.isCurrent(flight.beginning, ofAnyGroupOf: flight.provider)
        if isWithdrawn || isTooEarly || !isCurrent || flight.wait.isGivenUp { table.detach(number) }
    }

    private mutating func begin(_ number: FlightNumber, _ beginning: RemovalStamp, _ provider: String) -> Lead {
        let flight = Flight(beginning: beginning, provider: provider)
        flights[number] = flight
        return (number, flight)
    }

    /// Remembers a failure. The pause begins when the attempt ends; otherwise a slow failure would be repeated at once.
    private mutating func remember(_ failure: UpstreamFailure, of key: Digest, now: Moment) {
        // If the failure itself names a time for the next attempt, the pause does not last longer.
        let end = now.monotonic + max(failurePause, failure.lasts ?? .zero)
        let named = failure.retryAt.map { now.monotonic(at: $0) }
        // A response with a memory reservation is not kept for later callers.
        var remembered = failure
        if failure.response?.hold != nil { remembered.response = nil }
        failures.remember(
            key, RememberedFailure(remembered, now: now), until: min(end, named ?? end), now: now.monotonic)
    }
}
