// larder suspend and resume: stop calling an API for a time, and call it again.
import LarderCore

enum ResumeCommand {
    static let command = Subcommand(
        "resume", "end the suspension of a provider", operands: "PROVIDER",
        details: [
            "An API that failed rests for a growing pause. This ends the pause; the next request calls it again."
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
        "suspend", "call a provider no more for a time", operands: "PROVIDER",
        details: [
            "No call is made to the API meanwhile: what is stored answers, also where it is stale, and other requests fail. "
                + "A restart does not end it; larder resume does."
        ],
        options: [CommandOption("--for", value: "DURATION", "how long, up to 24h; 10min unless set")]
            + Conversation.options,
        examples: [("larder suspend itunes --for 1h", "while its maintenance lasts")]
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
