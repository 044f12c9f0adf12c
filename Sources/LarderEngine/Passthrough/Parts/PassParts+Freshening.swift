// Freshens the head of a list of parts with a 304 or HEAD response (RFC 9111 §4.3.4, §4.3.5). Freshening and storing of
// parts take turns on one list. The rows of the parts then live as long as their list.
import LarderCache
import LarderCore
import LarderHTTP

extension PassParts {
    /// Replaces the head of a stored response, which may be made of parts. If a part was stored since that response was
    /// read, and with an older head, the method freshens the list that names the new part.
    /// - Parameters:
    ///   - entry: the stored response, freshened by the head.
    ///   - began: the removal stamp from before the upstream was asked.
    /// - Returns: whether the head was replaced.
    func freshen(
        _ old: StoredResponse, to entry: StoredResponse, by head: UpstreamHead, since began: RemovalStamp
    ) async -> Bool {
        let cache = engine.cache
        guard let body = old.large as? PartsBody else { return await cache.freshen(old, to: entry, since: began) }
        let known = body.stored.content
        // No request waits for this.
        Task { await prolong(known, in: entry) }
        guard await cache.turns.enter(old.key.digest) else { return await cache.freshen(old, to: entry, since: began) }
        defer { cache.turns.leave(old.key.digest) }
        guard let now = await cache.open(old.key).flatMap({ StoredParts($0) }), now.content.isSame(as: known),
            now.row.arrival != old.arrival, now.row.arrival <= entry.arrival
        else { return await cache.freshen(old, to: entry, since: began) }
        var news = Validation.freshening(now.row, by: head, rule: request.rule, targets: request.targets)
        news.entry.arrival = entry.arrival
        guard case .store = news.verdict.decision, Vary(news.entry.fields) == Vary(now.row.fields),
            request.groups(news.entry) == request.groups(now.row)
        else { return false }
        Task { [news] in await prolong(now.content, in: news.entry) }
        return await cache.freshen(now.row, to: news.entry, since: began)
    }

    /// Makes the rows of the parts live as long as their list.
    func prolong(_ content: PartialContent, in row: StoredResponse) async {
        for start in Set(content.parts.map(\.start)) {
            let key = key(start, of: content, listed: row.key)
            await engine.cache.prolong(key.digest, freshUntil: row.freshUntil, staleUntil: row.staleUntil)
        }
    }
}

extension PassSelection {
    /// Freshens a stored response with a HEAD response. Prolongs the rows of its parts.
    /// - Parameters:
    ///   - entry: the stored response, freshened by the head.
    ///   - began: the removal stamp from before the upstream was asked.
    public func freshen(
        _ stored: StoredResponse, to entry: StoredResponse, by head: UpstreamHead, since began: RemovalStamp
    ) async {
        var entry = entry
        entry.arrival = engine.cache.arrivals.next()
        _ = await fetch.parts.freshen(stored, to: entry, by: head, since: began)
    }
}
