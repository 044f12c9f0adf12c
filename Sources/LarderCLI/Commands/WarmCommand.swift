// larder warm: asks a list of searches one after the other, at the pace that the APIs allow.
import Glibc
import LarderCore
import LarderDaemon
import LarderIO

enum WarmCommand {
    static let command = Subcommand(
        "warm", "fill the cache with a list of searches", operands: "[FILE]",
        details: [
            "One search on each line, from FILE or standard input. Empty lines and lines that begin with # are "
                + "skipped. Searches that are in the cache cost nothing. When an API's limit is reached, the command "
                + "waits as long as the daemon says, at most --wait for a line, and tries that line once more."
        ],
        options: SearchCommand.questionOptions + [
            CommandOption("--pause", value: "DURATION", "the pause between two searches that are not hits; default 1s"),
            CommandOption("--wait", value: "DURATION", "the longest wait for a limit; default 5min"),
        ] + Conversation.options,
        examples: [
            ("larder warm --source itunes artists.txt", "before a demonstration"),
            ("printf 'aboleth\\nlich\\n' | larder warm --source dnd", "from a pipe"),
        ]
    ) { invocation throws(CommandFailure) in
        guard invocation.operands.count <= 1 else { throw CommandFailure(.usage, "only one file at a time") }
        let pause = try invocation.duration("--pause", default: .seconds(1))
        let longest = try invocation.duration("--wait", default: .seconds(300))
        let conversation = try Conversation(invocation)
        let lines = try read(invocation.operands.first ?? "-")
        var tally = Tally()
        for (number, line) in lines.enumerated() {
            var request = try SearchCommand.request(line, invocation)
            // Nobody waits for the answers (RFC 9218 §4.1).
            request.fields.set(.priority, "u=7")
            var response = try conversation.ask(request)
            if let wait = retryAfter(response), wait <= longest {
                invocation.console.note("\(Console.printable(line)): limited; waiting \(Units.format(duration: wait))")
                try await Self.pause(wait)
                response = try conversation.ask(request)
            }
            let outcome = tally.add(response)
            invocation.console.note("\(number + 1)/\(lines.count) \(outcome)  \(Console.printable(line))")
            // The daemon keeps the APIs' limits. The pause is an additional courtesy.
            if outcome != "hit", number + 1 < lines.count { try await Self.pause(pause) }
        }
        invocation.console.line(tally.text)
        return tally.exitStatus
    }

    /// The outcomes of the lines.
    struct Tally {
        var hits = 0
        var fetched = 0
        var empty = 0
        var failures: [CommandStatus] = []

        mutating func add(_ response: DaemonResponse) -> String {
            guard response.status == 200 else {
                let problem = Problem(response)
                failures.append(problem.exitStatus)
                return problem.failure?.rawValue ?? "failed (\(response.status))"
            }
            let isHit = SearchAnswer.outcome(response).hasPrefix("hit")
            if isHit { hits += 1 } else { fetched += 1 }
            let state = (try? JSON.parse(response.body))?["state"]?.string ?? ""
            if ["noResults", "allDropped"].contains(state) { empty += 1 }
            return isHit ? "hit" : "fetched"
        }

        var text: String {
            "\(hits) already there, \(fetched) fetched (\(empty) of all without results), \(failures.count) failed"
        }

        var exitStatus: CommandStatus {
            guard let first = failures.first else { return .done }
            return hits + fetched > 0 ? .partial : first
        }
    }

    private static func retryAfter(_ response: DaemonResponse) -> Duration? {
        guard [429, 503].contains(response.status) else { return nil }
        return Problem(response).retryAfter.map { .seconds(max(1, $0)) }
    }

    static func pause(_ time: Duration) async throws(CommandFailure) {
        do {
            try await Task.sleep(for: time)
        } catch {
            throw CommandFailure(.failed, "interrupted")
        }
    }

    /// The searches in a file.
    static func read(_ path: String) throws(CommandFailure) -> [String] {
        guard let whole = try InputFile.read(path, limit: 16 << 20).strictText else {
            throw CommandFailure(.usage, "\(path == "-" ? "standard input" : path) is not UTF-8 text")
        }
        return whole.split(whereSeparator: \.isNewline).map { String(ASCII.trimmed($0)) }
            .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }
}
