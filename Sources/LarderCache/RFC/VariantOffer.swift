// Which stored variants a request may validate that selects none of them (RFC 9111 §4.1, §4.3.1). The upstream gets
// their entity tags in `If-None-Match`. A 304 that names one of the tags says that the stored body of that variant is
// also the response to this request (§4.3.4), and saves its transfer.
//
// A strong tag names one sequence of bytes among all variants of a URL (RFC 9110 §8.8.3). Some origins break that rule
// and give the same tag to different bodies. A variant is therefore offered only if known, harmless fields select it,
// and if its coding, language and media type are what the request prefers.
import LarderCore
import LarderHTTP

/// Validating the stored variants of other requests. Pure.
public enum VariantOffer {
    /// The most variants that are read for one request, the newest first.
    public static let limit = 4
    /// Longer tags are not offered, because every server limits the head of a request.
    public static let longestTag = 200

    /// Request fields that describe a client's program, device or preferences. Any other field might tell callers apart,
    /// and what one caller gets must never depend on how an origin makes its tags. `Origin` is not among them either: a
    /// 304 often lacks the `Access-Control-*` fields that depend on it.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "device-memory", "dpr", "save-data", "user-agent",
        "viewport-width", "width",
    ]

    /// Whether variants that those fields select may be offered to other requests.
    /// - Parameter names: of `Vary`, in lower case.
    public static func mayOffer(selectedBy names: [String]) -> Bool {
        // User-agent client hints describe the program and the device.
        names.allSatisfy { harmless.contains($0) || $0.hasPrefix("sec-ch-") }
    }

    /// Whether a stored variant may be offered to a request with those fields.
    public static func mayOffer(_ entry: StoredResponse, to requestFields: HeaderFields) -> Bool {
        guard entry.status == 200, entry.large == nil, let tag = Validation.etag(entry.fields), !tag.isWeak,
            tag.description.utf8.count <= longestTag
        else { return false }
        return suits(entry.fields, requestFields)
    }

    /// Whether a response with those fields is what a request prefers, as far as fields tell.
    /// - Parameter fields: of the stored variant; after the 304, as the 304 updates them.
    public static func suits(_ fields: HeaderFields, _ requestFields: HeaderFields) -> Bool {
        guard case .names(let names) = Vary(fields), mayOffer(selectedBy: names) else { return false }
        return suitsCoding(fields, requestFields)
            && (!names.contains("accept-language") || suitsLanguage(fields, requestFields))
            && (!names.contains("accept") || suitsType(fields, requestFields))
    }

    /// The condition for those variants: `If-None-Match` with each tag once. There is no `If-Modified-Since`: an upstream
    /// that reads only the date would confirm a variant of another request.
    public static func conditions(for offered: [StoredResponse]) -> HeaderFields {
        var fields = Validation.conditionalFields(for: offered)
        fields.remove(.ifModifiedSince)
        return fields
    }

    /// The variant whose bytes a 304 confirms: the newest with the strong tag that the 304 names. A 304 without a tag
    /// confirms the only variant that was offered.
    /// - Parameter offered: those of the condition, the newest first.
    public static func confirmed(by head: UpstreamHead, among offered: [StoredResponse]) -> StoredResponse? {
        guard head.status == 304 else { return nil }
        if head.fields.contains(.etag) { return offered.first { hasTag(of: head, $0) } }
        guard offered.count == 1, !Validation.freshenedIndexes(by: head, among: offered).isEmpty else { return nil }
        return offered[0]
    }

    /// Whether a stored response has the strong tag of a head.
    public static func hasTag(of head: UpstreamHead, _ entry: StoredResponse) -> Bool {
        guard let tag = Validation.etag(head.fields), let own = Validation.etag(entry.fields) else { return false }
        return tag.stronglyEquals(own)
    }

    /// The head that the upstream would have sent with the body of that variant: the stored head as the 304 updates it
    /// (RFC 9111 §3.2), with what the 304 says to this client alone.
    /// - Returns: nil if the head would exceed the size limit.
    public static func head(
        of entry: StoredResponse, confirmedBy head: UpstreamHead, rule: FreshnessRule, targets: TargetFields
    ) -> UpstreamHead? {
        let news = Validation.freshening(entry, by: head, rule: rule, targets: targets)
        guard news.verdict.rule != .headTooLarge else { return nil }
        var whole = head
        whole.status = entry.status
        whole.reason = entry.reason
        whole.length = entry.bodyLength
        whole.fields = news.entry.fields
        // `Via` describes the path of this message. The stored lines describe an earlier one, up to Larder itself.
        whole.fields.remove(.via)
        let known = whole.fields
        whole.fields.add(
            HopByHop.endToEnd(head.fields).filtered { !known.contains($0) && !$0.isIn(Validation.describingBody) })
        return whole
    }

    /// A coding that `Accept-Encoding` did not select is that of the representation, and suits every request.
    private static func suitsCoding(_ fields: HeaderFields, _ requestFields: HeaderFields) -> Bool {
        guard let coding = fields.combined(.contentEncoding), Vary(fields).names("accept-encoding") else {
            return true
        }
        return ContentCoding.accepts(requestFields.combined(.acceptEncoding), coding)
    }

    private static func suitsLanguage(_ fields: HeaderFields, _ requestFields: HeaderFields) -> Bool {
        LanguageChoice.language(fields).map { LanguageChoice.isBest($0, for: requestFields) } ?? false
    }

    /// Whether the media type is the one that the request wants most (RFC 9110 §12.5.1). A wildcard wants no type most, and
    /// a range with parameters tells forms apart that `Content-Type` need not name.
    private static func suitsType(_ fields: HeaderFields, _ requestFields: HeaderFields) -> Bool {
        guard let value = fields.first(.contentType),
            let best = PreferenceList.members(requestFields.all(.accept), of: "accept")?.first, best.weight > 0
        else { return false }
        return best.range == FieldList.lowercased(ASCII.trimmed(value.prefix { $0 != ";" }))
    }
}
