// What is removed at a request's own URL when the request may have changed something upstream (RFC 9111 §4.4).
//
// The standard demands the removal after an answer that is not an error. Without an answer, nobody knows whether the
// origin carried out the request. Larder removes the same entries then. An unneeded removal costs one call; a wrong
// entry would be wrong for its whole lifetime.
import LarderCache
import LarderCore
import LarderHTTP

extension PassRequest {
    /// The URL that the request changes if a parameter of its own URL asks for another method: without that parameter.
    fileprivate var changedTarget: CacheKey? {
        guard override != nil, let query else { return nil }
        let key = provider.rawKey(UpstreamRequest(path: path, query: MethodOverride.stripped(query)))
        return key == target ? nil : key
    }
}

extension Engine {
    /// Removes what is stored at the request's URL, on every host and in the shared tier, and responses to other
    /// queries that answer the URL.
    public func invalidateTarget(of request: PassRequest) async {
        // The key is the one that the response was stored under. Another spelling of the URL would give another key.
        await cache.invalidate(request.target.digest, of: request.provider)
        if let changed = request.changedTarget { await cache.invalidate(changed.digest, of: request.provider) }
        if Invalidation.reachesBelow(request.effectiveMethod) { await invalidate(below: request.path, of: request) }
        if let destination = request.destination {
            await cache.invalidate(request.provider.rawKey(destination).digest, of: request.provider)
            await invalidate(below: destination.path, of: request)
        }
        if request.rule.semantics == .rfc { await invalidateEquivalents(of: request) }
    }

    /// Removes what is stored below a path that may be a collection, and at its other spelling: a collection has one name
    /// with a slash at its end and one without (RFC 4918 §5.2).
    private func invalidate(below path: String, of request: PassRequest) async {
        let provider = request.provider
        let other = path.utf8.last == 0x2F ? String(path.dropLast()) : path + "/"
        if !other.isEmpty { await cache.invalidate(provider.rawKey(UpstreamRequest(path: other)).digest, of: provider) }
        let folder = provider.folders.root.folder(EquivalentURL.normalised(path))
        let isKnown = request.destination != nil || path.isEmpty || path.utf8.last == 0x2F
        await cache.remove(below: folder, of: provider, isKnown: isKnown)
    }

    /// Does the same after an unsafe request that was sent and got no response. An unsent request changed nothing.
    ///
    /// If the client leaves, the request's task is cancelled. The removal still runs to its end.
    public func invalidateTarget(of request: PassRequest, after failure: UpstreamFailure) async {
        guard !request.isReadOnly, failure.wasSent else { return }
        await Task { await invalidateTarget(of: request) }.value
    }
}
