// One client connection: it performs what its `ConnectionMachine` says. Everything happens in `run`, which is never
// nested: events, answers and time-outs change state and then call it.
//
// The descriptor is watched for edges only, and once: a request on a kept connection costs one read and one write.
// Reading comes first and writing is tried at once; only what the socket does not take waits for the next edge.
import LarderCore
import LarderHTTP
import LarderIO

/// Confined to its worker's loop.
final class Connection: EventHandler {
    let worker: Worker
    let descriptor: Int32
    let listener: ListenerSpec
    let isProbe: Bool
    /// Its index in the worker's list.
    var place = 0

    var machine = ConnectionMachine()
    var pending = PendingWrites()
    /// The request that is with its handler, or whose body is coming.
    var inHand: RequestInHand?
    /// Bytes that were read and belong to no request yet.
    private var stash: Bytes = []
    /// Of the stash, so many bytes are known not to end a head.
    private var searched = 0
    /// The stash may hold a whole request: it was put aside because another was in hand.
    private var hasUnparsed = false
    /// The socket may hold more than was read.
    private var hasInput = false
    private var clientEnded = false
    private var isLingering = false
    private var mustLinger = false
    private var discarded = 0
    private var isPutOff = false
    /// When bytes last went either way.
    private var active: MonotonicTime
    /// When the head in hand began, or the lingering.
    private var waitBegan: MonotonicTime
    private var registration: Registration?
    private var knownPeer: Peer?
    private var knownBox: LoopBound<Connection?>?

    init(descriptor: Int32, listener: ListenerSpec, isProbe: Bool, worker: Worker) {
        self.descriptor = descriptor
        self.listener = listener
        self.isProbe = isProbe
        self.worker = worker
        active = worker.loop.monotonic
        waitBegan = active
    }

    var stashCount: Int { stash.count }

    /// Who is at the other end; asked of the kernel when first needed.
    var peer: Peer {
        if let knownPeer { return knownPeer }
        let peer: Peer =
            if isProbe {
                .probe
            } else if case .unix = listener.address {
                Socket.peerCredentials(descriptor).map { .unix(uid: $0.uid, pid: $0.pid) } ?? .tcp(nil)
            } else {
                .tcp(Socket.peerAddress(descriptor))
            }
        knownPeer = peer
        return peer
    }

    /// A way to this connection for a task; empty once the connection has closed.
    var box: LoopBound<Connection?> {
        if let knownBox { return knownBox }
        let box = LoopBound<Connection?>(nil, on: worker.loop)
        box.value = self
        knownBox = box
        return box
    }

    func open() throws(SystemError) {
        registration = try worker.loop.register(
            descriptor, [.readable, .writable, .peerEnd, .edge], handler: self)
    }

    /// The first read, without waiting to be told.
    func begin() {
        hasInput = true
        run()
    }

    func ready(_ events: ReadyEvents) {
        if !events.isDisjoint(with: [.error, .hangup]) {
            // Nothing can be written any more, so nothing that still arrives matters.
            return leave()
        }
        if events.contains(.readable) { hasInput = true }
        if events.contains(.peerEnded) { (hasInput, clientEnded) = (true, true) }
        run()
    }

    // MARK: The one driver

    /// Does whatever can be done now.
    func run() {
        var budget = worker.settings.limits.maxInput
        while machine.phase != .closed {
            if !pending.isEmpty {
                guard flush() else { return }
            }
            if machine.phase == .closing, !isLingering {
                guard beginLingering() else { return }
            }
            if machine.phase == .answering {
                // Whoever ended its side before the answer began has left (decision 20).
                if clientEnded { leave() }
                return
            }
            if budget <= 0 { return putOff() }
            if hasUnparsed {
                hasUnparsed = false
                budget -= 64 * 1024
                process(takeStash())
            } else if hasInput, machine.reads {
                budget -= read()
            } else {
                return
            }
        }
    }

    private func putOff() {
        guard !isPutOff else { return }
        isPutOff = true
        worker.loop.soon { [self] in
            isPutOff = false
            run()
        }
    }

    /// Writes what waits. Whether all of it went and the connection is still there.
    private func flush() -> Bool {
        // A fast reader of a large body must not hold the loop.
        var budget = 4 << 20
        while !pending.isEmpty {
            if budget <= 0 {
                putOff()
                return false
            }
            switch pending.withNext({ Syscall.send(descriptor, pieces: $0) }) {
            case .bytes(let count):
                pending.wrote(count)
                active = worker.loop.monotonic
                budget -= count
            case .wouldBlock: return false
            case .end, .failed:
                leave()
                return false
            }
        }
        return true
    }

    /// Moves the stash to the front of the worker's input; its length.
    private func takeStash() -> Int {
        let count = stash.count
        guard count > 0 else { return 0 }
        stash.withUnsafeBytes { kept in
            UnsafeMutableRawBufferPointer(worker.input).copyMemory(from: kept)
        }
        return count
    }

    /// Reads once and makes what it can of it; the bytes read.
    private func read() -> Int {
        let kept = takeStash()
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(worker.input)[kept...])
        switch Syscall.receive(descriptor, into: room) {
        case .bytes(let count):
            // A short read empties the socket (epoll(7)); only the end may still be behind it.
            if count < room.count, !clientEnded { hasInput = false }
            active = worker.loop.monotonic
            process(kept + count)
            return count
        case .wouldBlock: hasInput = false
        case .end: inputEnded()
        case .failed: leave()
        }
        return 0
    }

    private func inputEnded() {
        hasInput = false
        switch machine.inputEnded(writing: !pending.isEmpty) {
        case .close, .cancel: leave()
        case .finish: break
        }
    }

    // MARK: Input

    /// Takes the first bytes of the worker's input: they hold the stash and what was read.
    private func process(_ total: Int) {
        let buffer = UnsafeBufferPointer(start: worker.input.baseAddress, count: total)
        if machine.phase == .head, searched > 0, total < worker.settings.limits.head.head,
            !HeadEnd.isPresent(in: buffer, from: searched)
        {
            // One byte at a time must not cost a parse each.
            return keep(buffer, searched: total)
        }
        let (used, isPartial) = consume(buffer)
        // What was put together for a connection that failed meanwhile must not reach the next one.
        guard machine.phase != .closed else { return worker.output.clear() }
        settleOutput()
        if used < total {
            let rest = UnsafeBufferPointer(rebasing: buffer[used...])
            hasUnparsed = !isPartial
            keep(rest, searched: isPartial ? rest.count : 0)
        } else if !stash.isEmpty {
            stash = []
            searched = 0
        }
    }

    private func keep(_ bytes: UnsafeBufferPointer<UInt8>, searched: Int) {
        stash = Bytes(bytes)
        self.searched = searched
    }

    /// Hits answered from one piece of input before the loop looks at what else there is.
    private static let hitsAtOnce = 256

    /// Parses and answers, or hands on, request after request.
    /// - Returns: the bytes used, and whether the rest is part of a head, which needs more of it.
    private func consume(_ buffer: UnsafeBufferPointer<UInt8>) -> (used: Int, isPartial: Bool) {
        var used = 0
        var hits = 0
        var head = RequestHead()
        defer { if hits > 0 { worker.hits.add(hits) } }
        while used < buffer.count, pending.isEmpty, hits < Self.hitsAtOnce {
            let rest = UnsafeBufferPointer(rebasing: buffer[used...])
            switch machine.phase {
            case .idle, .head:
                switch worker.parser.parse(rest, into: &head) {
                case .complete:
                    used += head.byteCount
                    if answerFromMemory(head, rest) { hits += 1 } else { hand(head, rest) }
                case .incomplete:
                    if machine.phase == .idle { waitBegan = worker.loop.monotonic }
                    machine.headBegan()
                    return (used, true)
                case .fault(let fault):
                    refuse(fault)
                    return (buffer.count, false)
                }
            case .body: used += takeBody(rest)
            case .closing:
                discarded += rest.count
                // Whoever keeps sending into a closing connection is not waiting for its answer.
                if discarded > 4 << 20 { leave() }
                return (buffer.count, false)
            case .answering, .closed: return (used, false)
            }
        }
        return (used, false)
    }

    // MARK: Ending

    /// The last answer is written. Whether there is still something to do here.
    private func beginLingering() -> Bool {
        if !mustLinger, !hasInput || clientEnded, stash.isEmpty {
            leave()
            return false
        }
        // Closing with unread input resets the connection, and the client may never see the answer: end our side, and
        // read on until it ends its own (RFC 9112 §9.6).
        isLingering = true
        waitBegan = worker.loop.monotonic
        stash = []
        hasUnparsed = false
        Syscall.shutdownWrite(descriptor)
        return true
    }

    /// Sends an error about the request's own bytes; the connection ends with it.
    func refuse(_ fault: RequestFault) {
        worker.shared.cells.refused(fault)
        refuse(ClientFacingError(fault))
    }

    func refuse(_ error: ClientFacingError) {
        settleOutput()
        guard machine.phase != .closed else { return }
        machine.refused()
        mustLinger = true
        inHand = nil
        let id = worker.nextRequest()
        let response = ProblemEncoder.response(for: error, requestID: id)
        write(response, id: id, toHead: false, version10: false, closing: true)
        if worker.settings.accessLog != .off, !isProbe {
            worker.shared.access.info(
                "refused",
                [
                    "id": id.description, "status": String(error.status), "code": error.code,
                    "listener": listener.address.description,
                ])
        }
    }

    /// Ends the connection now, whatever is in hand.
    func leave() {
        guard machine.phase != .closed else { return }
        if let task = inHand?.task {
            worker.shared.cells.left.add()
            task.cancel()
        }
        inHand = nil
        machine.closed()
        worker.output.clear()
        pending.removeAll()
        stash = []
        knownBox?.value = nil
        knownBox = nil
        if let registration { worker.loop.deregister(registration) }
        registration = nil
        Syscall.close(descriptor)
        worker.closed(self)
    }

    /// Ends the connection with the answer in hand, or now.
    func drain() {
        if machine.drain(writing: !pending.isEmpty) { leave() }
    }

    /// Ends what has waited too long.
    func expire(at now: MonotonicTime) {
        let limits = worker.settings.limits
        if !pending.isEmpty {
            guard now - active >= limits.writeTimeout else { return }
            worker.shared.cells.writeTimeouts.add()
            return leave()
        }
        let wait = machine.wait
        let (since, limit): (MonotonicTime, Duration) =
            switch wait {
            case .nextRequest: (active, limits.idleTimeout)
            case .head: (waitBegan, limits.headTimeout)
            case .body: (active, limits.headTimeout)
            case .clientEnd: (waitBegan, limits.lingerTimeout)
            case .handler: (now, .seconds(1))
            }
        guard now - since >= limit else { return }
        worker.shared.cells.timedOut(wait)
        switch wait {
        case .head: refuse(.headTimedOut)
        case .body: refuse(.bodyTimedOut)
        case .nextRequest, .clientEnd, .handler: return leave()
        }
        run()
    }
}
