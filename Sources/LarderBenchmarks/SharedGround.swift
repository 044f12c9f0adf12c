// What the measures of a fleet stand on: an engine on a Unix socket that can be killed, stopped and started empty, an origin that counts,
// and hosts on the servers' core.
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

    /// Starts it empty.
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

    /// At once, as a crash would. What it had is lost.
    func killOutright() { process?.killOutright() }

    /// It goes on taking connections and answers none, until `goOn`.
    func freeze() { if let process { kill(process.pid, SIGSTOP) } }
    func goOn() { if let process { kill(process.pid, SIGCONT) } }

    func stop() {
        goOn()
        process?.stop()
    }
}

/// Hosts and what they call.
final class SharedGround {
    let stand: Stand
    /// The engine; nil for hosts that do not share.
    let engine: SharedEngineProcess?
    let origin: Server
    private(set) var hosts: [MeasuredLarder] = []
    /// What every search is answered with.
    let page: Bytes

    /// - Parameter setup: of each host, with `sharedURL` left open.
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

    /// Of a host that answers as the iTunes API does.
    static var setup: LarderSetup {
        var setup = LarderSetup()
        (setup.hasOwnListener, setup.hasITunes) = (true, true)
        return setup
    }

    /// A search whose answer is about 1 KB.
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

    /// Calls that the hosts made so far.
    func calls() throws(Failure) -> Int { try origin.requestCount() }

    /// Whether every host asks the engine.
    func isEngineInUse() throws(Failure) -> Bool {
        for host in hosts where try host.metric("larder_shared_breaker_open") ?? 0 != 0 { return false }
        return true
    }

    /// Waits until a host has published so many answers, or could not: the engine has 50 ms for each, and a busy machine may need more.
    func waitForPublished(_ count: Int, by host: Int) throws(Failure) {
        let deadline = monotonicNanoseconds() + 10_000_000_000
        while true {
            var ended = 0.0
            for word in ["done", "failed", "dropped"] {
                ended += try hosts[host].metric("larder_shared_published_total{result=\"\(word)\"}") ?? 0
            }
            // Where the engine was not asked at all nothing is published either.
            if ended >= Double(count) || monotonicNanoseconds() > deadline { return }
            try stand.pauseWhole(milliseconds: 5)
        }
    }
}
