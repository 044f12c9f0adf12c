// One client connection: it performs what its `ConnectionMachine` says. Everything happens in `run`, which is never
// nested: events, answers and time-outs change state and then call it.
//
// The descriptor is watched for edges only, and once: a request on a kept connection costs one read and one write.
// Reading comes first and writing is tried at once; only what the socket does not take waits for the next edge.
import LarderCore
import LarderHTTP
import LarderIO

/// What the socket may hold that was not read.
enum SocketInput: Sendable, Hashable {
    case none
    case some
    /// All until the client's end: it has ended its side.
    case last
}

/// Bytes that were read and belong to no request yet.
struct StashedInput {
    /// Empty where there are none.
    let bytes: Bytes
    /// They do not end a head: more must come. Others may hold a whole request, and were put aside because another was in hand.
    let isPartOfHead: Bool

    static var none: StashedInput { StashedInput(bytes: Bytes(), isPartOfHead: false) }
    static func partOfHead(_ bytes: Bytes) -> StashedInput { StashedInput(bytes: bytes, isPartOfHead: true) }
    static func unparsed(_ bytes: Bytes) -> StashedInput { StashedInput(bytes: bytes, isPartOfHead: false) }

    var count: Int { bytes.count }
    var isEmpty: Bool { bytes.isEmpty }
    var isUnparsed: Bool { !isPartOfHead && !bytes.isEmpty }
}

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
    /// The body of that request, where the handler reads it as it comes.
    var upload: UploadInHand?
    /// The answer whose body is on its way.
    var stream: StreamedAnswer?
    var stash = StashedInput.none
    var input = SocketInput.none
    /// Bytes that were thrown away since the last answer.
    private var discarded = 0
    /// `run` has its next turn of the loop.
    private var isPutOff = false
    /// When bytes last went either way.
    var active: MonotonicTime
    /// When the head in hand began, or the lingering.
    var waitBegan: MonotonicTime
    var registration: Registration?
    private var knownPeer: Peer?
    private var knownLocal: Bytes?
    /// How fast the client takes what waits to be written.
    var outgoing = TransferPace()
    var knownBox: LoopBound<Connection?>?

    init(descriptor: Int32, listener: ListenerSpec, isProbe: Bool, worker: Worker) {
        self.descriptor = descriptor
        self.listener = listener
        self.isProbe = isProbe
        self.worker = worker
        active = worker.loop.monotonic
        waitBegan = active
    }

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

    /// The address that the client connected to, as it stands in Host; asked of the kernel once. Empty for a Unix socket.
    var localHost: Bytes {
        if let knownLocal { return knownLocal }
        let local = isProbe ? [] : HostPolicy.literal(of: Socket.localAddress(descriptor))
        knownLocal = local
        return local
    }

    /// Whether the host is that address, where it was asked for before.
    func isKnownLocal(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        knownLocal.map { HostPolicy.isLocal(host, $0) } ?? false
    }

    /// Whether another client may have the place.
    var use: ConnectionUse {
        guard pending.isEmpty, !isProbe else { return .busy }
        return switch machine.phase {
        case .idle: input == .none ? .idle(since: active) : .busy
        case .head: .incomplete(since: waitBegan)
        case .body: .incomplete(since: active)
        case .answering, .streaming, .closing, .closingUnread, .lingering, .closed: .busy
        }
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
        input = .some
        run()
    }

    func ready(_ events: ReadyEvents) {
        if !events.isDisjoint(with: [.error, .hangup]) {
            // Nothing can be written any more, so nothing that still arrives matters.
            return leave()
        }
        if events.contains(.peerEnded) {
            input = .last
        } else if events.contains(.readable), input == .none {
            input = .some
        }
        run()
    }

    // MARK: The one driver

    /// Does whatever can be done now.
    func run() {
        var budget = worker.settings.limits.maxInput
        var hasRead = false
        while machine.phase != .closed {
            if !pending.isEmpty {
                let isWritten = flush()
                tellRoom()
                // Both directions go on by themselves: a client that reads nothing before all is sent must not stand
                // still for ever.
                guard isWritten || takesUpload else { return }
            }
            if machine.isClosing {
                guard beginLingering() else { return }
            }
            // Whoever ended its side before the answer began has left.
            if machine.phase == .answering, input == .last { return leave() }
            guard machine.reads || takesUpload else { return }
            if budget <= 0 { return putOff() }
            if stash.isUnparsed {
                budget -= 64 * 1024
                process(takeStash())
            } else if input != .none {
                // What comes now may have been sent long after the turn began.
                if hasRead { worker.loop.readClock() }
                hasRead = true
                budget -= read()
            } else {
                return
            }
        }
    }

    func putOff() {
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
                worker.sent &+= count
                active = worker.loop.monotonic
                outgoing.note(moved: count, at: active)
                budget -= count
            case .wouldBlock:
                outgoing.note(isWanted: true, at: worker.loop.monotonic)
                return false
            case .end, .failed:
                leave()
                return false
            }
        }
        outgoing.note(isWanted: false, at: worker.loop.monotonic)
        return true
    }

    /// Moves the stash to the front of the worker's input; its length.
    func takeStash() -> Int {
        if stash.isEmpty { return 0 }
        stash.bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(worker.input).copyMemory(from: $0) }
        return stash.count
    }

    /// Reads once and makes what it can of it; the bytes read.
    func read() -> Int {
        let kept = takeStash()
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(worker.input)[kept...])
        switch Syscall.receive(descriptor, into: room) {
        case .bytes(let count):
            // A short read empties the socket (epoll(7)); only the end may still be behind it.
            if count < room.count, input == .some { input = .none }
            active = worker.loop.monotonic
            process(kept + count)
            return count
        case .wouldBlock: input = .none
        case .end: inputEnded()
        case .failed: leave()
        }
        return 0
    }

    private func inputEnded() {
        failUpload("The client ended before its body did.")
        switch machine.inputEnded(writing: !pending.isEmpty) {
        case .close, .cancel: leave()
        case .finish: break
        }
    }

    // MARK: Input

    /// Takes the first bytes of the worker's input: they hold the stash and what was read.
    func process(_ total: Int) {
        let buffer = UnsafeBufferPointer(start: worker.input.baseAddress, count: total)
        if stash.isPartOfHead, total < worker.settings.limits.head.head,
            !HeadEnd.isPresent(in: buffer, from: stash.count)
        {
            // One byte at a time must not cost a parse each.
            stash = .partOfHead(Bytes(buffer))
            return
        }
        let (used, isPartial) = consume(buffer)
        // What was put together for a connection that failed meanwhile must not reach the next one.
        guard machine.phase != .closed else { return worker.output.clear() }
        settleOutput()
        if used < total {
            let rest = Bytes(UnsafeBufferPointer(rebasing: buffer[used...]))
            stash = isPartial ? .partOfHead(rest) : .unparsed(rest)
        } else if !stash.isEmpty {
            stash = .none
        }
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
        while used < buffer.count, pending.isEmpty || takesUpload, hits < Self.hitsAtOnce {
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
            case .closing, .closingUnread, .lingering:
                discarded += rest.count
                // Whoever keeps sending into a closing connection is not waiting for its answer.
                if discarded > 4 << 20 { leave() }
                return (buffer.count, false)
            case .answering, .streaming:
                guard takesUpload else { return (used, false) }
                used += takeUpload(rest)
            case .closed: return (used, false)
            }
        }
        return (used, false)
    }
}
