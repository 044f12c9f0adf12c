// What is removed at a request's own URL when the request may have changed something upstream (RFC 9111 §4.4).
//
// The standard demands the removal after an answer that is not an error. Without an answer, nobody knows whether the
// origin carried out the request. Larder removes the same entries then. An unneeded removal costs one call; a wrong
// entry would be wrong for its whole lifetime.
import LarderCache
import LarderCore

extension Engine {
    /// Removes what is stored at the request's URL, on every host and in what they share, and what answers it from under another query.
    public func invalidateTarget(of request: PassRequest) async {
        // By the key it was stored under: a URL of another spelling would name another.
        await cache.invalidate(request.target.digest, of: request.provider)
        if request.rule.semantics == .rfc { await invalidateEquivalents(of: request) }
    }

    /// Does the same for an unsafe request that was sent and brought no answer. One that was not sent has changed nothing.
    ///
    /// A request is left by its client in a task that is cancelled; the removal goes on to its end all the same.
    public func invalidateTarget(of request: PassRequest, after failure: UpstreamFailure) async {
        guard !request.isReadOnly, failure.wasSent else { return }
        await Task { await invalidateTarget(of: request) }.value
    }
}
