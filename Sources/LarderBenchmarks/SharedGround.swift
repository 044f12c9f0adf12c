// The set-up for the measures of a fleet: an engine on a Unix socket that can be killed, stopped and started empty, an
// origin that counts, and hosts on the servers' core.
import Glibc
import LarderCore

/// The distribution's redis-server, or valkey-server.
final class SharedEngineProcess {
    private static let programs = ["redis-server", "valkey-server"]
    private let stand: Stand
    private let directory: String
    private var process: ChildProcess?
    var socket: String { "\(directory)/engine" }
    var url: String { "unix:\(socket)" }

    init(_ stand: Stand) throws(Failure) {
        self.stand = stand
        directory = try stand.newDirectory("engine")
        try start()
    }

    /// Starts the engine empty.
    func start() throws(Failure) {
        unlink(socket)
        guard let program = Self.programs.first(where: { access("/usr/bin/\($0)", X_OK) == 0 }) else {
            throw .failed("fleet", "there is no redis-server and no valkey-server in /usr/bin")
        }
        let words = [
            program, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", directory,
        ]
        let started = try ChildProcess("engine", words, core: stand.arguments.loadCore, stand: stand)
        process = started
        try started.wait(for: "its socket") { access(socket, W_OK) == 0 }
    }

    /// Kills the engine at once, like a crash. Its data is lost.
    func killOutright() { process?.killOutright() }

    /// Stops the engine until `goOn`. The kernel still accepts connections, but nothing is answered.
    func freeze() { if let process { kill(process.pid, SIGSTOP) } }
    func goOn() { if let process { kill(process.pid, SIGCONT) } }

    func stop() {
        goOn()
        process?.stop()
    }
}

/// The hosts, their engine and their origin.
final class SharedGround {
    let stand: Stand
    /// The engine; nil for hosts that do not share.
    let engine: SharedEngineProcess?
    let origin: Server
    private(set) var hosts: [MeasuredLarder] = []
    /// The answer to every search.
    let page: Bytes

    /// - Parameter setup: the setup of each host. `sharedURL` is set here.
    init(_ stand: Stand, hosts count: Int, isShared: Bool, _ setup: LarderSetup) throws(Failure) {
        self.stand = stand
        page = Self.page
        let file = stand.newFile("page.json")
        try Files.write(page, to: file)
        let engine = isShared ? try SharedEngineProcess(stand) : nil
        self.engine = engine
        do throws(Failure) {
            origin = try Server.origin(on: stand, page: file)
        } catch {
            engine?.stop()
            throw error
        }
        do throws(Failure) {
            var setup = setup
            setup.sharedURL = engine?.url
            for _ in 0..<count { hosts.append(try .start(setup, on: stand, origin: origin.port)) }
        } catch {
            stop()
            throw error
        }
    }

    func stop() {
        hosts.forEach { $0.process.stop() }
        origin.process.stop()
        engine?.stop()
    }

    /// The setup of a host whose iTunes provider calls the origin.
    static var setup: LarderSetup {
        var setup = LarderSetup()
        (setup.hasOwnListener, setup.hasITunes) = (true, true)
        return setup
    }

    /// An answer to a search, of about 1 KB.
    private static var page: Bytes {
        var writer = JSONWriter()
        writer.object { page in
            page.member("resultCount", 1)
            page.name("results")
            page.array { list in
                list.object { song in
                    for (name, text) in [("wrapperType", "track"), ("kind", "song"), ("trackName", "Measured")] {
                        song.member(name, text)
                    }
                    song.member("trackId", 1)
                    song.member("text", String(repeating: "0123456789abcdef", count: 56))
                }
            }
        }
        return writer.bytes
    }

    static func path(_ term: Int) -> String { "/raw/itunes/search?term=t\(term)" }

    /// The number of calls of all hosts so far.
    func calls() throws(Failure) -> Int { try origin.requestCount() }

    /// Whether every host currently asks the engine.
    func isEngineInUse() throws(Failure) -> Bool {
        for host in hosts where try host.metric("larder_shared_breaker_open") ?? 0 != 0 { return false }
        return true
    }

    /// Waits until a host has published this many answers or failed to. The engine has 50 ms for each, and a busy
    /// machine may need longer.
    func waitForPublished(_ count: Int, by host: Int) throws(Failure) {
        let deadline = monotonicNanoseconds() + 10_000_000_000
        while true {
            var ended = 0.0
            for word in ["done", "failed", "dropped"] {
                ended += try hosts[host].metric("larder_shared_published_total{result=\"\(word)\"}") ?? 0
            }
            // If the engine was not asked at all, nothing is published either, so the wait has a limit.
            if ended >= Double(count) || monotonicNanoseconds() > deadline { return }
            try stand.pauseWhole(milliseconds: 5)
        }
    }
}
