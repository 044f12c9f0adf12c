// Request fields that change what a condition, a range or an answer means, with one rule each. `PassRequest` carries the
// rules out. A field that is not listed goes upstream as it is, and the answer's `Vary` tells whether it selects.
// Credentials, cookies and `Cache-Control` have rules of their own (`RFCStorage`, `ClientDirectives`).
import LarderCore
import LarderHTTP

/// What Larder does with a request field of a pass-through request.
public enum RequestFieldRule: Sendable, Hashable, CaseIterable {
    /// The field is a condition or a range, or changes what the client's conditions mean. It is sent where the client's
    /// own conditions are sent, and never together with Larder's. Otherwise Larder answers it itself or ignores it, as
    /// the standard permits.
    case condition
    /// The answer is for this request alone. The request is passed on unchanged, nothing stored answers it, and its
    /// answer is neither stored nor shared. The request's parser flags these fields, so memory does not answer either.
    case alone
    /// The field selects the answer, whether or not the answer's `Vary` says so. A request with it and one without it,
    /// or with another value, get no answer of each other: with `rfc` semantics it is part of the key.
    case selects
    /// The field is sent as it is. A stored answer may be given in place of one that the field asked for.
    case asItIs
}

/// The fields and their rules. To give another field a rule, add one record.
public enum RequestFieldTable {
    public struct Record: Sendable {
        public let name: String
        public let rule: RequestFieldRule
        /// The standard that defines the field, and why the rule follows.
        public let reason: String
    }

    public static let records: [Record] = [
        Record(name: "If-Match", rule: .condition, reason: "RFC 9110 §13.1.1. A cache ignores it (RFC 9111 §4.3.2)."),
        Record(name: "If-None-Match", rule: .condition, reason: "RFC 9110 §13.1.2. A cache evaluates it."),
        Record(name: "If-Modified-Since", rule: .condition, reason: "RFC 9110 §13.1.3. A cache evaluates it."),
        Record(name: "If-Unmodified-Since", rule: .condition, reason: "RFC 9110 §13.1.4. A cache ignores it."),
        Record(name: "If-Range", rule: .condition, reason: "RFC 9110 §13.1.5. It belongs to the range."),
        Record(name: "Range", rule: .condition, reason: "RFC 9110 §14.2. A server may ignore it."),
        Record(
            name: "Request-Range", rule: .condition,
            reason: "An old name of Range, which Apache httpd still heeds. Ignored like a range."),
        Record(
            name: "A-IM", rule: .condition,
            reason:
                "RFC 3229 §10.5.3. It asks for what changed since the tag in If-None-Match, so it is true for the client's own tag only. A server may ignore it."
        ),
        Record(
            name: "If", rule: .alone,
            reason: "RFC 4918 §10.4. A condition of WebDAV on locks and tags, which only the origin can judge."),
        Record(
            name: "Last-Event-ID", rule: .alone,
            reason: "HTML §9.2. It names the place in an event stream from which this client goes on."),
        Record(
            name: "Prefer", rule: .selects,
            reason: "RFC 7240 §2. An answer that heeds a preference varies by it, and often does not say so."),
        Record(
            name: "Accept-Datetime", rule: .selects,
            reason: "RFC 7089 §2.1.1. It selects the version of a time, and Vary must name it."),
        Record(
            name: "Forwarded", rule: .selects,
            reason: "RFC 7239 §5.3. Origins build links from the host that it names, and often do not say so in Vary."),
        Record(name: "X-Forwarded-Host", rule: .selects, reason: "The older name of the host in Forwarded."),
        Record(name: "X-Host", rule: .selects, reason: "A further name of the host in Forwarded."),
        Record(
            name: "X-Original-URL", rule: .selects,
            reason: "Some frameworks answer for the URL in this field instead of the request's own."),
        Record(name: "X-Rewrite-URL", rule: .selects, reason: "A further name of X-Original-URL."),
        Record(
            name: "Want-Content-Digest", rule: .asItIs,
            reason: "RFC 9530 §4. It asks for a further field of the same answer, and need not be heeded."),
        Record(name: "Want-Repr-Digest", rule: .asItIs, reason: "RFC 9530 §4. The same."),
        Record(name: "Want-Digest", rule: .asItIs, reason: "RFC 3230 §4.3.1. The same."),
    ]

    /// The names of the fields with a rule, in the order of the table.
    public static func names(_ rule: RequestFieldRule) -> [String] {
        records.filter { $0.rule == rule }.map(\.name)
    }

    public static let conditions = names(.condition)
    public static let alone = FieldNameSet(names(.alone))
    public static let selecting = FieldNameSet(names(.selects))
}

extension UpstreamHead {
    /// The head with each field in `Vary` that selected the response by the rules of Larder.
    /// - Parameter requestFields: the fields that the upstream got.
    public func namingSelectors(among requestFields: HeaderFields) -> UpstreamHead {
        var head = namingCoding(askedBy: requestFields)
        // A 304 has the selecting fields of the response that it confirms.
        guard self.status != 304, requestFields.contains(anyOf: RequestFieldTable.selecting) else { return head }
        for name in RequestFieldTable.selecting.names
        where requestFields.contains(name) && !Vary(head.fields).names(FieldList.lowercased(name)) {
            head.fields.add(.vary, name)
        }
        return head
    }
}

extension HeaderFields {
    /// Restores in the `Vary` of an updated response what Larder itself may have named there. A newer head, such as a 304,
    /// does not take it out: the stored body is the one that was selected.
    mutating func keepSelectors(of stored: HeaderFields) {
        guard stored.contains(.vary) else { return }
        let coding = stored.contains(.contentEncoding) ? ["Accept-Encoding"] : []
        for name in coding + RequestFieldTable.selecting.names {
            let lowered = FieldList.lowercased(name)
            if Vary(stored).names(lowered), !Vary(self).names(lowered) { add("Vary", name) }
        }
    }
}
