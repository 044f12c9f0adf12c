// Larder's own pages: markup, style and script are answers of this origin, and nothing else may be loaded or run
// (Content Security Policy Level 3), so that text from an answer can never become code.
import LarderCore
import LarderServer

/// What a page consists of.
enum OwnPagePart: Sendable {
    case page
    case style
    case script
}

struct OwnPage: Sendable {
    var page: StaticString
    var style: StaticString
    var script: StaticString
    /// What the page may do beyond having its own style and script and asking this origin: a policy's directives.
    var permits: String
    var cacheControl: String

    func response(_ part: OwnPagePart, route: RouteName) -> ServerResponse {
        let (type, text): (String, StaticString) =
            switch part {
            case .page: ("text/html; charset=utf-8", page)
            case .style: ("text/css; charset=utf-8", style)
            case .script: ("text/javascript; charset=utf-8", script)
            }
        return ServerResponse(
            status: 200, fields: Self.fields(type: type, permits: permits, cacheControl: cacheControl),
            body: .bytes(Bytes(text: "\(text)")), route: route)
    }

    /// The fields of every part of an own page.
    static func fields(type: String, permits: String, cacheControl: String) -> HeaderFields {
        [
            "Content-Type": type, "Cache-Control": cacheControl, "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy":
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \(permits); "
                + "base-uri 'none'; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
        ]
    }
}
