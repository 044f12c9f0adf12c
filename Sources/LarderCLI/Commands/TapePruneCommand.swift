// larder tape prune: removes the exchanges that no run has played. A list without any name of the tape removes nothing:
// it is that of another tape, or of a run that failed at its start.
import LarderCore
import LarderTape

enum TapePruneCommand {
    static let command = Subcommand(
        "tape prune", "remove exchanges that no run has played", operands: "DIR",
        details: [
            "The file of --played has one name in each line, as \"larder tape show\" prints it; those of several runs "
                + "may be joined. The names of the removed exchanges are printed."
        ],
        options: [
            CommandOption("--played", value: "FILE", "the names that were played; - for standard input"),
            CommandOption("--dry-run", "change nothing; print what would be removed"),
        ],
        examples: [("larder tape prune tests/tape --played played.txt --dry-run", "what is left over")]
    ) { invocation throws(CommandFailure) in
        guard let file = invocation.value("--played") else {
            throw CommandFailure(.usage, "--played is missing: what is not in its file is removed")
        }
        let (console, isTrial) = (invocation.console, invocation.has("--dry-run"))
        let played = Set(try WarmCommand.read(file).compactMap { TapeName($0) })
        let tape = try TapeCommands.open(try invocation.operand("folder"))
        let contents = try TapeCommands.load(tape, console)
        let unused = TapeReport.unused(contents, played: played)
        let kept = contents.recordings.count - unused.count
        guard kept > 0 || unused.isEmpty else {
            throw CommandFailure(.usage, "\(file) has no name of an exchange in \(tape.path); nothing is removed")
        }
        for name in unused { console.line("\(name)") }
        if !isTrial { try TapeCommands.attempt { () throws(TapeFault) in try tape.remove(unused) } }
        console.note("\(isTrial ? "would be " : "")removed: \(unused.count), kept: \(kept)")
        return .done
    }
}
