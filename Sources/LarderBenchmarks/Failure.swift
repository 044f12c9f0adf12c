// What can go wrong in a run, and how each thing is said. A failure ends the run: a table with holes misleads.

/// Why the harness stopped.
enum Failure: Error {
    /// The command line is not understood; the text says what is.
    case usage(String)
    /// A step did not work: where, and why.
    case failed(String, String)
    /// SIGINT, SIGTERM or SIGHUP came.
    case interrupted(Int32)

    /// One line for a person.
    var text: String {
        switch self {
        case .usage(let reason): reason
        case .failed(let stage, let reason): "\(stage): \(reason)"
        case .interrupted(let signal): "ended by signal \(signal)"
        }
    }

    /// As shells count: 2 for usage, 128 and the signal's number when interrupted.
    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .failed: 1
        case .interrupted(let signal): 128 + signal
        }
    }
}
