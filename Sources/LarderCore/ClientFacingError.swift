// An error may know its HTTP face. It becomes HTTP at one place, in Server, as application/problem+json (RFC 9457).

/// An error that a client may see as it is: no secrets, no paths of this machine.
public struct ClientFacingError: Error, Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// A stable word for programs: `unknownParameter`, `limited`, …; also the end of the problem's `type`.
    public var code: String
    /// What happened, in a sentence for a person.
    public var detail: String
    /// The parameter at fault and what it may be.
    public var parameter: String?
    public var allowed: [String]
    /// The parameter is allowed by itself, and not together with the others that are given.
    public var isConflict = false
    /// The provider and the class of its failure.
    public var provider: String?
    public var failure: FailureClass?
    /// Whether asking again helps, and the seconds after which it does.
    public var retryable: Bool?
    public var retryAfter: Int64?
    /// Fields the status demands (`Allow`, `WWW-Authenticate`).
    public var fields: HeaderFields
    /// Whether the connection must end with this answer, since the rest of the input cannot be trusted.
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
    /// The code of a request whose client left before its answer was there. Nobody gets the answer, and it is no failure.
    public static let clientLeft = "clientLeft"

    /// 400 for a parameter whose value is not allowed.
    public static func invalid(_ parameter: String, _ detail: String, allowed: [String] = []) -> ClientFacingError {
        ClientFacingError(status: 400, code: "invalidParameter", detail: detail, parameter: parameter, allowed: allowed)
    }

    /// 400 for a parameter that is allowed by itself and not together with another one.
    public static func conflicting(_ parameter: String, _ detail: String, allowed: [String] = []) -> ClientFacingError {
        var error = invalid(parameter, detail, allowed: allowed)
        error.isConflict = true
        return error
    }

    /// 400 for a parameter that is needed and absent or empty.
    public static func missing(_ parameter: String, _ detail: String) -> ClientFacingError {
        ClientFacingError(status: 400, code: "missingParameter", detail: detail, parameter: parameter)
    }

    /// 400 for a term whose length a source cannot search; one of several sources is then left out.
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
