// Work that is done in steps on a loop without a task (Docs/Decisions/0054-a-plain-miss-from-socket-to-socket.md). If a
// step must wait, one task does the rest, from that step on.
import LarderCore

/// What steps on a loop came to.
public enum LoopOutcome<Value: Sendable, Failure: Error>: Sendable {
    case value(Value)
    /// A task must do the rest.
    case rest(@Sendable () async throws(Failure) -> Value)
}

/// The task-local values that the steps of a request read.
struct RequestLocals: Sendable {
    private let timeline = Timeline.current
    private let client = AskingClient.current

    func bind(_ body: () -> Void) {
        Timeline.$current.withValue(timeline) { AskingClient.$current.withValue(client, operation: body) }
    }
}
