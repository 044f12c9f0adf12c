// Whether an answer is stored, and for how long. With `ttl` semantics the endpoint's rule decides and overrides the
// answer's own `no-store`, `no-cache` and `private`: that is what a person configures it for. With `rfc` semantics
// RFC 9111 decides (see RFCStorage). Some answers are stored under neither: errors, parts, and what belongs to one
// person.
import LarderCore
import LarderHTTP

/// What to do with an upstream answer.
public enum StoreDecision: Sendable, Hashable {
    case store(Lifetimes)
    case refuse(reason: StoreObstacle)
}

/// Why an answer is not stored.
public enum StoreObstacle: Sendable, Hashable {
    // What the request was.
    case method, requestBody, authorization, cookie, requestNoStore
    // What the provider's answer is, where it is no data.
    case limited, refused, invalidRequest, broken
    // What the answer says.
    case partial, status, noLifetime, noStore, `private`, setCookie, vary, connection, headTooLarge

    /// Nil for an answer.
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

/// Decides about storing. Pure: the instants come with the answer.
public enum StorePolicy {
    /// - Parameters:
    ///   - requestFields: the client's own fields that went into the upstream request or could have changed its answer;
    ///     empty where Larder made the request itself.
    ///   - key: its digest decides how much earlier than its fellows the entry expires (`ttl` semantics).
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

    /// What is stored under no semantics. A person's credentials or cookies may have made the answer theirs.
    private static func refusal(
        request: UpstreamRequest, requestFields: HeaderFields, response: UpstreamResponse
    ) -> StoreObstacle? {
        if request.method != .get { return .method }
        if let body = request.body, !body.isEmpty { return .requestBody }
        if requestFields.contains("Authorization") { return .authorization }
        if requestFields.contains("Cookie") { return .cookie }
        if CacheControl(requestFields.all("Cache-Control")).noStore { return .requestNoStore }
        // A part or "not modified" is not the answer to the question the key asks.
        if response.status == 206 || response.status == 304 { return .partial }
        if !(200..<600).contains(response.status) { return .status }
        return nil
    }

    /// The fields to keep with a stored answer: those of the connection left out (RFC 9111 §3.1), and cookies, which
    /// are for whoever asked first.
    public static func storedFields(of response: UpstreamResponse) -> HeaderFields {
        var fields = HopByHop.endToEnd(response.fields)
        fields.remove("Set-Cookie")
        fields.remove("Set-Cookie2")
        return fields
    }

    /// `ttl` semantics: freshness begins with the arrival of the answer, whatever its age.
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

    /// The lifetime less 0…percent % of it, the same each time for the same key.
    static func shortened(_ lifetime: Int64, by percent: Int, key: CacheKey) -> Int64 {
        let percent = Int64(min(max(percent, 0), 100))
        let share = Int64(key.digest.words.1 % 10_001)
        // 10,000 parts of a hundredth each; the quotient first, so that no long lifetime overflows.
        let part = lifetime / 1_000_000 * (percent * share) + lifetime % 1_000_000 * (percent * share) / 1_000_000
        return lifetime - part
    }

    /// Instants from spans, held inside the retention; an entry that nothing could use is refused.
    ///
    /// - Parameters:
    ///   - lifetime: milliseconds of freshness left on arrival; less than 0 for what ceased to be fresh before.
    ///   - staleWindow: counts from the arrival where freshness ended before it.
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
