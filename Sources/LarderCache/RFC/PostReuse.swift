// An answer to POST that is also the answer to a later GET of the same URL (RFC 9110 §9.3.3). It states a lifetime, and
// its `Content-Location` names that URL.
import LarderCore
import LarderHTTP

/// Whether an answer to POST may be stored for GET. Pure.
public enum PostReuse {
    /// - Parameters:
    ///   - requestURL: absolute.
    ///   - targets: names of targeted fields that count (RFC 9213).
    public static func isDue(
        method: Method, status: Int, requestURL: String, fields: HeaderFields, targets: [String]
    ) -> Bool {
        // Another status would be told to whoever GETs it.
        guard method == .post, status == 200 else { return false }
        let locations = fields.all("Content-Location")
        guard locations.count == 1, let base = HTTPURL(requestURL), base.resolving(locations[0]) == base else {
            return false
        }
        // Lifetimes that are guessed do not count: the standard demands explicit ones.
        let answer = ResponseControl(fields: fields, targets: targets)
        let control = answer.control
        guard control.sMaxAge != nil || control.maxAge != nil || !answer.isTargeted && fields.contains("Expires") else {
            return false
        }
        // The request may have accepted other codings than the GETs here do, which are told apart as gzip or none.
        let coding = FieldList.names(fields.all("Content-Encoding"))
        return coding.isEmpty || coding == ["gzip"] || coding == ["identity"]
    }
}
