// Updates a stored answer with the head of a newer one (RFC 9111 §3.2): that of a 304 (§4.3.4), or of the answer to
// HEAD (§4.3.5).
import LarderCore
import LarderHTTP

/// A stored answer with its head and times anew, and whether it may stay in the store.
public struct Freshening: Sendable {
    public var entry: StoredResponse
    /// A refusal means: remove the entry. What came may still be answered to this request.
    public var verdict: StoreVerdict
}

/// What the answer to HEAD means for a stored answer to GET.
public enum HeadEffect: Sendable {
    /// It holds, with this head.
    case freshen(StoredResponse)
    /// It does not hold any more: to be treated as stale.
    case invalidate
    /// Nothing.
    case none
}

extension Validation {
    /// Fields that describe the stored body and stay as they were stored: of a newer head they would tell of another
    /// (RFC 9111 §3.2: `Content-Length`, and what the cache depends on, since bodies are decoded and cut from here). A digest of
    /// the content of a 304 is one of nothing.
    public static let describingBody: FieldNameSet = [
        "Content-Length", "Content-Encoding", "Content-Range", "Content-Digest", "Content-MD5", "Repr-Digest", "Digest",
    ]

    /// The stored answer as a newer head updates it (RFC 9111 §3.2, §4.3.4): each field of the head takes the place of
    /// the stored lines of its name, but what is never stored and what describes the stored body; age, times and
    /// lifetimes count from the new head; the body stays. Where the updated answer may not be kept any more (a 304 that
    /// says no-store), it comes back with nothing left of freshness and use: see `freshening` for why.
    public static func freshened(
        _ entry: StoredResponse, by head: UpstreamHead, rule: FreshnessRule, targets: [String]
    ) -> StoredResponse {
        freshening(entry, by: head, rule: rule, targets: targets).entry
    }

    /// As `freshened`, with the verdict about keeping it (RFC 9111 §3.2, §4.3.4).
    public static func freshening(
        _ entry: StoredResponse, by head: UpstreamHead, rule: FreshnessRule, targets: [String]
    ) -> Freshening {
        var out = entry
        out.fields = updated(entry.fields, by: head, targets: targets, cookies: rule.cookies)
        out.requestTime = head.requestTime
        out.responseTime = head.responseTime
        var whole = head
        whole.status = entry.status
        whole.fields = out.fields
        // Decided as a new answer would be; whose request it was has been decided when it was stored.
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

    /// Each 304 may add fields of new names, so that a stored head would grow without end: it is held to what one answer may have.
    private static func isTooLong(_ fields: HeaderFields) -> Bool {
        fields.lines.count > ResponseHeadReader.maxFields
            || fields.lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
                > ResponseHeadReader.maxBytes
    }

    /// The fields after the update, new ones behind the others (RFC 9111 §3.2).
    static func updated(
        _ stored: HeaderFields, by head: UpstreamHead, targets: [String], cookies: FreshnessRule.Cookies = .strict
    ) -> HeaderFields {
        // The age is that of the newer head or none: an old one would age the answer twice.
        var fields = stored
        fields.remove("Age")
        let news = RFCStorage.storedFields(of: head, targets: targets, cookies: cookies).lines.filter {
            !describingBody.contains($0.name)
        }
        var groups: [(name: String, lines: [HeaderField])] = []
        for line in news {
            let name = FieldList.lowercased(line.name)
            if let place = groups.firstIndex(where: { $0.name == name }) {
                groups[place].lines.append(line)
            } else {
                groups.append((name, [line]))
            }
        }
        for group in groups {
            let place = fields.lines.firstIndex { FieldList.lowercased($0.name) == group.name }
            fields.remove(group.name)
            fields.lines.insert(contentsOf: group.lines, at: place ?? fields.lines.endIndex)
        }
        // What a qualified directive names is not stored, whichever of the two heads said so.
        let withheld = RFCStorage.withheld(ResponseControl(fields: fields, targets: targets).control)
        fields.remove(withheld)
        return fields
    }

    /// What the answer to HEAD means for a stored answer that could have been chosen for it (RFC 9111 §4.3.5). Only 200
    /// says anything. It holds where every validator that came, and the length, are those of the stored answer.
    public static func headEffect(
        of head: UpstreamHead, on entry: StoredResponse, rule: FreshnessRule, targets: [String]
    ) -> HeadEffect {
        guard head.status == 200, head.responseTime >= entry.responseTime else { return .none }
        guard entry.status == 200, validatorsMatch(head.fields, entry), lengthMatches(head.fields, entry) else {
            return .invalidate
        }
        let freshening = freshening(entry, by: head, rule: rule, targets: targets)
        guard case .store = freshening.verdict.decision else { return .invalidate }
        return .freshen(freshening.entry)
    }

    private static func validatorsMatch(_ fields: HeaderFields, _ entry: StoredResponse) -> Bool {
        ["ETag", "Last-Modified"].allSatisfy { !fields.contains($0) || fields.all($0) == entry.fields.all($0) }
    }

    private static func lengthMatches(_ fields: HeaderFields, _ entry: StoredResponse) -> Bool {
        let lengths = FieldList.members(fields.all("Content-Length"))
        return lengths.allSatisfy { Int64($0) == entry.bodyLength }
    }
}
