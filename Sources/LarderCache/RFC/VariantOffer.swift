// Which stored variants a request may validate that selects none of them (RFC 9111 §4.1, §4.3.1). The upstream gets
// their entity tags in `If-None-Match`. A 304 that names one of the tags says that the stored body of that variant is
// also the answer to this request (§4.3.4), and saves its transfer.
//
// A strong tag names one sequence of bytes among all variants of a URL (RFC 9110 §8.8.3). Some origins give the same tag
// to different bodies, so a variant is offered only if its coding, language and media type suit the request, and never if
// callers select it.
import LarderCore
import LarderHTTP

/// Validating the stored variants of other requests. Pure.
public enum VariantOffer {
    /// The most variants that are read for one request, the newest first.
    public static let limit = 4

    /// Parts of the names of request fields that tell callers apart.
    private static let callers = [
        "account", "auth", "cookie", "credential", "key", "secret", "session", "tenant", "token", "user",
    ]

    /// Whether variants that those fields select may be offered to other requests.
    ///
    /// Fields of callers are excluded, because the answer to another caller must never depend on how an origin makes its
    /// tags. `Origin` is excluded, because a 304 often lacks the `Access-Control-*` fields that depend on it.
    /// - Parameter names: of `Vary`, in lower case.
    public static func mayOffer(selectedBy names: [String]) -> Bool {
        names.allSatisfy { name in
            name == "user-agent" || name != "origin" && !callers.contains { name.contains($0) }
        }
    }

    /// Whether a stored variant may be offered to a request with those fields.
    public static func mayOffer(_ entry: StoredResponse, to requestFields: HeaderFields) -> Bool {
        guard entry.status == 200, entry.large == nil, let tag = Validation.etag(entry.fields), !tag.isWeak,
            case .names(let names) = Vary(entry.fields), mayOffer(selectedBy: names)
        else { return false }
        return suitsCoding(entry.fields, requestFields) && suitsLanguage(entry.fields, requestFields)
            && suitsType(entry.fields, requestFields)
    }

    /// The condition for those variants: `If-None-Match` with each tag once. There is no `If-Modified-Since`: an upstream
    /// that reads only the date would confirm a variant of another request.
    public static func conditions(for offered: [StoredResponse]) -> HeaderFields {
        var fields = Validation.conditionalFields(for: offered)
        fields.remove("If-Modified-Since")
        return fields
    }

    /// The variants whose bytes a 304 confirms, the newest first; none if it names no strong tag that was offered. A 304
    /// without a tag confirms the only variant that was offered.
    /// - Parameter offered: those of the condition, the newest first.
    public static func confirmed(by head: UpstreamHead, among offered: [StoredResponse]) -> [StoredResponse] {
        guard head.status == 304 else { return [] }
        guard head.fields.contains("ETag") else { return offered.count == 1 ? offered : [] }
        guard let tag = Validation.etag(head.fields) else { return [] }
        return offered.filter { entry in
            Validation.etag(entry.fields).map { tag.stronglyEquals($0) } ?? false
        }
    }

    /// The head that the upstream would have sent with the body of that variant: the stored head as the 304 updates it
    /// (RFC 9111 §3.2), with what the 304 says to this client alone.
    public static func head(
        of entry: StoredResponse, confirmedBy head: UpstreamHead, rule: FreshnessRule, targets: [String]
    ) -> UpstreamHead {
        var whole = head
        whole.status = entry.status
        whole.reason = entry.reason
        whole.length = entry.bodyLength
        whole.fields = Validation.freshened(entry, by: head, rule: rule, targets: targets).fields
        // `Via` tells the way of this message. The stored lines tell that of an earlier one, up to Larder itself.
        whole.fields.remove("Via")
        let known = whole.fields
        whole.fields.lines += HopByHop.endToEnd(head.fields).lines.filter {
            !known.contains($0.name) && !Validation.describingBody.contains($0.name)
        }
        return whole
    }

    /// Larder undoes the codings that it knows, unless the answer forbids a transformation (RFC 9111 §5.2.2.6).
    private static func suitsCoding(_ fields: HeaderFields, _ requestFields: HeaderFields) -> Bool {
        guard let coding = fields.combined("Content-Encoding") else { return true }
        return ContentCoding.accepts(requestFields.combined("Accept-Encoding"), coding)
            || ContentCoding.isKnown(coding) && !CacheControl(fields.all("Cache-Control")).noTransform
    }

    private static func suitsLanguage(_ fields: HeaderFields, _ requestFields: HeaderFields) -> Bool {
        let wanted = requestFields.all("Accept-Language")
        guard !wanted.isEmpty, let tag = LanguageChoice.language(fields) else { return true }
        guard let members = PreferenceList.members(wanted, of: "accept-language") else { return false }
        // The longest range that matches decides (RFC 4647 §3.3.1).
        let matching = members.filter { $0.range == "*" || LanguageChoice.matches($0.range, tag) }
        return matching.max { $0.range.utf8.count < $1.range.utf8.count }.map { $0.weight > 0 } ?? false
    }

    private static func suitsType(_ fields: HeaderFields, _ requestFields: HeaderFields) -> Bool {
        let wanted = requestFields.all("Accept")
        guard !wanted.isEmpty, let value = fields.first("Content-Type") else { return true }
        guard let members = PreferenceList.members(wanted, of: "accept") else { return false }
        let type = FieldList.lowercased(ASCII.trimmed(value.prefix { $0 != ";" }))
        let group = type.prefix { $0 != "/" } + "/*"
        // The most specific range that matches decides (RFC 9110 §12.5.1). Its parameters are not compared.
        for range in [type, String(group), "*/*"] {
            let weights = members.filter { $0.range.prefix { $0 != ";" } == range }.map(\.weight)
            if let weight = weights.max() { return weight > 0 }
        }
        return false
    }
}
