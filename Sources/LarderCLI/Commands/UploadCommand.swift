// larder NAME upload: uploads a picture or film from a file to a provider that accepts them, and shows the progress.
// Ctrl-C also cancels the upload in the daemon at once.
import Glibc
import LarderCore
import LarderIO
import LarderProviders

struct UploadCommand: Sendable {
    let about: ProviderAbout
    let facts: UploadAbout

    /// The second word of the command.
    static let word = "upload"

    var command: Subcommand {
        let words = "\(about.name) \(Self.word)"
        return Subcommand(
            words, "upload a picture or film to \(about.title)", operands: "FILE",
            details: [
                "Shows how much was sent, and at the end the picture's address and the \(facts.removalWord) that "
                    + "deletes it. Keep that: there is no other way to delete a picture that belongs to no account. "
                    + "Ctrl-C cancels the upload in the daemon. Nothing is sent twice: after a failure, run the "
                    + "command again. It needs the Unix socket or a token."
            ],
            options: fieldOptions + [CommandOption("--json", "JSON on a terminal too")] + Conversation.options,
            examples: facts.uploadExamples.map { ("larder \(words) \($0.words)", $0.purpose) }, run: upload)
    }

    private var fieldOptions: [CommandOption] {
        facts.fields.compactMap { field in
            guard let option = field.option else { return nil }
            var made = CommandOption(option.name, value: option.value, option.line)
            made.set(field.record)
            return made
        }
    }

    private func upload(_ invocation: Invocation) throws(CommandFailure) -> CommandStatus {
        let file = try OutgoingFile(try invocation.operand("file"))
        let conversation = try Conversation(invocation)
        let query = try invocation.parameters(fieldOptions).encoded
        let target = "/v1/\(about.routePrefix)/\(facts.collection)" + (query.isEmpty ? "" : "?\(query)")
        let present = Lock<String?>(nil)
        let cancel: @Sendable () -> Void = {
            if let id = present.withLock({ $0 }) {
                // A short limit, because the user must not wait for a daemon that does not answer.
                let quick = Conversation(conversation, timeout: .seconds(5))
                _ = try? quick.ask(DaemonRequest(.delete, "/v1/uploads/\(id)"))
            }
            invocation.console.note(invocation.console.isTerminal ? "\nCancelled." : "cancelled")
        }
        let interruption = Interruption.isPrepared ? Interruption(cancel) : nil
        defer { interruption?.disarm() }
        let (begun, _) = try conversation.json(DaemonRequest(.post, target))
        guard let id = begun["id"]?.string, id.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            throw CommandFailure(.broken, "the daemon did not begin an upload")
        }
        present.withLock { $0 = id }
        var progress = ProgressLine(invocation.console, total: file.length)
        let request = DaemonRequest(
            .put, "/v1/uploads/\(id)/content", fields: ["Content-Type": "application/octet-stream"])
        let response: DaemonResponse
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

    private func show(_ response: DaemonResponse, _ invocation: Invocation) throws(CommandFailure) {
        if invocation.wantsJSON {
            invocation.console.showLine(response)
            return
        }
        guard let image = (try? JSON.parse(response.body))?["image"], let link = image["link"]?.string else {
            throw CommandFailure(.broken, "the daemon's answer has no picture")
        }
        invocation.console.line(Console.printable(link))
        if let name = image[facts.removalName]?.string {
            invocation.console.line(
                "To delete it: larder \(about.name) \(RemovalCommand.word) \(Console.printable(name))")
        }
    }
}
