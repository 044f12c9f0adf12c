// The one place where an error becomes an HTTP response: application/problem+json (RFC 9457). Larder adds documented
// members to the standard ones: parameter, allowed, conflict, provider, class, retryable, retryAfter, requestId.
import LarderCore
import LarderHTTP

public enum ProblemEncoder {
    /// The response that reports an error to a client.
    public static func response(for error: ClientFacingError, requestID: RequestID) -> ServerResponse {
        var fields = error.fields
        fields.set(.contentType, "application/problem+json")
        // Caches must not store an error (RFC 9111 §3), because its cause may be gone at once.
        if !fields.contains(.cacheControl) { fields.add(.cacheControl, "no-store") }
        if let seconds = error.retryAfter { fields.set(.retryAfter, String(max(0, seconds))) }
        return ServerResponse(
            status: error.status, fields: fields, body: .bytes(body(of: error, requestID: requestID)),
            provider: error.provider, route: .error, closesConnection: error.closesConnection)
    }

    private static func body(of error: ClientFacingError, requestID: RequestID) -> Bytes {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            writer.member("type", "/problems/\(error.code)")
            writer.member("title", StatusText.reason(error.status))
            writer.member("status", error.status)
            writer.member("detail", error.detail)
            writer.member("code", error.code)
            writer.member(ifPresent: "parameter", error.parameter)
            if !error.allowed.isEmpty { writer.member("allowed", strings: error.allowed) }
            if error.isConflict { writer.member("conflict", true) }
            writer.member(ifPresent: "provider", error.provider)
            writer.member(ifPresent: "class", error.failure?.rawValue)
            if let retryable = error.retryable { writer.member("retryable", retryable) }
            if let retryAfter = error.retryAfter { writer.member("retryAfter", max(0, retryAfter)) }
            writer.member("requestId", requestID.description)
        }
        return writer.bytes
    }
}

extension ClientFacingError {
    /// The error for a request whose bytes were refused.
    init(_ fault: RequestFault) {
        self.init(status: fault.status, code: fault.code, detail: fault.detail, closesConnection: true)
    }

    /// The error for a request to a host that is not this server (RFC 9110 §15.5.20).
    static let foreignHost = ClientFacingError(
        status: 421, code: "foreignHost",
        detail: "The Host field must name localhost, a loopback address, the connection's own address or a name in "
            + "the setting \"hostNames\".",
        parameter: "Host", closesConnection: true)

    /// The error for a request to forward to the host in its target (RFC 9112 §3.2.2, §3.2.3). Only a listener that is
    /// declared to be one is a proxy (RFC 9110 §3.7).
    public static func notAProxy(status: Int) -> ClientFacingError {
        ClientFacingError(
            status: status, code: "notAProxy",
            detail: "This address is no forward proxy. Use a listener with \"proxy: true\", or request "
                + "/raw/{provider}/{path}, or give the provider a listener of its own (\"listen\" with address and "
                + "provider) and use that as the API's base URL. If the name is Larder's own, add it to \"hostNames\".",
            closesConnection: true)
    }

    /// The error for a request that a page of another site made.
    public static let crossSite = ClientFacingError(
        status: 403, code: "crossSite", detail: "Requests from pages of other sites are not answered.",
        closesConnection: true)
}
