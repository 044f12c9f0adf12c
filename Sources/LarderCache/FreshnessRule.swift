// Holds what the configuration and a provider say about how long responses of one endpoint are kept.
import LarderCore

/// How long responses are kept. One value for each endpoint, made from the settings.
public struct FreshnessRule: Sendable, Hashable {
    /// Who decides about storing and freshness.
    public enum Semantics: String, Sendable, Hashable, CaseIterable {
        /// This rule decides, whatever the response's fields say.
        case ttl
        /// RFC 9111 decides. Of this rule, only the stale window, the retention and the members marked "under `rfc`"
        /// count.
        case rfc
    }

    /// What happens to cookies that a response sets (RFC 9111 §7.3). A cache may store such a response, but only the
    /// origin knows for whom the cookies are.
    public enum Cookies: String, Sendable, Hashable, CaseIterable {
        /// The response is stored, without its cookies, only if it says `public` or `s-maxage`.
        case strict
        /// The response is stored, without its cookies, if it states a lifetime or says `public` or `s-maxage`. The
        /// client that caused the fetch gets the cookies.
        case drop
        /// The response is stored with its cookies, which are the same for all clients.
        case keep
    }

    public var semantics: Semantics
    /// What happens to cookies under `rfc`.
    public var cookies = Cookies.strict
    /// Under `rfc`: the freshness of a response that states none, for a POST that is declared to read.
    public var declaredTTL: Duration?
    /// Under `rfc`: the configured freshness of a response that states none, in place of a guess.
    public var fallbackTTL: Duration?
    /// The lifetime of a response with results.
    public var ttl: Duration
    /// How long after its freshness a response may be served at all: the hard limit of staleness.
    public var staleWindow: Duration
    /// The lifetime of a valid response without results.
    public var emptyTTL: Duration
    /// The lifetime of a stored absence. Such an entry is never served stale.
    public var negativeTTL: Duration
    /// The most by which a lifetime is shortened, in percent, so that entries stored together do not expire together.
    public var jitterPercent: Int
    /// The longest time for which the API's terms allow a response to be kept, counted from its arrival.
    public var retention: Duration?

    public init(
        semantics: Semantics, ttl: Duration, staleWindow: Duration, emptyTTL: Duration, negativeTTL: Duration,
        jitterPercent: Int = 0, retention: Duration? = nil
    ) {
        self.semantics = semantics
        self.ttl = ttl
        self.staleWindow = staleWindow
        self.emptyTTL = emptyTTL
        self.negativeTTL = negativeTTL
        self.jitterPercent = jitterPercent
        self.retention = retention
    }
}

/// When a stored response stops being fresh, and when it stops being useful.
public struct Lifetimes: Sendable, Hashable {
    /// The age of the response on arrival in milliseconds (corrected_initial_age, RFC 9111 §4.2.3).
    public var initialAge: Int64
    /// The response is fresh before this time.
    public var freshUntil: WallTime
    /// The response may be served stale before this time. Never before `freshUntil`.
    public var staleUntil: WallTime
    /// Whether the response is a cached absence.
    public var isNegative: Bool

    public init(initialAge: Int64, freshUntil: WallTime, staleUntil: WallTime, isNegative: Bool) {
        self.initialAge = initialAge
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil
        self.isNegative = isNegative
    }
}
