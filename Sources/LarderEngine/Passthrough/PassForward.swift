// A request that is forwarded alone, and what its response does to what is stored. A PUT while a GET of its URL is
// under way (RFC 9111 §4.4): the GET took its removal stamp before its call. The response to the PUT, or its absence,
// removes the URL's entries here and tells the other hosts. From then on no request joins the GET's flight, memory
// takes nothing from it, and its response is not stored, because its stamp is not current (`EntryCache.write`). Those
// who waited for the GET get it: they asked before the PUT was answered. The client of the PUT is answered when the
// removal is committed or marked, or after a bounded wait (Docs/store.md).
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderSettings

/// A request that is forwarded alone.
public struct PassForward: Sendable {
    /// What became of the request.
    public enum Outcome: Sendable {
        /// The upstream's response, whose body still arrives, and the rules by which it changed stored entries.
        case passedOn(UpstreamStream, [CacheRule])
        /// The upstream's response, which answers later GETs too and is stored while it arrives (`PostReuse`).
        case adopted(Served, [CacheRule])
        /// A stored response stands in for a HEAD that failed.
        case covered(Served)
        /// - Parameter isRemoved: whether entries were removed, because the upstream may have carried the request out.
        case failed(UpstreamFailure, isRemoved: Bool)
    }

    let engine: Engine
    let request: PassRequest
    let snapshot: Snapshot
    let reason: ForwardReason
    let rule: CacheRule
    let stored: StoredResponse?

    /// - Parameters:
    ///   - reason: why the request is forwarded.
    ///   - rule: the rule that decided it.
    ///   - stored: the stored response to GET, for a HEAD.
    public init(
        _ request: PassRequest, engine: Engine, snapshot: Snapshot, _ reason: ForwardReason, _ rule: CacheRule,
        stored: StoredResponse?
    ) {
        (self.request, self.engine, self.snapshot) = (request, engine, snapshot)
        (self.reason, self.rule, self.stored) = (reason, rule, stored)
    }

    private var cache: EntryCache { engine.cache }
    private var isHead: Bool { request.method == .head }

    /// Sends the request, and applies its response to the stored entries before it is passed on.
    /// - Parameters:
    ///   - order: what is sent.
    ///   - fields: the client's fields in it, with the client's conditions.
    ///   - upload: the client's content, if it still arrives.
    public func run(_ order: FetchOrder, _ fields: HeaderFields, upload: Upload?) async -> Outcome {
        let began = cache.begin(request)
        let groupsBegan = cache.groupRemovals(of: request.provider)
        let idle = request.provider.settings.idleTimeout
        switch await engine.upstream.open(request.call(order), upload: upload, stall: idle) {
        case .failure(let failure):
            // Without a response, nobody knows whether the upstream carried the request out. An unneeded removal costs
            // one call; a wrong entry would be wrong for its whole lifetime. An unsent request changed nothing.
            let mayHaveChanged = !request.isReadOnly && failure.wasSent
            // If the client leaves, this task is cancelled. The removal still runs to its end.
            if mayHaveChanged { await Task { await invalidateTarget() }.value }
            if isHead, let served = cover(.disconnected, failure: failure) { return .covered(served) }
            return .failed(failure, isRemoved: mayHaveChanged)
        case .success((var stream, let classification)):
            stream.head = stream.head.namingSelectors(among: fields)
            let status = stream.head.status
            if isHead, request.rule.semantics == .rfc, RFCReuse.errors.contains(status),
                let served = cover(.status(status), status: status)
            {
                stream.cancel()
                return .covered(served)
            }
            let change = await updateStored(stream.head, since: began)
            // The answers to these say nothing about the representation that others get.
            if rule != .requestBody, rule != .ownField {
                await PassFetch.notePassedOn(
                    stream.head, of: request, since: began, engine: engine, snapshot: snapshot)
            }
            let after = cache.begin(request)
            // If others changed the stored entries meanwhile, the response may predate their change: it is not adopted.
            if request.rule.semantics == .rfc, began.changes(until: after) == change.count,
                cache.groupRemovals(of: request.provider) - groupsBegan == change.groups,
                PostReuse.isDue(
                    method: request.effectiveMethod, status: status, requestURL: request.url,
                    fields: stream.head.fields, targets: request.targets),
                let served = await PassFetch.adopt(
                    stream, classification, of: request, since: after, engine: engine, snapshot: snapshot)
            {
                return .adopted(served, change.rules)
            }
            return .passedOn(stream, change.rules)
        }
    }

    /// The stored response to GET, if it may stand in for a HEAD that failed (RFC 5861 §4).
    private func cover(
        _ trouble: UpstreamTrouble, failure: UpstreamFailure? = nil, status: Int? = nil
    ) -> Served? {
        guard let stored else { return nil }
        let verdict = request.judge.afterFailure(trouble, stored, request.directives, now: engine.time.wall())
        guard verdict.decision.isUsable else { return nil }
        return Served(
            stored,
            Provenance(outcome: .stale, forward: reason, forwardStatus: status, rule: verdict.rule, failure: failure))
    }

    // MARK: What the response changes

    /// What a response did to the stored entries.
    private struct Change {
        /// How often the removal state of the target changed: once at the start of each removal and once at its end.
        var count: UInt64 = 0
        /// The same for groups of its provider.
        var groups: UInt64 = 0
        var rules: [CacheRule] = []
    }

    /// Applies a response to the stored entries. A change upstream invalidates them (RFC 9111 §4.4), and the response
    /// to a HEAD updates the stored GET response (§4.3.5).
    private func updateStored(_ head: UpstreamHead, since began: RemovalStamp) async -> Change {
        var change = Change()
        let provider = request.provider
        if !request.isReadOnly, Invalidation.isDue(method: request.effectiveMethod, status: head.status) {
            await invalidateTarget()
            for url in Invalidation.others(requestURL: request.url, fields: head.fields) {
                guard let key = provider.rawKey(url: url) else { continue }
                await cache.invalidate(key.digest, of: provider)
            }
            let groups = CacheGroups.invalidated(
                method: request.effectiveMethod, status: head.status, fields: head.fields, provider: provider.name,
                requestURL: request.url)
            await cache.removeGroups(groups, of: provider)
            change = Change(count: 2, groups: groups.isEmpty ? 0 : 2, rules: [.invalidated])
        }
        guard isHead, request.rule.semantics == .rfc, let stored else { return change }
        switch Validation.headEffect(of: head, on: stored, rule: request.rule, targets: request.targets) {
        case .freshen(let entry) where request.tellsItsClientAlone(entry): break
        case .freshen(let entry)
        where Vary(entry.fields) == Vary(stored.fields) && request.groups(entry) == request.groups(stored):
            await PassSelection(engine: engine, request: request, snapshot: snapshot).freshen(
                stored, to: entry, by: head, since: began)
            change.rules.append(.headUpdate)
        // The fields of a freshened response would no longer lead to the place where it is stored.
        case .freshen, .invalidate:
            change.rules.append(.headInvalidate)
            await cache.displaceShared(request.target.digest, of: provider)
            await cache.remove(stored.key.digest, of: stored.provider)
        case .none: break
        }
        return change
    }

    /// Removes what is stored at the request's URL, on every host and in the shared tier, and responses to other
    /// queries that answer the URL.
    private func invalidateTarget() async {
        let provider = request.provider
        // The key is the one that the response was stored under. Another spelling of the URL would give another key.
        await cache.invalidate(request.target.digest, of: provider)
        if let changed = changedTarget { await cache.invalidate(changed.digest, of: provider) }
        if Invalidation.reachesBelow(request.effectiveMethod) { await invalidate(below: request.path) }
        if let destination = request.destination {
            await cache.invalidate(provider.rawKey(destination).digest, of: provider)
            await invalidate(below: destination.path)
        }
        if request.rule.semantics == .rfc { await engine.invalidateEquivalents(of: request) }
    }

    /// The URL that the request changes if a parameter of its own URL asks for another method: without that parameter.
    private var changedTarget: CacheKey? {
        guard request.override != nil, let query = request.query else { return nil }
        let key = request.provider.rawKey(
            UpstreamRequest(path: request.path, query: MethodOverride.stripped(query)))
        return key == request.target ? nil : key
    }

    /// Removes what is stored below a path that may be a collection, and at its other spelling: a collection has one name
    /// with a slash at its end and one without (RFC 4918 §5.2).
    private func invalidate(below path: String) async {
        let provider = request.provider
        let other = path.utf8.last == 0x2F ? String(path.dropLast()) : path + "/"
        if !other.isEmpty { await cache.invalidate(provider.rawKey(UpstreamRequest(path: other)).digest, of: provider) }
        let folder = provider.folders.root.folder(EquivalentURL.normalised(path))
        let isKnown = request.destination != nil || path.isEmpty || path.utf8.last == 0x2F
        await cache.remove(below: folder, of: provider, isKnown: isKnown)
    }
}
