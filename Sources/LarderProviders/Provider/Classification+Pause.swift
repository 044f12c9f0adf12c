// A 503 with `Retry-After` asks for a pause, whichever API sends it, and is treated like a 429. A 503 without a time is
// an ordinary server failure.
import LarderCore
import LarderHTTP

extension RetryAfter {
    /// The instant from which another call may succeed; nil if the response does not name one.
    static func instant(_ response: UpstreamResponse) -> WallTime? {
        read(response.fields, at: response.responseTime)?.until
    }
}

extension Classification {
    /// The same classification, except that a 503 which names the end of its pause becomes `limited`.
    public func heedingRetryAfter(of response: UpstreamResponse) -> Classification {
        guard case .broken = self, response.status == 503, let until = RetryAfter.instant(response) else { return self }
        return .limited(until: until)
    }
}
