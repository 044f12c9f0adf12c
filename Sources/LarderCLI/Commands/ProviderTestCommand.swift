// larder provider test: what a question becomes, and what Larder makes of an answer. With a sample no request is made, so a
// description can be tried before the API is enabled.
import LarderCore
import LarderProviders
import LarderSettings

enum ProviderTestCommand {
    static let command = Subcommand(
        "provider test", "try the description of an API", operands: "NAME [ROUTE[?QUERY]]",
        details: [
            "Shows the request that a question becomes, and with --sample what Larder makes of that answer: its class, "
                + "the results, and the records that gave none. Nothing is sent. ROUTE is what follows /v1/NAME/. "
                + "Without it the question is that of a search, for the example of its term.",
            "To see an answer of the API, enable it, reload the daemon and ask the route.",
        ],
        options: [
            CommandOption("--sample", value: "FILE", "an answer of the API, as it sent it; - for standard input"),
            CommandOption("--status", value: "NUMBER", "the status of the sample; default 200"),
            CommandOption("--json", "the results as JSON on a terminal too"), ServeCommand.configOption,
            ServeCommand.setOption,
        ],
        examples: [
            ("larder provider test library 'books?q=lantern'", "the request of a question"),
            ("larder provider test library books?q=x --sample answer.json", "what becomes of an answer"),
        ]
    ) { invocation throws(CommandFailure) in
        guard (1...2).contains(invocation.operands.count) else {
            throw CommandFailure(.usage, "give the name of an API, and at most one route")
        }
        let settings = try SettingsSources(invocation).load()
        let api = try ConfiguredAPI.named(invocation.operands[0], in: settings)
        guard let provider = api.provider else {
            throw CommandFailure(
                .usage, "\(api.name) has no description", advice: "It is passed through as bytes: see your-own-api.md.")
        }
        guard invocation.has("--sample") || !invocation.has("--status") else {
            throw CommandFailure(.usage, "--status is for an answer: give --sample too")
        }
        let endpoint = try question(invocation.operands.dropFirst().first, of: provider)
        let url = provider.about.url(base: api.settings.baseURL, request: endpoint.upstream)
        guard let path = invocation.value("--sample") else {
            try show(endpoint, url, invocation, nil)
            return .done
        }
        let status = try invocation.number("--status", in: 100...599) ?? 200
        var answer = UpstreamResponse(
            status: status, fields: ["Content-Type": "application/json"],
            body: try InputFile.read(path, limit: 8 << 20),
            requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
        answer.url = url
        return try show(endpoint, url, invocation, (answer, provider))
    }

    private static func question(_ route: String?, of provider: any Provider) throws(CommandFailure) -> Endpoint {
        do throws(ClientFacingError) {
            guard let route else {
                let all = provider.about.endpoints.flatMap(\.parameters)
                let terms = all.filter(\.isTerm) + all.filter { $0.name == "q" || $0.name == "term" }
                return try provider.search(SearchRequest(term: terms.first?.example ?? "lantern"))
            }
            let parts = route.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let segments = parts[0].split(separator: "/").map { segment in
                (try? PercentCoding.decode(segment.utf8, plusIsSpace: false)) ?? String(segment)
            }
            let text = parts.count > 1 ? String(parts[1]) : ""
            guard let query = try? QueryParameters(parsing: text) else {
                throw ClientFacingError.invalid("query", "\"\(text)\" is not percent-encoded UTF-8.")
            }
            return try provider.endpoint(path: segments, query: query)
        } catch {
            let allowed = error.allowed.isEmpty ? nil : "Allowed: \(error.allowed.joined(separator: ", "))"
            throw CommandFailure(.usage, error.detail, advice: allowed)
        }
    }

    @discardableResult
    private static func show(
        _ endpoint: Endpoint, _ url: String, _ invocation: Invocation, _ answer: (UpstreamResponse, any Provider)?
    ) throws(CommandFailure) -> CommandStatus {
        let console = invocation.console
        console.note("request: \(endpoint.upstream.method) \(Console.printable(url))")
        if let body = endpoint.upstream.body { console.note("content: \(Console.printable(body.lossyText))") }
        guard let (response, provider) = answer else { return .done }
        let found = provider.classify(response, endpoint: endpoint.name)
        console.note("answer:  \(response.status), \(words(found))")
        switch found {
        case .data, .empty: break
        default: return .failed
        }
        if let isAsked = provider.recordCheck(for: endpoint.upstream, endpoint: endpoint.name),
            let root = try? JSON.parse(response.body), !isAsked(root)
        {
            console.note("It has another record than the one that is asked for. The daemon answers 502.")
            return .failed
        }
        let made: NormalisedAnswer
        do {
            made = try endpoint.normalise(response, ArtworkSigner(key: Secrets.random(32)))
        } catch {
            throw CommandFailure(.broken, error.message)
        }
        if invocation.wantsJSON {
            _ = console.write(made.results + [0x0A])
        } else if let envelope = try? JSON.parse(Bytes(text: "{\"results\":") + made.results + [0x7D]) {
            let lines = SearchAnswer(envelope).table().lines(width: console.width)
            for (number, line) in lines.enumerated() { console.line(number == 0 ? console.styled(line, .bold) : line) }
        }
        console.note(summary(made))
        return made.count > 0 ? .done : .noResults
    }

    private static func words(_ found: Classification) -> String {
        switch found {
        case .refused(let detail), .invalidRequest(let detail), .broken(let detail):
            "\(found.word): \(Console.printable(detail))"
        case .limited(let until): "limited" + (until == nil ? "" : ", and it says until when")
        case .data, .empty, .notFound: found.word
        }
    }

    private static func summary(_ made: NormalisedAnswer) -> String {
        var parts = ["\(made.count) \(made.count == 1 ? "result" : "results")"]
        if let total = made.totalUpstream { parts.append("of \(total)") }
        if made.dropped > 0 {
            let reasons = made.droppedReasons.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            parts.append("\(made.dropped) records dropped: \(DropReason.described(reasons))")
        }
        return parts.joined(separator: "; ")
    }
}
