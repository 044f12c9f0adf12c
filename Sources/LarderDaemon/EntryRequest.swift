// One request for one entry: performs the steps that its `RequestFlow` names, and decides nothing. Raw, normalised,
// artwork, pooled and pass-through entries all go this one way; what differs between them is their `EntryRecipe`.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore

/// How one kind of entry is found and made.
struct EntryRecipe: Sendable {
    /// What a fetch is told of the request that leads it.
    struct Order: Sendable {
        /// What its look-up found; nil where it was not looked up by this request.
        var found: EntryCache.Found?
        /// Something stale can cover for its failure.
        var hasFallback = false
        /// Nobody waits: the client's own wishes have no part in it.
        var isRefresh = false
    }

    var provider: String
    /// The entry with whose removal a fetch under way becomes one of before.
    var removable: Digest
    var find: @Sendable () async -> EntryCache.Found
    /// Under which requests share a fetch.
    var flightKey: @Sendable (EntryCache.Found) -> CacheKey
    /// Fetches, classifies, stores, and ends when the row is committed or refused.
    var make: @Sendable (Order, FlightVoice) async -> FlightResult
    /// The fetch begins with what the request's look-up found.
    private let beginsWithFound: Bool
    /// Whether what was made for another request is an answer to this one.
    var selects: @Sendable (Made) -> Bool = { _ in true }

    /// An entry with a key of its own.
    init(
        _ cache: EntryCache, _ key: CacheKey, provider: String,
        make: @escaping @Sendable (_ hasFallback: Bool) async -> FlightResult
    ) {
        self.provider = provider
        removable = key.digest
        beginsWithFound = false
        find = { await cache.lookUp(key) }
        flightKey = { _ in key }
        self.make = { order, _ in await make(order.hasFallback) }
    }

    init(
        provider: String, removable: Digest, find: @escaping @Sendable () async -> EntryCache.Found,
        flightKey: @escaping @Sendable (EntryCache.Found) -> CacheKey,
        make: @escaping @Sendable (Order, FlightVoice) async -> FlightResult,
        selects: @escaping @Sendable (Made) -> Bool
    ) {
        self.provider = provider
        self.removable = removable
        self.find = find
        self.flightKey = flightKey
        self.make = make
        self.selects = selects
        beginsWithFound = true
    }

    /// - Parameter found: left out where the fetch has no use for it: it holds a whole body.
    func order(_ found: EntryCache.Found, hasFallback: Bool, isRefresh: Bool = false) -> Order {
        Order(found: beginsWithFound ? found : nil, hasFallback: hasFallback, isRefresh: isRefresh)
    }
}

struct EntryRequest: Sendable {
    enum Conclusion: Sendable {
        case served(Served)
        /// The request goes forward by itself: a HEAD, or a part of what is not stored.
        case passOn(ForwardReason, stored: StoredResponse?, CacheRule)
        /// Nothing usable is stored and the client wants nothing else (RFC 9111 §5.2.1.7).
        case notCached(CacheRule)
    }

    let context: DaemonContext
    let recipe: EntryRecipe
    let terms: RequestTerms
    /// How long a client waits for a fetch in any case; the fetch goes on without it.
    var deadline: Duration?
    /// The answer of several calls that the entry is a part of; nobody waits longer than for that.
    var plan: WaitClock?
    /// Waits before a call is made for this client; false where the client does not want it any more.
    var hold: (@Sendable () async -> Bool)?
    /// While the provider is away a stale answer counts as in demand, to be refreshed when it is back.
    var isMissed = false

    private var cache: EntryCache { context.cache }
    private var now: WallTime { context.time.wall() }

    /// The answer of an entry that nobody asks for by HEAD or in parts.
    func served() async throws(UpstreamFailure) -> Served {
        guard case .served(let served) = try await run() else { throw Self.notCached }
        return served
    }

    func run() async throws(UpstreamFailure) -> Conclusion {
        var flow = RequestFlow(terms)
        var step = flow.begin()
        var found: EntryCache.Found?
        var fetch: Fetch?
        while true {
            switch step {
            case .lookUp:
                let look = await recipe.find()
                found = look
                step = flow.lookedUp(
                    look.entry, hasVariants: look.index != nil, isInDoubt: look.isInDoubt, now: now)
            case .answer(let stored):
                return .served(answer(stored, found, fetch))
            case .answerAndRefresh(let stored):
                noteDemand(found.map(recipe.flightKey))
                await refresh(found)
                return .served(answer(stored, found, nil))
            case .makeFromStore:
                return .served(try await makeFromStore())
            case .fetch(let forward), .fetchAlone(let forward):
                if fetch == nil, let hold, await !hold() { throw Self.unwanted }
                var isShared = true
                if case .fetchAlone = step { isShared = false }
                let brought = try await obtain(forward, found, isShared: isShared)
                fetch = brought
                step = brought.made.map { flow.fetched(fetched($0, brought), now: now) }
                    ?? flow.ended(brought.ending, now: now)
            case .answerFetched(let fresh):
                guard let fetch, let made = fetch.made else { throw Self.unwanted }
                return .served(answer(fresh, made, fetch, found))
            case .passOn(let reason, let stored, let rule):
                return .passOn(reason, stored: stored, rule)
            case .gatewayTimeout(let rule):
                return .notCached(rule)
            case .fail(let isValidationOwed):
                guard var failure = fetch?.failure else { throw Self.unwanted }
                if isValidationOwed { failure.statusOverride = 504 }
                throw failure
            }
        }
    }

    // MARK: Fetching

    /// How a fetch ended for this request.
    private struct Fetch {
        var made: Made?
        var hasJoined = false
        var ending = RequestFlow.Ending.failed
        var failure: UpstreamFailure?
    }

    private func obtain(
        _ forward: RequestFlow.Forward, _ found: EntryCache.Found?, isShared: Bool
    ) async throws(UpstreamFailure) -> Fetch {
        guard let found else { throw Self.unwanted }
        let order = recipe.order(found, hasFallback: forward.hasFallback)
        let key = recipe.flightKey(found)
        let work: @Sendable (FlightVoice) async -> FlightResult = { [recipe] in await recipe.make(order, $0) }
        let obtained =
            isShared
            ? await context.flights.obtain(
                key, of: recipe.removable, patience: [forward.patience, deadline].compactMap { $0 }.min(), plan: plan,
                work: work)
            : await context.flights.obtainAlone(key, patience: deadline, plan: plan, work: work)
        switch obtained {
        case .result(.answered(let made), let hasJoined):
            return Fetch(made: made, hasJoined: hasJoined)
        case .result(.failed(let failure), _): return Fetch(failure: failure)
        case .late(let blame):
            return Fetch(ending: .late, failure: UpstreamFailure(late: blame, provider: recipe.provider, now: now))
        case .alone where isShared: return Fetch(ending: .unshareable)
        case .left, .alone: throw Self.unwanted
        }
    }

    private func fetched(_ made: Made, _ fetch: Fetch) -> Fetched {
        var fetched = Fetched(entry: made.entry, origin: made.origin)
        if let body = made.passed?.body { fetched.body = .streaming(isLong: (body.length ?? .max) > 1 << 20) }
        fetched.isStored = made.written.isCommitted
        fetched.mayBeShared = made.mayBeShared
        fetched.hasJoined = fetch.hasJoined
        fetched.isSelected = !fetch.hasJoined || recipe.selects(made)
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

    private func refresh(_ found: EntryCache.Found?) async {
        guard let found else { return }
        let order = recipe.order(found, hasFallback: true, isRefresh: true)
        let key = recipe.flightKey(found)
        guard let hold else { return await refresh(key, order) }
        // The client is answered meanwhile.
        Task(executorPreference: context.flights.loop) {
            guard await hold() else { return }
            await refresh(key, order)
        }
    }

    private func refresh(_ key: CacheKey, _ order: EntryRecipe.Order) async {
        await context.flights.refresh(key, of: recipe.removable) { voice in
            let result = await recipe.make(order, voice)
            // The first to ask was answered before anybody knew that the provider is away.
            if case .failed = result { noteDemand(key) }
            return result
        }
    }

    /// A stale answer was given.
    private func noteDemand(_ key: CacheKey?) {
        let directives = terms.directives
        guard isMissed, !terms.wantsFresh, !directives.onlyIfCached, !directives.noStore, let key else { return }
        context.refreshes.asked(
            RefreshDesk.Demand(
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

    private func answer(_ stored: RequestFlow.Stored, _ found: EntryCache.Found?, _ fetch: Fetch?) -> Served {
        let failure = fetch?.made?.covering ?? fetch?.failure
        cache.used(stored.entry.key.digest)
        if fetch != nil, stored.outcome == .stale { noteDemand(found.map(recipe.flightKey)) }
        return Served(
            stored.entry,
            Provenance(
                outcome: stored.outcome, forward: stored.forward, forwardStatus: stored.forwardStatus,
                rule: stored.rule, failure: failure),
            // Memory keeps only what was fresh and needed no fetch.
            ready: fetch == nil && stored.outcome != .stale ? found?.ready : nil)
    }

    private func answer(
        _ fresh: RequestFlow.Fresh, _ made: Made, _ fetch: Fetch, _ found: EntryCache.Found?
    ) -> Served {
        var served = Served(
            made.entry,
            Provenance(
                outcome: fresh.outcome, forward: fresh.forward, forwardStatus: fresh.forwardStatus,
                isStored: made.written.isCommitted, rule: fresh.rule, storing: made.passed?.storing,
                detail: made.storedForm),
            // Memory gives it to everyone: not where a purge passed, or other settings than those by which this request
            // was read are in force by now.
            ready: found.map { cache.isCurrent($0.began) } == true ? made.written.ready : nil, hold: made.hold)
        guard let passed = made.passed else { return served }
        if !fetch.hasJoined {
            served.interim = passed.interim
            if let own = passed.ownFields, PassFields.hasMore(own, than: made.entry.fields) {
                // Some fields are for who asked and not for the store.
                served.entry.fields = own
                served.ready = nil
                served.isOwn = true
            }
        }
        if let body = passed.body {
            served.tape = body
            served.provenance.isBeingStored =
                made.entry.freshUntil > made.entry.responseTime || made.entry.staleUntil > made.entry.responseTime
        }
        return served
    }

    private static let unwanted = UpstreamFailure(
        provider: "", failure: .overloaded, detail: "The client has left.")

    static let notCached = UpstreamFailure(
        provider: "", failure: .timedOut, detail: "Nothing usable is stored, and the client asked for nothing else.",
        isNotAsked: true)
}
