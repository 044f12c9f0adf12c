// Range requests (RFC 9110 §14): parts of stored bodies, and ranges of responses that are not stored yet.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let ranges = singleRanges + ignoredRanges + severalRanges + ifRanges + rangeAnswers + rangesOnMiss

    private static let digits = "0123456789"
    private static let modified = "Mon, 01 Dec 2025 00:00:00 GMT"
    private static let page =
        "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nLast-Modified: \(modified)\r\n"
        + "ETag: \"v1\"\r\nContent-Type: text/plain\r\n"

    /// Stores a response of ten bytes and then requests a part, both from the store and from memory.
    private static func part(
        _ section: String, _ level: Level, _ says: String, _ fields: String = page, asking: String,
        method: String = "GET", _ expected: Expect...
    ) -> WireClause {
        WireClause(section, level, says) { stand in
            stand.answers(whole(digits, fields))
            try await stand.get("/a")
            for _ in 0..<3 {
                let answer = try await stand.ask(method, "/a", asking)
                for one in expected { answer.expect(one) }
            }
            // The whole response is still stored after requests for parts.
            try await stand.get("/a").expect(.status(200), .body(digits), .lacks("Content-Range"))
            stand.expectCalls(1)
        }
    }

    /// A single satisfiable range.
    private static func single(_ range: String, _ says: String, gives body: String, _ place: String) -> WireClause {
        part(
            "RFC 9110 §14.2", .should, "\(range) selects \(says)", asking: "Range: \(range)\r\n", .status(206),
            .body(body),
            .field("Content-Range", "bytes \(place)/10"), .field("Content-Length", "\(body.utf8.count)"))
    }

    private static let singleRanges: [WireClause] = [
        single("bytes=0-3", "the first and the last position, both included", gives: "0123", "0-3"),
        single("bytes=3-3", "a single byte", gives: "3", "3-3"),
        single("bytes=0-0", "the first byte", gives: "0", "0-0"),
        single("bytes=9-9", "the last byte", gives: "9", "9-9"),
        single("bytes=4-", "everything from the position to the end", gives: "456789", "4-9"),
        single("bytes=-3", "the last three bytes", gives: "789", "7-9"),
        single("bytes=5-99", "the bytes up to the end, even if the range reaches past it", gives: "56789", "5-9"),
        single(
            "bytes=7-99999999999999999999999", "the bytes up to the end, even if the last position is very large",
            gives: "789", "7-9"),
        single("Bytes=0-3", "bytes, since range units are not case-sensitive", gives: "0123", "0-3"),
        single("bytes=0-1, 50-60", "the satisfiable one of several ranges", gives: "01", "0-1"),
        single("bytes=, 2-3 ,", "one range, since empty members of the set are skipped", gives: "23", "2-3"),
        part(
            "RFC 9110 §14.1.2", .must, "bytes=-99 selects the whole body, since the suffix is longer",
            asking: "Range: bytes=-99\r\n", .status(206), .body(digits), .field("Content-Range", "bytes 0-9/10")),
        part(
            "RFC 9110 §14.2", .should, "bytes=0- selects everything, sent as a part each time",
            asking: "Range: bytes=0-\r\n", .status(206), .body(digits), .field("Content-Range", "bytes 0-9/10")),
        part(
            "RFC 9110 §15.5.17", .should, "a range after the end is answered with 416 and the length",
            asking: "Range: bytes=10-\r\n", .status(416), .field("Content-Range", "bytes */10")),
        part(
            "RFC 9110 §15.5.17", .should, "a very large first position is answered with 416",
            asking: "Range: bytes=99999999999999999999999-\r\n", .status(416), .field("Content-Range", "bytes */10")),
        part(
            "RFC 9110 §14.1.2", .should, "a suffix of zero bytes cannot be satisfied",
            asking: "Range: bytes=-0\r\n", .status(416), .field("Content-Range", "bytes */10")),
        part(
            "RFC 9110 §15.5.17", .should, "several ranges that are all after the end are answered with 416",
            asking: "Range: bytes=10-11, 20-\r\n", .status(416), .field("Content-Range", "bytes */10")),
        part(
            "RFC 9110 §15.5.17", .should, "a 416 does not contain the body",
            asking: "Range: bytes=10-\r\n", .status(416), .bodyLacks(digits)),
    ]

    /// An invalid range, or one that this server must ignore. The response is the whole.
    private static func ignored(
        _ section: String, _ level: Level, _ says: String, asking: String, method: String = "GET"
    ) -> WireClause {
        part(
            section, level, says, asking: asking, method: method, .status(200),
            .body(method == "HEAD" ? "" : digits), .lacks("Content-Range"), .field("Content-Length", "10"))
    }

    private static let ignoredRanges: [WireClause] = [
        ignored("RFC 9110 §14.2", .must, "an unknown range unit is ignored", asking: "Range: lines=0-3\r\n"),
        ignored("RFC 9110 §14.2", .must, "Range with HEAD is ignored", asking: "Range: bytes=0-3\r\n", method: "HEAD"),
        ignored("RFC 9110 §14.2", .may, "a last position before the first is ignored", asking: "Range: bytes=3-2\r\n"),
        ignored("RFC 9110 §14.2", .may, "positions that are not numbers are ignored", asking: "Range: bytes=a-b\r\n"),
        ignored("RFC 9110 §14.2", .may, "positions with signs are ignored", asking: "Range: bytes=+0-+3\r\n"),
        ignored("RFC 9110 §14.2", .may, "an empty set is ignored", asking: "Range: bytes=\r\n"),
        ignored("RFC 9110 §14.2", .may, "a set without a unit is ignored", asking: "Range: 0-3\r\n"),
        ignored("RFC 9110 §14.2", .may, "a unit without = is ignored", asking: "Range: bytes 0-3\r\n"),
        ignored("RFC 9110 §14.2", .may, "two dashes are ignored", asking: "Range: bytes=0-3-5\r\n"),
        ignored("RFC 9110 §14.2", .may, "a set with one invalid range is ignored", asking: "Range: bytes=0-3, x\r\n"),
        ignored("RFC 9110 §14.2", .may, "a single dash is ignored", asking: "Range: bytes=-\r\n"),
        ignored(
            "RFC 9110 §14.2", .may, "Range on two lines is ignored",
            asking: "Range: bytes=0-3\r\nRange: bytes=5-6\r\n"),
        ignored(
            "RFC 9110 §17.15", .should, "so many ranges that they look like an attack are answered with the whole",
            asking: "Range: bytes=" + (0..<200).map { _ in "0-0,2-2" }.joined(separator: ",") + "\r\n"),
        WireClause("RFC 9110 §14.2", .must, "Range is ignored if the response without it is not 200") { stand in
            stand.answers(whole(digits, page, status: "404 Not Found"))
            try await stand.get("/a")
            try await stand.ask("GET", "/a", "Range: bytes=0-3\r\n").expect(.status(404), .body(digits))
            stand.expectCalls(1)
        },
        WireClause("RFC 9110 §14.2", .must, "Range with an unsafe method is passed on to the origin") { stand in
            stand.answers(whole(digits))
            let answer = try await stand.ask("POST", "/a", "Range: bytes=0-3\r\nContent-Length: 0\r\n")
            answer.expect(.status(200), .body(digits))
        },
    ]

    private static let severalRanges: [WireClause] = [
        WireClause(
            "RFC 9110 §14.6", .must, "several ranges are sent as multipart/byteranges, each part with its Content-Range"
        ) {
            stand in
            stand.answers(whole(digits, page))
            try await stand.get("/a")
            for _ in 0..<3 {
                let answer = try await stand.ask("GET", "/a", "Range: bytes=0-1, 4-5, -1\r\n")
                answer.expect(.status(206))
                // The parts are in the order of the request, which is also the order of the bytes.
                let parts = try answer.parts()
                expectSame(parts.map(\.text), ["01", "45", "9"])
                expectSame(parts.map { $0["Content-Range"] }, ["bytes 0-1/10", "bytes 4-5/10", "bytes 9-9/10"])
            }
            stand.expectCalls(1)
        },
        WireClause("RFC 9110 §15.3.7.2", .mustNot, "a multipart response has no Content-Range in its head") { stand in
            stand.answers(whole(digits, page))
            try await stand.get("/a")
            let answer = try await stand.ask("GET", "/a", "Range: bytes=0-1, 4-5\r\n")
            answer.expect(.status(206), .lacks("Content-Range"))
        },
        WireClause("RFC 9110 §15.3.7.2", .should, "each part has the Content-Type of the whole representation") {
            stand in
            stand.answers(whole(digits, page))
            try await stand.get("/a")
            let parts = try await stand.ask("GET", "/a", "Range: bytes=0-1, 4-5\r\n").parts()
            expectSame(parts.map { $0["Content-Type"] }, ["text/plain", "text/plain"])
        },
        WireClause("RFC 9110 §15.3.7.2", .mustNot, "a single range is not answered as multipart") { stand in
            stand.answers(whole(digits, page))
            try await stand.get("/a")
            try await stand.ask("GET", "/a", "Range: bytes=0-1\r\n").expect(.field("Content-Type", "text/plain"))
        },
        WireClause(
            "RFC 9110 §15.3.7.2", .may, "overlapping ranges are combined, or the whole is sent; no byte is sent twice"
        ) {
            stand in
            stand.answers(whole(digits, page))
            try await stand.get("/a")
            let answer = try await stand.ask("GET", "/a", "Range: bytes=0-5, 3-8\r\n")
            answer.expect(.statusIn([200, 206]), .body(answer.status == 206 ? "012345678" : digits))
            if answer.status == 206 { answer.expect(.field("Content-Range", "bytes 0-8/10")) }
        },
        WireClause("RFC 9110 §15.3.7.2", .may, "ranges that are out of order have correct positions") { stand in
            stand.answers(whole(digits, page))
            try await stand.get("/a")
            let answer = try await stand.ask("GET", "/a", "Range: bytes=7-8, 0-1\r\n")
            answer.expect(.status(206))
            let parts = try answer.parts()
            let places = Dictionary(parts.map { ($0.text, $0["Content-Range"]) }, uniquingKeysWith: { one, _ in one })
            expectSame(places, ["01": "bytes 0-1/10", "78": "bytes 7-8/10"])
        },
    ]

    private static func ifRange(
        _ level: Level, _ says: String, _ fields: String = page, asking: String, whole: Bool
    ) -> WireClause {
        let range = "Range: bytes=0-3\r\n"
        return whole
            ? part("RFC 9110 §13.1.5", level, says, fields, asking: range + asking, .status(200), .body(digits))
            : part("RFC 9110 §13.1.5", level, says, fields, asking: range + asking, .status(206), .body("0123"))
    }

    private static let ifRanges: [WireClause] = [
        ifRange(
            .must, "If-Range with the stored strong tag gets the part", asking: "If-Range: \"v1\"\r\n", whole: false),
        ifRange(.must, "If-Range with another tag gets the whole", asking: "If-Range: \"v2\"\r\n", whole: true),
        ifRange(
            .mustNot, "If-Range does not compare weakly: W/ in the request does not match",
            asking: "If-Range: W/\"v1\"\r\n", whole: true),
        ifRange(
            .mustNot, "If-Range does not compare weakly: W/ in the stored tag does not match",
            "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nETag: W/\"v1\"\r\n",
            asking: "If-Range: \"v1\"\r\n", whole: true),
        ifRange(
            .mustNot, "If-Range does not compare weakly: W/ in both tags does not match",
            "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nETag: W/\"v1\"\r\n",
            asking: "If-Range: W/\"v1\"\r\n", whole: true),
        ifRange(
            .must, "If-Range with the exact Last-Modified, older than Date, gets the part",
            asking: "If-Range: \(modified)\r\n", whole: false),
        ifRange(
            .must, "If-Range with the same time as an RFC 850 date gets the part",
            asking: "If-Range: Monday, 01-Dec-25 00:00:00 GMT\r\n", whole: false),
        ifRange(
            .must, "If-Range with a later date gets the whole",
            asking: "If-Range: Tue, 02 Dec 2025 00:00:00 GMT\r\n", whole: true),
        ifRange(
            .must, "If-Range with an earlier date gets the whole",
            asking: "If-Range: Sun, 30 Nov 2025 00:00:00 GMT\r\n", whole: true),
        ifRange(
            .must, "If-Range with a Last-Modified equal to Date, hence weak, gets the whole",
            "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\n"
                + "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n",
            asking: "If-Range: Thu, 01 Jan 2026 00:00:00 GMT\r\n", whole: true),
        ifRange(
            .may, "If-Range with a tag that the origin sent without quotes gets the part",
            "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nCache-Control: max-age=3600\r\nETag: v1\r\n",
            asking: "If-Range: v1\r\n", whole: false),
        ifRange(
            .must, "If-Range that is neither a tag nor a date gets the whole", asking: "If-Range: v1\r\n", whole: true),
        ifRange(
            .must, "If-Range with a date gets the whole if the response has no date",
            "Cache-Control: max-age=3600\r\nETag: \"v1\"\r\n", asking: "If-Range: \(modified)\r\n", whole: true),
        part(
            "RFC 9110 §13.1.5", .must, "If-Range without Range is ignored", asking: "If-Range: \"v1\"\r\n",
            .status(200), .body(digits)),
        part(
            "RFC 9110 §13.1.5", .must, "a matching If-Range does not make a range satisfiable",
            asking: "If-Range: \"v1\"\r\nRange: bytes=50-\r\n", .status(416)),
    ]

    private static let rangeAnswers: [WireClause] = [
        part(
            "RFC 9110 §15.3.7", .must, "a 206 has Date, Cache-Control and ETag of the whole",
            asking: "Range: bytes=0-3\r\n", .line("Date: Thu, 01 Jan 2026 00:00:00 GMT"),
            .line("Cache-Control: max-age=3600"), .line("ETag: \"v1\"")),
        part(
            "RFC 9110 §15.3.7", .must, "a 206 has Expires, Content-Location and Vary of the whole",
            page + "Expires: Thu, 01 Jan 2026 02:00:00 GMT\r\nContent-Location: b\r\nVary: X-Who\r\n",
            asking: "Range: bytes=0-3\r\n", .line("Expires: Thu, 01 Jan 2026 02:00:00 GMT"),
            .line("Content-Location: b"), .line("Vary: X-Who")),
        part(
            "RFC 9110 §15.3.7", .must, "a 206 without If-Range has the other fields of the representation",
            asking: "Range: bytes=0-3\r\n", .line("Last-Modified: \(modified)"), .line("Content-Type: text/plain")),
        WireClause("RFC 9110 §14.3", .may, "a stored response has exactly one Accept-Ranges field") { stand in
            stand.answers(whole(digits, page + "Accept-Ranges: bytes\r\n"))
            for _ in 0..<3 { try await stand.get("/a").expect(.only("Accept-Ranges", "bytes")) }
            stand.expectCalls(1)
        },
        WireClause("RFC 9110 §14.2", .must, "a range is taken from the response that the request fields select") {
            stand in
            stand.answers { request in
                let who = request.value("X-Who") ?? "none"
                return whole("\(who)-0123456789", page.replacing("\"v1\"", with: "\"\(who)\"") + "Vary: X-Who\r\n")
            }
            for who in ["anna", "bert"] { try await stand.ask("GET", "/a", "X-Who: \(who)\r\n") }
            for who in ["anna", "bert", "anna"] {
                let answer = try await stand.ask("GET", "/a", "X-Who: \(who)\r\nRange: bytes=0-3\r\n")
                answer.expect(.status(206), .body(who), .line("ETag: \"\(who)\""))
            }
            stand.expectCalls(2)
        },
    ]

    private static let rangesOnMiss: [WireClause] = [
        WireClause(
            "RFC 9111 §3.3", .may,
            "Range on a miss causes a fetch of the whole, which is stored, and is answered with the part"
        ) {
            stand in
            stand.answers(whole(digits, page))
            let first = try await stand.ask("GET", "/a", "Range: bytes=2-4\r\n")
            first.expect(.status(206), .body("234"), .field("Content-Range", "bytes 2-4/10"))
            stand.lastRequest.expect(.lacks("Range"))
            try await stand.get("/a").expect(.status(200), .body(digits), .isHit)
            stand.expectCalls(1)
        },
        WireClause(
            "RFC 9110 §15.5.17", .should,
            "an unsatisfiable range on a miss is answered with 416, and the whole is stored"
        ) {
            stand in
            stand.answers(whole(digits, page))
            let first = try await stand.ask("GET", "/a", "Range: bytes=50-\r\n")
            first.expect(.status(416), .field("Content-Range", "bytes */10"))
            try await stand.get("/a").expect(.status(200), .body(digits), .isHit)
            stand.expectCalls(1)
        },
        WireClause("RFC 9110 §13.1.5", .must, "If-Range on a miss is compared with the fetched response") { stand in
            stand.answers(whole(digits, page))
            let old = try await stand.ask("GET", "/a", "Range: bytes=0-3\r\nIf-Range: \"old\"\r\n")
            old.expect(.status(200), .body(digits))
            stand.lastRequest.expect(.lacks("If-Range"), .lacks("Range"))
            let same = try await stand.ask("GET", "/b", "Range: bytes=0-3\r\nIf-Range: \"v1\"\r\n")
            same.expect(.status(206), .body("0123"))
            stand.expectCalls(2)
        },
        WireClause(
            "RFC 9110 §14.2", .may,
            "Range on a response that must not be stored gets the right bytes, as a part or as the whole"
        ) {
            stand in
            stand.answers(ranged(digits, "Cache-Control: no-store\r\nETag: \"v1\"\r\n"))
            for _ in 0..<3 {
                let answer = try await stand.ask("GET", "/a", "Range: bytes=2-4\r\n")
                answer.expect(.statusIn([200, 206]), .body(answer.status == 206 ? "234" : digits))
                if answer.status == 206 { answer.expect(.only("Content-Range", "bytes 2-4/10")) }
            }
            try await stand.get("/a").expect(.status(200), .body(digits), .isNotHit)
        },
        WireClause(
            "RFC 9110 §14.2", .should, "Range on a response that is too large to be stored is passed on",
            "cache: { maxObject: 64 KiB }"
        ) {
            stand in
            let large = String(repeating: digits, count: 20_000)
            stand.answers(ranged(large, "Cache-Control: max-age=3600\r\nETag: \"v1\"\r\n"))
            for _ in 0..<2 {
                let answer = try await stand.ask("GET", "/a", "Range: bytes=100002-100004\r\n")
                answer.expect(.status(206), .body("234"), .only("Content-Range", "bytes 100002-100004/200000"))
            }
            stand.lastRequest.expect(.line("Range: bytes=100002-100004"))
            try await stand.get("/a").expect(.status(200), .body(large))
        },
        WireClause("RFC 9111 §3.3", .mustNot, "a 206 from the origin is never stored as the whole representation") {
            stand in
            stand.answers { request in
                request.has("Authorization")
                    ? "HTTP/1.1 206 Partial Content\r\n\(page)Content-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\n0123"
                    : whole(digits, page)
            }
            // A request with credentials is passed on with its range.
            let own = try await stand.ask("GET", "/a", "Authorization: Basic eDp5\r\nRange: bytes=0-3\r\n")
            own.expect(.status(206), .body("0123"), .field("Content-Range", "bytes 0-3/10"))
            try await stand.get("/a").expect(.status(200), .body(digits), .lacks("Content-Range"))
            stand.expectCalls(2)
        },
        WireClause("RFC 9111 §3.3", .mustNot, "a 206 that was not requested is not stored") { stand in
            stand.answers(
                "HTTP/1.1 206 Partial Content\r\n\(page)Content-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\n0123")
            try await stand.get("/a")
            stand.answers(whole(digits, page))
            try await stand.get("/a").expect(.status(200), .body(digits))
            try await stand.get("/a").expect(.status(200), .body(digits), .isHit)
        },
        WireClause("RFC 9111 §3.4", .mustNot, "parts with different validators are never combined") { stand in
            for (tag, range, text) in [("\"v1\"", "0-4", "01234"), ("\"v2\"", "5-9", "56789")] {
                stand.answers(
                    "HTTP/1.1 206 Partial Content\r\nCache-Control: max-age=3600\r\nETag: \(tag)\r\n"
                        + "Content-Range: bytes \(range)/10\r\nContent-Length: 5\r\n\r\n\(text)")
                try await stand.ask("GET", "/a", "Authorization: Basic eDp5\r\nRange: bytes=\(range)\r\n")
            }
            stand.answers(whole("other", page))
            try await stand.get("/a").expect(.status(200), .body("other"))
        },
        WireClause("RFC 9111 §3.3", .mustNot, "a 200 with Content-Range is not stored as a part") { stand in
            stand.answers(whole("0123", page + "Content-Range: bytes 0-3/10\r\n"))
            try await stand.get("/a")
            try await stand.ask("GET", "/a", "Range: bytes=0-1\r\n")
                .expect(.statusIn([200, 206]), .bodyIn(["0123", "01"]), .fieldAtMostOnce("Content-Range"))
        },
        WireClause("RFC 9111 §3", .mustNot, "a 416 from the origin does not answer a request for the whole") { stand in
            stand.answers { request in
                request.has("Range")
                    ? "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */10\r\nContent-Length: 0\r\n\r\n"
                    : whole(digits, page)
            }
            try await stand.ask("GET", "/a", "Authorization: Basic eDp5\r\nRange: bytes=50-\r\n").expect(.status(416))
            try await stand.get("/a").expect(.status(200), .body(digits))
        },
    ]
}
