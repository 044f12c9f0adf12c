// What a request that may have changed something upstream makes invalid at its own URL (RFC 9111 §4.4).
//
// The standard demands that after an answer that is no error. Where no answer came, nobody knows whether the origin has carried the
// request out. Larder then removes the same: what is removed without need costs a call, what is kept without right is wrong for its
// whole lifetime.
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
