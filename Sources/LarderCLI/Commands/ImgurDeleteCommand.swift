// larder imgur delete: takes one picture down again, by the hash that its upload gave.
import LarderCore

enum ImgurDeleteCommand {
    static let command = Subcommand(
        "imgur delete", "delete an uploaded image at Imgur", operands: "DELETEHASH",
        details: [
            "DELETEHASH is what the upload gave as `deletehash`; for a picture of the signed-in account its id does as "
                + "well. What the cache holds of the picture is purged. It needs the Unix socket or a token."
        ],
        options: [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
        examples: [("larder imgur delete 9Zk2…", "take one picture down")]
    ) { invocation throws(CommandFailure) in
        let hash = try invocation.operand("delete hash")
        guard !hash.isEmpty, hash.utf8.count <= 64, hash.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            throw CommandFailure(.usage, "that is no delete hash")
        }
        let (_, response) = try Conversation(invocation).json(LocalRequest(.delete, "/v1/imgur/images/\(hash)"))
        if invocation.wantsJSON {
            _ = invocation.console.show(response.body + (response.body.last == 0x0A ? [] : [0x0A]))
        } else {
            invocation.console.line("Deleted.")
        }
        return .done
    }
}
