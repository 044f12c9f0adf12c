// What a shared cache may store (RFC 9111 §3). Storing is not reuse: an answer that is stale at once but can be
// validated is worth storing. Larder is stricter than the RFC in three points. Each of them can cost a fetch, and none
// can give a wrong answer. `Cookie` counts like `Authorization`. An answer with `Set-Cookie` is stored (without the
// cookie) only where it allows shared storage, unless the configuration says otherwise (`FreshnessRule.Cookies`). An
// answer is not stored if its `Connection` lists a field that later decisions need.
import LarderCore
import LarderHTTP

/// A decision about storing, and what decided.
public struct StoreVerdict: Sendable, Hashable {
    public var decision: StoreDecision
    public var rule: CacheRule
    /// The fields to store; none where nothing is stored.
    public var fields: HeaderFields

    public init(decision: StoreDecision, rule: CacheRule, fields: HeaderFields = [:]) {
        self.decision = decision
        self.rule = rule
        self.fields = fields
    }
}

/// Decides about storing by RFC 9111. Pure: the instants come with the answer's head.
public enum RFCStorage {
    /// How long an answer with a validator is kept for its sake at least, also where no stale use is configured.
    public static let validationKeep: Duration = .seconds(3600)
    /// How long before its arrival an answer can have ceased to be fresh, in milliseconds: ten years stand for all that is longer.
    static let longestStaleness: Int64 = 315_360_000_000

    /// Whether an answer may be stored, and how long its row is worth keeping (RFC 9111 §3 for a shared cache).
    ///
    /// `staleUntil` of the lifetimes is only the end of the row's worth: whether it may be used is decided anew each
    /// time, by `RFCReuse`, from the stored fields.
    ///
    /// - Parameters:
    ///   - requestFields: of the client's request, credentials included.
    ///   - head: of the answer, as received.
    ///   - rule: its stale window, its retention, its cookies and its declared lifetime count, nothing else.
    ///   - targets: names of targeted fields that count (RFC 9213), the most specific first.
    public static func decide(
        method: Method, requestFields: HeaderFields, head: UpstreamHead, rule: FreshnessRule, targets: [String]
    ) -> StoreVerdict {
        if method != .get { return refuse(.method, .method) }
        if CacheControl(requestFields.all("Cache-Control")).noStore {
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

    /// Statuses of which no answer is stored, whatever it says (RFC 9111 §3, §3.3; RFC 6585 §3 to §6).
    private static func byStatus(_ head: UpstreamHead) -> StoreVerdict? {
        switch head.status {
        case 206: refuse(.partial, .partialContent)
        case 304: refuse(.partial, .notModifiedAnswer)
        // They answer the conditions, ranges or expectations of one request.
        case 412, 416, 417: refuse(.partial, .preconditionAnswer)
        // 407 is between neighbours, the others were told never to be stored.
        case 407, 428, 429, 431, 511: refuse(.status, .statusNeverStored)
        // In any other answer Content-Range has no meaning (RFC 9110 §14.4).
        case 200..<600: nil
        default: refuse(.status, .notFinal)
        }
    }

    /// RFC 9111 §5.2.2.3, §5.2.2.5 and §5.2.2.7. `must-understand` lifts `no-store` where the status is understood.
    private static func byDirectives(_ head: UpstreamHead, _ control: CacheControl) -> StoreVerdict? {
        if control.mustUnderstand {
            if !understood.contains(head.status) { return refuse(.status, .statusNotUnderstood) }
        } else if control.noStore {
            return refuse(.noStore, .responseNoStore)
        }
        if control.isPrivate, control.privateFields.isEmpty { return refuse(.private, .responsePrivate) }
        return nil
    }

    /// What belongs to one person (RFC 9111 §3.5, §7.3).
    private static func byPerson(
        _ requestFields: HeaderFields, _ head: UpstreamHead, _ answer: ResponseControl, _ cookies: FreshnessRule.Cookies
    ) -> StoreVerdict? {
        let control = answer.control
        let isShared = control.isPublic || control.sMaxAge != nil
        if !isShared, !control.mustRevalidate {
            if requestFields.contains("Authorization") { return refuse(.authorization, .authorization) }
            if requestFields.contains("Cookie") { return refuse(.cookie, .cookie) }
        }
        // One that a qualified directive names is not stored, and says nothing of the rest (RFC 9111 §5.2.2.4, §5.2.2.7).
        var kept = head.fields
        kept.remove(withheld(control))
        let setsCookie = kept.contains("Set-Cookie") || kept.contains("Set-Cookie2")
        guard setsCookie, !isShared else { return nil }
        let isStored =
            switch cookies {
            case .strict: false
            case .drop: control.maxAge != nil || !answer.isTargeted && head.fields.contains("Expires")
            case .keep: true
            }
        return isStored ? nil : refuse(.setCookie, cookies == .drop ? .cookieWithoutLifetime : .setCookie)
    }

    /// Whether `Connection` lists a field that is there and that `RFCReuse` or the choice of variants would miss.
    private static func listsDecidingField(_ fields: HeaderFields, targets: [String]) -> Bool {
        let listed = FieldList.names(fields.all("Connection"))
        if listed.isEmpty { return false }
        return (["Cache-Control", "Vary"] + targets).contains {
            fields.contains($0) && listed.contains(FieldList.lowercased($0))
        }
    }

    /// The lifetimes of an answer that may be kept, or why keeping it is of no use (RFC 9111 §3 last point, §4.2).
    ///
    /// - Parameters:
    ///   - status, fields: of the answer as stored; after a validation these are not the 304's.
    ///   - head: gives age and instants.
    static func kept(
        status: Int, fields: HeaderFields, head: UpstreamHead, answer: ResponseControl, rule: FreshnessRule
    ) -> StoreVerdict {
        let control = answer.control
        let lifetime = lifetime(
            status: status, fields: fields, responseTime: head.responseTime, answer: answer,
            declared: rule.declaredTTL)
        guard lifetime != nil || control.isPublic || heuristicallyCacheable.contains(status) else {
            return refuse(.noLifetime, .notCacheable)
        }
        let hasValidator = Validation.hasValidator(fields)
        if lifetime == nil, !hasValidator { return refuse(.noLifetime, .noLifetime) }
        let initialAge = Age.initial(
            fields: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
        let demandsValidation = control.noCache && control.noCacheFields.isEmpty
        // Freshness counts from the birth of the answer, and part of it, or all, may have passed on the way (§4.2). How long ago it
        // ended counts against what accepts a stale answer (§4.2.4), so it may have ended before the answer came.
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
