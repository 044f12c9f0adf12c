// larder serve: reads the settings from file, environment and options, then runs the daemon until it is told to stop.
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import LarderSettings
import LarderTape

/// The settings and environment of a daemon to run.
public struct ServeOrder: Sendable {
    public var settings: Settings
    /// Reads the same sources again, for SIGHUP.
    public var reload: @Sendable () throws(SettingsError) -> Settings
    public var environment: [String: String]
    var replay: ReplayOrder?
}

/// A tape to replay in place of the network.
struct ReplayOrder: Sendable {
    let tape: Tape
    let recordings: [TapeRecording]
    /// Holds the databases of the replay. They begin empty, and are removed at the end.
    let directory: String

    init(_ path: String, _ environment: [String: String]) throws(CommandFailure) {
        do throws(TapeFault) {
            tape = try Tape(path: path)
            recordings = try tape.recordings()
        } catch {
            throw CommandFailure(.failed, "the tape cannot be used: \(error)")
        }
        directory = try RunCommand.makeDirectory("replay", environment)
    }
}

enum ServeCommand {
    /// Stops the process in order when its standard input ends, also if the parent was killed.
    private static func stopAtEndOfInput() {
        try? SystemThread.start {
            var bytes = [UInt8](repeating: 0, count: 256)
            while read(STDIN_FILENO, &bytes, bytes.count) > 0 {}
            kill(getpid(), SIGTERM)
        }.detach()
    }

    static let configOption = CommandOption(
        "--config", value: "FILE", "the configuration file; default $LARDER_CONFIG or the standard places")
    static let setOption = CommandOption(
        "--set", value: "PATH=VALUE", "a setting, before file and environment; may be repeated")
    static let listenOption = CommandOption(
        "--listen", value: "ADDRESS", "an address to listen on, instead of the configured ones; may be repeated")

    static let command = Subcommand(
        "serve", "run the daemon",
        details: [
            "Listens on 127.0.0.1:8787, [::1]:8787 and a Unix socket by default. SIGHUP reloads the configuration "
                + "without dropping connections or cache. SIGTERM finishes the answers under way and stops.",
            "With --replay no API is asked. Every request that would go to one is answered from the tape, in the order of "
                + "its recordings, and nothing is kept, so each run of the same requests gets the same answers. A request "
                + "without a recording gets 504 with the nearest one and what differs. Databases of the replay's own "
                + "begin empty and are removed at the end; keys, budgets and lifetimes do not count.",
        ],
        options: [
            configOption, setOption, listenOption,
            CommandOption("--replay", value: "DIR", "answer from a tape, and ask no API"),
            CommandOption(
                "--while-input", "stop when standard input ends, for a program that starts a daemon for itself"),
        ],
        examples: [
            ("larder serve", "with the defaults and your own directories"),
            ("larder serve --config /etc/larder/larder.yaml", "as the service does"),
            (
                "larder serve --listen 127.0.0.1:0 --set cache.maxSize=1GiB",
                "a port chosen by the kernel, a smaller cache"
            ),
            ("larder serve --replay tests/tape", "for tests, without the network"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let sources = try SettingsSources(invocation)
        let settings = try sources.load()
        let replay = try invocation.value("--replay").map { path throws(CommandFailure) in
            try ReplayOrder(path, invocation.environment)
        }
        defer { if let replay { Folder.remove(replay.directory) } }
        let shape: @Sendable (Settings) -> Settings = { settings in
            replay.map { settings.replaying(in: $0.directory) } ?? settings
        }
        if invocation.has("--while-input") { stopAtEndOfInput() }
        try await invocation.tool.serve(
            ServeOrder(
                settings: shape(settings),
                reload: { () throws(SettingsError) in shape(try sources.read(mayBeEmpty: false)) },
                environment: invocation.environment, replay: replay))
        return .done
    }
}

/// The sources of one process's settings. They are read again at each reload.
struct SettingsSources: Sendable {
    var file: String?
    var environment: [String: String]
    var flags: [(path: String, value: String)]

    init(_ invocation: Invocation, file: String? = nil) throws(CommandFailure) {
        self.file =
            file ?? invocation.value("--config") ?? SettingsLoader.standardFile(environment: invocation.environment)
        environment = invocation.environment
        flags = []
        for text in invocation.options["--set"] ?? [] {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandFailure(.usage, "--set: \"\(text)\" is not PATH=VALUE, such as cache.maxSize=1GiB")
            }
            flags.append((String(ASCII.trimmed(parts[0])), String(parts[1])))
        }
        for text in invocation.options["--listen"] ?? [] { flags.append(("listen", text)) }
    }

    func read(mayBeEmpty: Bool = true, unwritten: String? = nil) throws(SettingsError) -> Settings {
        try SettingsLoader().load(
            file: file, environment: environment, flags: flags, mayBeEmpty: mayBeEmpty, unwritten: unwritten)
    }

    /// - Parameter unwritten: the name of a provider whose own file is yet to be written.
    func load(unwritten: String? = nil) throws(CommandFailure) -> Settings {
        do {
            return try read(unwritten: unwritten)
        } catch {
            throw CommandFailure(.usage, "the configuration cannot be used\n\(error)")
        }
    }
}
