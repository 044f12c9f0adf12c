// A parsed head holds offsets into the bytes it was parsed from. Nothing is copied and no text is made. A caller that
// needs texts must take them while the bytes are still there.
import LarderCore

/// A range of bytes inside a head.
public struct Span: Sendable, Hashable {
    public var start: UInt32
    public var count: UInt32

    @inlinable
    public init(start: Int, count: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    @inlinable
    public static var empty: Span { Span(start: 0, count: 0) }

    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The bytes. `buffer` must be the one that was parsed.
    @inlinable
    public func bytes(in buffer: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: buffer[Int(start)..<Int(start) + Int(count)])
    }
}

/// The name and value of one field line.
public struct FieldSpan: Sendable, Hashable {
    public var name: Span
    public var value: Span
}

/// Which fields a head has, for fields that are tested before they are read.
public struct HeadFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Fields that make a response depend on more than the target and Accept-Encoding.
    public static let authorization = HeadFlags(rawValue: 1 << 0)
    public static let cookie = HeadFlags(rawValue: 1 << 1)
    public static let cacheControl = HeadFlags(rawValue: 1 << 2)
    public static let pragma = HeadFlags(rawValue: 1 << 3)
    public static let prefer = HeadFlags(rawValue: 1 << 4)
    public static let session = HeadFlags(rawValue: 1 << 5)
    /// If-Match or If-Unmodified-Since. Which component evaluates them differs between responses.
    public static let conditional = HeadFlags(rawValue: 1 << 6)
    public static let expectContinue = HeadFlags(rawValue: 1 << 8)
    public static let body = HeadFlags(rawValue: 1 << 9)
    /// A field that the memory tier reads has more than one line, so its combined value is not in one place.
    public static let repeated = HeadFlags(rawValue: 1 << 10)
    /// A field that looks like a credential, asks for another method, or makes or selects an answer of its own (If,
    /// Last-Event-ID, Accept-Datetime, Forwarded and its kin). Only the provider's rules tell what it changes.
    public static let deciding = HeadFlags(rawValue: 1 << 14)

    /// The Upgrade field, unless it asks for `h2c`, which clients offer with any request and which is never granted.
    public static let upgrade = HeadFlags(rawValue: 1 << 15)

    /// `deciding` if the name looks like that of a credential or asks for another method.
    @inline(never)
    static func deciding(_ name: UnsafeBufferPointer<UInt8>) -> HeadFlags {
        RequestCredentials.isField(name) || MethodOverride.isField(String(decoding: name, as: UTF8.self))
            ? deciding : []
    }

    /// Any of these keeps a request from being answered from memory.
    public static let slow: HeadFlags = [
        .authorization, .cookie, .cacheControl, .pragma, .prefer, .session, .conditional, .expectContinue, .body,
        .repeated, .deciding, .upgrade,
    ]

    /// Fields by which the memory tier chooses between a whole response, a range of it and a 304.
    public static let range = HeadFlags(rawValue: 1 << 7)
    public static let ifNoneMatch = HeadFlags(rawValue: 1 << 11)
    public static let ifModifiedSince = HeadFlags(rawValue: 1 << 12)
    public static let ifRange = HeadFlags(rawValue: 1 << 13)
    /// Any of these asks for something other than the whole response. If-Range alone does not (RFC 9110 §13.1.5).
    public static let selective: HeadFlags = [.range, .ifNoneMatch, .ifModifiedSince]

    public static let host = HeadFlags(rawValue: 1 << 16)
    /// The Origin field.
    public static let origin = HeadFlags(rawValue: 1 << 17)
    public static let close = HeadFlags(rawValue: 1 << 18)
    public static let keepAlive = HeadFlags(rawValue: 1 << 19)
    /// The Sec-Fetch-Site field.
    public static let fetchSite = HeadFlags(rawValue: 1 << 20)
    /// Origin or Sec-Fetch-Site. Either says where a browser's request came from.
    public static let browser = HeadFlags(rawValue: 1 << 17 | 1 << 20)
    /// Origin or Sec-Fetch-Site has more than one line. The head's spans hold only the last line.
    public static let repeatedOrigin = HeadFlags(rawValue: 1 << 21)
}

/// How the end of a request body is found (RFC 9112 §6.3).
public enum BodyFraming: Sendable, Hashable {
    case none
    case length(Int)
    case chunked
}

/// A request head as offsets into the parsed bytes.
public struct RequestHead: Sendable, Hashable {
    public enum MethodCode: UInt8, Sendable, Hashable {
        case get
        case head
        case other
    }

    public var methodCode: MethodCode = .other
    /// 1 for HTTP/1.1 and later, 0 for HTTP/1.0.
    public var minorVersion: UInt8 = 1
    public var flags: HeadFlags = []
    public var method = Span.empty
    public var target = Span.empty
    public var host = Span.empty
    public var acceptEncoding = Span.empty
    public var ifNoneMatch = Span.empty
    public var ifModifiedSince = Span.empty
    public var range = Span.empty
    public var ifRange = Span.empty
    public var origin = Span.empty
    public var fetchSite = Span.empty
    public var fetchMode = Span.empty
    public var fetchDest = Span.empty
    public var framing = BodyFraming.none
    /// The number of bytes up to the end of the empty line. The body, or the next request, begins there.
    public var byteCount = 0
    /// The number of field lines in the parser's table.
    public var fieldCount = 0

    @inlinable
    public init() {}

    /// Whether the client lets the connection stay open after the response (RFC 9112 §9.3).
    @inlinable
    public var persists: Bool {
        flags.contains(.close) ? false : minorVersion > 0 || flags.contains(.keepAlive)
    }
}

/// The size limits of a head.
public struct HeadLimits: Sendable, Hashable {
    /// In bytes, of the request target.
    public var target: Int
    /// In bytes, of the request line and all fields together.
    public var head: Int
    public var fields: Int

    public init(target: Int = 8 * 1024, head: Int = 32 * 1024, fields: Int = 100) {
        self.target = target
        self.head = head
        self.fields = fields
    }
}
