// Performs a RequestFlow for one entry: reads the store, joins or leads a flight, falls back on what is stale. Raw,
// normalised and artwork entries all go this one way; they differ only in the work that makes a missing entry.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore

/// An answer out of the cache and how it came to be.
struct Served: Sendable {
    var entry: StoredResponse
    var outcome: CacheOutcome
    /// Why it went forward, where it did.
    var forward: ForwardReason?
    /// The failure that a stale answer covers for.
    var failure: UpstreamFailure?
    /// Whether the fetched answer was stored.
    var isStored = false
    /// The memory tier's state that the answer depends on; nil keeps it out of the tier.
    var stamp: ReadyStamp?
    /// A word of our own for how the cache answered.
    var detail: String?
    /// It was drawn from a pool for this asker: nobody keeps it, the client neither.
    var isDrawn = false
    /// The room in memory of what the upstream sent.
    var hold: BodyHold?

    /// What is to be told of it afterwards.
    func explained(_ key: [KeyParameter]) -> ExplainedPart {
        var part = ExplainedPart(provider: entry.provider)
        part.key = key
        part.digest = entry.key.digest
        part.outcome = outcome
        part.forward = forward
        part.rule = .configuredTTL
        if outcome == .miss { part.isStored = isStored }
        part.receivedAt = entry.responseTime
        part.initialAge = entry.initialAge
        part.freshUntil = entry.freshUntil
        part.staleUntil = entry.staleUntil
        part.note(failure)
        return part
    }
}

/// One request for one entry.
struct EntryFlow: Sendable {
    let context: DaemonContext
    let provider: String
    let key: CacheKey
    let rule: FreshnessRule
    let staleWhileRefresh: Duration
    let directives: ClientDirectives
    /// Part of a refresh, or of making another entry: a stale entry may only cover for a failure.
    var wantsFresh = false
    /// How long a client waits for a fetch while something stale could answer.
    var patience: Duration?
    /// How long a client waits for a fetch in any case; the fetch goes on without it.
    var deadline: Duration?
    /// The answer of several calls that the entry is a part of; nobody waits longer than for that.
    var plan: WaitClock?
    /// The work may succeed without a call, from another form of the entry: `only-if-cached` does not end the flow.
    var worksFromStore = false
    /// Waits before a call is made for this client; false where the client does not want it any more.
    var hold: (@Sendable () async -> Bool)?
    /// While the provider is away a stale answer counts as in demand, to be refreshed when it is back.
    var isMissed = false
    /// Makes the entry: fetches, classifies, stores, and ends when the row is committed or refused. It is told whether
    /// a stale entry can cover for its failure.
    let work: @Sendable (_ hasFallback: Bool) async -> FlightResult

    func run() async throws(UpstreamFailure) -> Served {
        var flow = RequestFlow(
            directives: directives, rule: rule, staleWhileRefresh: staleWhileRefresh, patience: patience,
            wantsFresh: wantsFresh)
        let found = await context.cache.lookUp(key)
        switch flow.lookedUp(found.entry, now: context.time.wall()) {
        case .lookUp: throw Self.notCached
        case .gatewayTimeout:
            guard worksFromStore else { throw Self.notCached }
            switch await work(false) {
            case .answered(let made):
                let isFresh = made.covering == nil && context.time.wall() < made.entry.freshUntil
                return Served(
                    entry: made.entry, outcome: isFresh ? .hit : .stale, failure: made.covering,
                    detail: made.storedForm, hold: made.hold)
            case .failed(let failure): throw failure
            }
        case .answer(let entry, let outcome):
            context.cache.used(entry.key.digest)
            return Served(entry: entry, outcome: outcome, stamp: found.ready)
        case .answerAndRefresh(let entry):
            context.cache.used(entry.key.digest)
            noteDemand()
            // A refresh that may not be stored would cost a call and bring nothing to anybody.
            if !directives.onlyIfCached, !directives.noStore { await refresh() }
            return Served(entry: entry, outcome: .stale)
        case .fetch(let reason, let fallback, let patience):
            return try await fetch(flow, reason, fallback, patience, found.began)
        }
    }

    private func refresh() async {
        guard let hold else {
            return await context.flights.refresh(key, of: key.digest, work: { _ in await refreshed() })
        }
        // The client is answered meanwhile.
        Task(executorPreference: context.flights.loop) {
            guard await hold() else { return }
            await context.flights.refresh(key, of: key.digest, work: { _ in await refreshed() })
        }
    }

    private func refreshed() async -> FlightResult {
        let result = await work(true)
        // The first to ask was answered before anybody knew that the provider is away.
        if case .failed = result { noteDemand() }
        return result
    }

    /// A stale answer was given.
    private func noteDemand() {
        guard isMissed, !wantsFresh, !directives.onlyIfCached, !directives.noStore else { return }
        context.refreshes.asked(
            RefreshDesk.Demand(
                provider: provider, key: key,
                isDue: { [context, key, rule] in
                    guard let entry = await context.cache.read(key) else { return false }
                    return !context.cache.isFresh(entry, .none, rule)
                },
                work: { [work] in await work(true) }))
    }

    private func fetch(
        _ flow: RequestFlow, _ reason: ForwardReason, _ fallback: StoredResponse?, _ patience: Duration?,
        _ began: RemovalStamp
    ) async throws(UpstreamFailure) -> Served {
        if let hold, await !hold() { throw Self.unwanted }
        // What the client forbids to store must not be handed to others either (RFC 9111 §5.2.1.5).
        var obtained: Obtained = .alone
        let hasFallback = fallback != nil
        if !directives.noStore {
            let longest = [patience, deadline].compactMap { $0 }.min()
            obtained = await context.flights.obtain(key, of: key.digest, patience: longest, plan: plan) { [work] _ in
                await work(hasFallback)
            }
            // Made of what is stored for whoever led, who may take older answers than this client does.
            if isTooOld(obtained) {
                obtained = await context.flights.obtain(key, of: key.digest, patience: longest, plan: plan) {
                    [work] _ in await work(hasFallback)
                }
                if isTooOld(obtained) { obtained = .alone }
            }
        }
        if case .alone = obtained {
            obtained = await context.flights.obtainAlone(key, patience: deadline, plan: plan) { [work] _ in
                await work(hasFallback)
            }
        }
        let now = context.time.wall()
        // Memory gives it to everyone: not where a purge passed, or other settings than those by which this request was read
        // are in force by now.
        let isCurrent = context.cache.isCurrent(began)
        switch obtained {
        case .result(.answered(let made), let joined):
            if let failure = made.covering {
                noteDemand()
                return Served(entry: made.entry, outcome: .stale, failure: failure)
            }
            if let word = made.storedForm {
                return Served(
                    entry: made.entry, outcome: .hit, stamp: isCurrent ? made.written.ready : nil,
                    detail: word)
            }
            return Served(
                entry: made.entry, outcome: joined ? .joined : .miss, forward: directives.noStore ? .request : reason,
                isStored: made.written.isCommitted, stamp: isCurrent ? made.written.ready : nil, hold: made.hold)
        case .result(.failed(let failure), _):
            return try ending(flow.fetched(.failed, now: now), failure)
        case .late(let blame):
            let failure = UpstreamFailure(late: blame, provider: provider, now: now)
            return try ending(flow.fetched(.late, now: now), failure)
        case .left, .alone:
            throw Self.unwanted
        }
    }

    private func isTooOld(_ obtained: Obtained) -> Bool {
        guard case .result(.answered(let made), joined: true) = obtained, made.storedForm != nil else { return false }
        return !context.cache.isFresh(made.entry, directives, rule)
    }

    private func ending(
        _ ending: RequestFlow.Ending, _ failure: UpstreamFailure
    ) throws(UpstreamFailure) -> Served {
        switch ending {
        case .answer(let entry, let outcome):
            context.cache.used(entry.key.digest)
            if outcome == .stale { noteDemand() }
            return Served(entry: entry, outcome: outcome, failure: failure)
        case .failure: throw failure
        }
    }

    private static let unwanted = UpstreamFailure(
        provider: "", failure: .overloaded, detail: "The client has left.")

    static let notCached = UpstreamFailure(
        provider: "", failure: .timedOut, detail: "Nothing usable is stored, and the client asked for nothing else.",
        isNotAsked: true)
}
