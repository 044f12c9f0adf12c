// Decides whether a response to POST also answers a later GET of the same URL (RFC 9110 §9.3.3). It does if it states a
// lifetime and its `Content-Location` names that URL.
import LarderCore
import LarderHTTP

/// Whether a response to POST may be stored for GET. Pure.
public enum PostReuse {
    /// - Parameters:
    ///   - requestURL: an absolute URL.
    ///   - targets: the names of the targeted fields that count (RFC 9213).
    public static func isDue(
        method: Method, status: Int, requestURL: String, fields: HeaderFields, targets: TargetFields
    ) -> Bool {
        // Any other status would be served to every GET of the URL.
        guard method == .post, status == 200 else { return false }
        let locations = fields.all(.contentLocation)
        guard locations.count == 1, let base = HTTPURL(requestURL), base.resolving(locations[0]) == base else {
            return false
        }
        // A heuristic lifetime does not count: the standard requires an explicit one.
        let answer = ResponseControl(fields: fields, targets: targets)
        let control = answer.control
        guard control.sMaxAge != nil || control.maxAge != nil || !answer.isTargeted && fields.contains(.expires) else {
            return false
        }
        // The POST may have accepted other codings than GET requests do here. For GET, Larder distinguishes only gzip
        // and none.
        let coding = FieldList.names(fields.all(.contentEncoding))
        return coding.isEmpty || coding == ["gzip"] || coding == ["identity"]
    }
}
