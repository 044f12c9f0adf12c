// The measured servers. Each is started by a file of its own and then handled like the others. A server's kind also
// knows how to recognise its hits.
import Glibc
import LarderCore

/// What a server is started for. Some jobs need more names, descriptors or memory than a few hits.
enum Job {
    /// A few bodies, many hits.
    case hits
    /// A thousand connections at once.
    case crowd
    /// A hundred thousand objects, more than fit in memory.
    case mixed
}

/// The compared servers. The raw value is the name on the command line.
enum ServerKind: String, CaseIterable {
    case nginx
    case nginxCopy = "nginx-copy"
    case varnish, bareloop, larder
    case larderSQLite = "larder-sqlite"

    /// The name in the tables.
    var title: String {
        switch self {
        case .nginx: "nginx, sendfile"
        case .nginxCopy: "nginx, no sendfile"
        case .varnish: "Varnish malloc"
        case .bareloop: "bare loop (ceiling)"
        case .larder: "larder, memory"
        case .larderSQLite: "larder, SQLite"
        }
    }

    /// Whether the server stands in front of the origin and can miss.
    var isCache: Bool { self != .bareloop }

    /// Starts the server on its core, in front of the origin.
    func start(on stand: Stand, origin: UInt16, job: Job = .hits) throws(Failure) -> Server {
        switch self {
        case .nginx, .nginxCopy: try startNginx(on: stand, origin: origin, job: job)
        case .varnish: try startVarnish(on: stand, origin: origin, job: job)
        case .bareloop: try Server.bareLoop(on: stand, isOrigin: false)
        case .larder, .larderSQLite: try startLarder(on: stand, origin: origin, job: job)
        }
    }

    /// Whether these response fields belong to a hit.
    func isHit(_ fields: HeaderFields) -> Bool {
        switch self {
        case .nginx, .nginxCopy: fields.first("X-Cache-Status") == "HIT"
        case .varnish: fields.first(.xCache) == "HIT"
        case .bareloop: true
        case .larder, .larderSQLite:
            fields.combined(.cacheStatus)?.split(separator: ";").contains { ASCII.trimmed($0) == "hit" } ?? false
        }
    }
}

/// A running server.
struct Server {
    var kind: ServerKind
    var process: ChildProcess
    var port: UInt16
    /// The directory of its stored data; empty if it stores in memory only.
    var directory = ""

    /// The ports that a child prints in its first lines, each as `listening ADDRESS`.
    static func announcedPorts(
        _ process: ChildProcess, count: Int = 1, seconds: Int = 20
    ) throws(Failure) -> [UInt16] {
        var found: [UInt16] = []
        try process.wait(for: "a line `listening ADDRESS`", seconds: seconds) {
            found = ports(in: process.output)
            return found.count >= count
        }
        return found
    }

    /// Reads complete lines only. The last line may still be incomplete.
    static func ports(in output: String) -> [UInt16] {
        guard let end = output.lastIndex(of: "\n") else { return [] }
        return output[..<end].split(separator: "\n").compactMap { line in
            guard line.hasPrefix("listening "), let colon = line.lastIndex(of: ":") else { return nil }
            return UInt16(line[line.index(after: colon)...])
        }
    }

    /// Starts a server that cannot choose its own port. Uses a free port, and tries again if another process took it.
    static func start(
        _ kind: ServerKind, on stand: Stand, command: (UInt16) throws(Failure) -> [String]
    ) throws(Failure) -> Server {
        var attempt = 1
        while true {
            let port = try Stand.freePort()
            let process = try ChildProcess(
                kind.rawValue, try command(port), core: stand.arguments.serverCore, stand: stand)
            do throws(Failure) {
                try process.wait(for: "a listening port") { (try? ProbeClient(port: port)) != nil }
                return Server(kind: kind, process: process, port: port)
            } catch {
                process.stop()
                attempt += 1
                if case .interrupted = error { throw error }
                if attempt > 3 { throw error }
            }
        }
    }

    /// The upper bound, or the origin: one program, written in C, so that neither limits a figure.
    static func bareLoop(on stand: Stand, isOrigin: Bool) throws(Failure) -> Server {
        let bodies = try stand.newDirectory("bodies")
        for size in BodySize.allCases {
            try Files.write(size.body, to: "\(bodies)/\(size.fileName)")
        }
        let process = try ChildProcess(
            isOrigin ? "origin" : "bareloop",
            [stand.arguments.bareLoop] + (isOrigin ? ["--origin"] : []) + [bodies],
            core: isOrigin ? stand.arguments.loadCore : stand.arguments.serverCore, stand: stand)
        do throws(Failure) {
            return Server(kind: .bareloop, process: process, port: try announcedPorts(process)[0])
        } catch {
            process.stop()
            throw error
        }
    }

    /// The origin of Benchmarks/origin.c, on the core of the load.
    ///
    /// - Parameter page: the file with which it answers searches.
    static func origin(on stand: Stand, page: String? = nil) throws(Failure) -> Server {
        let process = try ChildProcess(
            "origin", [stand.arguments.originProgram] + (page.map { [$0] } ?? []), core: stand.arguments.loadCore,
            stand: stand)
        do throws(Failure) {
            return Server(kind: .bareloop, process: process, port: try announcedPorts(process)[0])
        } catch {
            process.stop()
            throw error
        }
    }

    /// The number of body requests to the origin since it started.
    func requestCount() throws(Failure) -> Int {
        let reply = try ProbeClient(port: port).get("/count", port: port)
        guard let count = Int(reply.body.lossyText) else { throw .failed("origin", "no count") }
        return count
    }

    /// Sends requests until the answer is a hit, then checks status and every byte. Only correct answers are timed.
    func verify(_ size: BodySize, stand: Stand) throws(Failure) {
        let stage = "\(kind.title), \(size.title)"
        let expected = size.body
        let client = try ProbeClient(port: port)
        var hits = 0
        for attempt in 1...50 {
            let reply = try client.get(size.path, port: port)
            guard reply.status == 200 else { throw .failed(stage, "status \(reply.status)") }
            guard reply.body == expected else {
                throw .failed(stage, "the body is wrong (\(reply.body.count) bytes)")
            }
            // The second and third hit come from the place where the cache keeps frequently requested objects.
            hits = kind.isHit(reply.fields) ? hits + 1 : 0
            if hits == 3 { return }
            if attempt > 3 { try stand.signals.pause(milliseconds: 20) }
        }
        throw .failed(stage, "no hit in 50 requests")
    }
}

extension BodySize {
    /// Incompressible bytes, the same in every run (xorshift64).
    var body: Bytes {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes)
        return (0..<bytes).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }
}
