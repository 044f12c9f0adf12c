// larder tape show: the exchanges of a tape, or one of them.
import LarderCore
import LarderTape

enum TapeShowCommand {
    static let command = Subcommand(
        "tape show", "list the exchanges of a tape", operands: "DIR [NAME]",
        details: [
            "One line for each exchange: its name, the request, the answer. With NAME that exchange is printed, as its "
                + "file has it; a long or binary body lies in a file of its own, which the text names."
        ],
        options: [TapeCommands.jsonOption],
        examples: [
            ("larder tape show tests/tape", "what is recorded"),
            ("larder tape show tests/tape api.example.com-search-1f3870be-01", "one exchange"),
        ]
    ) { invocation throws(CommandFailure) in
        guard let folder = invocation.operands.first, invocation.operands.count <= 2 else {
            throw CommandFailure(.usage, "give the folder of a tape, and at most one name")
        }
        let console = invocation.console
        let recordings = try TapeCommands.load(try TapeCommands.open(folder), console).recordings
        if let name = invocation.operands.dropFirst().first {
            guard let found = recordings.first(where: { $0.name == TapeName(name) }) else {
                throw CommandFailure(.noResults, "\(folder) has no exchange \(name)")
            }
            _ = console.show(found.text)
        } else if invocation.has("--json") {
            TapeCommands.write(recordings.map(TapeLine.init), console) { line, writer in
                writer.member("name", "\(line.name)")
                writer.member("method", line.method.name)
                writer.member("url", line.url)
                writer.member("status", line.status)
                writer.member(ifPresent: "type", line.type)
                writer.member("size", line.size)
            }
        } else {
            for recording in recordings {
                console.line(Console.printable("\(recording.name)  \(TapeLine(recording))"))
            }
        }
        return .done
    }
}
