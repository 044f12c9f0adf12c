// The exit status reports the outcome of a command by class, so a script need not parse messages.
import LarderCore

/// The exit status of the process. The manual page documents the numbers, so they must not change.
public enum CommandStatus: Int32, Sendable, CaseIterable {
    case done = 0
    /// A failure without a class of its own, such as a file that cannot be written.
    case failed = 1
    /// The command line, the configuration or the question is wrong.
    case usage = 2
    /// The question was answered: there are no results.
    case noResults = 3
    /// Only some of the sources answered.
    case partial = 4
    /// Too many calls. A later attempt may succeed.
    case limited = 5
    /// The API could not be reached or was too slow, or the daemon gave no complete response within `--timeout`.
    case unreachable = 6
    /// The API or Larder refused: the key is missing or wrong, or there is no authority.
    case refused = 7
    /// The API's response could not be understood.
    case broken = 8
    /// No daemon answers.
    case noDaemon = 9
    /// A tape had no recording for a request.
    case noRecording = 10

    /// The status of a failure class, as named in a problem's `class`.
    public init(_ failure: FailureClass) {
        self =
            switch failure {
            case .limited, .suspended, .overloaded: .limited
            case .refused, .notConfigured: .refused
            case .invalidRequest: .usage
            case .notFound: .noResults
            case .unreachable, .timedOut: .unreachable
            case .broken: .broken
            }
    }

    /// A description of one line for the manual.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed for any other reason"
        case .usage: "the command line, the configuration or the request is wrong"
        case .noResults: "nothing was found"
        case .partial: "some sources answered, others did not"
        case .limited: "limited: too many calls, try again later"
        case .unreachable: "the API could not be reached, or no whole answer came in time"
        case .refused: "refused: key missing or wrong, or no authority"
        case .broken: "the API's answer could not be understood"
        case .noDaemon: "no daemon answers"
        case .noRecording: "a tape had no recording for a request"
        }
    }
}

/// The error of a command that ends with a message instead of a result.
public struct CommandFailure: Error, Sendable, Hashable {
    public var status: CommandStatus
    /// What happened. It is written to standard error.
    public var message: String
    /// What the user can do about it.
    public var advice: String?
    /// Whether the time limit expired. The daemon exists but did not answer in time.
    public var isLate = false

    public init(_ status: CommandStatus, _ message: String, advice: String? = nil, isLate: Bool = false) {
        self.status = status
        self.message = message
        self.advice = advice
        self.isLate = isLate
    }
}
