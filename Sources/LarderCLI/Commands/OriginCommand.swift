// larder origin: the stand-in for the APIs alone, for developing and testing without keys and without the Internet.
import Glibc
import LarderCore
import LarderOrigin

enum OriginCommand {
    static let command = Subcommand(
        "origin", "serve a stand-in for the APIs",
        details: [
            "Answers in place of the APIs on 127.0.0.1, each below its own name: /itunes/search, /newsapi/v2/everything. "
                + "The answers are the built-in samples, or those of a folder: its index.json is a list of objects with "
                + "api, path, query, status and file, as in \"api\": \"itunes\", \"path\": \"/search\", "
                + "\"query\": \"term=jack+johnson\", \"status\": 200, \"file\": \"itunes/search.json\". Below "
                + "/only/FILE that one recording answers every request.",
            "What it prints is the configuration of a daemon that asks it. It runs until Ctrl-C.",
            "A folder with a tape.yaml is a tape; then the base URL of each recorded host is printed. A request names "
                + "its host by Host, or by the first segment of its path: /api.example.com/search. A tape of one host "
                + "needs neither. What is not recorded gets 504, with the nearest recording and what differs.",
        ],
        options: [
            CommandOption(
                "--recordings", value: "DIR", "use this folder (a tape, or its index.json), not the samples"),
            CommandOption("--port", value: "NUMBER", "the port to listen on; default 0: the kernel chooses one"),
        ],
        examples: [
            ("larder origin > origin.yaml", "write the configuration, then: larder serve --config origin.yaml"),
            ("larder origin --recordings ./recordings --port 9000", "recorded answers, on a port of your choice"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let port = try invocation.number("--port", in: 0...65_535) ?? 0
        let folder = invocation.value("--recordings")
        let origin = try StandIn.start(recordings: folder, port: UInt16(port))
        let interruption = Interruption { origin.stop() }
        defer { interruption.clear() }
        let console = invocation.console
        console.line("# A stand-in for the APIs answers on \(origin.root)")
        if let tape = origin.tape {
            for host in tape.hosts {
                console.line("# \(host) is \(origin.root)\(tape.hosts.count == 1 ? "" : "/\(host)")")
            }
            for fault in tape.torn { console.note("torn: " + Console.printable("\(folder ?? "")/\(fault)")) }
        } else {
            console.line(StandIn.providers(origin, isLimited: folder == nil))
        }
        guard console.failure() == nil else { return .failed }
        while true { pause() }
    }
}
