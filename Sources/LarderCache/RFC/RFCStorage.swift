// Decides what a shared cache may store (RFC 9111 §3). Storing is not reuse: a response that is stale at once but can
// be validated is worth storing. Larder is stricter than the RFC in three points. Each can cost a fetch, and none can
// give a wrong response. `Cookie` counts like `Authorization`. A response with `Set-Cookie` is stored (without the
// cookie) only if it allows shared storage, unless the configuration says otherwise (`FreshnessRule.Cookies`). A
// response is not stored if its `Connection` lists a field that later decisions need.
import LarderCore
import LarderHTTP

/// A decision about storing, and the rule that decided.
public struct StoreVerdict: Sendable, Hashable {
    public var decision: StoreDecision
    public var rule: CacheRule
    /// The fields to store; empty if nothing is stored.
    public var fields: HeaderFields

    public init(decision: StoreDecision, rule: CacheRule, fields: HeaderFields = [:]) {
        self.decision = decision
        self.rule = rule
        self.fields = fields
    }
}

/// Decides about storing by RFC 9111. Pure: the times come with the head of the response.
public enum RFCStorage {
    /// The minimum time for which a response with a validator is kept, even if no stale use is configured.
    public static let validationKeep: Duration = .seconds(3600)
    /// The longest time in milliseconds by which freshness may have ended before arrival: ten years. Longer times are
    /// cut to it.
    static let longestStaleness: Int64 = 315_360_000_000

    /// Decides whether a response may be stored, and how long its row is worth keeping (RFC 9111 §3 for a shared
    /// cache).
    ///
    /// `staleUntil` of the lifetimes only says how long the row is worth keeping. `RFCReuse` decides about each use
    /// from the stored fields.
    ///
    /// - Parameters:
    ///   - requestFields: the fields of the client's request, with credentials.
    ///   - head: the head of the response, as received.
    ///   - rule: only its stale window, retention, cookies and the lifetimes for `rfc` count.
    ///   - targets: the names of the targeted fields that count (RFC 9213), the most specific first.
    public static func decide(
        method: Method, requestFields: HeaderFields, head: UpstreamHead, rule: FreshnessRule, targets: TargetFields
    ) -> StoreVerdict {
        if method != .get { return refuse(.method, .method) }
        if CacheControl(requestFields.all(.cacheControl)).noStore {
            return refuse(.requestNoStore, .requestNoStore)
        }
        let answer = ResponseControl(fields: head.fields, targets: targets)
        if let refusal = byStatus(head) ?? byDirectives(head, answer.control) { return refusal }
        if let refusal = byPerson(requestFields, head, answer, rule.cookies) { return refusal }
        if Vary(head.fields) == .any { return refuse(.vary, .varyAny) }
        if listsDecidingField(head.fields, targets: targets) { return refuse(.connection, .connectionOption) }
        return kept(
            status: head.status, fields: storedFields(of: head, answer.control, rule.cookies), head: head,
            answer: answer,
            rule: rule)
    }

    static func refuse(_ reason: StoreObstacle, _ rule: CacheRule) -> StoreVerdict {
        StoreVerdict(decision: .refuse(reason: reason), rule: rule)
    }

    /// Refuses statuses whose responses are never stored (RFC 9111 §3, §3.3; RFC 6585 §3 to §6).
    private static func byStatus(_ head: UpstreamHead) -> StoreVerdict? {
        switch head.status {
        case 206: refuse(.partial, .partialContent)
        case 226: refuse(.partial, .deltaAnswer)
        case 304: refuse(.partial, .notModifiedAnswer)
        // These answer the conditions, ranges or expectations of one request.
        case 412, 416, 417: refuse(.partial, .preconditionAnswer)
        // 407 concerns one connection only. RFC 6585 forbids storing the others.
        case 407, 428, 429, 431, 511: refuse(.status, .statusNeverStored)
        // In any other response `Content-Range` has no meaning (RFC 9110 §14.4).
        case 200..<600: nil
        default: refuse(.status, .notFinal)
        }
    }

    /// Applies RFC 9111 §5.2.2.3, §5.2.2.5 and §5.2.2.7. `must-understand` overrides `no-store` if the status is
    /// understood.
    private static func byDirectives(_ head: UpstreamHead, _ control: CacheControl) -> StoreVerdict? {
        if control.mustUnderstand {
            if !understood.contains(head.status) { return refuse(.status, .statusNotUnderstood) }
        } else if control.noStore {
            return refuse(.noStore, .responseNoStore)
        }
        if control.isPrivate, control.privateFields.isEmpty { return refuse(.private, .responsePrivate) }
        return nil
    }

    /// Refuses responses that belong to one person (RFC 9111 §3.5, §7.3).
    private static func byPerson(
        _ requestFields: HeaderFields, _ head: UpstreamHead, _ answer: ResponseControl, _ cookies: FreshnessRule.Cookies
    ) -> StoreVerdict? {
        let control = answer.control
        let isShared = control.isPublic || control.sMaxAge != nil
        if !isShared, !control.mustRevalidate {
            if requestFields.contains(.authorization) { return refuse(.authorization, .authorization) }
            if requestFields.contains(.cookie) { return refuse(.cookie, .cookie) }
        }
        // A cookie field that a qualified directive names is not stored, so it does not count (RFC 9111 §5.2.2.4,
        // §5.2.2.7).
        var kept = head.fields
        kept.remove(withheld(control))
        let setsCookie = kept.contains(.setCookie) || kept.contains(.setCookie2)
        guard setsCookie, !isShared else { return nil }
        let isStored =
            switch cookies {
            case .strict: false
            case .drop: control.maxAge != nil || !answer.isTargeted && head.fields.contains(.expires)
            case .keep: true
            }
        return isStored ? nil : refuse(.setCookie, cookies == .drop ? .cookieWithoutLifetime : .setCookie)
    }

    /// Whether `Connection` lists a field that is present and that `RFCReuse` or the choice of variants would lack.
    private static func listsDecidingField(_ fields: HeaderFields, targets: TargetFields) -> Bool {
        let listed = FieldList.names(fields.all(.connection))
        if listed.isEmpty { return false }
        return (["Cache-Control", "Vary"] + targets.names).contains {
            fields.contains($0) && listed.contains(FieldList.lowercased($0))
        }
    }

    /// The lifetimes of a response that may be kept, or the reason why keeping it is useless (RFC 9111 §3 last point,
    /// §4.2).
    ///
    /// - Parameters:
    ///   - status, fields: those of the stored response; after a validation they are not those of the 304.
    ///   - head: supplies age and times.
    static func kept(
        status: Int, fields: HeaderFields, head: UpstreamHead, answer: ResponseControl, rule: FreshnessRule
    ) -> StoreVerdict {
        let control = answer.control
        let lifetime = lifetime(
            status: status, fields: fields, responseTime: head.responseTime, answer: answer, rule: rule)
        guard lifetime != nil || control.isPublic || heuristicallyCacheable.contains(status) else {
            return refuse(.noLifetime, .notCacheable)
        }
        let hasValidator = Validation.hasValidator(fields)
        if lifetime == nil, !hasValidator { return refuse(.noLifetime, .noLifetime) }
        let initialAge = Age.initial(
            fields: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
        let demandsValidation = control.noCache && control.noCacheFields.isEmpty
        // Freshness counts from the generation of the response. Some or all of it may have passed before arrival
        // (§4.2). A negative value is kept, because the time since freshness ended counts against the limits of stale
        // use (§4.2.4).
        let left = demandsValidation ? 0 : max(-longestStaleness, (lifetime?.milliseconds ?? 0) - initialAge)
        var window = RFCReuse.staleProhibition(control) == nil ? max(.zero, rule.staleWindow) : .zero
        if hasValidator { window = max(window, rule.staleWindow, validationKeep) }
        let decision = StorePolicy.bounded(
            initialAge: initialAge, responseTime: head.responseTime, lifetime: left, staleWindow: window,
            isNegative: false, rule: rule)
        guard case .store = decision else {
            let isOver = rule.retention.map { $0 <= .zero } ?? false
            return refuse(.noLifetime, isOver ? .retention : .noUse)
        }
        let reason: CacheRule = demandsValidation ? .noCacheAnswer : lifetime?.rule ?? .validationOnly
        return StoreVerdict(decision: decision, rule: reason, fields: fields)
    }
}
