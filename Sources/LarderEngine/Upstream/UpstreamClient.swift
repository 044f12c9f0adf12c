// Every call to a provider passes here: admitted by its lane, reserved durably when it has a place and before it is sent
// (`UpstreamClient+Reservation.swift`), classified before anyone may store it. Calls are made on every loop; the lanes are in
// one table under a lock (`LaneTable`), and what changes of them is told on the home loop.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// One call: what to fetch and how to read the answer.
public struct UpstreamCall: Sendable {
    var provider: String
    var order: FetchOrder
    /// Whether it counts against the provider's budget and suspension. Artwork comes from other hosts and does not.
    var isBudgeted: Bool
    /// For which account it speaks, if for any: its token then takes the place of the order's secret fields.
    var claim: AccountClaim?
    /// The order carries the client's own credentials: a refusal of them says nothing of the provider.
    var hasClientCredentials = false
    /// Runs off the loops where the answer is large.
    var classify: @Sendable (UpstreamResponse) -> Classification

    /// A call for no account, without credentials of the client, where none are named.
    public init(
        provider: String, order: FetchOrder, isBudgeted: Bool, claim: AccountClaim? = nil,
        hasClientCredentials: Bool = false, classify: @escaping @Sendable (UpstreamResponse) -> Classification
    ) {
        self.provider = provider
        self.order = order
        self.isBudgeted = isBudgeted
        self.claim = claim
        self.hasClientCredentials = hasClientCredentials
        self.classify = classify
    }
}

/// Where every call to a provider is made.
public final class UpstreamClient: Sendable {
    /// When a client that found no place for its transfer may try again: places come free all the time.
    static let crowdPause = Duration.seconds(2)

    /// Where what changes is told, in the order in which it came about.
    let home: EventLoop
    private let upstream: any Upstream
    private let accounts: AccountCoordinator
    let state: StateStore
    private let compute: ComputeGate
    let time: any TimeSource
    let log: Logger
    let counters: CounterRegistry
    private let table = Lock(LaneTable())
    /// What the clocks said when this run began.
    let started: Moment
    /// Who is told what changes.
    private let listener = Lock<(@Sendable (LaneNews) -> Void)?>(nil)
    /// The budgets that are the fleet's.
    let fleet = Lock(FleetBudgets())

    /// Without lanes: `open` makes them, before the first call.
    public init(
        loop: EventLoop, upstream: any Upstream, accounts: AccountCoordinator, state: StateStore, compute: ComputeGate,
        time: any TimeSource, log: Logger, counters: CounterRegistry
    ) {
        home = loop
        self.upstream = upstream
        self.accounts = accounts
        self.state = state
        self.compute = compute
        self.time = time
        self.log = log
        self.counters = counters
        started = time.moment()
    }

    /// Takes one step of the table, and has done what follows from it: what is to be told, and to be written down.
    func step<Result: Sendable>(_ body: (inout LaneTable) -> Result) -> Result {
        let (result, hasErrands, writes, lost, fates) = table.withLock { table in
            let result = body(&table)
            let writes = table.notes.isWaiting && !table.isWriting
            if writes { table.isWriting = true }
            return (result, table.hasErrands, writes, table.takeLostNotes(), table.takeStockFates())
        }
        if hasErrands { home.post { [weak self] in self?.runErrands() } }
        if writes { Task(executorPreference: home) { await self.writeNotes() } }
        for fate in fates {
            counters.cell(EngineCounters.reservedAhead, fate.provider, fate.isUsed ? "used" : "returned").add()
        }
        for note in lost { log.warning("too many notes wait for the state database", ["note": note]) }
        return result
    }

    /// On the home loop: tells what changed, and plans the next looks.
    private func runErrands() {
        let errands = table.withLock { $0.takeErrands() }
        if let listener = listener.withLock({ $0 }) {
            for news in errands.news { listener(news) }
        }
        let now = time.monotonic()
        for end in errands.stockEnds {
            _ = home.schedule(at: home.monotonic + (end.at - now)) { [weak self] in
                guard let self else { return }
                let now = time.moment()
                step { $0.returnUnused(end.provider, now: now) }
            }
        }
        for due in errands.looks {
            _ = home.schedule(at: home.monotonic + (due.at - now)) { [weak self] in
                guard let self else { return }
                let now = time.moment()
                step { $0.lookAgain(due, now: now) }
            }
        }
    }

    /// Has what changes told from now on, on the home loop: first what the last run left, then each change when it comes about.
    public func listen(_ listener: @escaping @Sendable (LaneNews) -> Void) {
        self.listener.withLock { $0 = listener }
        let now = time.moment()
        step { $0.listen(now: now) }
    }

    /// Whether a call may be made that nobody waits for.
    func spare(_ provider: String) -> CallBudget.Grant {
        let now = time.moment()
        return step { $0.lanes[provider]?.budget.spare(now: now) } ?? .spent(until: now.monotonic + .seconds(60))
    }

    /// Sends one call and says what came of it. One that speaks for an account, and is refused with 401 or 403, is sent
    /// once more with renewed tokens: a call of the budget like the first.
    public func perform(_ call: UpstreamCall) async -> Result<(UpstreamResponse, Classification), UpstreamFailure> {
        guard let claim = call.claim else { return await send(call) }
        var call = call
        do {
            let pass = try await accounts.authorization(for: call.provider, claim)
            call.order.secretFields = pass.fields
            let first = await send(call)
            guard case .failure(let refusal) = first, refusal.isAccountRefusal else { return first }
            guard let renewed = try await accounts.rejected(pass) else { return .failure(refusal.ofAccount) }
            call.order.secretFields = renewed.fields
            let second = await send(call)
            guard case .failure(let refusal) = second, refusal.isAccountRefusal else { return second }
            return .failure(refusal.ofAccount)
        } catch {
            return .failure(error)
        }
    }

    private func send(_ call: UpstreamCall) async -> Result<(UpstreamResponse, Classification), UpstreamFailure> {
        let number: UInt64?
        do throws(UpstreamFailure) { number = try begin(call) } catch { return .failure(error) }
        do {
            let response = try await upstream.fetch(order(call, number))
            let attempt = settle(number)
            hear(call, attempt, response.fields, redirects: response.redirects)
            let classify = call.classify
            let classification = await time.timing(.classify, call.provider) {
                await compute.run(reading: response.plainSize) { classify(response).heedingRetryAfter(of: response) }
            }
            count(call, classification.word)
            if let failure = UpstreamFailure(classification, response: response, provider: call.provider) {
                return .failure(suspendIfNeeded(call, failure))
            }
            if call.isBudgeted { succeeded(call.provider) }
            return .success((response, classification))
        } catch {
            return .failure(lost(call, error, settle(number)))
        }
    }

    /// Sends one call and returns with the head of its answer, whatever its status: for pass-through every answer is one.
    /// - Returns: also what the provider takes the status for.
    public func open(
        _ call: UpstreamCall, upload: Upload?, stall: Duration
    ) async -> Result<(UpstreamStream, Classification), UpstreamFailure> {
        let number: UInt64?
        do throws(UpstreamFailure) {
            number = try begin(call)
        } catch {
            upload?.reader.abandon()
            return .failure(error)
        }
        do {
            let stream = try await upstream.open(order(call, number), upload: upload, stall: stall)
            let attempt = settle(number)
            hear(call, attempt, stream.head.fields, redirects: stream.head.redirects)
            let answer = stream.head.response
            let classification = call.classify(answer).heedingRetryAfter(of: answer)
            count(call, classification.word)
            if let failure = UpstreamFailure(classification, response: answer, provider: call.provider) {
                _ = suspendIfNeeded(call, failure)
            } else if call.isBudgeted {
                succeeded(call.provider)
            }
            return .success((stream, classification))
        } catch {
            return .failure(lost(call, error, settle(number)))
        }
    }

    /// What is known of a provider's lane now.
    public func report(_ provider: String) -> LaneReport? {
        let now = time.moment()
        return step { table in
            table.returnUnused(provider, now: now)
            table.look(provider, now: now)
            guard let lane = table.lanes[provider] else { return nil }
            let usage = lane.budget.usage(now: now)
            let rest = lane.heedsSuspension ? lane.suspension.rest(at: now.monotonic) : nil
            func limit(_ rate: CallRate?, _ remaining: Int?) -> LimitReport? {
                rate.map {
                    LimitReport(
                        limit: $0, remaining: remaining ?? 0,
                        resetsAt: lane.budget.resetsAt($0, now: now).map { now.boundedWall(at: $0) })
                }
            }
            return LaneReport(
                rate: limit(lane.budget.rate, usage.rate), quota: limit(lane.budget.quota, usage.quota),
                credits: lane.budget.allowances(now: now),
                resetsAt: lane.budget.resetsAt(now: now).map { now.boundedWall(at: $0) },
                suspension: rest.map { (now.boundedWall(at: $0.until), $0.failure) },
                isProbing: lane.heedsSuspension && lane.suspension.isProbing(at: now.monotonic),
                reachability: lane.reachability)
        }
    }

    /// What a provider's lane looks like now.
    public func sight(_ provider: String) -> LaneSight? {
        let now = time.moment()
        return step { table in
            table.look(provider, now: now)
            return table.lanes[provider]?.sight(now: now)
        }
    }

    /// Lets a provider rest by hand, at most for a day: no call is made to it meanwhile. A restart does not end it.
    /// - Returns: until when; nil where there is no such provider.
    public func suspend(_ provider: String, for duration: Duration) async -> WallTime? {
        let now = time.moment()
        guard let until = step({ $0.suspend(provider, for: duration, now: now) }) else { return nil }
        tellFleetOfSuspension(provider, now)
        await flush()
        return now.boundedWall(at: until)
    }

    /// Ends a suspension by hand. False where there is no such provider.
    public func resume(_ provider: String) async -> Bool {
        let now = time.moment()
        guard step({ $0.resume(provider, now: now) }) else { return false }
        tellFleetOfSuspension(provider, now)
        await flush()
        return true
    }
}
