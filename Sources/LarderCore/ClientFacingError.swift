// Errors with an HTTP form. `LarderServer` turns them into application/problem+json at one place (RFC 9457).

/// An error that a client may see unchanged. It contains no secrets and no paths of the host.
public struct ClientFacingError: Error, Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// A stable word for programs, such as `unknownParameter` or `limited`. Also the end of the problem's `type`.
    public var code: String
    /// What happened, as a sentence for a person.
    public var detail: String
    /// The parameter at fault, and the values that it accepts.
    public var parameter: String?
    public var allowed: [String]
    /// The parameter is valid by itself, but not together with the other given parameters.
    public var isConflict = false
    /// The provider, and the class of its failure.
    public var provider: String?
    public var failure: FailureClass?
    /// Whether a repeated request can succeed, and after how many seconds.
    public var retryable: Bool?
    public var retryAfter: Int64?
    /// Fields that the status requires (`Allow`, `WWW-Authenticate`).
    public var fields: HeaderFields
    /// Whether the connection must be closed after this response because the rest of the input cannot be trusted.
    public var closesConnection: Bool

    public init(
        status: Int, code: String, detail: String, parameter: String? = nil, allowed: [String] = [],
        provider: String? = nil, failure: FailureClass? = nil, retryable: Bool? = nil, retryAfter: Int64? = nil,
        fields: HeaderFields = [:], closesConnection: Bool = false
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.parameter = parameter
        self.allowed = allowed
        self.provider = provider
        self.failure = failure
        self.retryable = retryable
        self.retryAfter = retryAfter
        self.fields = fields
        self.closesConnection = closesConnection
    }
}

extension ClientFacingError {
    /// The code for a request whose client left before the response was ready. Nobody gets the response; it is not a
    /// failure.
    public static let clientLeft = "clientLeft"

    /// 400 for a parameter whose value is not allowed.
    public static func invalid(_ parameter: String, _ detail: String, allowed: [String] = []) -> ClientFacingError {
        ClientFacingError(status: 400, code: "invalidParameter", detail: detail, parameter: parameter, allowed: allowed)
    }

    /// 400 for a parameter that is valid by itself, but not together with another one.
    public static func conflicting(_ parameter: String, _ detail: String, allowed: [String] = []) -> ClientFacingError {
        var error = invalid(parameter, detail, allowed: allowed)
        error.isConflict = true
        return error
    }

    /// 400 for a required parameter that is absent or empty.
    public static func missing(_ parameter: String, _ detail: String) -> ClientFacingError {
        ClientFacingError(status: 400, code: "missingParameter", detail: detail, parameter: parameter)
    }

    /// 400 for a term whose length a source cannot search. A search of several sources leaves that source out.
    public static func termLength(_ parameter: String, _ detail: String) -> ClientFacingError {
        ClientFacingError(status: 400, code: "termLength", detail: detail, parameter: parameter)
    }

    /// 400 for a parameter that this route does not have.
    public static func unknown(_ parameter: String, allowed: [String]) -> ClientFacingError {
        ClientFacingError(
            status: 400, code: "unknownParameter", detail: "This route has no parameter \"\(parameter)\".",
            parameter: parameter, allowed: allowed)
    }
}
