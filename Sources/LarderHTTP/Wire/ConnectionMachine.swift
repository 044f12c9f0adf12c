// The life of one connection as a value. Bytes, ends and time-outs go in; decisions come out. The machine knows nothing
// of sockets, tasks or the content of responses. The connection that owns it performs the decisions.
//
// Responses leave in the order of their requests, because only one request is in hand at a time. The bytes after it
// stay unread or unparsed until its response has been handed over (RFC 9112 §9.3.2).

/// The state of one HTTP/1.x connection.
public struct ConnectionMachine: Sendable, Hashable {
    public enum Phase: Sendable, Hashable {
        /// Between requests: nothing of the next request has come.
        case idle
        /// Part of a head has come.
        case head
        /// The head is complete and the body is coming.
        case body
        /// A request is with its handler. Its response has not begun.
        case answering
        /// The head of a response is handed over, and its body follows in pieces.
        case streaming
        /// The connection is one side of a tunnel (RFC 9110 §9.3.6). It carries no messages any more.
        case tunnel
        /// The last response is handed over. The connection ends when it is written.
        case closing
        /// Like `closing`, but the client may still send input that nobody will read. The connection lingers when the
        /// response is written.
        case closingUnread
        /// The last response is written and our side has ended. Input is discarded until the client has seen the end
        /// (RFC 9112 §9.6).
        case lingering
        case closed
    }

    /// What to do with a request whose head is complete.
    public enum Begin: Sendable, Hashable {
        case answer
        /// Read the body first. If the client waits for it, send "100 Continue" before.
        case readBody(sendsContinue: Bool)
        /// Hand the request to its handler now. The body is read when the handler asks for it.
        case answerWhileReading
        case refuse(RequestFault)
    }

    /// What to do when the client sends no more.
    public enum InputEnd: Sendable, Hashable {
        /// No response is owed: close.
        case close
        /// The request in hand is incomplete: cancel it. The client may still read, so refuse it before closing (RFC
        /// 9112 §8).
        case refuse
        /// Finish the response and its writing, then close.
        case finish
    }

    /// What the connection waits for. This decides which time limit applies.
    public enum Wait: Sendable, Hashable {
        case nextRequest
        case head
        case body
        /// The server's own work, which has its own deadlines.
        case handler
        /// The client's end of the connection, after ours has ended.
        case clientEnd
    }

    public private(set) var phase = Phase.idle
    /// Whether the connection ends with the response to the request in hand.
    public private(set) var closes = false
    /// Whether part of the request body has not been read, although the request is with its handler.
    public private(set) var bodyComes = false
    public private(set) var drains = false

    public init() {}

    /// Whether the connection may read bytes from the client, to parse or discard them. The bytes of a body that comes
    /// while the request is with its handler are read only when the handler asks.
    @inlinable
    public var reads: Bool {
        switch phase {
        case .answering, .streaming, .tunnel, .closed: false
        case .idle, .head, .body, .closing, .closingUnread, .lingering: true
        }
    }

    /// Whether the last response is handed over but `written` has not been called.
    @inlinable
    public var isClosing: Bool { phase == .closing || phase == .closingUnread }

    public var wait: Wait {
        switch phase {
        case .idle: .nextRequest
        case .head: .head
        case .body: .body
        case .answering, .streaming, .tunnel: .handler
        case .closing, .closingUnread, .lingering, .closed: .clientEnd
        }
    }

    /// Part of a head has come.
    public mutating func headBegan() {
        if phase == .idle { phase = .head }
    }

    /// A request is answered at once from memory.
    /// - Returns: whether the connection ends with the response.
    @inline(__always)
    public mutating func answeredAtOnce(_ head: RequestHead) -> Bool {
        if head.persists, !drains {
            phase = .idle
            return false
        }
        closes = true
        phase = .closing
        return true
    }

    /// A head is complete, and its request goes to a handler.
    /// - Parameter streamsBody: whether the handler reads the body as it comes, whatever its length.
    public mutating func began(_ head: RequestHead, maxBody: Int, streamsBody: Bool = false) -> Begin {
        closes = drains || !head.persists
        switch head.framing {
        case .none, .length(0):
            phase = .answering
            return .answer
        case .length(let length) where length > (streamsBody ? Self.longestBody : maxBody):
            return .refuse(.bodyTooLarge)
        case .length where streamsBody, .chunked where streamsBody:
            phase = .answering
            bodyComes = true
            return .answerWhileReading
        case .length, .chunked:
            phase = .body
            return .readBody(sendsContinue: head.flags.contains(.expectContinue))
        }
    }

    /// The longest body, in bytes, for a handler that streams it. The parser reads lengths up to this exactly, and no
    /// client legitimately sends more.
    public static let longestBody = Int.max >> 5

    /// A request asks for a tunnel, and what follows its head belongs to the tunnel. If there is none, the connection
    /// ends with the response.
    public mutating func tunnelAsked() {
        closes = true
        bodyComes = false
        phase = .answering
    }

    /// The request for a tunnel was accepted, and the tunnel ends here: messages follow inside it.
    public mutating func restarted() {
        guard phase == .answering else { return }
        phase = .idle
        closes = drains
    }

    /// The tunnel is there.
    public mutating func tunnelBegan() {
        if phase == .answering { phase = .tunnel }
    }

    /// The body is complete. The request goes to its handler if it is not there already.
    public mutating func bodyEnded() {
        if phase == .body { phase = .answering }
        bodyComes = false
    }

    /// The whole response is handed over for writing. The connection also ends if the request body was not read to its
    /// end, because the next request lies after it (RFC 9112 §9.3).
    /// - Returns: whether the connection ends when the response is written.
    public mutating func answered(closing: Bool) -> Bool {
        guard phase != .closed else { return true }
        _ = answerBegan(closing: closing)
        answerEnded()
        return closes
    }

    /// The head of a response is handed over, and its body follows in pieces.
    /// - Returns: whether the connection ends with the response.
    public mutating func answerBegan(closing: Bool) -> Bool {
        guard phase != .closed else { return true }
        closes = closes || closing || drains || bodyComes
        phase = .streaming
        return closes
    }

    /// The last piece of a response is handed over.
    public mutating func answerEnded() {
        guard phase == .streaming else { return }
        closes = closes || drains
        phase = bodyComes ? .closingUnread : closes ? .closing : .idle
        bodyComes = false
    }

    /// The rest of the request body will be neither read nor waited for.
    public mutating func bodyGivenUp() {
        if bodyComes { closes = true }
        bodyComes = false
    }

    /// An error response ends the connection, whatever the request asked for.
    public mutating func refused() {
        closes = true
        bodyComes = false
        if phase != .closed { phase = .closingUnread }
    }

    /// The last response is written. Closing with unread input resets the connection, and the client might never see
    /// the response (RFC 9112 §9.6).
    /// - Parameter hasUnread: whether there is input that was not read.
    /// - Returns: whether the connection lingers; otherwise it ends now.
    public mutating func written(hasUnread: Bool) -> Bool {
        guard phase == .closingUnread || phase == .closing && hasUnread else { return false }
        phase = .lingering
        return true
    }

    /// The client sends no more. It may still read: what it asked for completely is answered (RFC 9112 §9.6).
    /// - Parameter writing: whether responses are still being written.
    public mutating func inputEnded(writing: Bool) -> InputEnd {
        closes = true
        switch phase {
        case .answering: return bodyComes ? .refuse : .finish
        case .streaming, .tunnel: return .finish
        case .body: return .refuse
        case .idle, .head:
            guard writing else { return .close }
            phase = .closing
            return .finish
        case .closing, .closingUnread, .lingering: return writing ? .finish : .close
        case .closed: return .close
        }
    }

    /// The server stops.
    /// - Returns: whether the connection, having no request in hand, ends now.
    public mutating func drain(writing: Bool) -> Bool {
        drains = true
        guard phase == .idle, !writing else { return false }
        return true
    }

    public mutating func closed() {
        phase = .closed
    }
}
