// One direction of a tunnel. It reads when it has written what it read before, so a slow reader slows the sender and no
// more than one buffer waits in memory. The end of the input is passed on, and the other direction goes on, as TCP
// permits. What lies behind the content of a forwarded request is discarded: it was meant for the proxy.
import LarderCore
import LarderHTTP
import LarderIO

/// A side of a tunnel.
protocol TunnelSide: AnyObject {
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer
    /// Ends the output. The input goes on.
    func endSending()
    /// Whether it may give bytes, or their end, without an event of its socket.
    var hasInput: Bool { get }
    /// Bytes that `send` took and that wait for the socket. `flush` sends them, as far as the socket takes them.
    var waiting: Int { get }
    @discardableResult
    func flush() -> Transfer
}

extension TunnelSide {
    var hasInput: Bool { false }
    var waiting: Int { 0 }
    func flush() -> Transfer { .bytes(0) }
}

struct TunnelFlow {
    /// What a step came to.
    enum Step: Sendable, Hashable {
        /// Nothing can be moved until a descriptor is ready.
        case waits
        /// The budget is used up, and there may be more.
        case hasMore
        /// The source was reset. Nothing more comes.
        case sourceBroke
        /// The sink was reset. Nothing more can be sent there.
        case sinkBroke
    }

    /// What the flow carries.
    enum Load {
        case everything
        /// So many bytes.
        case bytes(Int)
        /// A message's content in chunks (RFC 9112 §7.1).
        case chunks(ChunkedDecoder)

        init(_ framing: BodyFraming) {
            switch framing {
            case .none: self = .bytes(0)
            case .length(let length): self = .bytes(length)
            case .chunked: self = .chunks(ChunkedDecoder())
            }
        }

        /// How many of the next bytes belong to it, from the first on.
        mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
            switch self {
            case .everything: return bytes.count
            case .bytes(let left):
                let count = min(left, bytes.count)
                self = .bytes(left - count)
                return count
            case .chunks(var decoder):
                var content = Bytes()
                let (count, progress) = decoder.decode(
                    bytes.bindMemory(to: UInt8.self), into: &content, limit: .max)
                // A malformed chunk is the host's to refuse. Nothing follows it.
                if case .more = progress { self = .chunks(decoder) } else { self = .bytes(0) }
                return count
            }
        }
    }

    /// Whether the source may hold unread bytes, and whether its end lies behind them.
    private(set) var input: SocketInput
    private var load: Load
    /// Bytes that were read and not yet written, and how many of them are written.
    private var rest: Bytes
    private var offset = 0
    private var hasEnded = false
    /// What the sink gets if the source ends without a byte.
    private let otherwise: Bytes
    /// Whether the end was passed on, or nothing can be sent any more.
    private(set) var isDone = false
    /// Whether what comes is discarded, because the sink is gone.
    private(set) var isDiscarding = false
    /// Bytes moved to the sink.
    private(set) var moved = 0

    /// - Parameters:
    ///   - first: bytes that go to the sink before those of the source.
    ///   - input: what is known of the source.
    ///   - otherwise: what the sink gets if the source ends without a byte.
    init(
        first: Bytes = Bytes(), input: SocketInput = .some, carrying load: Load = .everything,
        otherwise: Bytes = Bytes()
    ) {
        self.otherwise = otherwise
        rest = first
        self.input = input
        self.load = load
    }

    /// Takes bytes that the source sent before the flow was there.
    mutating func take(_ early: Bytes) {
        rest += early.withUnsafeBytes { Bytes($0[..<load.take($0)]) }
    }

    /// Notes an event of the source's descriptor.
    mutating func note(_ events: ReadyEvents) {
        if !events.isDisjoint(with: [.peerEnded, .error, .hangup]) {
            input = .last
        } else if events.contains(.readable), input == .none {
            input = .some
        }
    }

    /// Sends nothing more: the sink is gone. What comes is read and discarded, so that the source sees the other
    /// direction's last bytes (RFC 9112 §9.6).
    mutating func giveUp() {
        (rest, offset) = (Bytes(), 0)
        (isDiscarding, isDone) = (true, true)
    }

    /// Whether the source has ended.
    var isOver: Bool { hasEnded && isDone }

    /// Moves bytes until the source has none, the sink takes none, or the budget is used up.
    mutating func move(
        from source: any TunnelSide, to sink: any TunnelSide, through buffer: UnsafeMutableRawBufferPointer,
        budget: Int
    ) -> Step {
        var left = budget
        while left > 0 {
            if offset < rest.count {
                let (rest, offset) = (rest, offset)
                switch rest.withUnsafeBytes({ sink.send(UnsafeRawBufferPointer(rebasing: $0[offset...])) }) {
                case .bytes(let count): took(count)
                case .wouldBlock: return .waits
                case .end, .failed: return .sinkBroke
                }
                continue
            }
            if hasEnded {
                if !isDone { sink.endSending() }
                isDone = true
                return .waits
            }
            guard input != .none else { return .waits }
            switch source.receive(into: buffer) {
            case .bytes(let count):
                left -= count
                // A short read means that the socket is empty (epoll(7)). Only the end of the stream can still follow.
                if count < buffer.count, input == .some, !source.hasInput { input = .none }
                guard pass(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: sink) else { return .sinkBroke }
            case .wouldBlock:
                // It reads on when the peer has taken what waits for it.
                if source.hasInput { return .waits }
                input = .none
            case .failed where otherwise.isEmpty || moved > 0: return .sourceBroke
            case .end, .failed:
                hasEnded = true
                if moved == 0 { rest = otherwise }
            }
        }
        return .hasMore
    }

    /// Writes bytes just read, and keeps what the sink does not take.
    private mutating func pass(_ bytes: UnsafeRawBufferPointer, to sink: any TunnelSide) -> Bool {
        if isDiscarding { return true }
        let own = UnsafeRawBufferPointer(rebasing: bytes[..<load.take(bytes)])
        guard !own.isEmpty else { return true }
        switch sink.send(own) {
        case .bytes(let count):
            moved += count
            if count < own.count { rest = Bytes(UnsafeRawBufferPointer(rebasing: own[count...])) }
        case .wouldBlock: rest = Bytes(own)
        case .end, .failed: return false
        }
        return true
    }

    private mutating func took(_ count: Int) {
        moved += count
        offset += count
        guard offset == rest.count else { return }
        (rest, offset) = (Bytes(), 0)
    }
}
