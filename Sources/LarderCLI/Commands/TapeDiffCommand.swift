// larder tape diff: asks upstream again, one request after another, and tells what has changed. A fresh answer is first
// made what a tape would keep of it, so that secrets and codings make no difference.
import LarderCore
import LarderFetch
import LarderHTTP
import LarderSettings
import LarderTape

enum TapeDiffCommand {
    static let command = Subcommand(
        "tape diff", "ask again and tell what has changed since", operands: "DIR",
        details: [
            "Sends each recorded GET and HEAD to its API and compares the answers: status, fields that last, JSON by "
                + "path, other bodies by size and digest. What tape.yaml ignores is not compared. Of a series the last "
                + "answer is compared. Requests from which a secret was cut, other methods and recorded errors are not "
                + "asked again and are named. Exit status 1 if something differs, 6 if an API gave no answer.",
            "No credentials are sent but those of --header, and these only if the tape has one host: a credential is "
                + "for one API. Their values are hidden in what is printed.",
        ],
        options: [
            CommandOption("--header", short: "-H", value: "FIELD", "send this field: \"Name: value\"; may be repeated"),
            CommandOption("--pause", value: "DURATION", "the pause between two requests; default none"),
            ServeCommand.configOption, ServeCommand.setOption,
        ],
        examples: [
            ("larder tape diff tests/tape --pause 200ms", "whether the recordings still tell the truth"),
            ("larder tape diff tests/tape -H \"Authorization: Bearer $TOKEN\"", "an API with a key"),
        ]
    ) { invocation async throws(CommandFailure) in
        let settings = try SettingsSources(invocation).load()
        let pause = try invocation.duration("--pause", default: .zero)
        var credentials = HeaderFields()
        for text in invocation.options["--header"] ?? [] { credentials.add(try GetCommand.field(text)) }
        // The last word of "Bearer …" is the secret, or the whole value.
        let values = credentials.flatMap { [$0.value] + $0.value.split(separator: " ").suffix(1).map(String.init) }
        let tape = try TapeCommands.open(
            try invocation.operand("folder"), secrets: TapeCommands.keys(settings) + values)
        let contents = try TapeCommands.load(tape, invocation.console)
        let hosts = Set(contents.recordings.map(\.exchange.request.url).map { "\($0.scheme)://\($0.authority)" })
        guard credentials.isEmpty || hosts.count <= 1 else {
            throw CommandFailure(.usage, "--header is for one host, and the tape has several")
        }
        let run = Run(
            tape: tape, credentials: credentials, settings: settings, pause: pause, console: invocation.console)
        let status = try await OwnRequests.with(settings) { upstream async throws(CommandFailure) in
            try await run.compare(contents.recordings, upstream)
        }
        return contents.torn.isEmpty ? status : .failed
    }

    private struct Run {
        let tape: Tape
        let credentials: HeaderFields
        let settings: Settings
        let pause: Duration
        let console: Console

        func compare(_ all: [TapeRecording], _ upstream: CurlUpstream) async throws(CommandFailure) -> CommandStatus {
            let last = Dictionary(all.map { ($0.name.stem, $0.name.series) }, uniquingKeysWith: max)
            var (same, different, silent) = (0, 0, 0)
            for (name, exchange) in all.map({ ($0.name, $0.exchange) }) {
                let asked = "\(name)  \(exchange.request.method) \(exchange.request.url.text)"
                let isLast = last[name.stem] == name.series
                if let reason = isLast ? reason(exchange) : "a later answer to it is compared" {
                    console.note("\(asked): not asked again: \(reason)")
                    continue
                }
                if pause > .zero, same + different + silent > 0 { try await WarmCommand.pause(pause) }
                do {
                    let found = try await differences(exchange, upstream)
                    if found.isEmpty { same += 1 } else { different += 1 }
                    for line in found.map(\.lines).joined().split(separator: "\n") {
                        console.line(Console.printable("\(asked): \(line)"))
                    }
                } catch {
                    silent += 1
                    console.note("\(asked): no answer: \(Console.printable("\(error)"))")
                }
            }
            let left = all.count - same - different - silent
            console.note("same: \(same), different: \(different), no answer: \(silent), not asked again: \(left)")
            return different > 0 ? .failed : silent > 0 ? .unreachable : .done
        }

        /// Why an exchange cannot be asked again; nil if it can.
        private func reason(_ exchange: TapeExchange) -> String? {
            let (request, status) = (exchange.request, exchange.answer.status)
            if request.method != .get && request.method != .head { return "\(request.method) may change something" }
            if !request.content.isEmpty { return "the request has content" }
            let cut = [request.url.text] + request.fields.map(\.value)
            if cut.contains(where: { $0.contains(TapeSecrets.word) }) { return "a secret was cut from the request" }
            return status >= 500 || status == 429 ? "the recorded answer is an error, \(status)" : nil
        }

        private func differences(_ exchange: TapeExchange, _ upstream: CurlUpstream) async throws -> [TapeDifference] {
            let request = exchange.request
            var fields = request.fields
            fields.remove(FieldNameSet(credentials.map(\.name)))
            fields.set(.acceptEncoding, "identity")
            // A redirect is an answer, and was recorded as one. So it is not followed.
            let order = FetchOrder(
                url: request.url.text, method: request.method, fields: fields, secretFields: credentials,
                addresses: .configured, maxBody: tape.limits.body, deadline: settings.fetch.deadline)
            let response = try await upstream.fetch(order)
            let answer = TapeAnswer(status: response.status, fields: response.fields, body: response.body)
            let fresh = try TapeExchange(request, answer).kept(tape.secrets, limit: tape.limits.body).answer
            return TapeDifference.between(
                recorded: exchange.answer, fresh: fresh, rules: tape.rules, secrets: tape.secrets)
        }
    }
}
