// One connection's life as a value: bytes, ends and time-outs come in, what to do goes out. It knows nothing of
// sockets, tasks or answers' contents; the connection around it only performs.
//
// Answers leave in the order of their requests because one request is in hand at a time: what follows it waits unread,
// or unparsed, until its answer has been handed over (RFC 9112 §9.3.2).

/// The state of one HTTP/1.x connection.
public struct ConnectionMachine: Sendable, Hashable {
    public enum Phase: Sendable, Hashable {
        /// Between requests: nothing of the next has come.
        case idle
        /// Part of a head has come.
        case head
        /// The head is complete, the body is coming.
        case body
        /// A request is with its handler; its answer has not begun.
        case answering
        /// The head of an answer is handed over, its body comes piece by piece.
        case streaming
        /// The last answer is handed over: the connection ends when it is written.
        case closing
        /// The same, and the client may still send what nobody will read: the connection lingers when it is written.
        case closingUnread
        /// The last answer is written and our side ended; input is thrown away until the client has seen it
        /// (RFC 9112 §9.6).
        case lingering
        case closed
    }

    /// What to do with a request whose head is complete.
    public enum Begin: Sendable, Hashable {
        case answer
        /// Read the body first; where the client waits for it, send "100 Continue" before.
        case readBody(sendsContinue: Bool)
        /// Answer now: the body is read while the request is with its handler, as that asks for it.
        case answerWhileReading
        case refuse(RequestFault)
    }

    /// What to do when the client sends no more.
    public enum InputEnd: Sendable, Hashable {
        /// Nothing is owed: close.
        case close
        /// It left before its answer began: cancel the request and close.
        case cancel
        /// Finish the answer and its writing, then close.
        case finish
    }

    /// What the connection waits for, and so which limit of time holds.
    public enum Wait: Sendable, Hashable {
        case nextRequest
        case head
        case body
        /// The server's own work, which has its own deadlines.
        case handler
        /// The client's end after ours.
        case clientEnd
    }

    public private(set) var phase = Phase.idle
    /// The connection ends with the answer to the request in hand.
    public private(set) var closes = false
    /// Part of the body of the request in hand has not been read yet, though the request is with its handler.
    public private(set) var bodyComes = false
    private var drains = false

    public init() {}

    /// Whether bytes may be taken from the client, to be parsed or thrown away. Those of a body that comes while the
    /// request is with its handler are its reader's to ask for.
    @inlinable
    public var reads: Bool { phase != .answering && phase != .streaming && phase != .closed }

    /// Whether the last answer is handed over and may still be on its way: `written` has not been told.
    @inlinable
    public var isClosing: Bool { phase == .closing || phase == .closingUnread }

    public var wait: Wait {
        switch phase {
        case .idle: .nextRequest
        case .head: .head
        case .body: .body
        case .answering, .streaming: .handler
        case .closing, .closingUnread, .lingering, .closed: .clientEnd
        }
    }

    /// Part of a head has come.
    public mutating func headBegan() {
        if phase == .idle { phase = .head }
    }

    /// A request is answered at once, out of memory. Whether the connection ends with it.
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

    /// A head is complete and its request goes to a handler.
    /// - Parameter streamsBody: the handler takes the body as it comes, however long it is.
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

    /// Lengths beyond this are not read exactly by the parser, and nobody's honest body.
    public static let longestBody = Int.max >> 5

    /// The body is complete: the request goes to its handler, where it is not there already.
    public mutating func bodyEnded() {
        if phase == .body { phase = .answering }
        bodyComes = false
    }

    /// The answer is handed over for writing, whole. Whether the connection ends when it is written: also where the
    /// request's body was not read to its end, since the next request is behind it (RFC 9112 §9.3).
    public mutating func answered(closing: Bool) -> Bool {
        guard phase != .closed else { return true }
        _ = answerBegan(closing: closing)
        answerEnded()
        return closes
    }

    /// The head of an answer is handed over, whose body follows in pieces. Whether the connection ends with it.
    public mutating func answerBegan(closing: Bool) -> Bool {
        guard phase != .closed else { return true }
        closes = closes || closing || drains || bodyComes
        phase = .streaming
        return closes
    }

    /// The last piece of an answer is handed over.
    public mutating func answerEnded() {
        guard phase == .streaming else { return }
        closes = closes || drains
        phase = bodyComes ? .closingUnread : closes ? .closing : .idle
        bodyComes = false
    }

    /// The rest of the body of the request in hand is not to be read any more, nor waited for.
    public mutating func bodyGivenUp() {
        if bodyComes { closes = true }
        bodyComes = false
    }

    /// An error answer ends the connection, whatever the request asked for.
    public mutating func refused() {
        closes = true
        bodyComes = false
        if phase != .closed { phase = .closingUnread }
    }

    /// The last answer is written. Whether the connection lingers; else it ends now. Closing with unread input resets the
    /// connection, and the client may never see the answer (RFC 9112 §9.6).
    /// - Parameter hasUnread: there is input that was not read.
    public mutating func written(hasUnread: Bool) -> Bool {
        guard phase == .closingUnread || phase == .closing && hasUnread else { return false }
        phase = .lingering
        return true
    }

    /// The client sends no more.
    /// - Parameter writing: answers are still being written.
    public mutating func inputEnded(writing: Bool) -> InputEnd {
        closes = true
        switch phase {
        case .answering: return .cancel
        case .streaming: return .finish
        case .idle, .head, .body:
            guard writing else { return .close }
            phase = .closing
            return .finish
        case .closing, .closingUnread, .lingering: return writing ? .finish : .close
        case .closed: return .close
        }
    }

    /// The server stops. Whether the connection, having nothing in hand, ends now.
    public mutating func drain(writing: Bool) -> Bool {
        drains = true
        guard phase == .idle, !writing else { return false }
        return true
    }

    public mutating func closed() {
        phase = .closed
    }
}
