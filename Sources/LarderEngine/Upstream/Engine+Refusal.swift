// What a client is told where nothing answers it, and what is counted of that.
import LarderCore

extension Engine {
    /// What a client is told of a failure. It counts as one of the provider's, but for a call that the client itself ended by
    /// leaving.
    ///
    /// - Parameter provider: who was asked.
    public func refusal(_ failure: UpstreamFailure, of provider: String) -> ClientFacingError {
        var failure = failure
        if failure.fetch?.stage == .cancelled, Task.isCancelled { failure.hasClientLeft = true }
        if !failure.hasClientLeft { countFailure(provider) }
        return failure.clientFacing(now: time.wall())
    }
}
