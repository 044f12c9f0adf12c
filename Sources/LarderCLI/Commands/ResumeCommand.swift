// larder resume: call an API again that rests after failures.
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
