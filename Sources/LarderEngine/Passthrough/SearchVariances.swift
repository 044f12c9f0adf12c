// Which stored responses may answer other queries of their path (No-Vary-Search), for all providers. The table is in
// memory only. Changes before this run are unknown, so a response that was received before this run answers only its
// own query.
import LarderCache
import LarderCore
import LarderHTTP
import LarderSettings

/// The known responses that answer other queries, and the times of changes after which they must not.
final class SearchVariances: Sendable {
    /// What became of a `No-Vary-Search` field. The raw values are labels of the counter.
    enum Result: String {
        /// The response to another query answered a request.
        case answered
        /// A response that could answer other queries was forgotten for lack of room.
        case dropped
        /// The field of a stored response is longer than Larder reads.
        case refused
    }

    /// One table for each provider that has sent the field.
    private let tables = Lock<[String: SearchVarianceTable]>([:])
    /// The time of the last change that may have made responses unsuitable without naming the affected queries. A
    /// response that was received before answers its own query only. By provider; "" stands for all.
    private let changed = Lock<[String: WallTime]>([:])
    /// The same for the URLs of one path, by provider and path.
    private let changedPaths = Lock<[String: [Digest: WallTime]]>([:])
    /// The most paths of a provider whose changes are known apart.
    private static let mostPaths = 1024
    /// When this run began.
    private let began: WallTime

    /// - Parameter began: when this run began. Earlier changes are unknown.
    init(began: WallTime) {
        self.began = began
    }

    /// Notes that something of a provider changed or was removed. Nil stands for any provider.
    func noteChange(of provider: String?, at now: WallTime) {
        changed.withLock { changed in changed[provider ?? ""] = max(changed[provider ?? ""] ?? now, now) }
    }

    /// Notes that something of one path changed or was removed.
    func noteChange(of provider: String, path: Digest, at now: WallTime) {
        let isFull = changedPaths.withLock { paths -> Bool in
            guard paths[provider]?[path] == nil, paths[provider]?.count ?? 0 >= Self.mostPaths else {
                paths[provider, default: [:]][path] = max(paths[provider]?[path] ?? now, now)
                return false
            }
            paths[provider] = nil
            return true
        }
        // What is not known apart any more counts for the whole provider.
        if isFull { noteChange(of: provider, at: now) }
    }

    /// Whether a response may answer other queries than its own.
    /// - Parameter path: the digest of everything before the query.
    func mayAnswerOtherQueries(_ entry: StoredResponse, of provider: String, path: Digest) -> Bool {
        entry.responseTime >= began && mayAnswerOthers(entry, of: provider, path: path)
    }

    /// Whether this run knows of no change at the path since a response was received.
    func mayAnswerOthers(_ entry: StoredResponse, of provider: String, path: Digest) -> Bool {
        var changes = changed.withLock { changed in [changed[provider], changed[""]].compactMap { $0 } }
        if let change = changedPaths.withLock({ $0[provider]?[path] }) { changes.append(change) }
        return changes.max().map { entry.responseTime > $0 } ?? true
    }

    /// Whether responses to other queries of the path are known that may answer the request.
    func knows(_ request: PassRequest) -> Bool { !equivalents(of: request).isEmpty }

    /// Notes a response that is stored.
    /// - Returns: how many other responses were forgotten to make room.
    func note(_ request: PassRequest, _ variance: SearchVariance) -> Int {
        guard let form = SearchVarianceTable.Form(request.query, by: variance) else { return 0 }
        let path = request.pathDigest
        return tables.withLock {
            $0[request.provider.name, default: SearchVarianceTable()].note(request.query, at: path, form)
        }
    }

    /// The queries whose responses may answer the request.
    func equivalents(of request: PassRequest) -> [String?] {
        equivalents(of: request.query, at: request.pathDigest, of: request.provider.name)
    }

    /// The same for a query of a path of the given provider.
    func equivalents(of query: String?, at path: @autoclosure () -> Digest, of provider: String) -> [String?] {
        // Most providers never send the field.
        guard tables.withLock({ $0[provider] != nil }) else { return [] }
        let path = path()
        let rules = tables.withLock { $0[provider]?.rules(at: path) ?? [] }
        let forms = rules.compactMap { SearchVarianceTable.Form(query, by: $0) }
        guard !forms.isEmpty else { return [] }
        return tables.withLock { $0[provider]?.equivalents(of: query, at: path, forms) ?? [] }
    }

    /// Forgets a query whose response is gone.
    func forget(_ query: String?, of request: PassRequest) {
        let path = request.pathDigest
        tables.withLock { $0[request.provider.name]?.forget(query, at: path) }
    }
}

extension Engine {
    /// Notes a stored response that says it answers other queries too.
    /// - Parameter isRead: whether the response was read from the store. It was noted when it was stored, and is noted
    ///   again because it may have been forgotten. A refused field is counted only the first time.
    func noteSearchVariance(_ entry: StoredResponse, of request: PassRequest, isRead: Bool = false) {
        guard request.primary == request.target, entry.fields.contains(.noVarySearch) else { return }
        guard !SearchVariance.isBeyondBounds(entry.fields) else {
            if !isRead { count(.refused, request) }
            return
        }
        let dropped = searchVariances.note(request, SearchVariance(entry.fields))
        if dropped > 0 { count(.dropped, request, dropped) }
    }

    /// Notes that something of a provider changed or was removed, here or on another host. Nil stands for any provider.
    public func endOtherQueries(of provider: String?) {
        searchVariances.noteChange(of: provider, at: time.wall())
    }

    /// Notes that something changed at the request's path. Responses to its other queries, and in other languages, answer
    /// their own requests only, until they are fetched anew. Other paths are other resources.
    func endOtherQueries(of request: PassRequest) {
        searchVariances.noteChange(of: request.provider.name, path: request.pathDigest, at: time.wall())
    }

    /// Invalidates the responses to other queries that answer the request's URL.
    func invalidateEquivalents(of request: PassRequest) async {
        endOtherQueries(of: request)
        for query in searchVariances.equivalents(of: request) {
            await cache.invalidate(PassRequest(request, query: query).target.digest, of: request.provider)
        }
    }

    /// The keys of the responses to other queries that may answer a request to a pass-through provider.
    public func equivalents(of request: UpstreamRequest, at provider: ConfiguredProvider) async -> [CacheKey] {
        guard provider.isPassthrough, provider.settings.semantics == .rfc else { return [] }
        let path = provider.rawKey(UpstreamRequest(path: request.path)).digest
        var keys: [CacheKey] = []
        for query in searchVariances.equivalents(of: request.query, at: path, of: provider.name) {
            let key = provider.rawKey(UpstreamRequest(path: request.path, query: query))
            let look = await cache.find(key)
            let isAnswer = (look.variants + [look.entry].compactMap { $0 }).contains { entry in
                searchVariances.mayAnswerOtherQueries(entry, of: provider.name, path: path)
                    && SearchVariance(entry.fields).areEquivalent(query, request.query)
            }
            if isAnswer { keys.append(key) }
        }
        return keys
    }

    func count(_ result: SearchVariances.Result, _ request: PassRequest, _ amount: Int = 1) {
        counters.cell(EngineCounters.searchVariance, request.provider.name, result.rawValue).add(amount)
    }
}
