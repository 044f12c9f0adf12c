// The single path of every call to a provider. The call's lane admits it; it is reserved durably once it has a place
// and before it is sent (`UpstreamClient+Reservation.swift`); its answer is classified before it may be stored. Calls
// are made on every loop. The lanes are in one table under a lock (`LaneTable`), and their changes are reported on the
// home loop.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// One call: what to fetch, and how to classify the answer.
public struct UpstreamCall: Sendable, CopyOnWrite {
    public struct Content: Sendable {
        var provider: String
        var order: FetchOrder
        /// Whether the call counts against the provider's budget and suspension. Artwork comes from other hosts and does
        /// not.
        var isBudgeted: Bool
        /// The account that the call is made for, if any. Its token replaces the order's secret fields.
        var claim: AccountClaim?
        /// A digest of the client's own credentials that the order carries; empty if there are none. If they are refused or
        /// limited, that says nothing about the provider.
        var caller: Bytes = []
        /// What is asked, as far as it decides whom a failure blames.
        public var subject = CallSubject()
        /// Whether this is a known question that Larder asks by itself, to find out whether the provider works.
        var isTrial = false
        /// The tool that the call is counted for: that of the client whose task makes it.
        var tool = AskingClient.tool.name
        /// Whether a 401 may mean that the token in the order has expired or was revoked. It then says nothing about the
        /// provider.
        var isTokenInDoubt = false
        /// Whether the body can still show that the answer is a failure. `open` then leaves an answer that its head classifies
        /// as data to its caller to count.
        var isJudgedByBody = false
        /// Classifies the answer. Runs off the loops if the answer is large.
        var classify: @Sendable (UpstreamResponse) -> Classification
    }

    public var content: Shared<Content>

    /// By default the call is for no account and carries no credentials of the client.
    public init(
        provider: String, order: FetchOrder, isBudgeted: Bool, claim: AccountClaim? = nil,
        caller: Bytes = [], classify: @escaping @Sendable (UpstreamResponse) -> Classification
    ) {
        content = Shared(
            Content(
                provider: provider, order: order, isBudgeted: isBudgeted, claim: claim, caller: caller,
                classify: classify))
    }

    var hasClientCredentials: Bool { !self.caller.isEmpty }
}

/// Makes every call to a provider.
public final class UpstreamClient: Sendable {
    /// When a client may try again after its transfer found no place. Places become free all the time.
    static let crowdPause = Duration.seconds(2)

    /// The loop on which changes are reported, in the order in which they happened.
    let home: EventLoop
    private let upstream: any Upstream
    let accounts: AccountCoordinator
    let state: StateStore
    private let compute: ComputeGate
    let time: any TimeSource
    let log: Logger
    let counters: CounterRegistry
    private let table = Lock(LaneTable())
    /// The clocks' readings when this run began.
    let started: Moment
    /// The listener for changes.
    private let listener = Hook<(@Sendable (LaneNews) -> Void)?>(nil)
    /// The budgets that the fleet shares.
    let fleet = Lock(FleetBudgets())

    /// Creates a client without lanes. `open` must create them before the first call.
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

    /// Runs one step on the table and starts what follows from it: reporting changes and writing notes.
    func step<Result: Sendable>(_ body: (inout LaneTable) -> Result) -> Result {
        let (result, hasActions, writes, lost, outcomes) = table.withLock { table in
            let result = body(&table)
            let writes = table.notes.isWaiting && !table.isWriting
            if writes { table.isWriting = true }
            return (result, table.hasActions, writes, table.takeLostNotes(), table.takeStockOutcomes())
        }
        if hasActions { home.post { [weak self] in self?.runActions() } }
        if writes { Task(executorPreference: home) { await self.writeNotes() } }
        for outcome in outcomes {
            counters.cell(EngineCounters.reservedAhead, outcome.provider, outcome.isUsed ? "used" : "returned").add()
        }
        for note in lost { log.warning("a note was lost: too many notes wait for the state database", ["note": note]) }
        return result
    }

    /// Reports changes and plans the next looks. Runs on the home loop.
    private func runActions() {
        let actions = table.withLock { $0.takeActions() }
        if let listener = listener.get() {
            for news in actions.news { listener(news) }
        }
        let now = time.monotonic()
        // The loop may have read its clock long before `now`. A timer counted from there would fire too early, find calls
        // that are not over, and not come again.
        let here = home.clock.monotonic()
        for end in actions.stockEnds {
            _ = home.schedule(at: here + (end.at - now)) { [weak self] in
                guard let self else { return }
                let now = time.moment()
                step { $0.returnUnused(end.provider, now: now) }
            }
        }
        for due in actions.looks {
            _ = home.schedule(at: here + (due.at - now)) { [weak self] in
                guard let self else { return }
                let now = time.moment()
                step { $0.lookAgain(due, now: now) }
            }
        }
    }

    /// Sets the listener, which is called on the home loop. The state left by the last run is reported first, then each
    /// change as it happens.
    public func listen(_ listener: @escaping @Sendable (LaneNews) -> Void) {
        self.listener.set(listener)
        let now = time.moment()
        step { $0.listen(now: now) }
    }

    /// Whether a call may be made now that no client waits for.
    func spare(_ provider: String) -> CallBudget.Grant {
        let now = time.moment()
        return step { $0.lanes[provider]?.budget.spare(now: now) } ?? .spent(until: now.monotonic + .seconds(60))
    }

    /// Sends one call, with the order's own credentials.
    func send(_ call: UpstreamCall) async -> Result<(UpstreamResponse, Classification), UpstreamFailure> {
        let asker = CallAsker.current
        let number: UInt64?
        do throws(UpstreamFailure) { number = try begin(call, for: asker) } catch { return .failure(error) }
        do {
            let response = try await upstream.fetch(order(call, number, for: asker))
            let attempt = settle(number)
            hear(call, attempt, response.fields, redirects: response.redirects)
            let classify = call.classify
            let classification = await time.timing(.classify, call.provider) {
                await compute.run(reading: response.plainSize) { classify(response).heedingRetryAfter(of: response) }
            }
            count(call, classification.word)
            if let failure = answered(call, attempt, response, classification) { return .failure(failure) }
            return .success((response, classification))
        } catch {
            return .failure(lost(call, error, settle(number)))
        }
    }

    /// Sends one call, with the order's own credentials, and returns with the head of its answer.
    func opened(
        _ call: UpstreamCall, upload: Upload?, stall: Duration?
    ) async -> Result<(UpstreamStream, Classification), UpstreamFailure> {
        let asker = CallAsker.current
        let number: UInt64?
        do throws(UpstreamFailure) {
            number = try begin(call, for: asker)
        } catch {
            upload?.reader.abandon()
            return .failure(error)
        }
        let outcome: Result<UpstreamStream, FetchError>
        do {
            outcome = .success(
                try await upstream.open(order(call, number, for: asker), upload: upload, stall: stall))
        } catch {
            outcome = .failure(error)
        }
        return took(outcome, of: call, number)
    }

    /// Begins a call like `opened`, for a caller that is no task, on the loop that performs it.
    /// - Parameter done: gets the outcome on that loop, after this method has returned.
    /// - Returns: what cancels the call until its outcome is on its way. Nil if the call needs a task; nothing has
    ///   happened then.
    func begin(
        _ call: UpstreamCall, stall: Duration?,
        _ done: @escaping @Sendable (Result<(UpstreamStream, Classification), UpstreamFailure>) -> Void
    ) -> (@Sendable () -> Void)? {
        guard call.order.tokenOf == nil, let loop = EventLoop.current, let start = upstream.start(of: call.order) else {
            return nil
        }
        let asker = CallAsker.current
        let number: UInt64?
        do throws(UpstreamFailure) {
            number = try begin(call, for: asker)
        } catch {
            loop.post { done(.failure(error)) }
            return {}
        }
        return start(order(call, number, for: asker), stall) { [self] outcome in done(took(outcome, of: call, number)) }
    }

    /// Takes in the outcome of a call: the head of its answer, or its failure.
    private func took(
        _ outcome: Result<UpstreamStream, FetchError>, of call: UpstreamCall, _ number: UInt64?
    ) -> Result<(UpstreamStream, Classification), UpstreamFailure> {
        let attempt = settle(number)
        switch outcome {
        case .failure(let error): return .failure(lost(call, error, attempt))
        case .success(let stream):
            hear(call, attempt, stream.head.fields, redirects: stream.head.redirects)
            let answer = stream.head.response
            let classification = call.classify(answer).heedingRetryAfter(of: answer)
            if classification != .data || !call.isJudgedByBody { count(call, classification.word) }
            _ = answered(call, attempt, answer, classification)
            return .success((stream, classification))
        }
    }

    /// Returns a report of a provider's lane; nil if there is none.
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
                reachability: lane.reachability,
                tools: lane.toolUse(now: now))
        }
    }

    /// Returns the present state of a provider's lane; nil if there is none.
    public func sight(_ provider: String) -> LaneSight? {
        let now = time.moment()
        return step { table in
            table.look(provider, now: now)
            return table.lanes[provider]?.sight(now: now)
        }
    }

    /// Suspends a provider by hand, for at most a day. No call is made to it meanwhile, and a restart does not end the
    /// suspension.
    /// - Returns: when the suspension ends; nil if there is no such provider.
    public func suspend(_ provider: String, for duration: Duration) async -> WallTime? {
        let now = time.moment()
        guard let until = step({ $0.suspend(provider, for: duration, now: now) }) else { return nil }
        tellFleetOfSuspension(provider, now)
        await flush()
        return now.boundedWall(at: until)
    }

    /// Ends a suspension by hand. Returns false if there is no such provider.
    public func resume(_ provider: String) async -> Bool {
        let now = time.moment()
        guard step({ $0.resume(provider, now: now) }) else { return false }
        tellFleetOfSuspension(provider, now)
        await flush()
        return true
    }
}
