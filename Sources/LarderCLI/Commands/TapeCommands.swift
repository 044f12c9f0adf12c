// larder tape: what the commands about a tape share. They work on a folder and need no daemon. Their lines are the same
// on a terminal and in a pipe, because people read the log of a CI job; --json is for programs.
import LarderCore
import LarderSettings
import LarderTape

enum TapeCommands {
    static let all = [
        TapeShowCommand.command, TapeCheckCommand.command, TapePruneCommand.command, TapeDiffCommand.command,
        TapeImportCommand.command, TapeExportCommand.command,
    ]
    static let jsonOption = CommandOption("--json", "as JSON")

    /// A tape that is there. A folder without rules is none: a mistyped name must not pass for an empty tape.
    static func open(_ path: String, secrets: [String] = []) throws(CommandFailure) -> Tape {
        let tape = try attempt { () throws(TapeFault) in try Tape(path: path, literals: secrets) }
        guard try attempt({ () throws(TapeFault) in try tape.files().contains(TapeRules.file) }) else {
            throw CommandFailure(.usage, "\(path) is no tape: there is no \(path)/\(TapeRules.file)")
        }
        return tape
    }

    /// The exchanges of a tape. Torn files are named.
    static func load(_ tape: Tape, _ console: Console) throws(CommandFailure) -> Tape.Contents {
        let contents = try attempt { () throws(TapeFault) in try tape.load() }
        for fault in contents.torn { console.note("torn: " + Console.printable("\(tape.path)/\(fault)")) }
        return contents
    }

    /// Calls the tape. What is wrong with it is a failure.
    static func attempt<Made>(_ body: () throws(TapeFault) -> Made) throws(CommandFailure) -> Made {
        do throws(TapeFault) {
            return try body()
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
    }

    /// The keys of the configuration.
    static func keys(_ settings: Settings) -> [String] {
        settings.providers.values.flatMap { [$0.key, $0.clientSecret].compactMap(\.self) }
    }

    /// Writes a JSON array of objects.
    static func write<Made>(_ all: [Made], _ console: Console, _ members: (Made, inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.array { writer in for one in all { writer.object { members(one, &$0) } } }
        _ = console.write(writer.bytes + [0x0A])
    }
}
