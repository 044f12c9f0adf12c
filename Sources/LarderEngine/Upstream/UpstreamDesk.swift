// Every call to a provider passes here: admitted by its lane, reserved durably when it has a place and before it is sent
// (`UpstreamDesk+Reservation.swift`), classified before anyone may store it. Calls are made on every loop; the lanes are in
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
public final class UpstreamDesk: Sendable {
    /// When a client that found no place for its transfer may try again: places come free all the time.
    static let crowdPause = Duration.seconds(2)

    /// Where what changes is told, in the order in which it came about.
    let home: EventLoop
    private let upstream: any Upstream
    private let accounts: AccountDesk
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

    /// Without lanes: `open` makes them, before the first call.
    public init(
        loop: EventLoop, upstream: any Upstream, accounts: AccountDesk, state: StateStore, compute: ComputeGate,
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

    /// Opens a lane for each provider with what the last run left: calls still in their windows, suspensions.
    /// After a lost `state.db` a budget counts as spent for one window, since nobody knows what was called.
    public func open(_ providers: ProviderSet) async {
        // What is read below must not be older than what is known, and what is reserved ahead is so under the old limits.
        let before = time.moment()
        step { table in for provider in table.lanes.keys { table.emptyStock(provider, now: before) } }
        await flush()
        let now = time.moment()
        if step({ $0.lanes.isEmpty }) { await capRecord(now) }
        for provider in providers.all {
            let settings = provider.settings
            let record = await record(provider.name, [settings.rate, settings.quota], now: now)
            var suspension = SuspensionMachine()
            if let stored = try? await state.value(LaneTable.suspensionName(provider.name)),
                let decoded = SuspensionMachine(decoding: stored, now: now)
            {
                suspension = decoded
            }
            let credits = (try? await state.value(CreditsNote.name(provider.name))).flatMap {
                CreditsNote(decoding: $0)
            }
            let read = provider.provider
            let fresh = budget(settings, record, now: now)
            let decoded = suspension
            let isKnown = step { table in
                if table.lanes[provider.name] != nil { return true }
                let lane = ProviderLane(
                    budget: fresh, suspension: decoded, suspends: !provider.isPassthrough,
                    credits: { read.credits(in: $0, now: $1) })
                if let credits { lane.budget.recall(credits.credits, savedAt: credits.savedAt, now: now) }
                table.add(provider.name, lane)
                // What is left of it, by the clock of now: one that was set back grants it no second time.
                if decoded.suspension != nil { table.noteSuspension(provider.name, now: now) }
                return false
            }
            guard isKnown else { continue }
            limit(provider.name, settings, record ?? [], now: now)
            step { table in
                table.lanes[provider.name]?.suspends = !provider.isPassthrough
                table.lanes[provider.name]?.credits = { read.credits(in: $0, now: $1) }
            }
        }
    }

    /// Calls of earlier runs that are dated ahead count as made now, at this start and at all later ones: they block for
    /// one window, not for one window after each start. Calls of this run keep the names that they have in memory.
    private func capRecord(_ now: Moment) async {
        do {
            try await state.capCalls(at: now.wall)
        } catch {
            log.warning("calls dated ahead could not be put at now", ["error": "\(error)"])
        }
    }

    /// The calls that the state database knows of in the longest window; nil where they cannot be read.
    private func record(_ provider: String, _ limits: [CallRate?], now: Moment) async -> [WallTime]? {
        guard let window = limits.compactMap({ $0?.window }).max() else { return [] }
        do {
            return try await state.calls(of: provider, since: horizon(now, window))
        } catch {
            log.warning(
                "the record of calls cannot be read: they count as made", ["provider": provider, "error": "\(error)"])
            return nil
        }
    }

    /// The earliest wall time that a call within that span may have on record: the clock may have been set forward since.
    func horizon(_ now: Moment, _ span: Duration) -> WallTime {
        min(now.wall, started.wall(at: now.monotonic)) + (.zero - span)
    }

    /// The budget as the last run left it. What nobody can know counts as spent.
    private func budget(_ settings: ProviderSettings, _ record: [WallTime]?, now: Moment) -> CallBudget {
        guard let record else { return CallBudget.spent(rate: settings.rate, quota: settings.quota, now: now) }
        guard let lostAt = state.lostAt else {
            return CallBudget(rate: settings.rate, quota: settings.quota, recorded: record, now: now)
        }
        // As many as its limits hold were made when it was lost, and those on record since.
        let most = max(settings.rate?.calls ?? 0, settings.quota?.calls ?? 0)
        return CallBudget(
            rate: settings.rate, quota: settings.quota,
            recorded: Array(repeating: lostAt, count: most) + record, now: now)
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
            let classification = await compute.run(reading: response.plainSize) {
                classify(response).heedingRetryAfter(of: response)
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

    /// What a fetch that brought no answer does to the lane.
    private func lost(
        _ call: UpstreamCall, _ error: FetchError, _ attempt: CallAttempt?
    ) -> UpstreamFailure {
        let now = time.moment()
        let isProbe = attempt?.isProbe == true
        step { table in
            if error.isUnsent, let attempt { table.giveBack(attempt, now: now) }
            if call.isBudgeted, !error.isUnsent {
                for _ in 0..<error.redirects { table.countHop(call.provider, now: now) }
            }
            // It says nothing of the provider. Only the trial call itself gives the trial back: others end beside it every
            // moment.
            let saysNothing = attempt?.refusal != nil || error.stage == .cancelled || error.stage == .overloaded
            if isProbe, saysNothing { table.abandonTrial(call.provider, now: now.monotonic) }
        }
        if let refusal = attempt?.refusal {
            if attempt?.isOverBudget == false {
                counters.cell(EngineCounters.unsentCalls, call.provider, refusal.failure.rawValue).add()
            }
            return refusal
        }
        var failure = UpstreamFailure(error, provider: call.provider)
        failure.mayHaveTakenEffect = !error.isUnsent && !call.order.method.isIdempotent
        let word = error.stage == .cancelled ? "cancelled" : failure.failure.rawValue
        if error.isUnsent {
            counters.cell(EngineCounters.unsentCalls, call.provider, word).add()
        } else {
            count(call, word)
        }
        guard error.stage == .cancelled || error.stage == .overloaded else { return suspendIfNeeded(call, failure) }
        if error.stage == .overloaded { failure.retryAt = now.wall + Self.crowdPause }
        return failure
    }

    /// What is known of a provider's lane now.
    public func report(_ provider: String) -> LaneReport? {
        let now = time.moment()
        return step { table in
            table.returnUnused(provider, now: now)
            table.look(provider, now: now)
            guard let lane = table.lanes[provider] else { return nil }
            let usage = lane.budget.usage(now: now)
            let rest = lane.suspends ? lane.suspension.rest(at: now.monotonic) : nil
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
                isProbing: lane.suspends && lane.suspension.isProbing(at: now.monotonic),
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

    /// Ends a suspension by hand. False where there is no such provider.
    public func resume(_ provider: String) async -> Bool {
        let now = time.moment()
        guard step({ $0.resume(provider, now: now) }) else { return false }
        await flush()
        return true
    }

    /// What an answer tells of the provider's limits: what it says is left, and the redirects on its way.
    private func hear(_ call: UpstreamCall, _ attempt: CallAttempt?, _ fields: HeaderFields, redirects: Int) {
        guard call.isBudgeted else { return }
        let now = time.moment()
        step { table in
            table.hear(call.provider, fields, callNumber: attempt?.callNumber ?? 0, now: now)
            for _ in 0..<redirects { table.countHop(call.provider, now: now) }
        }
    }

    private func succeeded(_ provider: String) {
        let now = time.moment()
        if step({ $0.succeeded(provider, now: now) }) {
            log.notice("provider works again", ["provider": provider])
        }
    }

    private func suspendIfNeeded(_ call: UpstreamCall, _ failure: UpstreamFailure) -> UpstreamFailure {
        guard call.isBudgeted else { return failure }
        if failure.failure == .invalidRequest || failure.failure == .notFound
            || (call.claim != nil || call.hasClientCredentials) && failure.isAccountRefusal
        {
            // The provider works; it is our request that it refuses, or the account's token, or one client's key.
            succeeded(call.provider)
            return failure
        }
        let now = time.moment()
        let end = step {
            $0.failed(call.provider, failure, now: now, random: UInt64.random(in: 0...UInt64.max))
        }
        guard let end else { return failure }
        let until = now.boundedWall(at: end)
        counters.cell(EngineCounters.suspensions, call.provider).add()
        log.warning(
            "provider suspended",
            [
                "provider": call.provider, "reason": failure.failure.rawValue, "until": until.rfc3339,
                "detail": failure.detail,
            ])
        tellOfBound(call.provider, failure)
        var failure = failure
        failure.retryAt = Moment.bounded(max(failure.retryAt ?? until, until), now: now.wall)
        return failure
    }

    /// Says once for each rest that the provider named an end which is not believed.
    private func tellOfBound(_ provider: String, _ failure: UpstreamFailure) {
        guard let response = failure.response,
            RetryAfter.read(response.fields, at: response.responseTime)?.isBeyondReason == true,
            step({ $0.tellsOfBound(provider) })
        else { return }
        log.warning(
            "a Retry-After beyond reason counts as \(Units.format(duration: RetryAfter.bound))",
            ["provider": provider, "retryAfter": String((response.fields.first("Retry-After") ?? "").prefix(40))])
    }

    /// Counts a call that was sent.
    private func count(_ call: UpstreamCall, _ word: String) {
        counters.cell(EngineCounters.upstreamCalls, call.provider, word).add()
    }
}
