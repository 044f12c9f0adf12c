// Decides whether a response is stored, and for how long. With `ttl` semantics the endpoint's rule decides and
// overrides the response's own `no-store`, `no-cache` and `private`, because that is the purpose of configuring it.
// With `rfc` semantics RFC 9111 decides (see `RFCStorage`). Some responses are stored under neither: errors, parts, and
// responses that belong to one person.
import LarderCore
import LarderHTTP

/// What to do with an upstream response.
public enum StoreDecision: Sendable, Hashable {
    case store(Lifetimes)
    case refuse(reason: StoreObstacle)
}

/// Why a response is not stored.
public enum StoreObstacle: Sendable, Hashable {
    // Reasons in the request.
    case method, requestBody, authorization, cookie, requestNoStore
    // Reasons in the provider's classification of a response that is not data.
    case limited, refused, invalidRequest, broken
    // Reasons in the response.
    case partial, status, noLifetime, noStore, `private`, setCookie, vary, connection, headTooLarge

    /// Nil if the response is an answer.
    init?(_ classification: Classification) {
        switch classification {
        case .data, .empty, .notFound: return nil
        case .limited: self = .limited
        case .refused: self = .refused
        case .invalidRequest: self = .invalidRequest
        case .broken: self = .broken
        }
    }
}

/// Decides about storing. Pure: the times come with the response.
public enum StorePolicy {
    /// Decides whether a response is stored.
    /// - Parameters:
    ///   - requestFields: the client's own fields that went into the upstream request or could have changed its
    ///     response; empty if Larder made the request itself.
    ///   - key: its digest decides how much the entry's lifetime is shortened (`ttl` semantics).
    public static func decide(
        request: UpstreamRequest, requestFields: HeaderFields, response: UpstreamResponse,
        classification: Classification, rule: FreshnessRule, key: CacheKey
    ) -> StoreDecision {
        if let reason = refusal(request: request, requestFields: requestFields, response: response) {
            return .refuse(reason: reason)
        }
        if let reason = StoreObstacle(classification) { return .refuse(reason: reason) }
        switch rule.semantics {
        case .ttl:
            return byRule(response: response, classification: classification, rule: rule, key: key)
        case .rfc:
            return RFCStorage.decide(response: response, isNegative: classification == .notFound, rule: rule)
        }
    }

    /// The reason for not storing that applies under both semantics. A person's credentials or cookies may have made
    /// the response theirs.
    private static func refusal(
        request: UpstreamRequest, requestFields: HeaderFields, response: UpstreamResponse
    ) -> StoreObstacle? {
        if request.method != .get, !request.isReadOnly { return .method }
        if let body = request.body, !body.isEmpty, !request.isReadOnly { return .requestBody }
        if requestFields.contains(.authorization) { return .authorization }
        if requestFields.contains(.cookie) { return .cookie }
        if CacheControl(requestFields.all(.cacheControl)).noStore { return .requestNoStore }
        // A part or a 304 does not answer the question that the key stands for.
        if response.status == 206 || response.status == 304 { return .partial }
        if !(200..<600).contains(response.status) { return .status }
        return nil
    }

    /// The fields to keep with a stored response. Hop-by-hop fields are left out (RFC 9111 §3.1), and so are cookies,
    /// which are for the client that asked first.
    public static func storedFields(of response: UpstreamResponse) -> HeaderFields {
        var fields = HopByHop.endToEnd(response.fields)
        fields.remove(.setCookie)
        fields.remove(.setCookie2)
        return fields
    }

    /// With `ttl` semantics, freshness begins with the arrival of the response, whatever its age.
    private static func byRule(
        response: UpstreamResponse, classification: Classification, rule: FreshnessRule, key: CacheKey
    ) -> StoreDecision {
        let isNegative = classification == .notFound
        let configured =
            switch classification {
            case .empty: rule.emptyTTL
            case .notFound: rule.negativeTTL
            default: rule.ttl
            }
        let lifetime = shortened(max(0, configured.milliseconds), by: rule.jitterPercent, key: key)
        let initialAge = Age.initial(
            fields: response.fields, requestTime: response.requestTime, responseTime: response.responseTime)
        return bounded(
            initialAge: initialAge, responseTime: response.responseTime, lifetime: lifetime,
            staleWindow: isNegative ? .zero : rule.staleWindow, isNegative: isNegative, rule: rule)
    }

    /// The lifetime less a share between 0 and `percent` % of it. The share is the same each time for the same key.
    static func shortened(_ lifetime: Int64, by percent: Int, key: CacheKey) -> Int64 {
        let percent = Int64(min(max(percent, 0), 100))
        let share = Int64(key.digest.words.1 % 10_001)
        // The divisor is 100 percent times 10,000 parts. Dividing first keeps long lifetimes from overflowing.
        let part = lifetime / 1_000_000 * (percent * share) + lifetime % 1_000_000 * (percent * share) / 1_000_000
        return lifetime - part
    }

    /// Makes times from durations, limited by the retention. Refuses an entry that could never be used.
    ///
    /// - Parameters:
    ///   - lifetime: the freshness left on arrival, in milliseconds; negative if freshness ended before.
    ///   - staleWindow: counts from the arrival if freshness ended before it.
    static func bounded(
        initialAge: Int64, responseTime: WallTime, lifetime: Int64, staleWindow: Duration, isNegative: Bool,
        rule: FreshnessRule
    ) -> StoreDecision {
        let end = rule.retention.map { responseTime + $0 } ?? .distantFuture
        let freshUntil = min(responseTime + .milliseconds(lifetime), end)
        let staleUntil = min(max(freshUntil, responseTime) + max(.zero, staleWindow), end)
        guard staleUntil > responseTime else { return .refuse(reason: .noLifetime) }
        return .store(
            Lifetimes(
                initialAge: initialAge, freshUntil: freshUntil, staleUntil: staleUntil, isNegative: isNegative))
    }
}
