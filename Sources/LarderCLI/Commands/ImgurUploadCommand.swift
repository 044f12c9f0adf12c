// larder imgur upload: a picture or film from a file, with its progress. Ctrl-C ends it in the daemon as well, at once.
import Glibc
import LarderCore
import LarderIO

enum ImgurUploadCommand {
    static let command = Subcommand(
        "imgur upload", "upload a picture or film to Imgur", operands: "FILE",
        details: [
            "Shows how much was sent, and at the end the picture's address and the hash that deletes it: keep that, there is "
                + "no other way to take down a picture that belongs to no account. Ctrl-C cancels the upload in the daemon. "
                + "Nothing is ever sent twice: after a failure say again what you want. It needs the Unix socket or a token."
        ],
        options: [
            CommandOption("--title", value: "TEXT", "the picture's title"),
            CommandOption("--description", value: "TEXT", "its description"),
            CommandOption("--album", value: "ID", "the album it belongs into; an anonymous one by its delete hash"),
            CommandOption("--name", value: "TEXT", "a name for the file; the file's own name stays here"),
            CommandOption("--mute", "without the film's sound"),
            CommandOption("--json", "JSON on a terminal too"),
        ] + Conversation.options,
        examples: [
            ("larder imgur upload cat.jpg --title 'A cat'", "one picture"),
            ("larder imgur upload cat.mp4 --mute --json | jq -r .image.link", "a film, for a script"),
        ]
    ) { invocation throws(CommandFailure) in
        let file = try OutgoingFile(try invocation.operand("file"))
        let conversation = try Conversation(invocation)
        let query = parameters(invocation).encoded
        let target = "/v1/imgur/images" + (query.isEmpty ? "" : "?\(query)")
        let present = Lock<String?>(nil)
        let cancel: @Sendable () -> Void = {
            if let id = present.withLock({ $0 }) {
                // The person does not wait for a daemon that does not answer.
                let quick = Conversation(conversation, timeout: .seconds(5))
                _ = try? quick.ask(LocalRequest(.delete, "/v1/uploads/\(id)"))
            }
            invocation.console.note(invocation.console.isTerminal ? "\nCancelled." : "cancelled")
        }
        let interruption = Interruption.isPrepared ? Interruption(cancel) : nil
        defer { interruption?.disarm() }
        let (begun, _) = try conversation.json(LocalRequest(.post, target))
        guard let id = begun["id"]?.string, id.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            throw CommandFailure(.broken, "the daemon began no upload")
        }
        present.withLock { $0 = id }
        var progress = ProgressLine(invocation.console, total: file.length)
        let request = LocalRequest(
            .put, "/v1/uploads/\(id)/content", fields: ["Content-Type": "application/octet-stream"])
        let response: LocalResponse
        do throws(CommandFailure) {
            let connection = try conversation.connect()
            response = try connection.upload(
                try conversation.signed(request, for: connection), file, within: max(conversation.timeout, .seconds(90))
            ) { progress.show($0) }
        } catch {
            progress.end()
            throw error
        }
        progress.end()
        guard response.status == 200 else { throw Problem(response).asFailure }
        try show(response, invocation)
        return .done
    }

    private static func parameters(_ invocation: Invocation) -> QueryParameters {
        var parameters = QueryParameters()
        for name in ["title", "description", "album", "name"] {
            if let value = invocation.value("--\(name)") { parameters.items.append(.init(name, value)) }
        }
        if invocation.has("--mute") { parameters.items.append(.init("disable_audio", "1")) }
        return parameters
    }

    private static func show(_ response: LocalResponse, _ invocation: Invocation) throws(CommandFailure) {
        if invocation.wantsJSON {
            _ = invocation.console.show(response.body + (response.body.last == 0x0A ? [] : [0x0A]))
            return
        }
        guard let image = (try? JSON.parse(response.body))?["image"], let link = image["link"]?.string else {
            throw CommandFailure(.broken, "the daemon's answer names no picture")
        }
        invocation.console.line(Console.printable(link))
        if let hash = image["deletehash"]?.string {
            invocation.console.line("To delete it: larder imgur delete \(Console.printable(hash))")
        }
    }
}
