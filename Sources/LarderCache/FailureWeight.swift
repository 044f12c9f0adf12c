// Decides whom a failed call blames. A refusal of what a client supplied (a session, a token, somebody else's item, a
// path that Larder's own questions do not use) says nothing about the provider. Neither does an error that the API
// gives to one odd question, while a question that it answered lately would still be answered. The provider is blamed
// for what says that the configured key, the rate or the service fails.
import LarderCore

/// What is known of a call that failed.
public struct FailedCall: Sendable, Hashable {
    /// Whose credentials the call carried.
    public enum Credentials: Sendable, Hashable, CaseIterable {
        /// The configured key, or none.
        case own
        case client
        /// Those of the account that is signed in.
        case account
    }

    public var failure: FailureClass
    /// The status of the answer; nil if there was none.
    public var status: Int?
    /// Whether the answer says when calls may succeed again.
    public var namesPause = false
    public var credentials = Credentials.own
    /// Whether Larder's own questions use the path, so that it exists.
    public var isKnownPath = true
    /// Whether the target names something of a person: a session, an account, an item to remove.
    public var isPersonal = false
    /// Whether the same question succeeded lately.
    public var succeededLately = false
    /// Whether any question that succeeded lately is known.
    public var hasKnown = false
    /// Whether the provider is suspended because it refused the configured key or limited its calls.
    public var isKeyInDoubt = false

    public init(_ failure: FailureClass, status: Int? = nil) {
        self.failure = failure
        self.status = status
    }
}

/// How much a failed call says about its provider.
public enum FailureWeight: Sendable, Hashable {
    /// The provider did answer.
    case answer
    /// Nothing.
    case nothing
    /// Either the question or the provider is at fault. A question that succeeded lately decides.
    /// - Parameter atOnce: whether one such failure is enough to ask it.
    case doubt(atOnce: Bool)
    /// Possibly a single query's bad luck. Such failures are counted.
    case luck
    /// The provider's own statement. One is enough.
    case word

    /// The rule of blame.
    public init(_ call: FailedCall) {
        switch call.failure {
        case .invalidRequest, .notFound: self = .answer
        case .notConfigured, .suspended, .overloaded: self = .nothing
        // The limit of a client's own key does not concern calls with other keys.
        case .limited where call.credentials == .client: self = .nothing
        // Filters in front of an API refuse single questions with 403. Some APIs report a limit by it.
        case .limited: self = call.status == 403 && !call.namesPause ? Self.decided(call, by: .word) : .word
        // The answer shows that the provider works. It does not show that the configured key works.
        case .refused where call.credentials != .own && (call.status == 401 || call.status == 403):
            self = call.isKeyInDoubt ? .nothing : .answer
        case .refused: self = Self.decided(call, by: .word)
        case .broken where !call.isKnownPath && call.status.map { $0 < 500 } == true: self = .nothing
        case .broken, .timedOut: self = Self.decided(call, by: .luck)
        // No question makes a connection fail.
        case .unreachable: self = .luck
        }
    }

    private static func decided(_ call: FailedCall, by weight: FailureWeight) -> FailureWeight {
        if call.succeededLately { return weight }
        if call.hasKnown { return .doubt(atOnce: weight == .word) }
        let mayConcernRequest = !call.isKnownPath || call.isPersonal
        return weight == .word && mayConcernRequest ? .nothing : weight
    }
}
