// larder run: starts a command whose requests go through the cache, though it knows nothing of Larder.
import Glibc
import LarderCore
import LarderDaemon
import LarderIO
import LarderTLS
import LarderTape

enum RunCommand {
    static let command = Subcommand(
        "run", "run a command whose requests go through the cache", operands: "COMMAND [ARGUMENT]…",
        details: [
            "Gives the command a proxy and a CA of its own, by the variables that programs know (http_proxy, "
                + "SSL_CERT_FILE, REQUESTS_CA_BUNDLE, NODE_EXTRA_CA_CERTS and others). Requests to the APIs that the "
                + "daemon knows, requests to the hosts that --host names, and plain http go through the cache, with the "
                + "keys and budgets of this machine. https to all other hosts passes unread. The CA can vouch for those "
                + "hosts alone; its key is never written, and it ends with the command.",
            "The daemon is that of the Unix socket. If there is none, the run starts one for itself, with your own "
                + "configuration and cache. A summary follows on standard error. The exit status is the command's, or "
                + "10 if a tape had no recording for a request.",
            "Options of larder run stand before COMMAND. All that follows its name belongs to it; -- before it is allowed.",
            "--record writes each exchange to a folder, --replay answers from it alone, and --tape does both: what is "
                + "missing is recorded. If the variable CI is set, --tape records nothing.",
        ],
        options: [
            CommandOption("--host", value: "HOST", "also end TLS for this host; may be repeated"),
            CommandOption("--offline", "answer from what is stored, fresh or stale, and ask nobody"),
            CommandOption("--record", value: "DIR", "record a tape anew"),
            CommandOption("--replay", value: "DIR", "answer from a tape alone"),
            CommandOption("--tape", value: "DIR", "answer from a tape, and record what is missing"),
            CommandOption("--played", value: "FILE", "write the names of the recordings that answered to a file"),
            CommandOption("--quiet", "no summary"), CommandOption("--json", "the summary as JSON"),
            CommandOption("--url", value: "URL", "the daemon's Unix socket: unix:/PATH ($LARDER_URL)"),
            ServeCommand.configOption,
        ],
        examples: [
            ("larder run curl 'https://itunes.apple.com/search?term=jack+johnson'", "one request, cached"),
            ("larder run -- python3 report.py", "its calls share one cache and one budget with everything else"),
            ("larder run --host api.example.org --tape fixtures/report -- pytest", "a test suite with a tape"),
            ("larder run --offline -- ./build.sh", "without the network"),
        ],
        takesCommand: true
    ) { invocation throws(CommandFailure) in
        guard !invocation.operands.isEmpty else {
            throw CommandFailure(.usage, "the command is missing", advice: "larder run COMMAND")
        }
        let directory = try makeDirectory("run", invocation.environment)
        defer { Folder.remove(directory) }
        let tape = try openTape(invocation)
        let daemon = try RunDaemon(
            invocation, directory: directory, parentProxy: parentProxy(invocation.environment))
        defer { daemon.stop() }
        let named = try (invocation.options["--host"] ?? []).map(host)
        let plan = RunHandler.Plan(
            hosts: daemon.hosts.union(named), named: Set(named), isOffline: invocation.has("--offline"))
        let authority = try makeAuthority(plan.hosts)
        let console = invocation.console
        let proxy = try RunProxy(
            plan, authority, tape: tape, socket: daemon.socket, parent: parentProxy(invocation.environment)
        ) { console.note($0) }
        let status: Int32
        do throws(CommandFailure) {
            let files = try write(authority, directory, invocation.environment)
            let child = try RunChild(
                invocation.operands,
                environment: RunEnvironment.make(
                    from: invocation.environment, port: proxy.port, hosts: named, files: files))
            child.passSignals()
            status = await child.wait()
        } catch {
            await proxy.stop()
            guard error.status == .usage else { throw error }
            // As shells and env(1) say it.
            invocation.console.note("larder: \(Console.printable(error.message))")
            invocation.exit.set(127)
            return .done
        }
        await proxy.stop()
        let counts = proxy.handler.summary.value
        if let file = invocation.value("--played"), let tape {
            try ArtworkCommand.save(Bytes(text: tape.playedNames), to: file)
        }
        tell(counts, invocation)
        invocation.exit.set(status == 0 && counts.missing > 0 ? CommandStatus.noRecording.rawValue : status)
        return .done
    }

    private static func openTape(_ invocation: Invocation) throws(CommandFailure) -> RunTape? {
        let given: [(RunTape.Mode, String)] = [
            (.record, "--record"), (.replay, "--replay"), (.both, "--tape"),
        ].compactMap { mode, name in invocation.value(name).map { (mode, $0) } }
        guard given.count <= 1 else { throw CommandFailure(.usage, "one of --record, --replay and --tape at a time") }
        guard let (asked, path) = given.first else { return nil }
        var mode = asked
        if mode == .both, invocation.environment["CI"].map({ !$0.isEmpty }) == true { mode = .replay }
        do throws(TapeFault) {
            return try RunTape(mode, path: path)
        } catch {
            throw CommandFailure(.failed, "the tape cannot be used: \(error)")
        }
    }

    private static func host(_ text: String) throws(CommandFailure) -> String {
        guard let host = RunHandler.host(text) else {
            throw CommandFailure(
                .usage, "--host: \"\(text)\" is not a host without scheme and port",
                advice: bareHost(text).map { "Write --host \($0); it counts for every port." })
        }
        return host
    }

    /// The host of a URL or of "HOST:PORT".
    private static func bareHost(_ text: String) -> String? {
        let rest = text.split(separator: "/", omittingEmptySubsequences: true)
        let authority = text.contains("://") ? rest.dropFirst().first : rest.first
        guard let authority, let colon = authority.lastIndex(of: ":") else {
            return authority.flatMap { RunHandler.host(String($0)) }
        }
        let isPort = authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
        return RunHandler.host(String(isPort ? authority[..<colon] : authority))
    }

    static func makeDirectory(_ name: String, _ environment: [String: String]) throws(CommandFailure) -> String {
        let parent = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(parent)/larder-\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(.failed, "no directory can be made in \(parent)")
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A CA for the run and its hosts, which lives for a week at most.
    private static func makeAuthority(_ hosts: Set<String>) throws(CommandFailure) -> CertificateAuthority {
        let now = SystemTime().wall()
        let start = WallTime(milliseconds: now.milliseconds / 1000 * 1000)
        do {
            return try CertificateAuthority(
                hosts: hosts.filter(RunHandler.isName).sorted(), from: start + .seconds(-86_400),
                until: start + .seconds(7 * 86_400))
        } catch {
            throw CommandFailure(.failed, "no CA can be made: \(error)")
        }
    }

    private static func write(
        _ authority: CertificateAuthority, _ directory: String, _ environment: [String: String]
    ) throws(CommandFailure) -> RunFiles {
        let system = TrustBundle.systemFiles(override: environment["SSL_CERT_FILE"]).lazy.compactMap { path in
            try? InputFile.read(path, limit: 16 << 20)
        }.first
        let bundle = TrustBundle(system: system ?? [], authority: authority)
        var files = RunFiles(
            bundle: "\(directory)/bundle.pem", authority: "\(directory)/ca.pem", javaPassword: TrustBundle.javaPassword)
        try ArtworkCommand.save(bundle.pem, to: files.bundle)
        try ArtworkCommand.save(authority.certificatePEM, to: files.authority)
        let own = (environment["WGETRC"] ?? environment["HOME"].map { "\($0)/.wgetrc" }).flatMap { path in
            try? InputFile.read(path, limit: 1 << 20)
        }
        let wget = "\(directory)/wgetrc"
        try ArtworkCommand.save((own ?? []) + Bytes(text: "\nca_certificate = \(files.bundle)\n"), to: wget)
        files.wgetSettings = wget
        if let store = try? bundle.javaTrustStore() {
            let path = "\(directory)/trust.p12"
            try ArtworkCommand.save(store, to: path)
            files.javaStore = path
        }
        return files
    }

    /// The proxy by which the parent reaches the network.
    private static func parentProxy(_ environment: [String: String]) -> String? {
        for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            if let proxy = environment[name], !proxy.isEmpty { return proxy }
        }
        return nil
    }

    private static func tell(_ counts: RunCounts, _ invocation: Invocation) {
        if invocation.has("--json") {
            invocation.console.note(counts.json.lossyText)
        } else if !invocation.has("--quiet") {
            for line in counts.lines { invocation.console.note("larder: \(Console.printable(line))") }
        }
    }
}
