// Conditional requests (RFC 9110 §13) to a shared cache: on stored responses, on responses that are not stored, and on
// a miss, which fetches the whole response to store it.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let conditional = conditionsOnStored + conditionsWithoutModified + conditionsOnMiss + notModifiedFields

    private static let modified = "Mon, 01 Dec 2025 00:00:00 GMT"
    private static let page =
        "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nLast-Modified: \(modified)\r\n"
        + "ETag: \"v1\"\r\nContent-Type: text/plain\r\n"
    private static let weakPage =
        "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nETag: W/\"v1\"\r\n"
    private static let unquotedPage =
        "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nETag: v1\r\n"
    private static let undatedPage =
        "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\n"

    /// Stores a fresh response and then sends a request with conditions. The origin gets one request in total.
    private static func stored(
        _ section: String, _ level: Level, _ says: String, _ fields: String = page, asking: String,
        method: String = "GET", status: Int
    ) -> WireClause {
        WireClause(section, level, says) { stand in
            stand.answers(whole("0123456789", fields))
            try await stand.get("/a")
            let answer = try await stand.ask(method, "/a", asking)
            answer.expect(.status(status))
            if status == 304 { answer.expect(.body("")) }
            if status == 200, method == "GET" { answer.expect(.body("0123456789")) }
            stand.expectCalls(1)
        }
    }

    private static let conditionsOnStored: [WireClause] = [
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match with the stored tag is answered with 304",
            asking: "If-None-Match: \"v1\"\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match compares weakly: W/ before the tag of the request is ignored",
            asking: "If-None-Match: W/\"v1\"\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match compares weakly: W/ before the stored tag is ignored",
            weakPage, asking: "If-None-Match: \"v1\"\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match with a weak tag and a weak stored tag is answered with 304",
            weakPage, asking: "If-None-Match: W/\"v1\"\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.2", .may, "a tag that the origin sent without quotes matches itself",
            unquotedPage, asking: "If-None-Match: v1\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.2", .mustNot, "a tag without quotes does not match one with the same text",
            unquotedPage, asking: "If-None-Match: \"v1\"\r\n", status: 200),
        stored(
            "RFC 9110 §8.8.3", .mustNot, "a text without quotes does not match a tag", asking: "If-None-Match: v1\r\n",
            status: 200),
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match may list several tags",
            asking: "If-None-Match: \"x\", \"y\",\"v1\"\r\n", status: 304),
        stored(
            "RFC 9110 §5.6.1", .must, "empty members of an If-None-Match list are skipped",
            asking: "If-None-Match: , \"x\" ,, \"v1\" ,\r\n", status: 304),
        stored(
            "RFC 9110 §5.2", .must, "two lines of If-None-Match form one list",
            asking: "If-None-Match: \"x\"\r\nIf-None-Match: \"v1\"\r\n", status: 304),
        stored(
            "RFC 9110 §8.8.3", .must, "a comma inside a tag does not end it",
            asking: "If-None-Match: \"x,\", \"v1\"\r\n", status: 304),
        stored(
            "RFC 9110 §8.8.3", .must, "a tag inside another tag's quotes is not that tag",
            asking: "If-None-Match: \"x, v1\"\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match: * matches every stored response",
            asking: "If-None-Match: *\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match with only other tags gets the full response",
            asking: "If-None-Match: \"x\", \"y\"\r\n", status: 200),
        stored(
            "RFC 9110 §8.8.3", .must, "tags are case-sensitive",
            asking: "If-None-Match: \"V1\"\r\n", status: 200),
        stored(
            "RFC 9110 §8.8.3", .must, "w/ in lower case is not a weak tag and matches nothing",
            asking: "If-None-Match: w/\"v1\"\r\n", status: 200),
        stored(
            "RFC 9110 §8.8.3", .must, "a tag without quotes matches nothing",
            asking: "If-None-Match: v1\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.2", .must, "If-None-Match with HEAD is answered with 304 too",
            asking: "If-None-Match: \"v1\"\r\n", method: "HEAD", status: 304),
        stored(
            "RFC 9110 §13.1.3", .should, "If-Modified-Since with the stored date is answered with 304",
            asking: "If-Modified-Since: \(modified)\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.3", .should, "If-Modified-Since with a later date is answered with 304",
            asking: "If-Modified-Since: Tue, 02 Dec 2025 00:00:00 GMT\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.3", .should, "If-Modified-Since with HEAD is answered with 304 too",
            asking: "If-Modified-Since: \(modified)\r\n", method: "HEAD", status: 304),
        stored(
            "RFC 9110 §13.1.3", .must, "If-Modified-Since with an earlier date gets the full response",
            asking: "If-Modified-Since: Sun, 30 Nov 2025 23:59:59 GMT\r\n", status: 200),
        stored(
            "RFC 9110 §5.6.7", .must, "If-Modified-Since may be an RFC 850 date",
            asking: "If-Modified-Since: Monday, 01-Dec-25 00:00:00 GMT\r\n", status: 304),
        stored(
            "RFC 9110 §5.6.7", .must, "If-Modified-Since may be an asctime date",
            asking: "If-Modified-Since: Mon Dec  1 00:00:00 2025\r\n", status: 304),
        stored(
            "RFC 9110 §5.6.7", .must, "an earlier RFC 850 date is compared as an earlier date",
            asking: "If-Modified-Since: Sunday, 30-Nov-25 23:59:59 GMT\r\n", status: 200),
        stored(
            "RFC 9110 §5.6.7", .must, "a two-digit year more than 50 years ahead is in the past",
            asking: "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.3", .must, "If-Modified-Since that is not a date is ignored",
            asking: "If-Modified-Since: tomorrow\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.3", .must, "If-Modified-Since with a day that does not exist is ignored",
            asking: "If-Modified-Since: Tue, 31 Feb 2026 00:00:00 GMT\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.3", .must, "If-Modified-Since with seconds since the epoch is ignored",
            asking: "If-Modified-Since: 1767225600\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.3", .must, "If-Modified-Since with two dates is ignored",
            asking: "If-Modified-Since: \(modified)\r\nIf-Modified-Since: \(modified)\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.3", .must, "If-Modified-Since is ignored if an If-None-Match does not match",
            asking: "If-None-Match: \"x\"\r\nIf-Modified-Since: \(modified)\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.3", .must, "an old If-Modified-Since does not override an If-None-Match that matches",
            asking: "If-None-Match: \"v1\"\r\nIf-Modified-Since: Sat, 01 Nov 2025 00:00:00 GMT\r\n", status: 304),
        stored(
            "RFC 9110 §13.1.1", .may, "If-Match is for the origin to evaluate; the cache answers from the store",
            asking: "If-Match: \"x\"\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.4", .may,
            "If-Unmodified-Since is for the origin to evaluate; the cache answers from the store",
            asking: "If-Unmodified-Since: Sat, 01 Nov 2025 00:00:00 GMT\r\n", status: 200),
        stored(
            "RFC 9110 §13.2.2", .must, "If-None-Match is evaluated before Range",
            asking: "If-None-Match: \"v1\"\r\nRange: bytes=0-3\r\n", status: 304),
        WireClause("RFC 9110 §13.2.2", .must, "Range is applied if If-None-Match does not match") { stand in
            stand.answers(whole("0123456789", page))
            try await stand.get("/a")
            let answer = try await stand.ask("GET", "/a", "If-None-Match: \"x\"\r\nRange: bytes=0-3\r\n")
            answer.expect(.status(206), .body("0123"))
        },
        WireClause("RFC 9110 §13.2.1", .must, "conditions are ignored if the response without them is not a success") {
            stand in
            stand.answers(whole("gone", page, status: "404 Not Found"))
            try await stand.get("/a")
            for condition in [
                "If-None-Match: *\r\n", "If-None-Match: \"v1\"\r\n", "If-Modified-Since: \(modified)\r\n",
            ] {
                try await stand.ask("GET", "/a", condition).expect(.status(404), .body("gone"))
            }
            stand.expectCalls(1)
        },
        WireClause("RFC 9110 §13.2.1", .must, "conditions of an unsafe method are passed on and not evaluated here") {
            stand in
            stand.answers(whole("0123456789", page))
            try await stand.get("/a")
            for (method, condition) in [
                ("PUT", "If-Match: \"x\""), ("PUT", "If-None-Match: *"), ("DELETE", "If-Match: \"v1\", \"v2\""),
                ("PATCH", "If-Unmodified-Since: \(modified)"), ("POST", "If-None-Match: \"v1\""),
            ] {
                stand.answers(whole("done"))
                let answer = try await stand.ask(method, "/a", condition + "\r\nContent-Length: 0\r\n")
                answer.expect(.status(200), .body("done"))
                stand.lastRequest.expect(.line(condition))
            }
        },
    ]

    private static let conditionsWithoutModified: [WireClause] = [
        stored(
            "RFC 9111 §4.3.2", .should, "without Last-Modified, If-Modified-Since is compared with Date",
            undatedPage, asking: "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT\r\n", status: 304),
        stored(
            "RFC 9111 §4.3.2", .should,
            "without Last-Modified, an If-Modified-Since before Date gets the full response",
            undatedPage, asking: "If-Modified-Since: Wed, 31 Dec 2025 23:59:59 GMT\r\n", status: 200),
        stored(
            "RFC 9111 §4.3.2", .should, "with neither date, If-Modified-Since is compared with the time of receipt",
            "Cache-Control: max-age=3600\r\n", asking: "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT\r\n",
            status: 304),
        stored(
            "RFC 9110 §13.1.2", .must, "if the stored response has no tag, a listed tag does not match",
            undatedPage, asking: "If-None-Match: \"v1\"\r\n", status: 200),
        stored(
            "RFC 9110 §13.1.2", .must, "if the stored response has no tag, * still matches",
            undatedPage, asking: "If-None-Match: *\r\n", status: 304),
    ]

    private static let conditionsOnMiss: [WireClause] = [
        WireClause(
            "RFC 9111 §4.3.2", .must, "If-None-Match on a miss causes a fetch of the whole response, which is stored"
        ) {
            stand in
            stand.answers(whole("0123456789", page))
            let first = try await stand.ask("GET", "/a", "If-None-Match: \"v1\"\r\n")
            first.expect(.status(304), .body(""))
            stand.lastRequest.expect(.lacks("If-None-Match"), .lacks("If-Modified-Since"))
            try await stand.get("/a").expect(.status(200), .body("0123456789"), .isHit)
            stand.expectCalls(1)
        },
        WireClause(
            "RFC 9111 §4.3.2", .must, "If-None-Match that does not match the fetched response gets the whole response"
        ) {
            stand in
            stand.answers(whole("0123456789", page))
            try await stand.ask("GET", "/a", "If-None-Match: \"old\"\r\n").expect(.status(200), .body("0123456789"))
            stand.lastRequest.expect(.lacks("If-None-Match"))
            try await stand.get("/a").expect(.body("0123456789"), .isHit)
            stand.expectCalls(1)
        },
        WireClause(
            "RFC 9111 §4.3.2", .must,
            "If-Modified-Since on a miss causes a fetch of the whole response, which is stored"
        ) {
            stand in
            stand.answers(whole("0123456789", page))
            try await stand.ask("GET", "/a", "If-Modified-Since: \(modified)\r\n").expect(.status(304), .body(""))
            stand.lastRequest.expect(.lacks("If-Modified-Since"))
            try await stand.get("/a").expect(.status(200), .body("0123456789"), .isHit)
            stand.expectCalls(1)
        },
        WireClause("RFC 9110 §13.1.2", .must, "a condition is also evaluated on a response that must not be stored") {
            stand in
            // The condition may be passed on or evaluated here. Either way, the client must get what the origin has
            // now.
            let origin = whole("0123456789", "Cache-Control: no-store\r\nETag: \"v1\"\r\n")
            for _ in 0..<2 {
                stand.answers { request in
                    request.has("If-None-Match: \"v1\"")
                        ? "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: no-store\r\n\r\n" : origin
                }
                let same = try await stand.ask("GET", "/a", "If-None-Match: \"v1\"\r\n")
                same.expect(.statusIn([200, 304]), .body(same.status == 304 ? "" : "0123456789"))
                try await stand.ask("GET", "/a", "If-None-Match: \"old\"\r\n").expect(.status(200), .body("0123456789"))
            }
            try await stand.get("/a").expect(.status(200), .body("0123456789"))
        },
        WireClause(
            "RFC 9110 §13.1.1", .must,
            "If-Match on a miss is neither answered with 304 nor causes a wrong response to be stored"
        ) {
            stand in
            stand.answers { request in
                request.has("If-Match: \"x\"")
                    ? "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n" : whole("0123456789", page)
            }
            try await stand.ask("GET", "/a", "If-Match: \"x\"\r\n").expect(.statusIn([200, 412]))
            try await stand.get("/a").expect(.status(200), .body("0123456789"))
        },
        WireClause("RFC 9110 §15.4.5", .must, "a 304 to a condition of the client is never stored as a response") {
            stand in
            stand.answers { request in
                request.has("If-None-Match")
                    ? "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: max-age=600\r\n\r\n"
                    : whole("0123456789", page)
            }
            // A request with credentials is passed on with its condition.
            let own = try await stand.ask("GET", "/a", "Authorization: Basic eDp5\r\nIf-None-Match: \"v1\"\r\n")
            own.expect(.statusIn([200, 304]))
            try await stand.get("/a").expect(.status(200), .body("0123456789"))
        },
    ]

    private static let rich =
        "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\n"
        + "Expires: Thu, 01 Jan 2026 02:00:00 GMT\r\nVary: X-Who\r\nETag: \"v1\"\r\nLast-Modified: \(modified)\r\n"
        + "Content-Location: elsewhere\r\nContent-Type: text/plain\r\nContent-Language: de\r\n"
        + "Content-Disposition: inline\r\n"

    /// A 304 from a stored response with many fields, checked field by field.
    private static func notModified(
        _ level: Level, _ says: String, _ fields: String = rich, _ expected: Expect...
    ) -> WireClause {
        WireClause("RFC 9110 §15.4.5", level, says) { stand in
            stand.answers(whole("0123456789", fields))
            try await stand.get("/a")
            // From the store and from memory.
            for _ in 0..<3 {
                let answer = try await stand.ask("GET", "/a", "If-None-Match: \"v1\"\r\n")
                answer.expect(.status(304), .body(""))
                for one in expected { answer.expect(one) }
            }
            stand.expectCalls(1)
        }
    }

    private static let notModifiedFields: [WireClause] = [
        notModified(
            .must, "a 304 has the Date of the stored response", rich, .line("Date: Thu, 01 Jan 2026 00:00:00 GMT")),
        notModified(
            .must, "a 304 has the Cache-Control of the stored response", rich, .line("Cache-Control: max-age=3600")),
        notModified(
            .must, "a 304 has the Expires of the stored response", rich, .line("Expires: Thu, 01 Jan 2026 02:00:00 GMT")
        ),
        notModified(.must, "a 304 has the ETag of the stored response", rich, .line("ETag: \"v1\"")),
        notModified(
            .must, "a 304 has the Content-Location of the stored response", rich, .line("Content-Location: elsewhere")),
        notModified(.must, "a 304 has the Vary of the stored response", rich, .line("Vary: X-Who")),
        notModified(.shouldNot, "a 304 has no Content-Type", rich, .lacks("Content-Type")),
        notModified(.shouldNot, "a 304 has no Content-Language", rich, .lacks("Content-Language")),
        notModified(.shouldNot, "a 304 with a tag has no Last-Modified", rich, .lacks("Last-Modified")),
        notModified(.mustNot, "a 304 has no Transfer-Encoding", rich, .lacks("Transfer-Encoding")),
        WireClause("RFC 9110 §15.4.5", .should, "a 304 without a tag keeps Last-Modified, which guides the update") {
            stand in
            stand.answers(
                whole(
                    "0123456789",
                    "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nLast-Modified: \(modified)\r\n"
                ))
            try await stand.get("/a")
            let answer = try await stand.ask("GET", "/a", "If-Modified-Since: \(modified)\r\n")
            answer.expect(.status(304), .line("Last-Modified: \(modified)"))
        },
        WireClause(
            "RFC 9110 §15.4.5", .mustNot, "a 304 has no content, and the next response on the connection is complete"
        ) {
            stand in
            stand.answers(whole("0123456789", rich))
            try await stand.get("/a")
            let answers = try await stand.pipeline([
                stand.request("GET", "/a", "If-None-Match: \"v1\"\r\n"), stand.request("GET", "/a"),
                stand.request("HEAD", "/a", "If-None-Match: *\r\n"), stand.request("GET", "/a"),
            ])
            answers[0].expect(.status(304), .body(""))
            answers[1].expect(.status(200), .body("0123456789"))
            answers[2].expect(.status(304), .body(""))
            answers[3].expect(.status(200), .body("0123456789"))
        },
    ]
}
