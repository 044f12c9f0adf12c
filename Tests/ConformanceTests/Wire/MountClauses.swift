// How a gateway rewrites locations and fields about the origin. Clients see the origin at another place: below
// `/raw/NAME` or at the root of a listener.
import LarderCore
import Testing

extension WireClauses {
    static let mounts: [WireClause] = places + cookies + origins

    private static let kept = "Cache-Control: max-age=600\r\n"

    /// The field is the same on a miss, on hits, and in responses that are not stored.
    private static func field(
        _ section: String, _ level: Level, _ says: String, _ name: String, _ value: String,
        wanted: @escaping @Sendable (_ root: String) -> String
    ) -> WireClause {
        WireClause(section, level, says) { stand in
            for fields in [kept, "Cache-Control: no-store\r\n"] {
                stand.answers(whole("x", fields + "\(name): \(value)\r\n"))
                for _ in 0..<3 {
                    try await stand.get("/d/\(fields.count)").expect(.status(200), .only(name, wanted(stand.root)))
                }
            }
        }
    }

    private static let places: [WireClause] = [
        field(
            "RFC 9110 §10.2.2", .must, "an absolute path in Location is rewritten to lead below the mount", "Location",
            "/b?c#f"
        ) {
            "\($0)/b?c#f"
        },
        field("RFC 9110 §10.2.2", .must, "a relative path in Location keeps its meaning", "Location", "../b") { _ in
            "../b"
        },
        field(
            "RFC 9110 §10.2.2", .must, "a Location that would leave the mount is kept below it", "Location",
            "../../../b"
        ) {
            $0.isEmpty ? "../../../b" : "\($0)/b"
        },
        field(
            "RFC 9110 §10.2.2", .must, "a Location of another origin is not changed", "Location", "https://a.example/b"
        ) { _ in
            "https://a.example/b"
        },
        field(
            "RFC 9110 §8.7", .must, "Content-Location is rewritten to a path below the mount", "Content-Location",
            "/b.en"
        ) {
            "\($0)/b.en"
        },
        field(
            "RFC 8288 §3.1", .must, "targets of Link are rewritten to lead below the mount", "Link",
            "</b>; rel=next, <c>; rel=prev"
        ) {
            "<\($0)/b>; rel=next, <c>; rel=prev"
        },
        WireClause(
            "RFC 9110 §10.2.2", .should,
            "an absolute Location below the base URL is rewritten to lead through the cache"
        ) {
            stand in
            stand.answers { request in
                whole("x", "Cache-Control: max-age=600\r\nLocation: http://\(request["Host"] ?? "")/b\r\n")
            }
            for _ in 0..<3 { try await stand.get("/a").expect(.only("Location", "\(stand.root)/b")) }
        },
        WireClause("RFC 3986 §5.2.4", .should, "a segment of one dot is removed from a path") { stand in
            stand.answers(whole("x", kept))
            for path in ["/a/b", "/./a/b", "/a/./b", "/a/%2E/b"] {
                try await stand.get(path).expect(.status(200), .body("x"))
            }
            stand.expectCalls(1)
        },
    ]

    private static let cookies: [WireClause] = [
        WireClause("RFC 6265 §8.5", .may, "a cookie set without a path gets the path of the mount, and no Domain") {
            stand in
            stand.answers(whole("x", "Cache-Control: no-store\r\nSet-Cookie: a=b; Domain=x.example\r\n"))
            let wanted = stand.root.isEmpty ? "a=b" : "a=b; Path=\(stand.root)/"
            try await stand.get("/a").expect(.only("Set-Cookie", wanted))
        },
        WireClause("RFC 6265 §8.5", .may, "cookies of a browser are sent upstream only for pages of the same listener")
        { stand in
            stand.answers(whole("x", "Cache-Control: no-store\r\n"))
            for (site, path) in [("none", "/none"), ("same-origin", "/own")] {
                try await stand.ask("GET", path, "Cookie: a=b\r\nSec-Fetch-Site: \(site)\r\n")
                let goes = site == "same-origin" && stand.root.isEmpty
                stand.requestFor(path).expect(goes ? .line("Cookie: a=b") : .lacks("Cookie"))
            }
        },
    ]

    private static let origins: [WireClause] = [
        WireClause(
            "RFC 9110 §7.7", .may, "fields that act on a whole origin are passed on only on a dedicated listener"
        ) {
            stand in
            let names = ["Alt-Svc", "Reporting-Endpoints", "Service-Worker-Allowed"]
            stand.answers(whole("x", kept + names.map { "\($0): x\r\n" }.joined()))
            for _ in 0..<3 {
                let answer = try await stand.get("/a")
                for name in names { answer.expect(stand.root.isEmpty ? .line("\(name): x") : .lacks(name)) }
            }
        },
        WireClause(
            "RFC 9110 §7.7", .may, "fields that act on a whole host are not passed on"
        ) {
            stand in
            let names = ["Clear-Site-Data", "Strict-Transport-Security", "NEL", "Report-To"]
            stand.answers(whole("x", kept + names.map { "\($0): x\r\n" }.joined()))
            for _ in 0..<3 {
                let answer = try await stand.get("/a")
                for name in names { answer.expect(.lacks(name)) }
            }
        },
    ]
}
