// Proxy-Status (RFC 9209): on answers that Larder made itself, what kept it from giving the upstream's. One member, ours;
// what goes into `details` is text without secrets.
import LarderCore

/// Rendering of `Proxy-Status`.
public enum ProxyStatus {
    /// Error types of the registry (RFC 9209 §2.3) that Larder uses.
    public enum ErrorType: String, Sendable, Hashable, CaseIterable {
        case dnsError = "dns_error"
        /// The upstream rests after failures, or is not configured.
        case destinationUnavailable = "destination_unavailable"
        case destinationIPProhibited = "destination_ip_prohibited"
        case connectionRefused = "connection_refused"
        case connectionTerminated = "connection_terminated"
        case connectionTimeout = "connection_timeout"
        /// Our own limit of fetches that wait or run.
        case connectionLimitReached = "connection_limit_reached"
        case tlsProtocolError = "tls_protocol_error"
        case tlsCertificateError = "tls_certificate_error"
        /// What the client asked is not what we forward.
        case httpRequestError = "http_request_error"
        /// The budget of calls is spent, or the request is not allowed.
        case httpRequestDenied = "http_request_denied"
        case httpResponseIncomplete = "http_response_incomplete"
        case httpResponseBodySize = "http_response_body_size"
        case httpResponseTimeout = "http_response_timeout"
        case httpProtocolError = "http_protocol_error"
        /// Made by us without asking the upstream, such as 504 to `only-if-cached`.
        case proxyInternalResponse = "proxy_internal_response"
        case proxyInternalError = "proxy_internal_error"
        case proxyLoopDetected = "proxy_loop_detected"
    }

    /// libcurl's codes that tell more than the stage (https://curl.se/libcurl/c/libcurl-errors.html).
    private enum CurlCode {
        static let partialFile = 18
        static let timedOut = 28
        static let certificate: Set<Int> = [60, 83, 90, 91]
    }

    /// The field's value for a fetch that brought no whole answer (RFC 9209 §2.1.1, §2.3), such as
    /// `larder; error=dns_error`.
    ///
    /// - Parameter details: for a person; nil leaves it out.
    public static func render(_ failure: FetchError, details: String? = nil) -> String {
        render(error(for: failure), details: details)
    }

    /// The field's value for an error that is not a fetch's (RFC 9209 §2.1.1, §2.1.5, §2.1.4).
    ///
    /// - Parameter receivedStatus: the upstream's status, where one came.
    public static func render(_ error: ErrorType, details: String? = nil, receivedStatus: Int? = nil) -> String {
        var out = "larder; error=\(error.rawValue)"
        if let receivedStatus, (100...999).contains(receivedStatus) { out += "; received-status=\(receivedStatus)" }
        if let details, !details.isEmpty { out += "; details=\(StructuredField.quoted(details))" }
        return out
    }

    /// The registered type of a failed fetch (RFC 9209 §2.3).
    public static func error(for failure: FetchError) -> ErrorType {
        switch failure.stage {
        case .resolve: .dnsError
        case .connect: .connectionRefused
        case .secure: CurlCode.certificate.contains(failure.curlCode) ? .tlsCertificateError : .tlsProtocolError
        case .send: .connectionTerminated
        case .receive: failure.curlCode == CurlCode.partialFile ? .httpResponseIncomplete : .connectionTerminated
        // libcurl's own timeout is that of connecting; the order's deadline has no code.
        case .timedOut: failure.curlCode == CurlCode.timedOut ? .connectionTimeout : .httpResponseTimeout
        case .tooLarge: .httpResponseBodySize
        case .malformed: .httpProtocolError
        case .forbidden: .destinationIPProhibited
        case .cancelled: .proxyInternalError
        case .overloaded: .connectionLimitReached
        }
    }
}
