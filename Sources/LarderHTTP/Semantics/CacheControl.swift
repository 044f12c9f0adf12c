// Cache-Control of requests and responses (RFC 9111 §5.2; RFC 5861; RFC 8246). Read tolerantly, and where tolerance
// leaves a choice, the restrictive reading wins (RFC 9111 §4.2.1):
//  - a lifetime that is no number of seconds counts as 0, too large a one as 2^31;
//  - of a directive given twice the first counts;
//  - a directive that forbids counts even where its member is malformed, one that permits does not;
//  - quoted and bare arguments are the same; unknown directives are ignored.

/// All directives of the `Cache-Control` lines of one message. Lifetimes are seconds, 0…2^31.
public struct CacheControl: Sendable, Hashable {
    /// How stale an answer the client accepts.
    public enum MaxStale: Sendable, Hashable {
        /// The directive is absent: no word about it.
        case none
        /// However stale.
        case any
        case seconds(Int64)
    }

    public var maxAge: Int64?
    public var sMaxAge: Int64?
    public var noStore = false
    /// Present, with or without field names.
    public var noCache = false
    /// The names a qualified `no-cache="…"` listed, lower case; empty where it was unqualified, also once only.
    public var noCacheFields: [String] = []
    /// Present, with or without field names.
    public var isPrivate = false
    /// As for `noCacheFields`.
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

    /// No directive at all.
    public init() {}

    /// The directives of all `Cache-Control` lines, in order.
    public init(_ fields: [String]) {
        guard !fields.isEmpty else { return }
        var seen: Set<String> = []
        for directive in FieldList.directives(fields) {
            // Names add up; everything else is decided by the first occurrence.
            if directive.name == "no-cache" {
                Self.restrict(&noCache, &noCacheFields, by: directive)
            } else if directive.name == "private" {
                Self.restrict(&isPrivate, &privateFields, by: directive)
            } else if seen.insert(directive.name).inserted {
                apply(directive)
            }
        }
    }

    /// The directives of a targeted field (RFC 9213 §2.1), whose members are typed: figures are integers, names stand in
    /// strings or tokens. Parameters say nothing, and `?0` is no directive. A figure of another type counts as 0, as one
    /// that cannot be read does in `Cache-Control`.
    public init(dictionary: StructuredField.Dictionary) {
        for (key, member) in dictionary.members {
            var directive = FieldList.Directive(name: key, value: nil, isMalformed: false)
            if case .item(let item) = member {
                switch item.value {
                case .boolean(true): break
                case .boolean(false): continue
                case .integer(let figure): directive.value = "\(figure)"
                case .string(let text) where Self.takesNames(key): directive.value = text
                case .token(let text) where Self.takesNames(key): directive.value = text
                default: directive.isMalformed = true
                }
            } else {
                directive.isMalformed = true
            }
            if key == "no-cache" {
                Self.restrict(&noCache, &noCacheFields, by: directive)
            } else if key == "private" {
                Self.restrict(&isPrivate, &privateFields, by: directive)
            } else {
                apply(directive)
            }
        }
    }

    private static func takesNames(_ directive: String) -> Bool {
        directive == "no-cache" || directive == "private"
    }

    private mutating func apply(_ directive: FieldList.Directive) {
        switch directive.name {
        case "max-age": maxAge = Self.seconds(directive)
        case "s-maxage": sMaxAge = Self.seconds(directive)
        case "stale-while-revalidate": staleWhileRevalidate = Self.seconds(directive)
        case "stale-if-error": staleIfError = Self.seconds(directive)
        case "min-fresh": minFresh = Self.seconds(directive)
        case "max-stale":
            let isBare = directive.value == nil && !directive.isMalformed
            maxStale = isBare ? .any : .seconds(Self.seconds(directive))
        case "no-store": noStore = true
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "no-transform": noTransform = true
        case "only-if-cached": onlyIfCached = true
        case "public": isPublic = !directive.isMalformed
        case "immutable": immutable = !directive.isMalformed
        case "must-understand": mustUnderstand = !directive.isMalformed
        default: break
        }
    }

    /// An unqualified occurrence, or a list that names nothing, restricts the whole answer.
    private static func restrict(_ flag: inout Bool, _ names: inout [String], by directive: FieldList.Directive) {
        let listed = directive.isMalformed ? [] : FieldList.names(directive.value.map { [$0] } ?? [])
        if !flag {
            names = listed
        } else if listed.isEmpty {
            names = []
        } else if !names.isEmpty {
            names += listed.filter { !names.contains($0) }
        }
        flag = true
    }

    /// Seconds as RFC 9111 §1.2.2 defines them: digits only; 2^31 stands for all that is larger.
    private static func seconds(_ directive: FieldList.Directive) -> Int64 {
        guard !directive.isMalformed, let value = directive.value else { return 0 }
        return DeltaSeconds.parse(value) ?? 0
    }
}

/// Whole seconds in fields: `max-age`, `Age`, `Retry-After` (RFC 9111 §1.2.2).
public enum DeltaSeconds {
    /// The largest figure that is told apart.
    public static let limit: Int64 = 1 << 31

    /// The seconds, at most `limit`, or nil where the text is anything but digits.
    public static func parse(_ text: some StringProtocol) -> Int64? {
        var value: Int64 = 0
        guard !text.isEmpty else { return nil }
        for byte in text.utf8 {
            guard byte &- 0x30 < 10 else { return nil }
            value = min(limit, value * 10 + Int64(byte - 0x30))
        }
        return value
    }
}
