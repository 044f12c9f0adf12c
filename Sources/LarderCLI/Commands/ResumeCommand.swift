// larder suspend and resume: stop calling an API for a time, and call it again.
import LarderCore

enum ResumeCommand {
    static let command = Subcommand(
        "resume", "end the suspension of a provider", operands: "PROVIDER",
        details: [
            "An API that fails is suspended for a growing time. This ends it: the next request calls the API again."
        ],
        options: Conversation.options,
        examples: [("larder resume itunes", "after the network came back")]
    ) { invocation throws(CommandFailure) in
        let name = try invocation.operand("provider")
        let target = "/v1/providers/\(PercentCoding.encode(name))/resume"
        _ = try Conversation(invocation).demand(DaemonRequest(.post, target))
        if invocation.console.isTerminal { invocation.console.line("\(name) is called again from now on.") }
        return .done
    }
}

enum SuspendCommand {
    static let command = Subcommand(
        "suspend", "stop all calls to a provider for a time", operands: "PROVIDER",
        details: [
            "No call is made to the API meanwhile. Requests are answered from stored entries, stale ones too; others "
                + "fail. A restart does not end the suspension; larder resume does."
        ],
        options: [CommandOption("--for", value: "DURATION", "how long, up to 24h; default 10min")]
            + Conversation.options,
        examples: [("larder suspend itunes --for 1h", "during its maintenance")]
    ) { invocation throws(CommandFailure) in
        let name = try invocation.operand("provider")
        let length = invocation.value("--for").map { "?for=\(PercentCoding.encode($0))" } ?? ""
        let target = "/v1/providers/\(PercentCoding.encode(name))/suspend\(length)"
        let response = try Conversation(invocation).demand(DaemonRequest(.post, target))
        let until = (try? JSON.parse(response.body))?["until"]?.string ?? ""
        if invocation.console.isTerminal {
            invocation.console.line("\(name) is not called until \(StatusCommand.time(until)).")
        }
        return .done
    }
}
