// The error for a client whose request nothing could answer, and its counting.
import LarderCore

extension Engine {
    /// Returns the error for a client. It counts as a failure of the provider unless the client itself ended the call
    /// by leaving.
    ///
    /// - Parameter provider: the name of the provider that was asked.
    public func refusal(_ failure: UpstreamFailure, of provider: String) -> ClientFacingError {
        var failure = failure
        if failure.fetch?.stage == .cancelled, Task.isCancelled { failure.hasClientLeft = true }
        if !failure.hasClientLeft { countFailure(provider) }
        return failure.clientFacing(now: time.wall())
    }
}
