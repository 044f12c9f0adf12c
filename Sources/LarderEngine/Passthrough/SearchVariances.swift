// Which stored answers may answer other queries of their path (No-Vary-Search), for all providers. The table is in
// memory only. What was changed before this run is unknown, so an answer that was received before this run answers only
// its own query.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings

final class SearchVariances: Sendable {
    /// What came of a field; the words of the counter.
    enum Result: String {
        /// A request was answered by the answer to another query.
        case answered
        /// An answer that could have been was forgotten for want of room.
        case dropped
        /// The field of an answer that was stored is longer than is read.
        case refused
    }

    /// A table for each provider that was ever configured.
    private let tables = Lock<[String: SearchVarianceTable]>([:])
    /// Up to when answers may have been made unsuitable by a change of which it is not known which queries it concerns: what was
    /// received before answers its own query only. By provider; "" for all.
    private let changed = Lock<[String: WallTime]>([:])
    /// When this run began.
    private let began: WallTime

    /// - Parameter began: when this run began. Changes before it are not known.
    init(began: WallTime) {
        self.began = began
    }

    /// Something of the provider changed or was removed; nil: of any.
    func noteChange(of provider: String?, at now: WallTime) {
        changed.withLock { changed in changed[provider ?? ""] = max(changed[provider ?? ""] ?? now, now) }
    }

    /// Whether an answer may answer other queries than its own.
    func mayAnswerOtherQueries(_ entry: StoredResponse, of provider: String) -> Bool {
        entry.responseTime >= began && mayAnswerOthers(entry, of: provider)
    }

    /// Whether nothing of the provider that this run knows of was changed since an answer was received.
    func mayAnswerOthers(_ entry: StoredResponse, of provider: String) -> Bool {
        let last = changed.withLock { changed in [changed[provider], changed[""]].compactMap { $0 }.max() }
        return last.map { entry.responseTime > $0 } ?? true
    }

    /// Whether answers of the request's path are known that answer other queries.
    func knows(_ request: PassRequest) -> Bool { !equivalents(of: request).isEmpty }

    /// Notes an answer that is stored.
    /// - Returns: how many others had to leave.
    func note(_ request: PassRequest, _ variance: SearchVariance) -> Int {
        guard let form = SearchVarianceTable.Form(request.query, by: variance) else { return 0 }
        let path = request.pathDigest
        return tables.withLock {
            $0[request.provider.name, default: SearchVarianceTable()].note(request.query, at: path, form)
        }
    }

    /// The queries whose answers may answer the request.
    func equivalents(of request: PassRequest) -> [String?] {
        equivalents(of: request.query, at: request.pathDigest, of: request.provider.name)
    }

    /// The same for a query of a path of that provider.
    func equivalents(of query: String?, at path: @autoclosure () -> Digest, of provider: String) -> [String?] {
        // Most providers never send the field.
        guard tables.withLock({ $0[provider] != nil }) else { return [] }
        let path = path()
        let rules = tables.withLock { $0[provider]?.rules(at: path) ?? [] }
        let forms = rules.compactMap { SearchVarianceTable.Form(query, by: $0) }
        guard !forms.isEmpty else { return [] }
        return tables.withLock { $0[provider]?.equivalents(of: query, at: path, forms) ?? [] }
    }

    /// Forgets one whose answer is gone.
    func forget(_ query: String?, of request: PassRequest) {
        let path = request.pathDigest
        tables.withLock { $0[request.provider.name]?.forget(query, at: path) }
    }
}

extension Engine {
    /// Notes a stored answer that says that it answers other queries too.
    /// - Parameter isRead: it was noted when it was stored, and is noted again since it may have been dropped: a field that is refused is
    ///   counted once.
    func noteSearchVariance(_ entry: StoredResponse, of request: PassRequest, isRead: Bool = false) {
        guard request.content == nil, entry.fields.contains("No-Vary-Search") else { return }
        guard !SearchVariance.isBeyondBounds(entry.fields) else {
            if !isRead { count(.refused, request) }
            return
        }
        let dropped = searchVariances.note(request, SearchVariance(entry.fields))
        if dropped > 0 { count(.dropped, request, dropped) }
    }

    /// Something of a provider was changed or removed, here or on another host; nil: of any.
    public func endOtherQueries(of provider: String?) {
        searchVariances.noteChange(of: provider, at: time.wall())
    }

    /// Invalidates what answers the request's URL from under another query.
    public func invalidateEquivalents(of request: PassRequest) async {
        endOtherQueries(of: request.provider.name)
        for query in searchVariances.equivalents(of: request) {
            await cache.invalidate(PassRequest(request, query: query).target.digest, of: request.provider)
        }
    }

    /// The keys of the answers that answer a request to a provider of one's own from under another query.
    public func equivalents(of request: UpstreamRequest, at provider: ConfiguredProvider) async -> [CacheKey] {
        guard provider.isPassthrough, provider.settings.semantics == .rfc else { return [] }
        let path = provider.rawKey(UpstreamRequest(path: request.path)).digest
        var keys: [CacheKey] = []
        for query in searchVariances.equivalents(of: request.query, at: path, of: provider.name) {
            let key = provider.rawKey(UpstreamRequest(path: request.path, query: query))
            guard let entry = await cache.stored(key), searchVariances.mayAnswerOtherQueries(entry, of: provider.name),
                // A list of variants is as new as the newest of them, and each of those says for itself what it answers.
                entry.endpoint == VariantStore.indexName
                    || SearchVariance(entry.fields).areEquivalent(query, request.query)
            else { continue }
            keys.append(key)
        }
        return keys
    }

    func count(_ result: SearchVariances.Result, _ request: PassRequest, _ amount: Int = 1) {
        counters.cell(EngineCounters.searchVariance, request.provider.name, result.rawValue).add(amount)
    }
}
