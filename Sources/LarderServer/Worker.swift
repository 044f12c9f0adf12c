// The server's part in one loop: its connections, its listeners, and what requests reuse: input buffer, parser, output
// buffer, date and the last accepted Host.
import Glibc
import LarderCore
import LarderHTTP
import LarderIO
import Synchronization

/// What all loops of one server share. Immutable or atomic.
final class ServerShared: Sendable {
    let ready: (any ReadySource)?
    let handler: any RequestHandler
    let limit: ConnectionLimit
    let cells: ServerCells
    let log: Logger
    let access: Logger
    let time: any TimeSource
    /// Makes every worker accept again after a connection was given back. The closure must not hold the server: the
    /// workers hold this object, so the cycle would keep the loops' descriptors open.
    let announceRoom = Hook<@Sendable () -> Void>({})
    /// Makes every worker shed connections. The closure must not hold the server either.
    let announceCrowd = Hook<@Sendable () -> Void>({})
    /// Connections of tunnels that are being made.
    let dialling = CounterCell()
    let isCrowdAnnounced = Atomic<Bool>(false)

    init(
        ready: (any ReadySource)?, handler: any RequestHandler, limit: ConnectionLimit, cells: ServerCells,
        log: Logger, time: any TimeSource
    ) {
        self.ready = ready
        self.handler = handler
        self.limit = limit
        self.cells = cells
        self.log = log
        self.access = log.labelled("access")
        self.time = time
    }

    /// Asks the workers to shed connections if there are too many.
    func relieve() {
        guard limit.excess(somebodyWaits: limit.hasStopped) > 0,
            !isCrowdAnnounced.exchange(true, ordering: .relaxed)
        else { return }
        announceCrowd.get()()
    }
}

/// The server's part in one loop. Confined to the loop.
final class Worker {
    let loop: EventLoop
    let shared: ServerShared
    let output = OutputBuffer()
    let recent = HitRing()
    let hits: CounterCell
    private(set) var settings: ServerSettings
    /// The cross-origin fields of a hit for a page of each origin that may read. `Vary` is in the ready head.
    private(set) var sharedFields: [Bytes] = []
    private(set) var parser: RequestParser
    /// The target of reads: a connection's stashed bytes, then new input. All connections of the loop share it, so an
    /// idle connection holds no buffer, and this one stays in the processor's cache.
    private(set) var input: UnsafeMutableBufferPointer<UInt8>
    /// The same for what comes through TLS, before it is decrypted.
    let ciphertext = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: SecureChannel.room)
    /// The origins that clients of the proxy asked last in absolute form. Their verdicts hold until the settings change.
    var origins = ProxiedOrigins()
    var dates = DateCache()
    /// Bytes written to sockets and not yet counted. A plain number, because an atomic addition would slow each hit.
    @exclusivity(unchecked) var sent = 0

    private var sequence: UInt64 = 0
    private var connections: [Connection] = []
    private var listeners: [Listener] = []
    private var sweep: TimerToken?
    /// The last accepted Host, compared with that of every request. It has its own memory, so the comparison counts no
    /// references. No other code runs during the comparison, so exclusivity is not checked at run time.
    private let acceptedHost: UnsafeMutableBufferPointer<UInt8>
    @exclusivity(unchecked) private var acceptedCount = 0
    /// The most bytes of a Host that are remembered. A longer Host is checked each time.
    private static let longestHost = 256
    private var drained: TaskContinuation<Void, Never>?
    private var drainDeadline: TimerToken?

    init(loop: EventLoop, shared: ServerShared, settings: ServerSettings, hits: CounterCell) {
        self.loop = loop
        self.shared = shared
        self.settings = settings
        self.hits = hits
        parser = RequestParser(limits: settings.limits.head)
        input = .allocate(capacity: Self.inputSize(settings))
        acceptedHost = .allocate(capacity: Self.longestHost)
        acceptedHost.initialize(repeating: 0)
        sharedFields = Self.sharedFields(settings)
    }

    private static func sharedFields(_ settings: ServerSettings) -> [Bytes] {
        settings.crossSite.origins.map { CrossOriginSharing.lines(for: $0) }
    }

    /// The index in `sharedFields` of the fields for a page of this origin; -1 if it may not read.
    func sharing(with origin: UnsafeBufferPointer<UInt8>) -> Int {
        settings.crossSite.place(of: origin) ?? -1
    }

    deinit {
        input.deallocate()
        ciphertext.deallocate()
        acceptedHost.deallocate()
    }

    /// Room for the longest stash and a good read after it.
    private static func inputSize(_ settings: ServerSettings) -> Int { settings.limits.head.head + 64 * 1024 }

    /// Takes new settings. They hold from the next request on.
    func apply(_ settings: ServerSettings) {
        self.settings = settings
        sharedFields = Self.sharedFields(settings)
        acceptedCount = 0
        // The rules of the proxy may have changed.
        origins = ProxiedOrigins()
        for connection in connections where connection.secure != nil || connection.inside != nil {
            connection.answer(for: nil)
        }
        parser = RequestParser(limits: settings.limits.head)
        let longestStash = connections.reduce(0) { max($0, $1.stash.count) }
        let size = max(Self.inputSize(settings), longestStash + 4096)
        if size != input.count {
            input.deallocate()
            input = .allocate(capacity: size)
        }
        for listener in listeners { listener.resume() }
        rescheduleSweep()
    }

    func nextRequest() -> RequestID {
        sequence &+= 1
        return lastRequest
    }

    /// The id that was given out last.
    var lastRequest: RequestID { RequestID(loop: loop.index, sequence: sequence) }

    /// Whether the connection accepts a Host. The last Host that all connections accept is compared first, bytewise.
    @inline(__always)
    func accepts(host: UnsafeBufferPointer<UInt8>, on connection: Connection) -> Bool {
        let count = acceptedCount
        let isKnown =
            if count > 0, count == host.count, let left = acceptedHost.baseAddress, let right = host.baseAddress {
                memcmp(left, right, count) == 0
            } else {
                false
            }
        return isKnown || acceptsOther(host: host, on: connection)
    }

    func forgetHost() { acceptedCount = 0 }

    @inline(never)
    private func acceptsOther(host: UnsafeBufferPointer<UInt8>, on connection: Connection) -> Bool {
        if let channel = connection.secure?.host ?? connection.inside { return channel.accepts(host) }
        // A name protects against browsers only, and an API on a Unix socket has no name of its own: clients write any,
        // or an empty one (RFC 9112 §3.2).
        if connection.isUnix { return HostPolicy.isWellFormed(host) }
        if connection.isKnownLocal(host) { return true }
        guard settings.hosts.allows(host) else { return HostPolicy.isLocal(host, connection.localHost) }
        acceptedCount = host.count <= Self.longestHost ? host.count : 0
        for (place, byte) in host.prefix(acceptedCount).enumerated() { acceptedHost[place] = byte }
        return true
    }

    // MARK: Listeners

    func listen(_ spec: ListenerSpec, descriptor: Int32) {
        let listener = Listener(spec: spec, descriptor: descriptor, worker: self)
        listeners.append(listener)
        listener.open()
    }

    func stopAccepting() {
        for listener in listeners { listener.close() }
        listeners = []
    }

    func resumeAccepting() {
        for listener in listeners { listener.resume() }
    }

    // MARK: Connections

    /// Takes over a connected descriptor.
    func adopt(_ descriptor: Int32, from spec: ListenerSpec, isProbe: Bool) {
        let connection = Connection(descriptor: descriptor, listener: spec, isProbe: isProbe, worker: self)
        do {
            try connection.open()
        } catch {
            shared.log.warning("cannot watch a connection", ["cause": "\(error)"])
            Syscall.close(descriptor)
            if !isProbe { giveBack() }
            return
        }
        connection.place = connections.count
        connections.append(connection)
        scheduleSweep()
        connection.begin()
    }

    /// Removes a connection that has closed its descriptor.
    func closed(_ connection: Connection) {
        countSent()
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.place] = last
            last.place = connection.place
        }
        if !connection.isProbe { giveBack() }
        if connections.isEmpty { finishDrain() }
    }

    private func countSent() {
        guard sent > 0 else { return }
        shared.cells.sentBytes.add(sent)
        sent = 0
    }

    private func giveBack() {
        if shared.limit.give() { shared.announceRoom.get()() }
    }

    var connectionCount: Int { connections.count }

    /// Closes this loop's part of the excess connections, to make room for other clients.
    func shed() {
        shared.isCrowdAnnounced.store(false, ordering: .relaxed)
        let somebodyWaits = shared.limit.hasStopped && listeners.contains { $0.hasQueue }
        let excess = shared.limit.excess(somebodyWaits: somebodyWaits)
        guard excess > 0 else { return }
        let part = ConnectionShares.part(of: excess, own: connections.count, open: shared.limit.count)
        let chosen = Shedding.choose(
            part, of: connections.map(\.use), somebodyWaits: somebodyWaits, at: loop.monotonic)
        // Collected first, because closing a connection moves the last one into its place. The limit is checked again
        // because another loop may have closed enough meanwhile.
        for connection in chosen.map({ connections[$0] }) {
            guard shared.limit.excess(somebodyWaits: somebodyWaits) > 0 else { return }
            shared.cells.shed.add()
            connection.leave()
        }
    }

    // MARK: Time limits

    /// Schedules the next check of time limits. One sweep replaces a timer per connection.
    private func scheduleSweep() {
        guard sweep == nil else { return }
        let limits = settings.limits
        let shortest = min(
            limits.headTimeout, limits.bodyTimeout, limits.idleTimeout, limits.writeTimeout, limits.lingerTimeout)
        let pause = min(max(shortest / 4, .milliseconds(20)), .seconds(1))
        sweep = loop.schedule(at: loop.monotonic + pause) { [weak self] in self?.lookOver() }
    }

    private func rescheduleSweep() {
        if let sweep { loop.cancel(sweep) }
        sweep = nil
        if !connections.isEmpty { scheduleSweep() }
    }

    private func lookOver() {
        sweep = nil
        countSent()
        let now = loop.monotonic
        // Ending a connection moves the last one into its place, so go backwards.
        var index = connections.count
        while index > 0 {
            index -= 1
            if index < connections.count { connections[index].expire(at: now) }
        }
        // Connections that were within their grace period may be past it now.
        shed()
        if !connections.isEmpty { scheduleSweep() }
    }

    // MARK: Ending

    /// Ends idle connections now, and the others with their responses.
    func beginDrain() {
        // Ending a connection moves the last one into its place, so go backwards.
        for connection in connections.reversed() { connection.drain() }
    }

    /// How long the last responses at the end of a drain may take to be written and read.
    private static let lastWords = Duration.seconds(1)

    /// Resumes when no connection is left. At the deadline, unanswered clients get an error and all others are cut.
    func drain(until deadline: MonotonicTime, _ continuation: TaskContinuation<Void, Never>) {
        guard drained == nil, !connections.isEmpty else { return continuation.resume() }
        drained = continuation
        drainDeadline = loop.schedule(at: deadline) { [weak self] in self?.cutAll() }
    }

    /// Ends the connections that are left at the end of a drain.
    func cutAll() {
        if let drainDeadline { loop.cancel(drainDeadline) }
        drainDeadline = nil
        for connection in connections.reversed() { connection.dismiss() }
        guard !connections.isEmpty else { return finishDrain() }
        drainDeadline = loop.schedule(at: loop.monotonic + Self.lastWords) { [weak self] in
            guard let self else { return }
            for connection in connections.reversed() { connection.leave() }
            finishDrain()
        }
    }

    private func finishDrain() {
        guard let waiting = drained else { return }
        drained = nil
        if let drainDeadline { loop.cancel(drainDeadline) }
        drainDeadline = nil
        waiting.resume()
    }
}
