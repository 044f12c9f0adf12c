// The hot path's border: what Server needs to answer from memory without knowing the cache.

/// What decides whether a ready response fits. The buffers are valid only during the call.
public struct ReadyQuery {
    /// Number of the listener the request came in by.
    public var listener: UInt16
    /// What that listener serves (`ReadyScope`).
    public var scope: UInt64
    /// Number of the loop that asks.
    public var loop: Int
    /// The request target's bytes as they came.
    public var target: UnsafeBufferPointer<UInt8>
    /// The value of `Accept-Encoding`, empty where absent. Read only where a response was chosen by it.
    public var acceptEncoding: UnsafeBufferPointer<UInt8>
    public var now: WallTime

    @inlinable
    public init(
        listener: UInt16, scope: UInt64 = 0, loop: Int = 0, target: UnsafeBufferPointer<UInt8>,
        acceptEncoding: UnsafeBufferPointer<UInt8>, now: WallTime
    ) {
        self.listener = listener
        self.scope = scope
        self.loop = loop
        self.target = target
        self.acceptEncoding = acceptEncoding
        self.now = now
    }
}

/// What a listener serves, as a number that is the same in every run: the whole interface, or one provider.
public enum ReadyScope {
    public static func of(_ provider: String?) -> UInt64 {
        guard let provider else { return 0 }
        // Of a digest, so that no two names have one number.
        return Digest(of: Bytes(text: "scope:\(provider)")).words.0
    }
}

/// What is kept ready, as the server sees it: one dynamic call a request, from any loop, never blocking.
public protocol ReadySource: AnyObject, Sendable {
    /// The response that answers this request now, fresh and of the current generation; nil sends it the slow way.
    func ready(_ query: ReadyQuery) -> ReadyResponse?
}

/// What a ready response needs to answer conditional and range requests. Without it they go the slow way.
public struct ReadyConditions: Sendable {
    /// Status line and fields of a 304, each ended by CRLF, without the empty line and without the tail's fields.
    public var notModified: Bytes
    /// The entity tag with its quotes but without "W/": what weak comparison compares (RFC 9110 §8.8.3.2). Empty where
    /// there is none.
    public var tag: Bytes
    public var isTagWeak: Bool
    /// `Last-Modified` in whole seconds since 1970, and as it is written; nil and empty where there is none.
    public var lastModified: Int64?
    public var lastModifiedText: Bytes
    /// Where in the head the fields lie that a 206 has too: all but the status line and `Content-Length`.
    public var partialFields: Range<Int>

    public init(
        notModified: Bytes, tag: Bytes, isTagWeak: Bool, lastModified: Int64?, lastModifiedText: Bytes,
        partialFields: Range<Int>
    ) {
        self.notModified = notModified
        self.tag = tag
        self.isTagWeak = isTagWeak
        self.lastModified = lastModified
        self.lastModifiedText = lastModifiedText
        self.partialFields = partialFields
    }

    /// Bytes held, for the budget.
    public var byteCount: Int { notModified.count + tag.count + lastModifiedText.count }
}

/// A response made once and written many times. Immutable.
///
/// The conditions lie here one by one: a hit then reads the one it needs and takes no hold of the others.
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
    /// Of the stored entry it was made from, for explanations.
    public let digest: Digest
    /// It was read from the database for this request.
    public let isFromStore: Bool
    /// The body's room in memory where it is nobody else's; given back with the last reference to this response.
    public let hold: BodyHold?
    /// Whether it answers conditional and range requests.
    public let hasConditions: Bool
    /// See `ReadyConditions`.
    public let notModified: Bytes
    public let tag: Bytes
    public let isTagWeak: Bool
    /// `Int64.max` where there is none: no date a client names is that late.
    public let lastModified: Int64
    public let lastModifiedText: Bytes
    public let partialStart: Int
    public let partialEnd: Int

    /// - Parameter digest: of no entry's, where a test does not care.
    public init(
        head: Bytes, body: Bytes, bornAt: WallTime, freshUntil: WallTime, hits: CounterCell,
        digest: Digest = ReadyResponse.unnamed, conditions: ReadyConditions? = nil, isFromStore: Bool = false
    ) {
        self.isFromStore = isFromStore
        hold = nil
        self.head = head
        self.body = body
        self.bornAt = bornAt
        self.freshUntil = freshUntil
        self.hits = hits
        self.digest = digest
        hasConditions = conditions != nil
        notModified = conditions?.notModified ?? []
        tag = conditions?.tag ?? []
        isTagWeak = conditions?.isTagWeak ?? false
        lastModified = conditions?.lastModified ?? .max
        lastModifiedText = conditions?.lastModifiedText ?? []
        let fields = (conditions?.partialFields ?? 0..<0).clamped(to: 0..<head.count)
        partialStart = fields.lowerBound
        partialEnd = fields.upperBound
    }

    /// The same response over other storage of the same body.
    public convenience init(_ other: ReadyResponse, body: Bytes) {
        self.init(other, body: body, hits: other.hits, isFromStore: false, hold: nil)
    }

    /// The same response, kept in memory and counted there.
    public convenience init(_ other: ReadyResponse, hits: CounterCell) {
        self.init(other, body: other.body, hits: hits, isFromStore: false, hold: nil)
    }

    /// The same response with room for its body.
    public convenience init(_ other: ReadyResponse, hold: BodyHold) {
        self.init(other, body: other.body, hits: other.hits, isFromStore: other.isFromStore, hold: hold)
    }

    private init(_ other: ReadyResponse, body: Bytes, hits: CounterCell, isFromStore: Bool, hold: BodyHold?) {
        self.isFromStore = isFromStore
        self.hold = hold
        head = other.head
        self.body = body
        self.hits = hits
        bornAt = other.bornAt
        freshUntil = other.freshUntil
        digest = other.digest
        hasConditions = other.hasConditions
        notModified = other.notModified
        tag = other.tag
        isTagWeak = other.isTagWeak
        lastModified = other.lastModified
        lastModifiedText = other.lastModifiedText
        partialStart = other.partialStart
        partialEnd = other.partialEnd
    }

    /// Bytes held besides the body's, for the budget.
    public var headCount: Int { head.count + notModified.count + tag.count + lastModifiedText.count }

    /// The digest of no entry.
    public static let unnamed = Digest(of: [])
}
