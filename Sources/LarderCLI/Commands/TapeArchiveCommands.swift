// larder tape import and export: HTTP Archive 1.2 in and out, as browsers, mitmproxy and Playwright write and read it.
import LarderCore
import LarderHTTP
import LarderSettings
import LarderTape

enum TapeImportCommand {
    static let command = Subcommand(
        "tape import", "record the exchanges of an HTTP Archive", operands: "FILE.har DIR",
        details: [
            "Writes each entry of the archive into the tape, which is made if it is not there. Secrets are cut as in "
                + "every recording, also the keys of the configuration. Entries that were not answered, or whose body "
                + "was left out, are named and skipped; so are errors (5xx, 429), unless tape.yaml keeps them."
        ],
        options: [ServeCommand.configOption, ServeCommand.setOption],
        examples: [("larder tape import session.har tests/tape", "what a browser has saved")]
    ) { invocation throws(CommandFailure) in
        guard invocation.operands.count == 2 else {
            throw CommandFailure(.usage, "give an archive and the folder of a tape")
        }
        let (file, path) = (invocation.operands[0], invocation.operands[1])
        let keys = TapeCommands.keys(try SettingsSources(invocation).load())
        let text = try InputFile.read(file, limit: TapeLimits().total)
        var (left, count) = ([String](), 0)
        try TapeCommands.attempt { () throws(TapeFault) in
            let archive = try HARImport(text, file: file)
            let tape = try Tape(path: path, literals: keys)
            left = archive.skipped
            for exchange in archive.exchanges {
                let asked = tape.secrets.cut(exchange.request)
                let reason = try tape.record(exchange).reason
                if let reason { left.append("\(asked.method) \(asked.url.text): \(reason)") } else { count += 1 }
            }
        }
        for line in left { invocation.console.note("left out: " + Console.printable(line)) }
        invocation.console.note("recorded: \(count), left out: \(left.count)")
        return count > 0 ? .done : .failed
    }
}

enum TapeExportCommand {
    static let command = Subcommand(
        "tape export", "write a tape as an HTTP Archive", operands: "DIR [FILE.har]",
        details: [
            "Writes HTTP Archive 1.2, to standard output if there is no FILE. Torn files are named and left out."
        ],
        examples: [("larder tape export tests/tape session.har", "for a browser, mitmproxy or Playwright")]
    ) { invocation throws(CommandFailure) in
        guard let folder = invocation.operands.first, invocation.operands.count <= 2 else {
            throw CommandFailure(.usage, "give the folder of a tape, and at most one file")
        }
        let recordings = try TapeCommands.load(try TapeCommands.open(folder), invocation.console).recordings
        let text = HARExport.text(recordings, version: LarderVersion.text, now: SystemTime().wall())
        if let file = invocation.operands.dropFirst().first {
            try ArtworkCommand.save(text, to: file)
            invocation.console.note("written: \(recordings.count)")
        } else {
            _ = invocation.console.show(text)
        }
        return .done
    }
}

extension Tape.Outcome {
    /// Why an exchange was not recorded; nil if it was.
    fileprivate var reason: String? {
        switch self {
        case .recorded: nil
        case .error(let status): "the status is \(status); \"errors: keep\" in \(TapeRules.file) records it"
        case .tooLong(let limit): "a body is longer than \(Units.format(size: Int64(limit)))"
        case .coded(let error): "a body cannot be decoded: \(error)"
        }
    }
}
