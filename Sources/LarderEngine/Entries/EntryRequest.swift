// One request for one entry. It performs the steps that its `RequestFlow` names, and decides nothing itself. Raw,
// normalised, artwork, pooled and pass-through entries all work this way; they differ only in their `EntryRecipe`.
import LarderCache
import LarderCore
import LarderHTTP
import LarderShared
import LarderStore

/// One request for one entry.
public struct EntryRequest: Sendable {
    /// How the request ended, if no upstream failed.
    public enum Conclusion: Sendable {
        case served(Served)
        /// The request must be passed on by itself: a HEAD, or a request for a part of what is not stored.
        case passOn(ForwardReason, stored: StoredResponse?, CacheRule)
        /// Nothing usable is stored, and the client accepts nothing else (RFC 9111 §5.2.1.7).
        case notCached(CacheRule)
    }

    let engine: Engine
    let recipe: EntryRecipe
    let terms: RequestTerms
    /// The longest time that the client waits for a fetch. The fetch goes on without it.
    var deadline: Duration?
    /// The plan of several calls that the entry is a part of. The request does not wait beyond the end of the plan.
    var plan: WaitClock?
    /// Waits before a call is made for this client. Returns false if the client no longer wants the response.
    var hold: (@Sendable () async -> Bool)?
    /// A stale response counts as demand while the provider is away, so that the entry is refreshed when it is back.
    var isMissed = false
    /// Gets the upstream's interim responses while the request waits.
    public var interim: InterimRelay.Listener?

    /// Makes a request. By default it starts at once and waits as long as its fetch takes.
    public init(
        engine: Engine, recipe: EntryRecipe, terms: RequestTerms, deadline: Duration? = nil, plan: WaitClock? = nil,
        hold: (@Sendable () async -> Bool)? = nil, isMissed: Bool = false
    ) {
        self.engine = engine
        self.recipe = recipe
        self.terms = terms
        self.deadline = deadline
        self.plan = plan
        self.hold = hold
        self.isMissed = isMissed
    }

    private var cache: EntryCache { engine.cache }
    private var now: WallTime { engine.time.wall() }

    /// The response for an entry that no client asks for with HEAD or in parts.
    public func served() async throws(UpstreamFailure) -> Served {
        guard case .served(let served) = try await run() else { throw Self.notCached(by: recipe.provider) }
        return served
    }

    /// Performs all steps of the request.
    /// - Throws: why the upstream gave nothing, if nothing stored could stand in.
    public func run() async throws(UpstreamFailure) -> Conclusion {
        let began = engine.time.monotonic()
        if let absent = recipe.absent { return try await run(absent, since: began) }
        return try await run(await recipe.find(), since: began)
    }

    func lookedUp(
        _ found: EntryCache.Found, _ flow: inout RequestFlow, since began: MonotonicTime
    ) -> RequestFlow.Step {
        Timeline.current?.note(.lookUp, recipe.provider, from: began, to: engine.time.monotonic())
        return flow.lookedUp(
            found.entry, hasVariants: found.index != nil, isInDoubt: found.isInDoubt, parts: found.parts?.decision,
            hasParts: found.parts?.stored != nil, now: now)
    }

    /// Performs the steps from the look-up on.
    func run(
        _ looked: EntryCache.Found, since began: MonotonicTime
    ) async throws(UpstreamFailure) -> Conclusion {
        var flow = RequestFlow(terms)
        var found = looked
        terms.judge.limit(&found.entry)
        let step = lookedUp(found, &flow, since: began)
        // Most requests end here.
        if case .answer(let stored) = step, let entry = found.entry.take() {
            let mayBeKept = stored.outcome != .stale && found.isForAll
            var served = answer(stored, entry, ready: mayBeKept ? found.ready : nil)
            if let rule = found.chosenBy { served.provenance.rule = rule }
            return .served(served)
        }
        return try await perform(step, flow, found)
    }

    /// Performs the steps after the look-up.
    /// - Parameter fetched: the fetch that led to the first step, if one did.
    func perform(
        _ first: RequestFlow.Step, _ begun: RequestFlow, _ looked: EntryCache.Found, _ fetched: Fetch? = nil
    ) async throws(UpstreamFailure) -> Conclusion {
        var flow = begun
        var found = looked
        var step = first
        var fetch = fetched
        while true {
            switch step {
            case .answer(let stored):
                if stored.outcome == .stale { noteDemand(recipe.flightKey(found)) }
                // Memory keeps only responses that were fresh and needed no fetch.
                guard let entry = stored.isStandIn ? fetch?.made?.entry : found.entry else { throw unwanted }
                var served = answer(stored, entry, ready: nil)
                served.provenance.failure = fetch?.made?.covering ?? fetch?.failure
                served.provenance.shared = fetch?.made?.shared ?? .none
                return .served(served)
            case .answerAndRefresh(let stored):
                guard let entry = found.entry else { throw unwanted }
                noteDemand(recipe.flightKey(found))
                await refresh(found)
                return .served(answer(stored, entry, ready: nil))
            case .makeFromStore:
                return .served(try await makeFromStore())
            case .fetch(let forward), .fetchAlone(let forward), .fetchPart(let forward):
                if fetch == nil, let hold, await !hold() { throw unwanted }
                var isShared = true
                if case .fetchAlone = step {
                    isShared = false
                    // A response that is fetched for one request alone is not combined with parts that others may get.
                    found.part = nil
                }
                if case .fetchPart = step { found.part = recipe.part }
                var forward = forward
                if fetch != nil, forward.sentSince != nil {
                    step = await lookAgain(&flow, &found)
                    if !isShared { found.part = nil }
                    guard case .fetch(let again) = step else { continue }
                    forward = again
                }
                let brought = try await obtain(forward, found, isShared: isShared)
                fetch = brought
                step = next(after: brought, &flow, found)
            case .answerFetched(let fresh):
                guard let fetch, let made = fetch.made else { throw unwanted }
                return .served(answer(fresh, made, fetch, found))
            case .passOn(let reason, let hasStored, let rule):
                return .passOn(reason, stored: hasStored ? found.entry : nil, rule)
            case .gatewayTimeout(let rule):
                return .notCached(rule)
            case .fail(let isValidationOwed):
                guard var failure = fetch?.failure else { throw unwanted }
                if isValidationOwed { failure.statusOverride = 504 }
                throw failure
            }
        }
    }

    /// Reads the store again before a second fetch.
    private func lookAgain(_ flow: inout RequestFlow, _ found: inout EntryCache.Found) async -> RequestFlow.Step {
        let part = found.part
        found = await recipe.find()
        terms.judge.limit(&found.entry)
        if found.entry == nil, found.part == nil { found.part = part }
        // Another host's instants are converted, and tell the order of two calls of different hosts only roughly.
        let tells = !found.isInDoubt && found.entry?.parents.contains(EntryCache.sharedOrigin) != true
        return flow.lookedUpAgain(found.isInDoubt ? nil : found.entry, mayAnswer: tells, now: now)
    }

    // MARK: Fetching

    /// How a fetch ended for this request.
    struct Fetch {
        var made: Made?
        var hasJoined = false
        var ending = RequestFlow.Ending.failed
        var failure: UpstreamFailure?
    }

    private func obtain(
        _ forward: RequestFlow.Forward, _ found: EntryCache.Found, isShared: Bool
    ) async throws(UpstreamFailure) -> Fetch {
        let order = recipe.order(found, hasFallback: forward.hasFallback)
        let key = recipe.flightKey(found)
        let work: @Sendable (FlightVoice) async -> FlightResult = { [recipe] in await recipe.make(order, $0) }
        let began = engine.time.monotonic()
        let obtained =
            isShared
            ? await engine.flights.obtain(
                key, of: recipe.removable, groupsOf: recipe.provider,
                patience: patience(forward), plan: plan,
                interim: interim, sentSince: forward.sentSince, exchange: recipe.exchange(order), work: work)
            : await engine.flights.obtainAlone(
                key, patience: deadline, plan: plan, interim: interim, work: work)
        return try fetch(obtained, isShared: isShared, since: began)
    }

    /// How long the client waits for a fetch.
    func patience(_ forward: RequestFlow.Forward) -> Duration? {
        [forward.patience, deadline].compactMap { $0 }.min()
    }

    func fetch(
        _ obtained: Obtained, isShared: Bool, since began: MonotonicTime
    ) throws(UpstreamFailure) -> Fetch {
        if obtained.hasJoined {
            Timeline.current?.note(.join, recipe.provider, from: began, to: engine.time.monotonic())
        }
        switch obtained {
        case .result(.answered(let made), let hasJoined):
            return Fetch(made: made, hasJoined: hasJoined)
        case .result(.failed(let failure), _): return Fetch(failure: failure)
        case .late(let blame):
            return Fetch(ending: .late, failure: UpstreamFailure(late: blame, provider: recipe.provider, now: now))
        case .alone where isShared: return Fetch(ending: .unshareable)
        case .left, .alone: throw unwanted
        }
    }

    /// The step after a fetch.
    func next(after fetch: Fetch, _ flow: inout RequestFlow, _ found: EntryCache.Found) -> RequestFlow.Step {
        fetch.made.map { flow.fetched(fetched($0, fetch, found), now: now) } ?? flow.ended(fetch.ending, now: now)
    }

    private func fetched(_ made: Made, _ fetch: Fetch, _ found: EntryCache.Found) -> Fetched {
        var fetched = Fetched(entry: made.entry, origin: Fetched.Origin(made.origin))
        if made.tape != nil { fetched.body = .streaming }
        fetched.isStored = made.written.isStored
        fetched.mayBeShared = made.mayBeShared
        fetched.isJudged = made.isJudged
        fetched.hasJoined = fetch.hasJoined
        fetched.isSelected = !fetch.hasJoined || recipe.selects(made, found)
        return fetched
    }

    private func makeFromStore() async throws(UpstreamFailure) -> Served {
        switch await recipe.make(EntryRecipe.Order(), .silent) {
        case .answered(let made):
            let isFresh = made.covering == nil && now < made.entry.freshUntil
            return Served(
                made.entry,
                Provenance(
                    outcome: isFresh ? .hit : .stale, rule: .configuredTTL, failure: made.covering,
                    detail: made.storedForm),
                hold: made.hold)
        case .failed(let failure): throw failure
        }
    }

    // MARK: Refreshing

    private func refresh(_ found: EntryCache.Found) async {
        let order = recipe.order(found, hasFallback: true, isRefresh: true)
        let key = recipe.flightKey(found)
        guard let hold else { return await refresh(key, order) }
        // The client is answered without waiting for this.
        Task(executorPreference: engine.flights.home) {
            guard await hold() else { return }
            await refresh(key, order)
        }
    }

    private func refresh(_ key: Digest, _ order: EntryRecipe.Order) async {
        engine.flights.refresh(key, of: recipe.removable, groupsOf: recipe.provider) { voice in
            let result = await recipe.make(order, voice)
            // The first client was answered before Larder knew that the provider is away.
            if case .failed = result { noteDemand(key) }
            return result
        }
    }

    /// Notes that a stale response was given.
    private func noteDemand(_ key: Digest) {
        let directives = terms.directives
        guard isMissed, !terms.wantsFresh, !directives.onlyIfCached, !directives.noStore else { return }
        engine.refreshes.asked(
            RefreshCoordinator.Demand(
                provider: recipe.provider, key: key,
                isDue: { [cache, recipe, terms] in
                    guard let entry = await recipe.find().entry else { return false }
                    return !cache.isFresh(entry, .none, terms.judge.rule)
                },
                work: { [recipe] in
                    await recipe.make(EntryRecipe.Order(hasFallback: true, isRefresh: true), .silent)
                }))
    }

    // MARK: Answering

    private func answer(_ stored: RequestFlow.Stored, _ entry: consuming StoredResponse, ready: ReadyStamp?) -> Served {
        cache.used(entry.key.digest)
        return Served(
            entry,
            Provenance(
                outcome: stored.outcome, forward: stored.forward, forwardStatus: stored.forwardStatus,
                rule: stored.rule),
            ready: ready)
    }

    func answer(
        _ fresh: RequestFlow.Fresh, _ made: Made, _ fetch: Fetch, _ found: EntryCache.Found
    ) -> Served {
        var served = Served(
            made.entry,
            Provenance(
                outcome: fresh.outcome, forward: fresh.forward, forwardStatus: fresh.forwardStatus,
                isStored: made.written.isStored, rule: fresh.rule, storing: made.storing,
                detail: made.storedForm),
            // Memory gives the response to every client. It must not keep it if a purge came in between, or if other
            // settings than those of this request are in force now.
            ready: cache.isCurrent(found.began) ? made.written.ready : nil, hold: made.hold)
        served.provenance.shared = made.shared
        served.provenance.asked = made.asked
        served.isBroughtNow = made.isFromOutside && !fetch.hasJoined
        served.interim = made.own?.interim ?? []
        if !fetch.hasJoined, let own = made.own {
            if PassFields.hasMore(own.fields, than: made.entry.fields) {
                // Some fields are for the requesting client and not for the store.
                served.entry.fields = own.fields
                served.ready = nil
                served.isOwn = true
            }
        }
        served.tape = made.tape
        served.provenance.isBeingStored = made.isBeingStored
        return served
    }

    private var unwanted: UpstreamFailure {
        var failure = UpstreamFailure(provider: recipe.provider, failure: .overloaded, detail: "The client has left.")
        failure.hasClientLeft = true
        return failure
    }

    /// The failure of `Conclusion.notCached`.
    public static func notCached(by provider: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider, failure: .timedOut,
            detail: "No usable answer is stored, and the request permits only a stored one.", isNotAsked: true)
    }
}
