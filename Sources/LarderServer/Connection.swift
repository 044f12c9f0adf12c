// One client connection. It performs what its `ConnectionMachine` decides. All work happens in `run`, which is never
// nested: events, responses and time-outs change state and then call `run`.
//
// The descriptor is registered once, with edge-triggered events, so a request on a kept-alive connection costs one read
// and one write. The connection reads first and writes at once; only what the socket refuses waits for an edge.
import LarderCore
import LarderHTTP
import LarderIO

/// Whether the socket may hold bytes that the connection has not read.
enum SocketInput: Sendable, Hashable {
    case none
    case some
    /// The client has ended its side. The unread bytes, if any, are its last.
    case last
}

/// Bytes that were read and do not belong to a request yet.
struct StashedInput {
    /// Empty if nothing is stashed.
    let bytes: Bytes
    /// True if the bytes end inside a head. False if they were not parsed because a request was in hand.
    let isPartOfHead: Bool

    static var none: StashedInput { StashedInput(bytes: Bytes(), isPartOfHead: false) }
    static func partOfHead(_ bytes: Bytes) -> StashedInput { StashedInput(bytes: bytes, isPartOfHead: true) }
    static func unparsed(_ bytes: Bytes) -> StashedInput { StashedInput(bytes: bytes, isPartOfHead: false) }

    var count: Int { bytes.count }
    var isEmpty: Bool { bytes.isEmpty }
    var isUnparsed: Bool { !isPartOfHead && !bytes.isEmpty }
}

/// A client connection. Confined to its worker's loop.
final class Connection: EventHandler {
    let worker: Worker
    let descriptor: Int32
    /// The listener; with TLS, what stands for it in the keys of ready responses is that of the asked host.
    private(set) var listener: ListenerSpec
    let isProbe: Bool
    /// The index in the worker's list of connections.
    var place = 0

    var machine = ConnectionMachine()
    var pending = PendingWrites()
    /// The request whose body is arriving, or that its handler is processing.
    var inHand: RequestInHand?
    /// The body of the request in hand, if the handler reads it while it arrives.
    var upload: UploadInHand?
    /// The response whose body is being sent.
    var stream: StreamedAnswer?
    /// TLS with the client, if it ends here.
    var secure: SecureChannel? { didSet { isSecure = secure != nil } }
    /// The same for the way of a hit, where a look at the object would count references.
    private(set) var isSecure = false
    /// The host of a CONNECT whose requests come in plain, and are read here.
    var inside: ChannelHost?
    /// The tunnel that the connection is one side of.
    var tunnel: Tunnel?
    var stash = StashedInput.none
    var input = SocketInput.none
    /// Bytes discarded while the connection closes. A client that sends more than 4 MiB is cut off.
    private var discarded = 0
    /// Whether `run` is scheduled for the next turn of the loop.
    private var isPutOff = false
    /// Whether a body in a file is being read into memory by another thread.
    private var isLoading = false
    /// When bytes last moved in either direction.
    var active: MonotonicTime
    /// When the incomplete head began to arrive, or when lingering began.
    var waitBegan: MonotonicTime
    var registration: Registration?
    private var knownPeer: Peer?
    private var knownLocal: Bytes?
    /// How fast the client takes the bytes that wait to be written.
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

    /// Makes what is ready for a host answer the requests inside a channel; nil lets each request ask the rules.
    func answer(for origin: ProxiedOrigin?) {
        listener.number = origin?.number ?? .max
        listener.scope = origin?.scope ?? ReadyScope.of("proxy listener")
    }

    /// Whether the client came by a Unix socket, which no browser reaches.
    var isUnix: Bool { if case .unix = listener.address { true } else { false } }

    /// The client at the other end. The kernel is asked at the first use only.
    var peer: Peer {
        if let knownPeer { return knownPeer }
        let peer: Peer =
            if isProbe {
                .probe
            } else if isUnix {
                Socket.peerCredentials(descriptor).map { .unix(uid: $0.uid, pid: $0.pid) } ?? .tcp(nil)
            } else {
                .tcp(Socket.peerAddress(descriptor))
            }
        knownPeer = peer
        return peer
    }

    /// The address that the client connected to, as a Host literal. The kernel is asked once. Empty for a Unix socket.
    var localHost: Bytes {
        if let knownLocal { return knownLocal }
        let local = isProbe ? [] : HostPolicy.literal(of: Socket.localAddress(descriptor))
        knownLocal = local
        return local
    }

    /// Whether the host is the local address. False if `localHost` has not been read yet.
    func isKnownLocal(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        knownLocal.map { HostPolicy.isLocal(host, $0) } ?? false
    }

    /// What the connection uses its place for. Shedding chooses the connections to close by it.
    var use: ConnectionUse {
        guard !hasOutput, !isProbe else { return .busy }
        return switch machine.phase {
        case .idle: input == .none ? .idle(since: active) : .busy
        case .head: .incomplete(since: waitBegan)
        case .body: .incomplete(since: active)
        case .answering, .streaming, .tunnel, .closing, .closingUnread, .lingering, .closed: .busy
        }
    }

    /// A reference to this connection for tasks. Its value is nil once the connection has closed.
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

    /// Starts the first read at once, without waiting for an event.
    func begin() {
        input = .some
        run()
    }

    func ready(_ events: ReadyEvents) {
        if machine.phase == .tunnel, let tunnel { return tunnel.clientReady(events) }
        if !events.isDisjoint(with: [.error, .hangup]) {
            // A reset, or a Unix socket that the client has closed. Nothing can be written any more, so unread input
            // does not matter.
            if isSecure { noteLostHandshake() }
            return leave()
        }
        if events.contains(.peerEnded) {
            noteInputEnd()
        } else if events.contains(.readable), input == .none {
            input = .some
        }
        run()
    }

    // MARK: The one driver

    /// Does all work that can be done now.
    func run() {
        var budget = worker.settings.limits.maxInput
        var hasRead = false
        while machine.phase != .closed {
            if hasOutput {
                let isWritten = flush()
                tellRoom()
                // The upload continues while the response waits. Otherwise a client that reads nothing before it has
                // sent everything would never be served.
                guard isWritten || takesUpload else { return }
            }
            if machine.isClosing {
                guard beginLingering() else { return }
            }
            guard machine.reads || takesUpload else { return }
            if budget <= 0 { return putOff() }
            if stash.isUnparsed {
                budget -= 64 * 1024
                process(takeStash())
            } else if mayReceive {
                // This input may have arrived long after the turn of the loop began.
                if hasRead { worker.loop.readClock() }
                hasRead = true
                budget -= isSecure ? readSecure() : read()
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

    /// Writes the pending bytes. Returns true if all were written and the connection is still open.
    private func flush() -> Bool {
        // The budget keeps a fast reader of a large body from occupying the loop.
        var budget = 4 << 20
        while hasOutput {
            if budget <= 0 {
                putOff()
                return false
            }
            guard let sent = sendNext() else { return false }
            switch sent {
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

    /// Writes the next pending bytes. Nil if they must be read from the disk first.
    private func sendNext() -> Transfer? {
        if isSecure, let secure { return sendSecure(secure) }
        guard let (file, rest) = pending.nextInFile else {
            return pending.withNext { Syscall.send(descriptor, pieces: $0) }
        }
        guard let next = inMemory(file, rest.prefix(Self.sentFromFile)) else { return nil }
        return Syscall.sendFile(descriptor, file.descriptor, from: next.lowerBound, count: next.count)
    }

    /// The stretch if it is in memory. If not, it is read from the disk, and the connection continues then.
    func inMemory(_ file: any FileBody, _ stretch: Range<Int>) -> Range<Int>? {
        if isLoading { return nil }
        if file.isInMemory(stretch) { return stretch }
        isLoading = true
        file.load { [loop = worker.loop, box] isWhole in loop.post { box.value?.loaded(isWhole) } }
        return nil
    }

    /// The most bytes of a file that are sent after one look whether they are in memory.
    private static let sentFromFile = 128 << 10

    private func loaded(_ isWhole: Bool) {
        isLoading = false
        if isWhole { return run() }
        // The client must see that its copy is incomplete (RFC 9112 §8).
        worker.shared.log.info("a body was cut", ["why": "Its file is not as it was written."])
        leave()
    }

    /// Copies the stash to the front of the worker's input buffer and returns its length in bytes.
    func takeStash() -> Int {
        if stash.isEmpty { return 0 }
        stash.bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(worker.input).copyMemory(from: $0) }
        return stash.count
    }

    /// Reads once and processes the input. Returns the number of bytes read.
    func read() -> Int {
        let kept = takeStash()
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(worker.input)[kept...])
        switch Syscall.receive(descriptor, into: room) {
        case .bytes(let count):
            // A short read means the socket is empty (epoll(7)). Only the end of the stream can still follow.
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

    func inputEnded() {
        noteInputEnd()
        let fault = RequestFault.incompleteBody
        // The response is there already. It does not depend on the rest of the body.
        if upload?.isTakenAnyway == true { failUpload(fault.detail) }
        let end = machine.inputEnded(writing: hasOutput)
        failUpload(fault.detail)
        switch end {
        case .close: leave()
        case .refuse:
            inHand?.cancel?()
            refuse(fault)
        case .finish: break
        }
    }

    /// Notes that the client has ended its input, and tells the work for its request how long it may stay queued.
    func noteInputEnd() {
        input = .last
        inHand?.request.halfClose?.began(until: worker.loop.monotonic + worker.settings.limits.halfClose)
    }

    // MARK: Input

    /// Processes the first `total` bytes of the worker's input buffer: the stash, followed by the bytes just read.
    func process(_ total: Int) {
        // Inside a channel only its own host counts.
        if isSecure || inside != nil { worker.forgetHost() }
        let buffer = UnsafeBufferPointer(start: worker.input.baseAddress, count: total)
        if stash.isPartOfHead, total < worker.settings.limits.head.head,
            !HeadEnd.isPresent(in: buffer, from: stash.count)
        {
            // Skip the parse: a head that arrives one byte at a time must not cost one parse per byte.
            stash = .partOfHead(Bytes(buffer))
            return
        }
        let (used, isPartial) = consume(buffer)
        // If the connection failed meanwhile, its output must not be sent on the next connection.
        guard machine.phase != .closed else { return worker.output.clear() }
        settleOutput()
        if used < total {
            let rest = Bytes(UnsafeBufferPointer(rebasing: buffer[used...]))
            stash = isPartial ? .partOfHead(rest) : .unparsed(rest)
        } else if !stash.isEmpty {
            stash = .none
        }
    }

    /// The number of hits answered from one input buffer before the loop looks at its other work.
    private static let hitsAtOnce = 256

    /// Parses requests one after another, and answers each from memory or passes it to its handler.
    /// - Returns: the bytes used, and whether the rest is part of a head that needs more input.
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
                    if answerFromMemory(head, rest) || answerProxied(head, rest) {
                        hits += 1
                    } else {
                        hand(head, rest)
                    }
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
                // A client that keeps sending into a closing connection does not wait for its response.
                if discarded > 4 << 20 { leave() }
                return (buffer.count, false)
            case .answering, .streaming:
                guard takesUpload else { return (used, false) }
                used += takeUpload(rest)
            case .tunnel, .closed: return (used, false)
            }
        }
        return (used, false)
    }
}
