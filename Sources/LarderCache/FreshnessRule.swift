// What the configuration and a provider say about how long answers of one endpoint are kept.
import LarderCore

/// How long answers live. One value for each endpoint, made from the settings.
public struct FreshnessRule: Sendable, Hashable {
    /// Who decides about storing and freshness.
    public enum Semantics: String, Sendable, Hashable, CaseIterable {
        /// This rule does, whatever the answer's fields say.
        case ttl
        /// RFC 9111 does; of this rule only the stale window, the retention and what is said to count there.
        case rfc
    }

    /// What becomes of the cookies that an answer sets (RFC 9111 §7.3). A cache may store such an answer; whom its cookies
    /// are for only the origin knows.
    public enum Cookies: String, Sendable, Hashable, CaseIterable {
        /// The answer is stored, without its cookies, only where it says `public` or `s-maxage`.
        case strict
        /// The answer is stored, without its cookies, where it says itself that it may be. Who caused the fetch gets them.
        case drop
        /// The answer is stored with its cookies, which are the same for all.
        case keep
    }

    public var semantics: Semantics
    /// Under `rfc`.
    public var cookies = Cookies.strict
    /// Under `rfc`, how long an answer is fresh that does not say it itself, where the configuration declares that.
    public var declaredTTL: Duration?
    /// Lifetime of an answer with results.
    public var ttl: Duration
    /// How long after its freshness an answer may be served at all: the hard bound of staleness.
    public var staleWindow: Duration
    /// Lifetime of a valid answer with nothing in it.
    public var emptyTTL: Duration
    /// Lifetime of "there is no such thing"; such an entry is never served stale.
    public var negativeTTL: Duration
    /// By how much a lifetime may be shortened, in percent, so that what was stored together does not expire together.
    public var jitterPercent: Int
    /// The longest that the API's terms allow to keep an answer, counted from its arrival.
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

/// When a stored answer stops being fresh and when it stops being of use.
public struct Lifetimes: Sendable, Hashable {
    /// Milliseconds of age that the answer had on arrival (corrected_initial_age, RFC 9111 §4.2.3).
    public var initialAge: Int64
    /// Fresh while now is earlier.
    public var freshUntil: WallTime
    /// May be served stale while now is earlier; never before `freshUntil`.
    public var staleUntil: WallTime
    /// A cached absence.
    public var isNegative: Bool

    public init(initialAge: Int64, freshUntil: WallTime, staleUntil: WallTime, isNegative: Bool) {
        self.initialAge = initialAge
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil
        self.isNegative = isNegative
    }
}
