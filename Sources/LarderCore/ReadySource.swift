// The hot path's border: what Server needs to answer from memory without knowing the cache (decisions 3 to 6).

/// What decides whether a ready response fits. The buffers are valid only during the call.
public struct ReadyQuery {
    /// Number of the listener the request came in by.
    public var listener: UInt16
    /// The request target's bytes as they came.
    public var target: UnsafeBufferPointer<UInt8>
    /// The value of `Accept-Encoding`, empty where absent.
    public var acceptEncoding: UnsafeBufferPointer<UInt8>
    public var now: WallTime

    @inlinable
    public init(
        listener: UInt16, target: UnsafeBufferPointer<UInt8>, acceptEncoding: UnsafeBufferPointer<UInt8>, now: WallTime
    ) {
        self.listener = listener
        self.target = target
        self.acceptEncoding = acceptEncoding
        self.now = now
    }
}

/// The memory tier as the server sees it: one dynamic call a request, from any loop, never blocking.
public protocol ReadySource: AnyObject, Sendable {
    /// The response that answers this request now, fresh and of the current generation; nil sends it the slow way.
    func ready(_ query: ReadyQuery) -> ReadyResponse?
}

/// A response made once and written many times. Immutable.
public final class ReadyResponse: Sendable {
    /// Status line and constant fields, each ended by CRLF, without the empty line. `Content-Length` is among them;
    /// `Age`, `Cache-Status` and `X-Request-Id` are not: the loop writes them behind.
    public let head: Bytes
    public let body: Bytes
    /// The instant at which its age was zero: `Age` is the whole seconds since then.
    public let bornAt: WallTime
    /// Fresh while now is earlier than this.
    public let freshUntil: WallTime
    /// Counts this response's hits for its provider.
    public let hits: CounterCell

    public init(head: Bytes, body: Bytes, bornAt: WallTime, freshUntil: WallTime, hits: CounterCell) {
        self.head = head
        self.body = body
        self.bornAt = bornAt
        self.freshUntil = freshUntil
        self.hits = hits
    }
}
