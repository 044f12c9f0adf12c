// The failures of a run and their messages. A failure ends the run, because tables with missing figures mislead.

/// The reason why the harness stopped.
enum Failure: Error {
    /// The command line is invalid. The text explains the valid options.
    case usage(String)
    /// A step failed: the step, and the reason.
    case failed(String, String)
    /// SIGINT, SIGTERM or SIGHUP arrived.
    case interrupted(Int32)

    /// The message in one line.
    var text: String {
        switch self {
        case .usage(let reason): reason
        case .failed(let stage, let reason): "\(stage): \(reason)"
        case .interrupted(let signal): "ended by signal \(signal)"
        }
    }

    /// The exit code, as in shells: 2 for usage errors, 128 plus the signal's number for an interruption.
    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failed: 1
        case .interrupted(let signal): 128 + signal
        }
    }
}
