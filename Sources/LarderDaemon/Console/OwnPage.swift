// Larder's own pages. Markup, style and script come from this origin, and nothing else may be loaded or run (Content
// Security Policy Level 3). Text from an upstream can therefore never become code.
import LarderCore
import LarderServer

/// The files of a page.
enum OwnPagePart: Sendable {
    case page
    case style
    case script
}

struct OwnPage: Sendable {
    var page: StaticString
    var style: StaticString
    var script: StaticString
    /// Policy directives for what the page may do, apart from using its own style and script and calling this origin.
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

    /// The fields of every file of an own page.
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
