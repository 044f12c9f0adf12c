// The demo of a recordings folder. Each recording is requested twice through the daemon and shown in one line. A
// request that the API refused is shown as Larder reports it.
import LarderCore
import LarderOrigin
import LarderProviders

enum DemoRecordings {
    /// - Parameter socket: the daemon's Unix socket, over which suspensions may be ended.
    static func show(_ origin: OriginServer, socket: String, _ console: Console) throws(CommandFailure) {
        let conversation = Conversation(address: try DaemonAddress(url: socket))
        defer { origin.choose(nil) }
        console.line("\n" + console.styled("Every recording, requested twice", .bold))
        for provider in ProviderRegistry.builtIn {
            guard let api = provider.samples().first else { continue }
            var table = TableLayout(columns: [
                .init(api.name, weight: 4), .init("STATE"), .init("COUNT", isRight: true),
                .init("DROPPED", isRight: true), .init("FIRST", weight: 2), .init("MISS", isRight: true),
                .init("AGAIN", isRight: true),
            ])
            for recording in origin.recordings where recording.api == api.name {
                let keys = recording.keys.isEmpty ? [nil] : recording.keys.map(Optional.some)
                let targets = keys.compactMap { api.route(of: recording, key: $0) }
                guard let target = targets.first else { continue }
                origin.choose(recording.file)
                let cells =
                    recording.keys.isEmpty
                    ? try one(target, of: provider.about.name, conversation)
                    : try many(targets, conversation)
                table.rows.append([recording.name] + cells)
            }
            guard !table.rows.isEmpty else { continue }
            console.line()
            for (number, line) in table.lines(width: min(console.width, 110)).enumerated() {
                console.line(number == 0 ? console.styled(line, .bold) : line)
            }
        }
    }

    private static func one(
        _ target: String, of provider: String, _ conversation: Conversation
    ) throws(CommandFailure) -> [String] {
        let first = try ask(target, isFirst: true, conversation)
        guard first.response.status == 200, let value = try? JSON.parse(first.response.body) else {
            let problem = Problem(first.response)
            // The failure must not affect the next recording, so the suspension is ended.
            _ = try conversation.demand(DaemonRequest(.post, "/v1/providers/\(provider)/resume"))
            return [problem.failure?.rawValue ?? "\(problem.status)", "", "", problem.failureText, first.took, ""]
        }
        let second = try ask(target, isFirst: false, conversation)
        let envelope = SearchAnswer(value)
        let source = value["sources"]?.elements.first { _ in true }
        return [
            envelope.state, "\(envelope.results.count)",
            source?["dropped"]?.integer.map(String.init) ?? "", envelope.results.first?.title ?? "", first.took,
            "\(SearchAnswer.outcome(second.response).prefix { $0 != "," }) \(second.took)",
        ]
    }

    /// Shows a file with many bodies: each one is requested by its key. The times are those of the last one.
    private static func many(
        _ targets: [String], _ conversation: Conversation
    ) throws(CommandFailure) -> [String] {
        var found: [String] = []
        var last = ("", "")
        for target in targets {
            let first = try ask(target, isFirst: true, conversation)
            guard first.response.status == 200, let value = try? JSON.parse(first.response.body) else { continue }
            found += SearchAnswer(value).results.map(\.title)
            let second = try ask(target, isFirst: false, conversation)
            last = (first.took, "\(SearchAnswer.outcome(second.response).prefix { $0 != "," }) \(second.took)")
        }
        let lost = targets.count - found.count
        return [
            found.isEmpty ? "noResults" : "results", "\(found.count)", lost > 0 ? "\(lost)" : "",
            found.first ?? "", last.0, last.1,
        ]
    }

    /// The first request must fetch, even if another recording answers the same question.
    private static func ask(
        _ target: String, isFirst: Bool, _ conversation: Conversation
    ) throws(CommandFailure) -> (response: DaemonResponse, took: String) {
        var request = DaemonRequest(.get, target)
        if isFirst { request.fields.add(.cacheControl, "no-cache") }
        let clock = ContinuousClock()
        let start = clock.now
        let response = try conversation.ask(request)
        return (response, SearchAnswer.milliseconds(start.duration(to: clock.now)))
    }
}
