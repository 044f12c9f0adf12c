// The server as the daemon sees it: opened on its listeners, spread over its loops, stopped in steps. It owns listening
// sockets; what happens on a loop belongs to that loop's worker.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO

/// An HTTP/1.1 server over the given loops. All members may be called from any thread.
public final class HTTPServer: Sendable {
    let loops: [EventLoop]
    private let specs: [ListenerSpec]
    private let shared: ServerShared
    let workers: [LoopBound<Worker>]
    private let sockets = Lock<[OpenSocket]>([])

    private struct OpenSocket {
        var descriptor: Int32
        /// The file of a Unix socket that we made.
        var path: String?
    }

    /// - Parameters:
    ///   - loops: each serves connections; at least one. They may be started before or after.
    ///   - ready: answers from memory, asked on the loops; nil where there is no memory tier.
    // More than six parameters: a server is put together here from what it is given.
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
        shared.announceRoom.withLock { $0 = { [weak self] in self?.each { $0.resumeAccepting() } } }
        shared.announceCrowd.withLock { $0 = { [weak self] in self?.each { $0.shed() } } }
    }

    /// Opens every listener and begins to accept.
    /// - Returns: the address each one is bound to, in the order given; optional ones that cannot be had are left out.
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

    /// Swaps the settings on every loop; limits of connections already open change with them. When it returns, they hold
    /// for whatever is read next.
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

    /// What memory answered to the request of that id, asked on the loop that answered it. Nil where the slow way
    /// answered, or where 4,096 later hits of that loop have taken its place.
    public func hit(_ id: RequestID) async -> HitRecord? {
        guard let place = loops.firstIndex(where: { $0.index == id.loop }) else { return nil }
        let worker = workers[place]
        return await handover { continuation in
            loops[place].post { continuation.resume(returning: worker.value.recent.find(id.sequence)) }
        }
    }

    /// Connections open now, self-probes left out.
    public var connectionCount: Int { shared.limit.count }

    /// Closes the listening sockets, once every loop has let go of them. Connections stay.
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

    /// Waits no longer for answers in hand: what is left of a drain ends as at its deadline.
    public func endDrain() {
        for (loop, worker) in zip(loops, workers) {
            loop.post { worker.value.cutAll() }
        }
    }

    /// Stops accepting, lets answers in hand be finished, and returns when no connection is left. At the deadline whoever
    /// still waits for an answer is answered 503, and within a second all that is left is cut.
    public func drain(deadline: Duration) async {
        await stopAccepting()
        for (loop, worker) in zip(loops, workers) {
            loop.post { worker.value.beginDrain() }
        }
        // All at once: one after the other, each loop's deadline would begin when that of the loop before it has passed.
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

    /// Sends a real request, GET of the path, through every loop, past the connection limit, one loop
    /// after the other.
    /// - Returns: whether every one answered 200 in time. A loop that is stuck does not answer at all.
    public func probe(path: String = "/healthz", within limit: Duration = .seconds(5)) async -> Bool {
        for (loop, worker) in zip(loops, workers) {
            guard await Probe.run(path: path, on: loop, worker: worker, within: limit) else { return false }
        }
        return true
    }
}
