// Which fields of an answer are stored (RFC 9111 §3.1).
import LarderCore
import LarderHTTP

extension RFCStorage {
    /// The fields to store (RFC 9111 §3.1, §5.2.2.4, §5.2.2.7), others in their order and spelling. Left out are:
    /// fields of the connection and those `Connection` lists; cookies; what a qualified `private` or `no-cache` names;
    /// and `Content-Length`, since the body that is stored tells its length itself. A missing `Date` is added with the
    /// time of arrival (RFC 9110 §6.6.1).
    public static func storedFields(of head: UpstreamHead, targets: [String]) -> HeaderFields {
        let control = ResponseControl(fields: head.fields, targets: targets).control
        let dropped = withheld(control).union(neverStored)
        var fields = HopByHop.endToEnd(head.fields)
        fields.lines.removeAll { dropped.contains(FieldList.lowercased($0.name)) }
        if !fields.contains("Date") { fields.add("Date", HTTPDate.format(head.responseTime)) }
        return fields
    }

    /// What qualified directives keep out of the store (RFC 9111 §5.2.2.4, §5.2.2.7), lower case.
    static func withheld(_ control: CacheControl) -> Set<String> {
        Set(control.privateFields + control.noCacheFields)
    }

    private static let neverStored: Set<String> = ["set-cookie", "set-cookie2", "content-length"]
}
