// Reads what a client's `Cache-Control` and `Pragma` demand of the cache (RFC 9111 §5.2.1, §5.4; RFC 5861 §4).
import LarderCore
import LarderHTTP

/// The directives of one request. Times are in seconds, 0…2^31.
public struct ClientDirectives: Sendable, Hashable {
    /// Use no stored response without asking the upstream.
    public var noCache: Bool
    /// Store nothing of this exchange.
    public var noStore: Bool
    /// Accept no response older than this.
    public var maxAge: Int64?
    /// Accept only responses that stay fresh for this long.
    public var minFresh: Int64?
    /// How stale a response may be.
    public var maxStale: CacheControl.MaxStale
    /// How stale a response may be if the upstream fails.
    public var staleIfError: Int64?
    /// Answer with a stored response or with 504.
    public var onlyIfCached: Bool

    /// No directives.
    public static let none = ClientDirectives(fields: [:])

    /// Reads the directives. `Pragma: no-cache` counts only if there is no `Cache-Control` (RFC 9111 §5.4).
    public init(fields: HeaderFields) {
        let values = fields.all(.cacheControl)
        let control = CacheControl(values)
        noCache = control.noCache
        noStore = control.noStore
        maxAge = control.maxAge
        minFresh = control.minFresh
        maxStale = control.maxStale
        staleIfError = control.staleIfError
        onlyIfCached = control.onlyIfCached
        if values.isEmpty {
            noCache = FieldList.directives(fields.all(.pragma)).contains { $0.name == "no-cache" }
        }
    }
}
