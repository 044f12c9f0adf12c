// The exit status says what became of a command, class by class, so that a script need not read messages.
import LarderCore

/// What the process ends with. The numbers are promised in the manual page.
public enum CommandStatus: Int32, Sendable, CaseIterable {
    case done = 0
    /// Something that has no class of its own, such as a file that cannot be written.
    case failed = 1
    /// The command line, the configuration or the question itself is wrong.
    case usage = 2
    /// Asked and answered: there is nothing.
    case noResults = 3
    /// Some of the sources answered.
    case partial = 4
    /// Too many calls: a later try may succeed.
    case limited = 5
    /// The API could not be reached or was too slow, or the daemon gave no whole answer within `--timeout`.
    case unreachable = 6
    /// The API, or Larder, refuses: key missing or wrong, no authority.
    case refused = 7
    /// The API's answer could not be understood.
    case broken = 8
    /// No daemon answers.
    case noDaemon = 9

    /// The status of a failure class, as it comes in a problem's `class`.
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

    /// One line for the manual.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed for a reason without a number of its own"
        case .usage: "the command line, the configuration or the question is wrong"
        case .noResults: "there is nothing of that kind"
        case .partial: "some sources answered, others did not"
        case .limited: "limited: too many calls, try later"
        case .unreachable: "the API could not be reached, or no whole answer came in time"
        case .refused: "refused: key missing or wrong, or no authority"
        case .broken: "the API's answer could not be understood"
        case .noDaemon: "no daemon answers"
        }
    }
}

/// A command that ends with a message instead of an answer.
public struct CommandFailure: Error, Sendable, Hashable {
    public var status: CommandStatus
    /// What happened, for standard error.
    public var message: String
    /// What to do about it.
    public var advice: String?
    /// The time that was given is over; the daemon is there and did not answer within it.
    public var isLate = false

    public init(_ status: CommandStatus, _ message: String, advice: String? = nil, isLate: Bool = false) {
        self.status = status
        self.message = message
        self.advice = advice
        self.isLate = isLate
    }
}
