// Updates a stored response with the head of a newer response (RFC 9111 §3.2): a 304 (§4.3.4) or a HEAD response
// (§4.3.5).
import LarderCore
import LarderHTTP

/// A stored response with its new head and times, and whether it may stay in the store.
public struct Freshening: Sendable {
    public var entry: StoredResponse
    /// A refusal means that the entry must be removed. The updated response may still answer the current request.
    public var verdict: StoreVerdict
}

/// What a HEAD response means for a stored GET response.
public enum HeadEffect: Sendable {
    /// The stored response still holds, with this new head.
    case freshen(StoredResponse)
    /// The stored response no longer holds and is treated as stale.
    case invalidate
    /// No effect.
    case none
}

extension Validation {
    /// Fields that describe the stored body and keep their stored values, because a newer head may describe another
    /// body. RFC 9111 §3.2 names `Content-Length` and the fields that the cache depends on; Larder cuts ranges from
    /// bodies and selects by their coding. A content digest in a 304 describes an empty body.
    public static let describingBody: FieldNameSet = [
        "Content-Length", "Content-Encoding", "Content-Range", "Content-Digest", "Content-MD5", "Repr-Digest", "Digest",
    ]

    /// The stored response as updated by a newer head (RFC 9111 §3.2, §4.3.4). Each field of the head replaces the
    /// stored lines of the same name, except fields that are never stored and fields that describe the stored body.
    /// Age, times and lifetimes are taken from the new head. The body stays. If the updated response must not be kept
    /// (a 304 with `no-store`), it has no freshness and no stale window left, and the verdict gives the reason.
    public static func freshening(
        _ entry: StoredResponse, by head: UpstreamHead, rule: FreshnessRule, targets: TargetFields
    ) -> Freshening {
        var out = entry
        out.fields = updated(entry.fields, by: head, targets: targets, cookies: rule.cookies)
        out.requestTime = head.requestTime
        out.responseTime = head.responseTime
        var whole = head
        whole.status = entry.status
        whole.fields = out.fields
        // Judged like a new response. The request's credentials were judged when the response was stored.
        var verdict = RFCStorage.decide(method: .get, requestFields: [:], head: whole, rule: rule, targets: targets)
        if isTooLong(out.fields) {
            verdict = RFCStorage.refuse(.headTooLarge, .headTooLarge)
            out.fields = entry.fields
        }
        if case .store(let lifetimes) = verdict.decision {
            out.initialAge = lifetimes.initialAge
            out.freshUntil = lifetimes.freshUntil
            out.staleUntil = lifetimes.staleUntil
        } else {
            out.initialAge = Age.initial(
                fields: head.fields, requestTime: head.requestTime, responseTime: head.responseTime)
            out.freshUntil = head.responseTime
            out.staleUntil = head.responseTime
        }
        return Freshening(entry: out, verdict: verdict)
    }

    /// Each 304 may add fields with new names, so a stored head could grow without end. It is limited to what one
    /// response may have.
    private static func isTooLong(_ fields: HeaderFields) -> Bool {
        fields.count > ResponseHeadReader.maxFields
            || fields.wireSize > ResponseHeadReader.maxBytes
    }

    /// The fields after the update. Fields with new names come last (RFC 9111 §3.2).
    static func updated(
        _ stored: HeaderFields, by head: UpstreamHead, targets: TargetFields, cookies: FreshnessRule.Cookies = .strict
    ) -> HeaderFields {
        // The age comes from the newer head, if it has one. Keeping the old `Age` would count it twice.
        var fields = stored
        fields.remove(.age)
        let news = RFCStorage.storedFields(of: head, targets: targets, cookies: cookies).filtered {
            !$0.isIn(describingBody)
        }
        fields.replace(with: news)
        // A field that a qualified directive names is not stored, whichever of the two heads has the directive.
        let withheld = RFCStorage.withheld(ResponseControl(fields: fields, targets: targets).control)
        fields.remove(withheld)
        fields.keepSelectors(of: stored)
        return fields
    }

    /// The effect of a HEAD response on a stored response that could have been selected for it (RFC 9111 §4.3.5). Only
    /// a 200 has an effect. The stored response holds if it has every validator and the length that the HEAD response
    /// gives.
    public static func headEffect(
        of head: UpstreamHead, on entry: StoredResponse, rule: FreshnessRule, targets: TargetFields
    ) -> HeadEffect {
        guard head.status == 200, head.responseTime >= entry.responseTime else { return .none }
        guard entry.status == 200, validatorsMatch(head.fields, entry), lengthMatches(head.fields, entry) else {
            return .invalidate
        }
        let freshening = freshening(entry, by: head, rule: rule, targets: targets)
        guard case .store = freshening.verdict.decision else { return .invalidate }
        var updated = freshening.entry
        // Without a validator nothing says that the body still was the same when the HEAD was sent.
        if !hasValidator(head.fields) { updated.requestTime = entry.requestTime }
        return .freshen(updated)
    }

    private static func validatorsMatch(_ fields: HeaderFields, _ entry: StoredResponse) -> Bool {
        ["ETag", "Last-Modified"].allSatisfy { !fields.contains($0) || fields.all($0) == entry.fields.all($0) }
    }

    private static func lengthMatches(_ fields: HeaderFields, _ entry: StoredResponse) -> Bool {
        let lengths = FieldList.members(fields.all(.contentLength))
        return lengths.allSatisfy { Int64($0) == entry.bodyLength }
    }
}
