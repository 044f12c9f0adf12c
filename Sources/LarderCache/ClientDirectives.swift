// What a client's own `Cache-Control` and `Pragma` ask of the cache (RFC 9111 §5.2.1, §5.4; RFC 5861 §4).
import LarderCore
import LarderHTTP

/// The directives of one request. Seconds, 0…2^31.
public struct ClientDirectives: Sendable, Hashable {
    /// No stored answer without asking the upstream.
    public var noCache: Bool
    /// Keep nothing of this exchange.
    public var noStore: Bool
    /// No answer older than this.
    public var maxAge: Int64?
    /// Only answers that stay fresh that long.
    public var minFresh: Int64?
    /// How stale an answer may be.
    public var maxStale: CacheControl.MaxStale
    /// How stale an answer may be if the upstream fails.
    public var staleIfError: Int64?
    /// A stored answer or 504.
    public var onlyIfCached: Bool

    /// No wishes.
    public static let none = ClientDirectives(fields: [:])

    /// `Pragma: no-cache` counts only where there is no `Cache-Control` (RFC 9111 §5.4).
    public init(fields: HeaderFields) {
        let values = fields.all("Cache-Control")
        let control = CacheControl(values)
        noCache = control.noCache
        noStore = control.noStore
        maxAge = control.maxAge
        minFresh = control.minFresh
        maxStale = control.maxStale
        staleIfError = control.staleIfError
        onlyIfCached = control.onlyIfCached
        if values.isEmpty {
            noCache = FieldList.directives(fields.all("Pragma")).contains { $0.name == "no-cache" }
        }
    }
}
