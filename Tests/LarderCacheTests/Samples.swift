// Sample values shared by the tests of this folder.
import LarderCache
import LarderCore

enum Sample {
    /// 2026-11-20 12:00:00 UTC.
    static let now = WallTime(seconds: 1_795_176_000)
    /// The same instant on both clocks.
    static let moment = Moment(wall: now, monotonic: MonotonicTime(nanoseconds: 5_000_000_000_000))
    static let nowText = "Fri, 20 Nov 2026 12:00:00 GMT"
    static let hourAgoText = "Fri, 20 Nov 2026 11:00:00 GMT"
    static let tenHoursAgoText = "Fri, 20 Nov 2026 02:00:00 GMT"
    static let inAnHourText = "Fri, 20 Nov 2026 13:00:00 GMT"

    static func key(_ name: String = "a") -> CacheKey {
        CacheKey(layer: .raw, provider: "itunes", endpoint: "search", parameters: [KeyParameter("term", name)])
    }

    static func rule(
        _ semantics: FreshnessRule.Semantics, ttl: Duration = .seconds(900), stale: Duration = .seconds(3600),
        jitter: Int = 0, retention: Duration? = nil
    ) -> FreshnessRule {
        FreshnessRule(
            semantics: semantics, ttl: ttl, staleWindow: stale, emptyTTL: .seconds(300), negativeTTL: .seconds(60),
            jitterPercent: jitter, retention: retention)
    }

    static func response(
        status: Int = 200, _ fields: HeaderFields = [:], requestTime: WallTime = now, responseTime: WallTime = now
    ) -> UpstreamResponse {
        UpstreamResponse(status: status, fields: fields, requestTime: requestTime, responseTime: responseTime)
    }

    static func head(
        status: Int = 200, _ fields: HeaderFields = [:], requestTime: WallTime = now, responseTime: WallTime = now
    ) -> UpstreamHead {
        UpstreamHead(status: status, fields: fields, requestTime: requestTime, responseTime: responseTime)
    }

    /// An entry that arrived now, is fresh for 100 s and may be served stale for 100 s more.
    static func entry(_ fields: HeaderFields = [:], negative: Bool = false, age: Int64 = 0) -> StoredResponse {
        StoredResponse(
            key: key(), layer: .raw, provider: "itunes", endpoint: "search", isNegative: negative, fields: fields,
            requestTime: now, responseTime: now, initialAge: age * 1000, freshUntil: now + .seconds(100),
            staleUntil: now + .seconds(negative ? 100 : 200))
    }
}

/// A small random source that yields the same numbers each time (SplitMix64), so that a failure can be repeated.
struct FixedRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
