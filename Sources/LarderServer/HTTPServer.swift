// The server as the daemon uses it: opened on its listeners, spread over its loops, stopped in steps. It owns the
// listening sockets. The worker of a loop owns everything that happens on that loop.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO

/// An HTTP/1.1 server on the given loops. All members may be called from any thread.
public final class HTTPServer: Sendable {
    let loops: [EventLoop]
    private let specs: [ListenerSpec]
    private let shared: ServerShared
    let workers: [LoopBound<Worker>]
    private let sockets = Lock<[OpenSocket]>([])

    private struct OpenSocket {
        var descriptor: Int32
        /// The file of a Unix socket that this server created; it is removed with the socket.
        var path: String?
    }

    /// - Parameters:
    ///   - loops: the loops that serve connections, at least one. They may be started before or after.
    ///   - ready: answers requests from memory, on the loops; nil if there is no memory tier.
    // More than six parameters: the server receives all its parts here.
    public init(
        loops: [EventLoop], listeners: [ListenerSpec], ready: (any ReadySource)?, handler: any RequestHandler,
        settings: ServerSettings, log: Logger, counters: CounterRegistry, time: any TimeSource = SystemTime()
    ) {
        precondition(!loops.isEmpty, "a server needs a loop")
        self.loops = loops
        specs = listeners
        let cells = ServerCells(counters)
        let limit = ConnectionLimit(settings.limits.maxConnections, cells: cells)
        shared = ServerShared(ready: ready, handler: handler, limit: limit, cells: cells, log: log, time: time)
        let shared = shared
        workers = loops.map { loop in
            LoopBound(
                Worker(
                    loop: loop, shared: shared, settings: settings,
                    hits: counters.cell(ServerCounters.memoryHits, String(loop.index))),
                on: loop)
        }
        shared.announceRoom.set { [weak self] in self?.each { $0.resumeAccepting() } }
        shared.announceCrowd.set { [weak self] in self?.each { $0.shed() } }
    }

    /// Opens every listener and starts to accept.
    /// - Returns: the bound address of each listener, in order. Optional listeners that cannot be opened are left out.
    @discardableResult
    public func start() throws(ListenError) -> [Address] {
        var opened: [(spec: ListenerSpec, socket: OpenSocket)] = []
        var bound: [Address] = []
        do {
            for spec in specs {
                guard let socket = try open(spec) else { continue }
                opened.append((spec, socket))
                bound.append(Socket.localAddress(socket.descriptor) ?? spec.address)
            }
        } catch {
            for (_, socket) in opened { Self.close(socket) }
            throw error
        }
        let made = opened.map(\.socket)
        sockets.withLock { $0 = made }
        for (spec, socket) in opened {
            let descriptor = socket.descriptor
            each { $0.listen(spec, descriptor: descriptor) }
        }
        return bound
    }

    private func open(_ spec: ListenerSpec) throws(ListenError) -> OpenSocket? {
        do throws(SystemError) {
            if let inherited = spec.inherited {
                try Socket.adopt(inherited)
                return OpenSocket(descriptor: inherited, path: nil)
            }
            let descriptor = try Socket.listen(on: spec.address)
            if case .unix(let path) = spec.address { return OpenSocket(descriptor: descriptor, path: path) }
            return OpenSocket(descriptor: descriptor, path: nil)
        } catch {
            let isMissing = [EAFNOSUPPORT, EADDRNOTAVAIL, EPROTONOSUPPORT].contains(error.code)
            if spec.isOptional, isMissing { return nil }
            throw ListenError(address: spec.address, cause: error)
        }
    }

    private static func close(_ socket: OpenSocket) {
        if let path = socket.path { _ = unlink(path) }
        Syscall.close(socket.descriptor)
    }

    private func each(_ body: @escaping @Sendable (Worker) -> Void) {
        for (loop, worker) in zip(loops, workers) {
            loop.post { body(worker.value) }
        }
    }

    /// Replaces the settings on every loop. The limits of open connections change too. When the method returns, the new
    /// settings hold for everything that is read after it.
    public func apply(_ settings: ServerSettings) async {
        shared.limit.set(settings.limits.maxConnections)
        for (loop, worker) in zip(loops, workers) {
            await handover { continuation in
                loop.post {
                    worker.value.apply(settings)
                    continuation.resume()
                }
            }
        }
    }

    /// Returns the record of a memory hit by its request id, read on the loop that answered it. Nil if a handler
    /// answered the request, or if 4,096 later hits of that loop have overwritten the record.
    public func hit(_ id: RequestID) async -> HitRecord? {
        guard let place = loops.firstIndex(where: { $0.index == id.loop }) else { return nil }
        let worker = workers[place]
        return await handover { continuation in
            loops[place].post { continuation.resume(returning: worker.value.recent.find(id.sequence)) }
        }
    }

    /// The number of open connections, without self-probes.
    public var connectionCount: Int { shared.limit.count }

    /// Stops accepting on every loop, then closes the listening sockets. Connections stay open.
    public func stopAccepting() async {
        for (loop, worker) in zip(loops, workers) {
            await handover { continuation in
                loop.post {
                    worker.value.stopAccepting()
                    continuation.resume()
                }
            }
        }
        let open = sockets.withLock { sockets in
            defer { sockets = [] }
            return sockets
        }
        for socket in open { Self.close(socket) }
    }

    /// Ends a drain as if its deadline had passed: it no longer waits for responses in hand.
    public func endDrain() {
        for (loop, worker) in zip(loops, workers) {
            loop.post { worker.value.cutAll() }
        }
    }

    /// Stops accepting, lets responses in hand finish, and returns when no connection is left. At the deadline every
    /// client that still waits for a response gets a 503, and within one second all remaining connections are cut.
    public func drain(deadline: Duration) async {
        await stopAccepting()
        for (loop, worker) in zip(loops, workers) {
            loop.post { worker.value.beginDrain() }
        }
        // All loops drain at once. In sequence, each loop's deadline would start only after that of the loop before.
        await withTaskGroup(of: Void.self) { group in
            for (loop, worker) in zip(loops, workers) {
                group.addTask {
                    await handover { continuation in
                        loop.post { worker.value.drain(until: loop.monotonic + deadline, continuation) }
                    }
                }
            }
        }
    }

    /// Sends a real GET request for the path through every loop, one after another, outside the connection limit.
    /// - Returns: true if every loop answered 200 in time. A stuck loop does not answer.
    public func probe(path: String = "/healthz", within limit: Duration = .seconds(5)) async -> Bool {
        for (loop, worker) in zip(loops, workers) {
            guard await Probe.run(path: path, on: loop, worker: worker, within: limit) else { return false }
        }
        return true
    }
}
