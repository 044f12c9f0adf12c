// One GET or HEAD of a pass-through provider on its way through the cache: look up, then answer, refresh, join, fetch,
// or fall back on what is stale. The rules are LarderCache's; here they are only carried out.
import LarderCache
import LarderCore
import LarderHTTP
import LarderStore

/// An answer and how it came to be.
struct PassServed: Sendable {
    var entry: StoredResponse
    var body: BodySource
    var outcome: CacheOutcome
    var forward: ForwardReason?
    /// The upstream's own status, where one came.
    var forwardStatus: Int?
    var isStored = false
    /// It is written into the store while it goes out.
    var isKept = false
    /// The head is as it came for this request alone.
    var isOwn = false
    var interim: [InterimHead] = []
    /// Under which memory may keep it; nil keeps it out.
    var stamp: ReadyStamp?
    /// By which rule it was used, or was not and went forward; by which it was stored, or was not.
    var rule: CacheRule
    var storing: CacheRule?
    /// The failure that a stale answer covers for.
    var failure: UpstreamFailure?
}

struct PassFlow: Sendable {
    let context: DaemonContext
    let request: PassRequest
    let snapshot: Snapshot

    enum Ending: Sendable {
        case served(PassServed)
        /// The request goes forward by itself: a HEAD, or a part of what is not stored.
        case forward(ForwardReason, stored: StoredResponse?, CacheRule)
        /// Nothing usable is stored and the client wants nothing else (RFC 9111 §5.2.1.7).
        case notCached(CacheRule)
    }

    func run() async throws(UpstreamFailure) -> Ending {
        let stamp = context.cache.readyStamp([request.primary.digest])
        let shelf = VariantShelf(context: context, request: request)
        let found = await shelf.find()
        guard let entry = found.entry else {
            if request.directives.onlyIfCached { return .notCached(.onlyIfCached) }
            let reason: ForwardReason = found.isVaryMiss ? .varyMiss : .uriMiss
            return try await forward(reason, nil, found, stamp, found.isVaryMiss ? .variantMiss : .uriMiss)
        }
        let now = context.time.wall()
        if request.isPersonal, !request.isForAll(entry) {
            // An answer that is not said to be everybody's may differ for who shows who they are; nothing tells.
            if request.directives.onlyIfCached { return .notCached(.onlyIfCached) }
            return try await forward(.bypass, nil, found, stamp, .ownBusiness)
        }
        if found.isInDoubt {
            if request.directives.onlyIfCached { return .notCached(.variantInDoubt) }
            // Neither does it cover for a failure.
            return try await forward(.stale, nil, found, stamp, .variantInDoubt)
        }
        let verdict = request.verdict(entry, request.directives, now: now)
        switch verdict.decision {
        case .fresh: return .served(stored(entry, .hit, stamp, verdict.rule))
        case .negative: return .served(stored(entry, .negative, stamp, verdict.rule))
        case .stale where request.directives.onlyIfCached:
            return .served(stored(entry, .stale, nil, verdict.rule))
        case .stale where request.refreshesBehind(entry, now: now):
            await refresh(found)
            return .served(stored(entry, .stale, nil, verdict.rule))
        case .stale:
            return try await forward(.stale, entry, found, stamp, verdict.rule)
        case .unusable:
            if request.directives.onlyIfCached { return .notCached(verdict.rule) }
            // What is fresh and was not taken, was refused by the request (RFC 9211 §2.2).
            let reason: ForwardReason = now < entry.freshUntil ? .request : .stale
            return try await forward(reason, entry, found, stamp, verdict.rule)
        }
    }

    private func stored(
        _ entry: StoredResponse, _ outcome: CacheOutcome, _ stamp: ReadyStamp?, _ rule: CacheRule
    ) -> PassServed {
        context.cache.used(entry.key.digest)
        return PassServed(entry: entry, body: entry.source, outcome: outcome, stamp: stamp, rule: rule)
    }

    private func refresh(_ found: VariantShelf.Found) async {
        // A refresh that may not be stored would cost a call and bring nothing to anybody.
        guard !request.directives.noStore else { return }
        let fetch = PassFetch(context: context, request: request, snapshot: snapshot, isRefresh: true)
        await context.flights.refresh(flightKey(found), of: request.primary.digest) { await fetch.work($0) }
    }

    /// Requests of one key share a fetch: those for one URL, and where variants are known, those that the same fields
    /// select as far as can be told.
    private func flightKey(_ found: VariantShelf.Found) -> CacheKey {
        let names = found.index?.variants.first?.names ?? ["accept-encoding"]
        return request.variantKey(VariantIndex.selection(names: names, requestFields: request.forwarded))
    }

    // MARK: Forward

    private func forward(
        _ reason: ForwardReason, _ entry: StoredResponse?, _ found: VariantShelf.Found, _ stamp: ReadyStamp,
        _ rule: CacheRule
    ) async throws(UpstreamFailure) -> Ending {
        if request.method == .head { return .forward(reason, stored: entry, rule) }
        var fetch = PassFetch(context: context, request: request, snapshot: snapshot)
        fetch.looked = (found, stamp)
        let patience = patience(entry)
        var obtained: Obtained = .alone
        // What is one client's own, or must not be kept, is handed to no others (RFC 9111 §3.5, §5.2.1.5).
        if !request.directives.noStore, !request.isPersonal {
            obtained = await context.flights.obtain(
                flightKey(found), of: request.primary.digest, patience: patience
            ) { [fetch] in await fetch.work($0) }
            if case .result(.answered(let made), true) = obtained, !isFor(made) { obtained = .alone }
        }
        if case .alone = obtained {
            // A part of what nobody may share is best asked for as a part.
            if request.wantsRange, entry == nil { return .forward(reason, stored: entry, rule) }
            obtained = await context.flights.obtainAlone(flightKey(found), patience: nil) { [fetch] in
                await fetch.work($0)
            }
        }
        switch obtained {
        case .result(.answered(let made), let joined):
            return try await ending(made, joined, reason, entry, rule)
        case .result(.failed(let failure), _):
            return .served(try cover(failure, entry, reason, rule))
        case .late(let blame):
            let failure = UpstreamFailure(late: blame, provider: request.provider.name, now: context.time.wall())
            return .served(try cover(failure, entry, reason, rule))
        case .left, .alone:
            throw UpstreamFailure(
                provider: request.provider.name, failure: .overloaded, detail: "The client has left.")
        }
    }

    /// Whether an answer to another's request is one to this: the fields that selected it are the same.
    private func isFor(_ made: Made) -> Bool {
        guard let passed = made.passed else { return true }
        // A flight may be under way for a moment after its body has failed: that is nobody's answer who comes then.
        if passed.body?.tape.failure != nil { return false }
        // What was asked for before a purge or an unsafe request is not given to who asks after it.
        guard context.cache.isCurrent(passed.began) else { return false }
        if passed.storing == nil {
            // It was found stored: then this request's own demands on what is stored count.
            switch request.verdict(made.entry, request.directives, now: context.time.wall()).decision {
            case .fresh, .negative: break
            case .stale, .unusable: return false
            }
        }
        guard request.rule.semantics == .rfc else { return true }
        return passed.vary.matches(passed.selecting, request.forwarded)
    }

    private func patience(_ entry: StoredResponse?) -> Duration? {
        // With `rfc`, a slow upstream is no reason for a stale answer (RFC 9111 §4.2.4).
        entry != nil && request.rule.semantics == .ttl ? snapshot.settings.fetchSoftDeadline : nil
    }

    private func ending(
        _ made: Made, _ joined: Bool, _ reason: ForwardReason, _ old: StoredResponse?, _ rule: CacheRule
    ) async throws(UpstreamFailure) -> Ending {
        guard let passed = made.passed else {
            return .served(stored(made.entry, .hit, made.written.ready, rule))
        }
        let fails = request.rule.semantics == .ttl ? !passed.isAnswer : passed.upstreamStatus >= 500
        if fails, let old, let covered = coverForStatus(passed.upstreamStatus, old) {
            var served = stored(old, .stale, nil, covered)
            served.forward = reason
            served.forwardStatus = passed.upstreamStatus
            return .served(served)
        }
        let fetched: CacheOutcome = passed.upstreamStatus == 304 ? .revalidated : .miss
        var served = PassServed(
            entry: made.entry, body: made.entry.source, outcome: joined ? .joined : fetched, forward: reason,
            forwardStatus: passed.upstreamStatus, isStored: made.written.isCommitted,
            interim: joined ? [] : passed.interim, stamp: made.written.ready, rule: rule,
            storing: passed.storing)
        if !joined, let own = passed.ownFields, PassFields.hasMore(own, than: made.entry.fields) {
            // Some fields are for who asked and not for the store.
            served.entry.fields = own
            served.stamp = nil
            served.isOwn = true
        }
        if made.written.isCommitted, passed.body == nil, passed.storing == nil {
            // It was found in the store by then.
            served.outcome = .hit
            served.forward = nil
            served.forwardStatus = nil
            served.rule = .fresh
        }
        if request.directives.noStore { served.forward = .request }
        if request.isPersonal, !made.written.isCommitted, passed.body == nil || !made.mayBeShared {
            // The cache had no part in it.
            served.outcome = .bypass
            served.forward = .bypass
            // That nothing was stored is not why: with the same answer in the store it would have been no other.
            if entryIsMissing(rule) { served.rule = .ownBusiness }
        }
        if let body = passed.body {
            let isLong = (body.length ?? .max) > 1 << 20
            if request.wantsRange, !made.mayBeShared, isLong { return .forward(reason, stored: old, rule) }
            served.body = .tape(body)
            served.isKept =
                made.entry.freshUntil > made.entry.responseTime || made.entry.staleUntil > made.entry.responseTime
        }
        return .served(served)
    }

    private func entryIsMissing(_ rule: CacheRule) -> Bool { rule == .uriMiss || rule == .variantMiss }

    // MARK: Stale where it may be

    private func coverForStatus(_ status: Int, _ old: StoredResponse) -> CacheRule? {
        let now = context.time.wall()
        let verdict = request.verdictAfter(.status(status), old, request.directives, now: now)
        return switch verdict.decision {
        case .fresh, .negative, .stale: verdict.rule
        case .unusable: nil
        }
    }

    private func cover(
        _ failure: UpstreamFailure, _ old: StoredResponse?, _ reason: ForwardReason, _ rule: CacheRule
    ) throws(UpstreamFailure) -> PassServed {
        guard let old else { throw failure }
        let verdict = request.verdictAfter(.disconnected, old, request.directives, now: context.time.wall())
        switch verdict.decision {
        case .fresh, .negative, .stale:
            var served = stored(old, .stale, nil, verdict.rule)
            served.forward = reason
            served.failure = failure
            return served
        case .unusable:
            var failure = failure
            // What had to be validated and could not be is 504, whatever stood in the way (RFC 9111 §5.2.2.2).
            if verdict.rule.demandsValidation { failure.statusOverride = 504 }
            throw failure
        }
    }
}

extension StoredResponse {
    /// Where its body is read from.
    var source: BodySource { large.map { .large($0) } ?? .bytes(body) }
}
