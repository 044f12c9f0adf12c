// One listening socket in one loop. Every loop watches every listening socket. The kernel wakes few loops for a
// connection (EPOLLEXCLUSIVE), and each accepts only a few at a time, which spreads a burst over the loops.
import LarderCore
import LarderIO

/// Accepts connections for one loop. Confined to that loop.
final class Listener: EventHandler {
    let spec: ListenerSpec
    let descriptor: Int32
    /// The worker. It holds this listener too, until it closes the listener.
    private let worker: Worker
    private var registration: Registration?
    private var isWaiting = false
    private var retry: TimerToken?
    private let isUnix: Bool

    private static let acceptsPerWake = 4
    /// Above this number of open connections, further ones get a small send buffer. So what the kernel holds for clients
    /// that do not read stays bounded: 256 KiB for each of these connections, 128 KiB for each further one.
    private static let fewConnections = 512

    init(spec: ListenerSpec, descriptor: Int32, worker: Worker) {
        self.spec = spec
        self.descriptor = descriptor
        self.worker = worker
        isUnix = if case .unix = spec.address { true } else { false }
    }

    /// Whether a client waits in the kernel's queue.
    var hasQueue: Bool { Syscall.isReadable(descriptor) }

    func open() {
        guard registration == nil else { return }
        do {
            registration = try worker.loop.register(descriptor, .readable, exclusive: true, handler: self)
        } catch {
            worker.shared.log.error(
                "cannot watch a listening socket", ["address": "\(spec.address)", "cause": "\(error)"])
        }
    }

    /// Stops accepting for good. The server closes the descriptor.
    func close() {
        stopWatching()
        resumeWaiting(opens: false)
    }

    func ready(_ events: ReadyEvents) {
        let shared = worker.shared
        for _ in 0..<Self.acceptsPerWake {
            guard shared.limit.take(isUnix: isUnix) else { return pause(shared.cells.connectionPauses) }
            switch Syscall.accept(descriptor) {
            case .connection(let client):
                shared.cells.accepted.add()
                if shared.limit.count > Self.fewConnections {
                    Socket.makeSendBufferSmall(client)
                    shared.cells.smallBuffers.add()
                }
                // The connection may have arrived long after the turn began, behind others that this turn served.
                worker.loop.readClock()
                worker.adopt(client, from: spec, isProbe: false)
                shared.relieve()
            case .none:
                _ = shared.limit.give()
                return
            case .lost: _ = shared.limit.give()
            case .exhausted:
                _ = shared.limit.give()
                pause(shared.cells.descriptorPauses)
                // Descriptors may become free elsewhere in the process without any notification.
                retry = worker.loop.schedule(at: worker.loop.monotonic + .seconds(1)) { [unowned self] in resume() }
                return
            }
        }
    }

    private func pause(_ cell: CounterCell) {
        guard !isWaiting else { return }
        cell.add()
        stopWatching()
        isWaiting = true
        worker.shared.limit.beginWaiting(isUnix: isUnix)
        guard cell === worker.shared.cells.connectionPauses else { return }
        // A connection that closed after this one was refused has woken nobody.
        if worker.shared.limit.hasRoom(isUnix: isUnix) { resume() } else { worker.shared.relieve() }
    }

    /// Accepts again, if accepting had stopped.
    func resume() {
        guard isWaiting else { return }
        resumeWaiting(opens: true)
    }

    private func resumeWaiting(opens: Bool) {
        if let retry { worker.loop.cancel(retry) }
        retry = nil
        if isWaiting { worker.shared.limit.endWaiting(isUnix: isUnix) }
        isWaiting = false
        if opens { open() }
    }

    private func stopWatching() {
        if let registration { worker.loop.deregister(registration) }
        registration = nil
    }
}
