// Proxy-Status (RFC 9209): on a response that Larder made itself, the reason why it is not the upstream's response. It
// has one member, which is ours. The text in `details` contains no secrets.
import LarderCore

/// Renders `Proxy-Status`.
public enum ProxyStatus {
    /// Error types of the registry (RFC 9209 §2.3) that Larder uses.
    public enum ErrorType: String, Sendable, Hashable, CaseIterable {
        case dnsError = "dns_error"
        /// The upstream is suspended after failures, or is not configured.
        case destinationUnavailable = "destination_unavailable"
        case destinationIPProhibited = "destination_ip_prohibited"
        case connectionRefused = "connection_refused"
        case connectionTerminated = "connection_terminated"
        case connectionTimeout = "connection_timeout"
        /// Our own limit on fetches that wait or run is reached.
        case connectionLimitReached = "connection_limit_reached"
        case tlsProtocolError = "tls_protocol_error"
        case tlsCertificateError = "tls_certificate_error"
        /// Larder does not forward such a request.
        case httpRequestError = "http_request_error"
        /// The budget of calls is used up, or the request is not allowed.
        case httpRequestDenied = "http_request_denied"
        case httpResponseIncomplete = "http_response_incomplete"
        case httpResponseBodySize = "http_response_body_size"
        case httpResponseTimeout = "http_response_timeout"
        case httpProtocolError = "http_protocol_error"
        /// Larder made the response without asking the upstream, such as 504 to `only-if-cached`.
        case proxyInternalResponse = "proxy_internal_response"
        case proxyInternalError = "proxy_internal_error"
        case proxyLoopDetected = "proxy_loop_detected"
    }

    /// libcurl's codes that say more than the stage (https://curl.se/libcurl/c/libcurl-errors.html).
    private enum CurlCode {
        static let partialFile = 18
        static let timedOut = 28
        static let certificate: Set<Int> = [60, 83, 90, 91]
    }

    /// The field's value for a fetch that brought no complete response (RFC 9209 §2.1.1, §2.3), such as
    /// `larder; error=dns_error`.
    ///
    /// - Parameter details: text for a person; nil leaves it out.
    public static func render(_ failure: FetchError, details: String? = nil) -> String {
        render(error(for: failure), details: details)
    }

    /// The field's value for an error that is not a fetch's (RFC 9209 §2.1.1, §2.1.5, §2.1.4).
    ///
    /// - Parameter receivedStatus: the upstream's status, if there is one.
    public static func render(_ error: ErrorType, details: String? = nil, receivedStatus: Int? = nil) -> String {
        var out = "larder; error=\(error.rawValue)"
        if let receivedStatus, (100...999).contains(receivedStatus) { out += "; received-status=\(receivedStatus)" }
        if let details, !details.isEmpty { out += "; details=\(StructuredField.quoted(details))" }
        return out
    }

    /// The registered error type of a failed fetch (RFC 9209 §2.3).
    public static func error(for failure: FetchError) -> ErrorType {
        switch failure.stage {
        case .resolve: .dnsError
        case .connect: .connectionRefused
        case .secure: CurlCode.certificate.contains(failure.curlCode) ? .tlsCertificateError : .tlsProtocolError
        case .send: .connectionTerminated
        case .receive: failure.curlCode == CurlCode.partialFile ? .httpResponseIncomplete : .connectionTerminated
        // libcurl's own timeout is the connect timeout. The order's deadline has no libcurl code.
        case .timedOut: failure.curlCode == CurlCode.timedOut ? .connectionTimeout : .httpResponseTimeout
        case .tooLarge: .httpResponseBodySize
        case .malformed: .httpProtocolError
        case .forbidden: .destinationIPProhibited
        case .cancelled: .proxyInternalError
        case .overloaded: .connectionLimitReached
        case .unrecorded: .proxyInternalResponse
        }
    }
}
