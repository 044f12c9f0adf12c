// Decides which fields of a response are stored (RFC 9111 §3.1).
import LarderCore
import LarderHTTP

extension RFCStorage {
    /// The fields to store, in their order and spelling (RFC 9111 §3.1, §5.2.2.4, §5.2.2.7). Left out are: hop-by-hop
    /// fields and those that `Connection` lists; cookies, unless they are kept; the fields that a qualified `private`
    /// or `no-cache` names; and `Content-Length`, because the stored body has its own length. A missing `Date` is added
    /// with the time of arrival (RFC 9110 §6.6.1).
    public static func storedFields(
        of head: UpstreamHead, targets: TargetFields, cookies: FreshnessRule.Cookies = .strict
    ) -> HeaderFields {
        storedFields(of: head, ResponseControl(fields: head.fields, targets: targets).control, cookies)
    }

    /// The same, for directives that have already been read.
    static func storedFields(
        of head: UpstreamHead, _ control: CacheControl, _ cookies: FreshnessRule.Cookies
    ) -> HeaderFields {
        var fields = HopByHop.endToEnd(head.fields)
        if cookies != .keep { fields.remove(setCookie) }
        fields.remove(.contentLength)
        fields.remove(withheld(control))
        if !fields.contains(.date) { fields.add(.date, HTTPDate.format(head.responseTime)) }
        return fields
    }

    /// The fields that qualified directives keep out of the store (RFC 9111 §5.2.2.4, §5.2.2.7).
    static func withheld(_ control: CacheControl) -> FieldNameSet {
        FieldNameSet(control.privateFields + control.noCacheFields)
    }

    private static let setCookie: FieldNameSet = ["Set-Cookie", "Set-Cookie2"]
}
