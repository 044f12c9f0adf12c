// larder demo: shows Larder at work without a key or Internet access. It starts a stand-in for the APIs and a daemon in
// front of it, and asks the questions that `larder search` would ask.
import Glibc
import LarderCore
import LarderIO
import LarderOrigin
import LarderProviders

enum DemoCommand {
    static let command = Subcommand(
        "demo", "see Larder work, without a key or the Internet",
        details: [
            "Starts a stand-in for the APIs and a daemon in front of it, on free ports and in a temporary directory. "
                + "Makes some searches twice (first from the API, then from the cache), fetches an image, shows the "
                + "status, and removes everything. With --keep both run until Ctrl-C, with the samples stored, for the "
                + "console and other tools. The daemon then listens on 127.0.0.1:\(DaemonAddress.standardPort) if that is free, "
                + "otherwise on a port that the kernel chooses. Changes in the console need the token "
                + "\"\(Workshop.token)\"."
        ],
        options: [
            StandIn.recordingsOption,
            CommandOption("--keep", "keep running until Ctrl-C, for the console"),
        ],
        examples: [
            ("larder demo", "with the built-in samples"),
            ("larder demo --recordings ./recordings", "with real answers"),
            ("larder demo --keep", "keep running, for the console"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let console = invocation.console
        let folder = invocation.value("--recordings")
        let workshop = try Workshop(
            recordings: folder, port: invocation.has("--keep") ? DaemonAddress.portIfFree() : 0,
            environment: invocation.environment)
        defer { workshop.clear() }
        console.line("A stand-in for the APIs answers on \(workshop.origin.root). The daemon listens on")
        for address in workshop.daemon.addresses { console.line("  \(address)") }

        let conversation = Conversation(address: try DaemonAddress(url: workshop.daemon.addresses[0]))
        var handle: String?
        for question in folder == nil ? samples : recorded {
            console.line("\n" + console.styled("$ larder \(question.words)", .bold))
            let found = try ask(question, conversation, console)
            if handle == nil { handle = found }
        }
        if folder == nil {
            console.line("\n" + console.styled("$ larder \(fromTheStore.words)", .bold))
            _ = try ask(fromTheStore, times: ["without a call"], conversation, console)
        }
        if let handle { try fetch(handle, conversation, console) }
        if folder != nil { try DemoRecordings.show(workshop.origin, socket: workshop.daemon.addresses[1], console) }
        console.line("\n" + console.styled("$ larder status", .bold))
        StatusCommand.show(try conversation.json(DaemonRequest(.get, "/v1/status")).value, console)

        if invocation.has("--keep") { workshop.stay(console) }
        guard workshop.daemon.stop() else {
            throw CommandFailure(.failed, "the daemon did not stop cleanly")
        }
        console.line("\nStopped and removed. Next: larder serve, and larder search jack johnson")
        console.line("To see this data in the browser: larder demo --keep")
        return .done
    }

    private static var samples: [SampleQuestion] {
        ProviderRegistry.builtIn.flatMap { $0.samples().first?.questions ?? [] }
    }

    /// A search over the results that the earlier questions stored, of every source.
    private static let fromTheStore = SampleQuestion(words: "local lantern", target: "/v1/local?q=lantern")

    private static var recorded: [SampleQuestion] {
        ProviderRegistry.builtIn.flatMap { $0.samples().first?.recordedQuestions ?? [] }
    }

    /// Asks the question once per label. Shows the results once, and the time of each attempt.
    /// - Returns: the artwork handle of the first result.
    private static func ask(
        _ question: SampleQuestion, times labels: [String] = ["the first time ", "the second time"],
        _ conversation: Conversation, _ console: Console
    ) throws(CommandFailure) -> String? {
        var handle: String?
        for (number, label) in labels.enumerated() {
            let clock = ContinuousClock()
            let start = clock.now
            let (value, response) = try conversation.json(DaemonRequest(.get, question.target))
            let took = start.duration(to: clock.now)
            let envelope = SearchAnswer(value)
            if number == 0 {
                handle = envelope.results.lazy.compactMap(\.artwork).first
                let lines = envelope.table().lines(width: min(console.width, 110))
                for (number, line) in lines.prefix(12).enumerated() {
                    console.line(number == 0 ? console.styled(line, .bold) : line)
                }
                if lines.count > 12 { console.line("… and \(lines.count - 12) more") }
            }
            console.line(console.styled("\(label): \(envelope.footer(response, took: took))", .faint))
        }
        return handle
    }

    private static func fetch(
        _ handle: String, _ conversation: Conversation, _ console: Console
    ) throws(CommandFailure) {
        let shortened = handle.count > 48 ? "\(handle.prefix(47))…" : handle
        console.line("\n" + console.styled("$ larder artwork \(shortened) -o cover", .bold))
        for label in ["the first time ", "the second time"] {
            let clock = ContinuousClock()
            let start = clock.now
            let response = try conversation.demand(DaemonRequest(.get, handle))
            let took = SearchAnswer.milliseconds(start.duration(to: clock.now))
            let type = Console.printable(response.fields.first(.contentType) ?? "unknown")
            let size = Units.format(size: Int64(response.body.count))
            console.line(
                console.styled("\(label): \(type), \(size) · \(SearchAnswer.outcome(response)) · \(took)", .faint))
        }
    }
}

/// The stand-in, the daemon, and the directory that both use.
private final class Workshop: Sendable {
    let origin: OriginServer
    let daemon: ChildDaemon
    private let interruption: Interruption

    /// - Parameter port: the daemon's; 0 lets the kernel choose one.
    init(recordings: String?, port: UInt16, environment: [String: String]) throws(CommandFailure) {
        // The path is short enough for a socket, and the process id makes it unique.
        let directory = "/tmp/larder-demo-\(getpid())"
        let started = Lock<(origin: OriginServer?, daemon: ChildDaemon?)>((nil, nil))
        interruption = Interruption {
            let (origin, daemon) = started.withLock { $0 }
            _ = daemon?.stop()
            origin?.stop()
            Folder.remove(directory)
        }
        guard mkdir(directory, 0o700) == 0 else {
            throw CommandFailure(.failed, "\(directory) cannot be made")
        }
        do throws(CommandFailure) {
            let origin = try StandIn.start(recordings: recordings)
            started.withLock { $0.origin = origin }
            self.origin = origin
            guard origin.tape == nil else {
                throw CommandFailure(.usage, "the demonstration plays no tape", advice: "Play it with: larder origin")
            }
            let file = "\(directory)/larder.yaml"
            let text = Self.configuration(directory, origin, port, isLimited: recordings == nil)
            try ArtworkCommand.save(Bytes(text: text), to: file)
            daemon = try ChildDaemon(
                configuration: file, listeners: 2, environment: Self.plain(environment))
        } catch {
            interruption.clear()
            throw error
        }
        let daemon = daemon
        started.withLock { $0.daemon = daemon }
    }

    func clear() { interruption.clear() }

    /// Prints the address of the console and waits until a signal cleans up.
    func stay(_ console: Console) -> Never {
        let port = DaemonAddress.standardPort
        if !daemon.addresses[0].hasSuffix(":\(port)") {
            console.line("\nPort \(port) is in use, so it listens on another. Examples of the documents that say")
            console.line("localhost:\(port) are answered on \(daemon.addresses[0]).")
        }
        console.line("\nThe console, with this data: \(console.styled("http://\(daemon.addresses[0])/", .bold))")
        console.line("Its token for changes: \(Self.token). Ctrl-C ends everything.")
        console.line("For larder run and larder mcp: export LARDER_URL=\(daemon.addresses[1])")
        while true { pause() }
    }

    /// Not a secret: this daemon belongs to the demonstration and listens only on this machine.
    static let token = "demo-token-for-the-console"

    /// The environment without variables that would change the daemon's settings or contact a service manager.
    private static func plain(_ environment: [String: String]) -> [String: String] {
        let foreign = Set(ProviderRegistry.builtIn.flatMap(\.about.keyVariables)).union([
            "CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID",
            "LISTEN_FDNAMES",
        ])
        return environment.filter { !$0.key.hasPrefix("LARDER_") && !foreign.contains($0.key) }
    }

    private static func configuration(
        _ directory: String, _ origin: OriginServer, _ port: UInt16, isLimited: Bool
    ) -> String {
        """
        listen: ["127.0.0.1:\(port)", "unix:\(directory)/larder.sock"]
        cache: { path: \(directory)/cache, minFree: 0 }
        state: { path: \(directory)/state }
        log: { level: \(isLimited ? "warning" : "error") }
        admin: { token: \(token) }
        \(StandIn.providers(origin, isLimited: isLimited))

        """
    }
}
