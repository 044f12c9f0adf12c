// A 503 that says when to come back is a request for a pause, whichever API sends it: it is heeded as a 429 is. Without a
// time it is a failure like any other of the server.
import LarderCore
import LarderHTTP

extension RetryAfter {
    /// The instant from which another call may succeed; nil where the answer does not tell.
    static func instant(_ response: UpstreamResponse) -> WallTime? {
        read(response.fields, at: response.responseTime)?.until
    }
}

extension Classification {
    /// The same, but for a 503 that names the end of its pause.
    public func heedingRetryAfter(of response: UpstreamResponse) -> Classification {
        guard case .broken = self, response.status == 503, let until = RetryAfter.instant(response) else { return self }
        return .limited(until: until)
    }
}
