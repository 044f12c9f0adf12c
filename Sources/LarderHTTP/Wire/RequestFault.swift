// The reasons for which a request's bytes are refused. There is one case per rule, with the status that the rule's
// section asks for. After any fault the rest of the input cannot be trusted, so the connection ends with the response.
import LarderCore

/// A defect in the framing or the syntax of a request.
public enum RequestFault: UInt8, Error, Sendable, Hashable, CaseIterable {
    /// Not "method SP target SP version" (RFC 9112 §3).
    case badRequestLine
    case badMethod
    case badTarget
    case badVersion
    /// A major version that is not 1 (RFC 9110 §15.6.6).
    case unsupportedVersion
    case targetTooLong
    case headTooLarge
    case tooManyFields
    case badFieldName
    /// White space before the colon (RFC 9112 §5.1). A proxy in front may read the line differently.
    case spaceBeforeColon
    /// A line that begins with white space (RFC 9112 §5.2).
    case foldedLine
    /// A line that ends without a carriage return (RFC 9112 §2.2).
    case bareLineFeed
    case bareCarriageReturn
    /// NUL or another control character (RFC 9110 §5.5).
    case badFieldValue
    /// No Host field (RFC 9112 §3.2).
    case missingHost
    case duplicateHost
    /// Not a host and port (RFC 9112 §3.2), or a host with user information (RFC 9110 §4.2.4).
    case badHost
    case badContentLength
    /// More than one Content-Length, even with the same value (RFC 9112 §6.3).
    case duplicateContentLength
    /// Both Content-Length and Transfer-Encoding (RFC 9112 §6.1).
    case lengthAndEncoding
    /// Transfer-Encoding in HTTP/1.0 (RFC 9112 §6.1).
    case encodingInOldVersion
    /// "chunked" is not last, or appears twice or on two lines (RFC 9112 §6.3).
    case badTransferEncoding
    case unknownTransferCoding
    case unknownExpectation
    case bodyTooLarge
    case badChunk
    /// The client ended its input before the end of the body (RFC 9112 §8).
    case incompleteBody
    case trailersTooLarge
    /// The head did not arrive in time.
    case headTimedOut
    /// The body stopped arriving.
    case bodyTimedOut
    /// The body arrives more slowly than the server's minimum rate.
    case bodyTooSlow
    /// The preface of HTTP/2 with prior knowledge (RFC 9113 §3.4).
    case http2Preface

    /// The status of the response.
    public var status: Int {
        switch self {
        case .targetTooLong: 414
        case .headTooLarge, .tooManyFields, .trailersTooLarge: 431
        case .bodyTooLarge: 413
        case .unsupportedVersion, .http2Preface: 505
        case .unknownTransferCoding: 501
        case .unknownExpectation: 417
        case .headTimedOut, .bodyTimedOut, .bodyTooSlow: 408
        default: 400
        }
    }

    /// A stable word for programs.
    public var code: String { "\(self)" }

    /// A sentence for a person.
    public var detail: String {
        switch self {
        case .badRequestLine: "The request line is not \"method target version\" with single spaces."
        case .badMethod: "The method contains a character that is not allowed in methods."
        case .badTarget:
            "The request target contains white space, a control character, \"#\" or another character to be encoded."
        case .badVersion: "The request line does not end with an HTTP version."
        case .unsupportedVersion: "Only HTTP/1.0 and HTTP/1.1 are supported."
        case .targetTooLong: "The request target is too long."
        case .headTooLarge: "The fields of the request are too large."
        case .tooManyFields: "The request has too many fields."
        case .badFieldName: "A field name is empty or contains a character that is not allowed in field names."
        case .spaceBeforeColon: "There is white space between a field name and its colon."
        case .foldedLine: "A field line is folded over several lines."
        case .bareLineFeed: "A line ends with a line feed alone."
        case .bareCarriageReturn: "A carriage return is not followed by a line feed."
        case .badFieldValue: "A field value contains a control character."
        case .missingHost: "The request has no Host field."
        case .duplicateHost: "The request has more than one Host field."
        case .badHost: "The Host field, or the authority of the target, is not a host name or address."
        case .badContentLength: "Content-Length is not a number."
        case .duplicateContentLength: "There is more than one Content-Length."
        case .lengthAndEncoding: "The request has both Content-Length and Transfer-Encoding."
        case .encodingInOldVersion: "HTTP/1.0 does not support Transfer-Encoding."
        case .badTransferEncoding: "Transfer-Encoding does not end with one \"chunked\"."
        case .unknownTransferCoding: "Only the transfer coding \"chunked\" is supported."
        case .unknownExpectation: "Only the expectation \"100-continue\" is supported."
        case .bodyTooLarge: "The body of the request is too large."
        case .badChunk: "The chunked body is malformed."
        case .incompleteBody: "The client ended its input before the end of the body."
        case .trailersTooLarge: "The trailer fields after the body are too large."
        case .headTimedOut: "The request's head did not arrive in time."
        case .bodyTimedOut: "The request's body stopped arriving."
        case .bodyTooSlow: "The request's body arrives more slowly than \"server.minimumRate\" permits."
        case .http2Preface: "HTTP/2 is not supported: use HTTP/1.1."
        }
    }
}
