// The interface of the hot path: what `LarderServer` needs to answer from memory without knowing the cache.

/// The inputs that decide whether a ready response fits. The buffers are valid only during the call.
public struct ReadyQuery {
    /// The number of the listener that received the request.
    public var listener: UInt16
    /// What that listener serves (`ReadyScope`).
    public var scope: UInt64
    /// The number of the loop that asks.
    public var loop: Int
    /// The bytes of the request target as received.
    public var target: UnsafeBufferPointer<UInt8>
    /// The value of `Accept-Encoding`; empty if absent. Read only if a response was selected by it.
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

/// Identifies what a listener serves: the whole interface (0) or one provider. The number is the same in every run.
public enum ReadyScope {
    public static func of(_ provider: String?) -> UInt64 {
        guard let provider else { return 0 }
        // Part of a digest, so two names do not get the same number.
        return Digest(of: Bytes(text: "scope:\(provider)")).words.0
    }
}

/// The responses that are kept ready, as the server sees them. One dynamic call per request, from any loop, never
/// blocking.
public protocol ReadySource: AnyObject, Sendable {
    /// The response that answers this request now: fresh and of the current generation. Nil sends the request down the
    /// slow path.
    func ready(_ query: ReadyQuery) -> ReadyResponse?
}

/// What a ready response needs to answer conditional and range requests. Without it these requests take the slow path.
public struct ReadyConditions: Sendable {
    /// The status line and fields of a 304, each ended by CRLF, without the empty line and without the fields that the
    /// loop appends.
    public var notModified: Bytes
    /// The entity tag with its quotes but without "W/", as weak comparison compares it (RFC 9110 §8.8.3.2). Empty if
    /// there is none.
    public var tag: Bytes
    public var isTagWeak: Bool
    /// `Last-Modified` in whole seconds since 1970, and its text; nil and empty if there is none.
    public var lastModified: Int64?
    public var lastModifiedText: Bytes
    /// The range in the head of the fields that a 206 has too: all but the status line and `Content-Length`.
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

    /// Bytes held, for the memory budget.
    public var byteCount: Int { notModified.count + tag.count + lastModifiedText.count }
}

/// A response that is made once and written many times. Immutable.
///
/// The conditions are separate properties, so a hit reads the one it needs and does not retain the others.
public final class ReadyResponse: Sendable {
    /// The status line and constant fields, each ended by CRLF, without the empty line. `Content-Length` is included.
    /// `Age`, `Cache-Status` and `X-Request-Id` are not: the loop writes them after these.
    public let head: Bytes
    /// Empty if the body lies in a file.
    public let body: Bytes
    public let file: (any FileBody)?
    /// Bytes of the body.
    public let length: Int
    /// The instant at which the age was zero. `Age` is the whole seconds since then.
    public let bornAt: WallTime
    /// The response is fresh before this instant.
    public let freshUntil: WallTime
    /// Counts this response's hits for its provider.
    public let hits: CounterCell
    /// The digest of the stored entry that the response was made from, for explanations.
    public let digest: Digest
    /// Whether the response was read from the database for this request.
    public let isFromStore: Bool
    /// The room that the body takes in memory, unless another holder counts it. Returned with the last reference to
    /// this response.
    public let hold: BodyHold?
    /// Whether the response can answer conditional and range requests.
    public let hasConditions: Bool
    /// See `ReadyConditions`.
    public let notModified: Bytes
    public let tag: Bytes
    public let isTagWeak: Bool
    /// `Int64.max` if there is none: no client names a date that late.
    public let lastModified: Int64
    public let lastModifiedText: Bytes
    public let partialStart: Int
    public let partialEnd: Int

    /// - Parameters:
    ///   - file: the body, if it lies in a file.
    ///   - digest: `unnamed` for tests that do not care.
    public init(
        head: Bytes, body: Bytes, file: (any FileBody)? = nil, bornAt: WallTime, freshUntil: WallTime,
        hits: CounterCell, digest: Digest = ReadyResponse.unnamed, conditions: ReadyConditions? = nil,
        isFromStore: Bool = false
    ) {
        self.isFromStore = isFromStore
        hold = nil
        self.head = head
        self.body = body
        self.file = file
        length = file?.length ?? body.count
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

    /// Copies a response, with the same body in other storage.
    public convenience init(_ other: ReadyResponse, body: Bytes) {
        self.init(other, body: body, hits: other.hits, isFromStore: false, hold: nil)
    }

    /// Copies a response that is now kept in memory, with the counter of memory hits.
    public convenience init(_ other: ReadyResponse, hits: CounterCell) {
        self.init(other, body: other.body, hits: hits, isFromStore: false, hold: nil)
    }

    /// Copies a response, with the room for its body.
    public convenience init(_ other: ReadyResponse, hold: BodyHold) {
        self.init(other, body: other.body, hits: other.hits, isFromStore: other.isFromStore, hold: hold)
    }

    private init(_ other: ReadyResponse, body: Bytes, hits: CounterCell, isFromStore: Bool, hold: BodyHold?) {
        self.isFromStore = isFromStore
        self.hold = hold
        head = other.head
        self.body = body
        file = body.isEmpty ? other.file : nil
        length = body.isEmpty ? other.length : body.count
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

    /// Bytes held besides the body, for the memory budget.
    public var headCount: Int { head.count + notModified.count + tag.count + lastModifiedText.count }

    /// A digest that belongs to no entry.
    public static let unnamed = Digest(of: [])
}
