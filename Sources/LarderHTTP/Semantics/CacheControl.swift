// Cache-Control of requests and responses (RFC 9111 §5.2; RFC 5861; RFC 8246). Parsing is tolerant. If tolerance leaves
// a choice, the restrictive reading wins (RFC 9111 §4.2.1):
//  - a lifetime that is no number of seconds counts as 0, one that is too large as 2^31;
//  - of a repeated directive, the first counts;
//  - a directive that forbids counts even if its member is malformed; a directive that permits does not;
//  - quoted and bare arguments are the same; unknown directives are ignored.
import LarderCore

/// All directives of the `Cache-Control` lines of one message. Lifetimes are in seconds, 0…2^31.
public struct CacheControl: Sendable, Hashable {
    /// How stale a response the client accepts.
    public enum MaxStale: Sendable, Hashable {
        /// The directive is absent.
        case none
        /// Any staleness.
        case any
        case seconds(Int64)
    }

    public var maxAge: Int64?
    public var sMaxAge: Int64?
    public var noStore = false
    /// Whether the directive is present, with or without field names.
    public var noCache = false
    /// The names that a qualified `no-cache="…"` listed, in lower case. Empty if any occurrence was unqualified.
    public var noCacheFields: [String] = []
    /// Whether the directive is present, with or without field names.
    public var isPrivate = false
    /// The names that a qualified `private="…"` listed; see `noCacheFields`.
    public var privateFields: [String] = []
    public var isPublic = false
    public var mustRevalidate = false
    public var proxyRevalidate = false
    public var mustUnderstand = false
    public var immutable = false
    public var noTransform = false
    public var staleWhileRevalidate: Int64?
    public var staleIfError: Int64?
    public var maxStale = MaxStale.none
    public var minFresh: Int64?
    public var onlyIfCached = false

    /// No directives.
    public init() {}

    /// The directives of all `Cache-Control` lines, in order.
    public init(_ fields: [String]) {
        guard !fields.isEmpty else { return }
        var control = CacheControl()
        var seen = Seen()
        FieldList.eachDirective(of: fields) { control.take($0, &seen) }
        self = control
    }

    /// The directives of a message's `Cache-Control` lines.
    public init(of fields: HeaderFields) {
        guard fields.contains(.cacheControl) else { return }
        var control = CacheControl()
        var seen = Seen()
        fields.visit(.cacheControl) { line in
            FieldList.eachDirective(in: line.value) { control.take($0, &seen) }
            return true
        }
        self = control
    }

    /// The directives of a targeted field (RFC 9213 §2.1), whose members are typed: lifetimes are integers, and field
    /// names are strings or tokens. Parameters are ignored, and `?0` is no directive. A lifetime of another type counts
    /// as 0, like an unreadable one in `Cache-Control`.
    public init(dictionary: StructuredField.Dictionary) {
        var control = CacheControl()
        var seen = Seen()
        for (key, member) in dictionary.members {
            var value: String?
            var isMalformed = false
            if case .item(let item) = member {
                switch item.value {
                case .boolean(true): break
                case .boolean(false): continue
                case .integer(let figure): value = "\(figure)"
                case .string(let text) where Self.takesNames(key): value = text
                case .token(let text) where Self.takesNames(key): value = text
                default: isMalformed = true
                }
            } else {
                isMalformed = true
            }
            var name = key
            name.withUTF8 { name in
                guard var value else {
                    return control.take(FieldList.DirectiveBytes(name: name, isMalformed: isMalformed), &seen)
                }
                value.withUTF8 { control.take(FieldList.DirectiveBytes(name: name, value: $0), &seen) }
            }
        }
        self = control
    }

    private static func takesNames(_ directive: String) -> Bool {
        directive == "no-cache" || directive == "private"
    }

    /// The directives that have a meaning here.
    private enum Known: UInt8 {
        case maxAge, sMaxAge, staleWhileRevalidate, staleIfError, minFresh, maxStale
        case noStore, noCache, `private`, mustRevalidate, proxyRevalidate, noTransform, onlyIfCached
        case `public`, immutable, mustUnderstand

        init?(_ name: UnsafeBufferPointer<UInt8>) {
            guard let start = name.baseAddress else { return nil }
            for (text, directive) in Self.names
            where text.utf8CodeUnitCount == name.count && Octet.equals(start, text) {
                self = directive
                return
            }
            return nil
        }

        private static let names: [(StaticString, Known)] = [
            ("max-age", .maxAge), ("no-cache", .noCache), ("no-store", .noStore), ("public", .public),
            ("private", .private), ("s-maxage", .sMaxAge), ("must-revalidate", .mustRevalidate),
            ("stale-while-revalidate", .staleWhileRevalidate), ("stale-if-error", .staleIfError),
            ("immutable", .immutable), ("no-transform", .noTransform), ("proxy-revalidate", .proxyRevalidate),
            ("must-understand", .mustUnderstand), ("max-stale", .maxStale), ("min-fresh", .minFresh),
            ("only-if-cached", .onlyIfCached),
        ]
    }

    /// The directives seen so far.
    private struct Seen {
        private var bits: UInt32 = 0

        /// Records a directive.
        /// - Returns: whether it occurs for the first time.
        mutating func insert(_ directive: Known) -> Bool {
            let bit: UInt32 = 1 << directive.rawValue
            defer { bits |= bit }
            return bits & bit == 0
        }
    }

    private mutating func take(_ directive: FieldList.DirectiveBytes, _ seen: inout Seen) {
        guard let known = Known(directive.name) else { return }
        switch known {
        // Field names accumulate. For every other directive, the first occurrence decides.
        case .noCache: Self.restrict(&noCache, &noCacheFields, by: directive)
        case .private: Self.restrict(&isPrivate, &privateFields, by: directive)
        default: if seen.insert(known) { apply(known, directive) }
        }
    }

    private mutating func apply(_ known: Known, _ directive: FieldList.DirectiveBytes) {
        switch known {
        case .maxAge: maxAge = Self.seconds(directive)
        case .sMaxAge: sMaxAge = Self.seconds(directive)
        case .staleWhileRevalidate: staleWhileRevalidate = Self.seconds(directive)
        case .staleIfError: staleIfError = Self.seconds(directive)
        case .minFresh: minFresh = Self.seconds(directive)
        case .maxStale:
            let isBare = directive.value == nil && !directive.isMalformed
            maxStale = isBare ? .any : .seconds(Self.seconds(directive))
        case .noStore: noStore = true
        case .mustRevalidate: mustRevalidate = true
        case .proxyRevalidate: proxyRevalidate = true
        case .noTransform: noTransform = true
        case .onlyIfCached: onlyIfCached = true
        case .public: isPublic = !directive.isMalformed
        case .immutable: immutable = !directive.isMalformed
        case .mustUnderstand: mustUnderstand = !directive.isMalformed
        case .noCache, .private: break
        }
    }

    /// An unqualified occurrence, or a list that names nothing, restricts the whole response.
    private static func restrict(
        _ flag: inout Bool, _ names: inout [String], by directive: FieldList.DirectiveBytes
    ) {
        let value = directive.isMalformed ? nil : directive.value.map { String(decoding: $0, as: UTF8.self) }
        let listed = FieldList.names(value.map { [$0] } ?? [])
        if !flag {
            names = listed
        } else if listed.isEmpty {
            names = []
        } else if !names.isEmpty {
            names += listed.filter { !names.contains($0) }
        }
        flag = true
    }

    /// Seconds as RFC 9111 §1.2.2 defines them: digits only. 2^31 stands for any larger number.
    private static func seconds(_ directive: FieldList.DirectiveBytes) -> Int64 {
        guard !directive.isMalformed, let value = directive.value else { return 0 }
        return DeltaSeconds.parse(bytes: value) ?? 0
    }
}

/// Whole seconds in fields: `max-age`, `Age`, `Retry-After` (RFC 9111 §1.2.2).
public enum DeltaSeconds {
    /// The largest number that is distinguished.
    public static let limit: Int64 = 1 << 31

    /// The seconds, at most `limit`; nil if the text is anything but digits.
    public static func parse(_ text: some StringProtocol) -> Int64? {
        var text = String(text)
        return text.withUTF8 { parse(bytes: $0) }
    }

    /// The same, from the bytes of a field.
    public static func parse(bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        var value: Int64 = 0
        guard !bytes.isEmpty else { return nil }
        for byte in bytes {
            guard ASCII.isDigit(byte) else { return nil }
            value = min(limit, value * 10 + Int64(byte - 0x30))
        }
        return value
    }
}
