// larder tape check: what is wrong with a tape, for people and for CI. Nothing is changed.
import LarderCore
import LarderTape

enum TapeCheckCommand {
    static let command = Subcommand(
        "tape check", "report what is wrong with a tape", operands: "DIR",
        details: [
            "Names torn files, files that belong to no exchange, secrets that still stand in an exchange, parameters "
                + "that look like secrets, and recordings that repeat the answer before them. The keys of the "
                + "configuration are among the secrets. Each finding is a line: file:line: what. Exit status 1 if "
                + "there is one."
        ],
        options: [TapeCommands.jsonOption, ServeCommand.configOption, ServeCommand.setOption],
        examples: [("larder tape check tests/tape", "before a commit, and in CI")]
    ) { invocation throws(CommandFailure) in
        let keys = TapeCommands.keys(try SettingsSources(invocation).load())
        let tape = try TapeCommands.open(try invocation.operand("folder"), secrets: keys)
        let (count, found) = try TapeCommands.attempt { () throws(TapeFault) in
            let (contents, files) = (try tape.load(), try tape.files())
            let found = TapeReport.findings(contents, files: files, rules: tape.rules, secrets: tape.secrets)
            return (contents.recordings.count, found)
        }
        let console = invocation.console
        if invocation.has("--json") {
            TapeCommands.write(found, console) { fault, writer in
                writer.member("kind", "\(fault.kind)")
                writer.member("file", fault.file)
                if fault.line > 0 { writer.member("line", fault.line) }
                writer.member("message", fault.message)
            }
        } else {
            for fault in found { console.line(Console.printable("\(tape.path)/\(fault)")) }
        }
        console.note("exchanges: \(count), findings: \(found.count)")
        return found.isEmpty ? .done : .failed
    }
}
