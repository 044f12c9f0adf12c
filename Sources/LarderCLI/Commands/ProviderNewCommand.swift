// larder provider new: the draft of a description, from one answer of an API. The answer comes from the API itself, by one
// request, or from a file. The draft goes to standard output: it is a person's to correct.
import LarderCore
import LarderFetch
import LarderProviders
import LarderSettings

enum ProviderNewCommand {
    static let command = Subcommand(
        "provider new", "draft the description of an API", operands: "NAME URL",
        details: [
            "Fetches URL once and looks at the answer: where its records lie, and which of their members are an id, a "
                + "title, a date, a picture. A feed (RSS, Atom) needs nothing more. The draft goes to standard output. "
                + "URL is a search as the API's documentation shows it. A key in its query is sent and does not get into "
                + "the draft.",
            "With --sample the answer is read from a file and nothing is sent.",
        ],
        options: [
            CommandOption("--sample", value: "FILE", "an answer of the API, as it sent it; - for standard input"),
            ServeCommand.configOption, ServeCommand.setOption,
        ],
        examples: [
            (
                "larder provider new shows 'https://api.tvmaze.com/search/shows?q=girls' > providers.d/shows.yaml",
                "a draft from one request"
            ),
            ("larder provider new shows https://api.tvmaze.com/search/shows?q=x --sample answer.json", "from a file"),
        ]
    ) { invocation async throws(CommandFailure) in
        guard invocation.operands.count == 2 else {
            throw CommandFailure(.usage, "give the name of an API, and the URL of a search")
        }
        let (name, url) = (invocation.operands[0], invocation.operands[1])
        // The shell has made the file, empty, into which the draft goes.
        let settings = try SettingsSources(invocation).load(unwritten: name)
        let answer: Bytes
        if let path = invocation.value("--sample") {
            answer = try InputFile.read(path, limit: longest)
        } else {
            answer = try await fetch(url, settings)
        }
        let draft: ProviderDraft
        do throws(ProviderDraft.Failure) {
            draft = try ProviderDraft(name: name, url: url, answer: answer)
        } catch {
            throw CommandFailure(.broken, error.message)
        }
        for line in draft.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            invocation.console.line(String(line))
        }
        invocation.console.note(
            "Next: put it into providers.d/\(name).yaml beside larder.yaml, correct it, then: larder provider test \(name) "
                + "--sample FILE")
        return .done
    }

    /// The longest answer, in bytes.
    private static let longest = 8 << 20

    private static func fetch(_ url: String, _ settings: Settings) async throws(CommandFailure) -> Bytes {
        let order = FetchOrder(
            url: url,
            fields: [
                "Accept": "application/json, application/xml;q=0.9, */*;q=0.5", "Accept-Encoding": "identity",
            ],
            addresses: .configured, maxBody: longest, deadline: settings.fetch.deadline, maxRedirects: 3,
            permits: { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? .configured : nil })
        return try await OwnRequests.with(settings) { upstream async throws(CommandFailure) in
            let response: UpstreamResponse
            do throws(FetchError) {
                response = try await upstream.fetch(order)
            } catch {
                throw CommandFailure(.unreachable, "the API gave no answer: \(Console.printable("\(error)"))")
            }
            guard response.status == 200 else {
                throw CommandFailure(
                    .broken, "the API answered \(response.status) \(Console.printable(response.reason))")
            }
            return response.body
        }
    }
}
