// Decides which responses redirect, and which parts of the request go along (RFC 9110 §15.4). Redirects are followed
// here and not by libcurl, so that each target is checked as the first URL was.
import LarderCore

/// The request of one hop: the part of an order that a redirect may change.
struct Hop: Sendable, CopyOnWrite {
    struct Content: Sendable {
        var url: FetchURL
        var method: Method
        var fields: HeaderFields
        var secretFields: HeaderFields
        /// Percent-encoded; nil if there is none.
        var secretQuery: String?
        var body: Bytes?
        var addresses: AddressPolicy
        /// The request target, if it is not that of the URL.
        var target: String?
        /// A PEM file of certificate authorities; nil means libcurl's own.
        var caFile: String?
        /// Whether the transfer must not use a kept connection.
        var needsFreshConnection = false
    }

    var content: Shared<Content>

    init(
        url: FetchURL, method: Method, fields: HeaderFields, secretFields: HeaderFields, body: Bytes? = nil,
        addresses: AddressPolicy
    ) {
        content = Shared(
            Content(
                url: url, method: method, fields: fields, secretFields: secretFields, body: body, addresses: addresses))
    }
}

enum Redirect {
    /// The target and method of a redirect; nil if the response does not redirect.
    ///
    /// Only GET and HEAD are repeated at another URL. 303 turns any other method into GET. With the remaining codes
    /// another method would make the same change twice, so the response is returned to the caller.
    static func location(status: Int, method: Method, fields: HeaderFields) -> (reference: String, method: Method)? {
        let next: Method
        switch status {
        case 301, 302, 307, 308:
            guard method == .get || method == .head else { return nil }
            next = method
        case 303:
            next = method == .head ? .head : .get
        default:
            // 300 offers a choice, 304 answers a condition, 305 and 306 are obsolete.
            return nil
        }
        guard let reference = fields.first(.location), !reference.isEmpty else { return nil }
        return (reference, next)
    }

    /// The request for the target. Fields and credentials meant for the first origin alone are not sent to another
    /// origin. A change from https to http is a change of origin too.
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
