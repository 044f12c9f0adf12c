// Which answers send us elsewhere, and what of the request goes along (RFC 9110 §15.4). Followed here and not by
// libcurl, so that each target is checked as the first one was.
import LarderCore

/// One hop's request: the part of an order that a redirect may change.
struct Hop: Sendable {
    var url: FetchURL
    var method: Method
    var fields: HeaderFields
    var secretFields: HeaderFields
    /// Encoded; nil where there is none.
    var secretQuery: String?
    var body: Bytes?
    var addresses: AddressPolicy
    /// No kept connection is used.
    var needsFreshConnection = false
}

enum Redirect {
    /// Where an answer points to, nil where it is an answer as any other.
    ///
    /// Only GET and HEAD are repeated elsewhere unasked; 303 turns any other method into GET, the rest of the codes
    /// would send the same change twice and are handed back.
    static func location(status: Int, method: Method, fields: HeaderFields) -> (reference: String, method: Method)? {
        let next: Method
        switch status {
        case 301, 302, 307, 308:
            guard method == .get || method == .head else { return nil }
            next = method
        case 303:
            next = method == .head ? .head : .get
        default:
            // 300 offers a choice, 304 answers a condition, 305 and 306 are dead.
            return nil
        }
        guard let reference = fields.first("Location"), !reference.isEmpty else { return nil }
        return (reference, next)
    }

    /// The request for the target. What was meant for the first origin alone does not reach another one; a change from
    /// https to http is another origin too.
    static func follow(_ hop: Hop, to url: FetchURL, method: Method, addresses: AddressPolicy) -> Hop {
        var next = hop
        next.url = url
        next.addresses = addresses
        if method != hop.method {
            next.method = method
            next.body = nil
            for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location"] {
                next.fields.remove(name)
            }
        }
        if url.origin != hop.url.origin {
            next.secretFields = [:]
            for name in ["Authorization", "Cookie", "Proxy-Authorization", "Origin", "Referer"] {
                next.fields.remove(name)
            }
        }
        return next
    }
}
