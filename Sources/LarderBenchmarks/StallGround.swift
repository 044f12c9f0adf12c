// The set-up for slow operations: larder, the origins behind it, and the counters of the operations. Everything runs on
// this machine. Benchmarks/stalls.c intercepts name look-ups before the system's resolver gets them.
import Glibc
import LarderCore

final class StallGround {
    private static let token = "stalls-of-the-benchmark"
    /// The object that the memory hits request.
    static let hit = OriginObject(kind: .image, size: 1024, id: 0)

    let plan: StallPlan
    private let stand: Stand
    private let setup: LarderSetup
    private let counter: String
    private var origins: [ChildProcess] = []
    private(set) var larder: MeasuredLarder

    /// The port of the listener for the slow requests.
    var asidePort: UInt16 { plan.cause == .cold ? larder.port : larder.ownPort }

    init(_ cause: StallCause, requests: Int, _ stand: Stand) throws(Failure) {
        self.stand = stand
        counter = stand.newFile("lookups")
        try Files.write(Bytes(repeating: 0, count: StallLookups.bytes), to: counter)
        let origin = try Server.origin(on: stand)
        var origins = [origin.process]
        do throws(Failure) {
            var setup = LarderSetup()
            setup.hasOwnListener = true
            switch cause {
            case .cold:
                plan = StallPlan(cause: cause, span: min(requests, 20_000) / 2 * 2)
                setup.maxSize = "8 GiB"
            case .names:
                let providers = stand.arguments.seconds * cause.rate / StallPlan.fetchesAtATime
                plan = StallPlan(cause: cause, span: providers)
                setup.connectTimeout = "1s"
                setup.adminToken = Self.token
                setup.passthrough = (0..<providers).map { (StallPlan.provider($0), "http://silent-\($0).invalid") }
                setup.prefix = [
                    "env", "LD_PRELOAD=\(Self.absolute(stand.arguments.preload))", "STALLS_COUNT=\(counter)",
                ]
            case .handshakes:
                plan = StallPlan(cause: cause, span: 64)
                let tls = try StallTLS(answers: plan.span, stand)
                origins.append(tls.process)
                setup.passthrough = [("tls", "https://127.0.0.1:\(tls.port)")]
                setup.prefix = [
                    "env", "LD_PRELOAD=\(Self.absolute(stand.arguments.preload))", "STALLS_CA=\(tls.certificate)",
                ]
            }
            self.setup = setup
            larder = try MeasuredLarder.start(setup, on: stand, origin: origin.port)
        } catch {
            origins.forEach { $0.stop() }
            throw error
        }
        self.origins = origins
        do throws(Failure) {
            if cause == .cold { try fill(from: origin.port) }
            if cause != .cold { try checkPreload() }
            try verifyHit()
        } catch {
            stop()
            throw error
        }
    }

    func stop() {
        larder.process.stop()
        origins.forEach { $0.stop() }
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return "\(String(cString: here))/\(path)"
    }

    /// Without the preloaded library, names would be looked up by the system's own servers.
    private func checkPreload() throws(Failure) {
        let name = stand.arguments.preload.split(separator: "/").last.map(String.init) ?? ""
        guard Files.text(of: "/proc/\(larder.process.pid)/maps").contains("/" + name) else {
            throw .failed("stalls", "larder runs without \(stand.arguments.preload)")
        }
    }

    /// Stores all objects and requests each once more, so that a loop can answer it from the disk without a thread.
    /// Then restarts larder with empty memory.
    private func fill(from origin: UInt16) throws(Failure) {
        let directory = larder.directory
        for _ in 0..<2 {
            for size in [StallPlan.rowSize, StallPlan.fileSize] {
                _ = try Load(
                    port: larder.port, size: size, order: .fill(first: 0), count: plan.span / 2, seconds: 600,
                    connections: 8
                ).run(on: stand)
            }
            larder.process.stop()
            larder = try MeasuredLarder.start(setup, on: stand, origin: origin, directory: directory)
        }
        let entries = Int(try larder.metric("larder_store_entries") ?? 0)
        guard entries >= plan.span else { throw .failed("stalls", "\(entries) of \(plan.span) entries are stored") }
    }

    /// Requests the hit object until larder reports three hits in a row.
    private func verifyHit() throws(Failure) {
        let client = try ProbeClient(port: larder.port)
        var hits = 0
        for _ in 1...50 where hits < 3 {
            let reply = try client.get(Self.hit.path, port: larder.port)
            guard reply.status == 200 else { throw .failed("stalls", "status \(reply.status)") }
            hits = ServerKind.larder.isHit(reply.fields) ? hits + 1 : 0
        }
        guard hits == 3 else { throw .failed("stalls", "no hit in 50 requests") }
    }

    /// Called before a round with slow operations.
    func prepare() {
        if plan.cause == .cold { Files.dropFromPageCache("\(larder.directory)/cache") }
    }

    /// Called after such a round. Waits until the pending operations have ended, so that they do not affect the next
    /// round, and makes larder try again the providers that it suspended.
    func settle() throws(Failure) {
        guard plan.cause == .names else { return try stand.pauseWhole(milliseconds: 300) }
        // After this pause larder begins no more look-ups, because it gives up a connection after a second. Look-ups
        // that have begun last longer.
        try stand.pauseWhole(milliseconds: 1500)
        let deadline = monotonicNanoseconds() + 30_000_000_000
        while case let left = try StallLookups(file: counter).underWay, left > 0 {
            guard monotonicNanoseconds() < deadline else {
                throw .failed("stalls", "\(left) look-ups of names do not end")
            }
            try stand.pauseWhole(milliseconds: 100)
        }
        for provider in 0..<plan.span {
            let path = "/v1/providers/\(StallPlan.provider(provider))/resume"
            let request = ProbeClient.request(
                path, port: larder.ownPort, method: "POST",
                fields: "Authorization: Bearer \(Self.token)\r\nContent-Length: 0\r\n")
            let reply = try ProbeClient(port: larder.ownPort).ask(request, path, hasBody: true)
            guard reply.status == 200 else { throw .failed(path, "status \(reply.status)") }
        }
    }

    /// The counter of slow operations since the start: bytes that larder read from the disk (proc_pid_io(5)), or names
    /// looked up.
    var done: Int {
        get throws(Failure) {
            switch plan.cause {
            case .cold:
                let text = Files.text(of: "/proc/\(larder.process.pid)/io")
                let line = text.split(separator: "\n").first { $0.hasPrefix("read_bytes: ") }
                return line.flatMap { Int($0.dropFirst("read_bytes: ".count)) } ?? 0
            case .names: return try StallLookups(file: counter).begun
            case .handshakes: return 0
            }
        }
    }
}

extension Files {
    /// Writes a file, or the files of a directory, to the disk and drops them from the page cache. Mapped pages stay.
    static func dropFromPageCache(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR { return names(in: path).forEach { dropFromPageCache("\(path)/\($0)") } }
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        fdatasync(file)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    }
}
