// larder NAME delete: removes one uploaded picture by the removal name that its upload returned.
import LarderCore
import LarderProviders

struct RemovalCommand: Sendable {
    let about: ProviderAbout
    let facts: UploadAbout

    /// The second word of the command.
    static let word = "delete"

    var command: Subcommand {
        let words = "\(about.name) \(Self.word)"
        let operand = facts.removalName.uppercased()
        return Subcommand(
            words, "delete an uploaded image at \(about.title)", operands: operand,
            details: [
                "\(operand) is the `\(facts.removalName)` in the upload's answer. For a picture of the signed-in "
                    + "account its id works too. The cached copies of the picture are purged. It needs the Unix socket "
                    + "or a token."
            ],
            options: [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
            examples: facts.removalExamples.map { ("larder \(words) \($0.words)", $0.purpose) }, run: delete)
    }

    private func delete(_ invocation: Invocation) throws(CommandFailure) -> CommandStatus {
        let what = "delete \(facts.removalWord)"
        let name = try invocation.operand(what)
        guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            throw CommandFailure(.usage, "this is not a \(what)")
        }
        let target = "/v1/\(about.routePrefix)/\(facts.collection)/\(name)"
        let (_, response) = try Conversation(invocation).json(DaemonRequest(.delete, target))
        if invocation.wantsJSON {
            invocation.console.showLine(response)
        } else {
            invocation.console.line("Deleted.")
        }
        return .done
    }
}
