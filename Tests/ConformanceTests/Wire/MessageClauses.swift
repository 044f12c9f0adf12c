// How an intermediary changes the messages it passes on (RFC 9110 §5 to §10). It removes connection fields, adds its
// own fields and keeps everything else.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let messages = requestFields + answerFields + viaFields + dates + statuses + heads

    private static let page = "Cache-Control: max-age=600\r\n"
    private static let never = "Cache-Control: no-store\r\n"

    /// Checks the fields of a request as the origin receives them, for a response that is stored, for one that is not
    /// stored, and for an unsafe method.
    private static func request(
        _ section: String, _ level: Level, _ says: String, asking: String, _ expected: Expect...
    ) -> WireClause {
        WireClause(section, level, "to the origin: \(says)") { stand in
            for (method, fields, more) in [
                ("GET", page, ""), ("GET", never, ""), ("POST", "", "Content-Length: 0\r\n"),
            ] {
                stand.answers(whole("x", fields))
                try await stand.ask(method, stand.fresh(), asking + more).expect(.status(200))
                for one in expected { stand.lastRequest.expect(one) }
            }
        }
    }

    private static let requestFields: [WireClause] = [
        request(
            "RFC 9110 §7.6.1", .must, "fields listed in Connection do not reach the origin",
            asking: "Connection: X-Hop\r\nX-Hop: 1\r\nX-Stays: 2\r\n", .lacks("X-Hop"), .line("X-Stays: 2")),
        request(
            "RFC 9110 §7.6.1", .must, "names in Connection are not case-sensitive and may have white space around them",
            asking: "Connection: ,x-hop ,\tX-TWO\r\nX-Hop: 1\r\nX-Two: 1\r\n", .lacks("X-Hop"), .lacks("X-Two")),
        request(
            "RFC 9110 §7.6.1", .must, "several lines of Connection form one list",
            asking: "Connection: X-Hop\r\nConnection: X-Two\r\nX-Two: 1\r\nX-Hop: 1\r\n", .lacks("X-Hop"),
            .lacks("X-Two")),
        request(
            "RFC 9110 §7.6.1", .must, "every line of a listed field is removed",
            asking: "X-Hop: 1\r\nConnection: X-Hop\r\nX-Hop: 2\r\n", .lacks("X-Hop")),
        request(
            "RFC 9110 §7.6.1", .must, "the Connection field of the client does not reach the origin",
            asking: "Connection: keep-alive, X-Odd\r\n", .fieldLacks("Connection", "X-Odd")),
        request(
            "RFC 9110 §7.6.1", .should, "Proxy-Connection and Keep-Alive do not reach the origin",
            asking: "Proxy-Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n", .lacks("Proxy-Connection"),
            .lacks("Keep-Alive")),
        request(
            "RFC 9110 §10.1.4", .must, "TE applies to the connection of the client only",
            asking: "Connection: TE\r\nTE: trailers\r\n", .lacks("TE")),
        request(
            "RFC 9110 §7.6.1", .should, "TE is removed even if Connection does not list it",
            asking: "TE: trailers, deflate;q=0.5\r\n", .lacks("TE")),
        request(
            "RFC 9110 §7.8", .must, "Upgrade is not passed on",
            asking: "Connection: Upgrade\r\nUpgrade: x\r\n", .lacks("Upgrade"),
            .fieldLacks("Connection", "Upgrade")),
        request(
            "RFC 9110 §7.8", .should, "Upgrade is removed even if Connection does not list it",
            asking: "Upgrade: h2c\r\n", .lacks("Upgrade")),
        request(
            "RFC 9110 §11.7.2", .must, "Proxy-Authorization is for the next proxy and does not reach the origin",
            asking: "Proxy-Authorization: Basic eDp5\r\n", .lacks("Proxy-Authorization")),
        request(
            "RFC 9110 §11.6.2", .mustNot, "Authorization is not modified",
            asking: "Authorization: Digest username=\"a\",  realm=\"b, c\"\r\n",
            .line("Authorization: Digest username=\"a\",  realm=\"b, c\"")),
        request(
            "RFC 9110 §5.1", .must, "unknown fields are passed on in their spelling",
            asking: "X-ODD-name_1: One\r\nx-odd: two words\r\n", .line("X-ODD-name_1: One"), .line("x-odd: two words")),
        request(
            "RFC 9110 §5.3", .mustNot, "the order of the lines of one field is not changed",
            asking: "X-List: b\r\nX-Other: 1\r\nX-List: a\r\nX-List: c\r\n", .order("X-List", ["b", "a", "c"])),
        request(
            "RFC 9110 §5.5", .should, "non-ASCII bytes are passed on unchanged",
            asking: "X-Name: f\u{FC}r \u{2603}\r\n", .line("X-Name: f\u{FC}r \u{2603}")),
        request(
            "RFC 9110 §5.5", .should, "bytes that are not UTF-8 are passed on unchanged",
            asking: "X-Name: caf\(octet(0xE9)) \(octet(0x80))\(octet(0xFF))\r\n",
            .line("X-Name: caf\(octet(0xE9)) \(octet(0x80))\(octet(0xFF))")),
        request(
            "RFC 9110 §5.5", .must, "a field with an empty value is passed on", asking: "X-Empty:\r\n",
            .only("X-Empty", "")),
        request(
            "RFC 9110 §5.5", .must, "white space around a value is not part of it",
            asking: "X-Odd: \t a \t b \t \r\n", .only("X-Odd", "a \t b")),
        request(
            "RFC 9110 §5.6.2", .must, "a field name may contain every token character",
            asking: "!#$%&'*+-.^_`|~09aZ: 1\r\n", .line("!#$%&'*+-.^_`|~09aZ: 1")),
        request(
            "RFC 9112 §3", .should, "a field of 8000 bytes is passed on",
            asking: "X-Long: \(String(repeating: "a", count: 8000))\r\n",
            .line("X-Long: \(String(repeating: "a", count: 8000))")),
        request(
            "RFC 9110 §7.2", .must, "Host names the authority of the origin, exactly once",
            asking: "", .isForOrigin),
        request(
            "RFC 9110 §10.1.5", .shouldNot, "the User-Agent of the client is not changed",
            asking: "User-Agent: tool/1 (x)\r\n", .order("User-Agent", ["tool/1 (x)"])),
        WireClause("RFC 9112 §3.2", .must, "Host is the first field sent to the origin, or is present at least once") {
            stand in
            stand.answers(whole("x", page))
            try await stand.ask("GET", "/a", "Z: 1\r\nA: 2\r\n")
            stand.lastRequest.expect(.isForOrigin, .line("Z: 1"), .line("A: 2"))
        },
        WireClause("RFC 9110 §7.7", .mustNot, "the spelling of path and query is not changed") { stand in
            stand.answers(whole("x", page))
            for target in [
                "/a%2Fb//c;x=1", "/%7euser/%41", "/a?q=%41&b=+&&=", "/a?x=/../y", "/:@!$&'()*,=~", "/a?[]%7C%22",
                "/a?/?/..",
            ] {
                let answer = try await stand.ask("GET", target)
                answer.expect(.status(200))
                stand.lastRequest.expect(.target(target))
            }
        },
        WireClause("RFC 9110 §7.7", .mustNot, "an empty query is not removed and differs from no query") {
            stand in
            stand.answers { request in whole("asked \(request.target)", page) }
            for target in ["/a?", "/a"] {
                try await stand.ask("GET", target).expect(.status(200), .body("asked \(target)"))
            }
        },
        WireClause("RFC 3986 §2.5", .may, "percent-encoded bytes of a path need not be UTF-8") { stand in
            stand.answers(whole("x", page))
            try await stand.ask("GET", "/%ff%80/%e9").expect(.status(200))
            stand.lastRequest.expect(.target("/%ff%80/%e9"))
        },
        WireClause("RFC 9112 §3", .should, "a target of 8000 bytes is passed on") { stand in
            stand.answers(whole("x", page))
            let target = "/" + String(repeating: "a", count: 7900)
            try await stand.ask("GET", target).expect(.status(200))
            stand.lastRequest.expect(.target(target))
        },
        WireClause("RFC 9110 §15.5.15", .should, "a target that exceeds the limit is answered with 414") { stand in
            stand.answers(whole("x", page))
            try await stand.ask("GET", "/" + String(repeating: "a", count: 70_000)).expect(.status(414))
            stand.expectCalls(0)
        },
        WireClause("RFC 9110 §5.4", .must, "fields that exceed the limit are answered with a 4xx status") { stand in
            stand.answers(whole("x", page))
            let many = (0..<2000).map { "X-\($0): \(String(repeating: "a", count: 100))\r\n" }.joined()
            try await stand.ask("GET", "/a", many).expect(.statusIn([400, 413, 431]))
            stand.expectCalls(0)
        },
        WireClause(
            "RFC 9110 §6.2", .must,
            "requests to the origin have the version of this server, whatever the version of the client"
        ) {
            stand in
            stand.answers(whole("x", page))
            try await stand.exchange("GET \(stand.root)/a HTTP/1.0\r\n\r\n").expect(.status(200))
            stand.lastRequest.expect(.version("HTTP/1.1"), .isForOrigin)
        },
    ]

    /// Checks the fields of a response as a client receives them: when it is stored, from the store, and when it is not
    /// stored.
    private static func answer(
        _ section: String, _ level: Level, _ says: String, _ fields: String, _ expected: Expect...
    ) -> WireClause {
        WireClause(section, level, "to the client: \(says)") { stand in
            stand.answers(whole("x", page + fields))
            for turn in 0..<3 {
                let answer = try await stand.get("/stored")
                answer.expect(.status(200), .body("x"))
                if turn > 0 { answer.expect(.isHit) }
                for one in expected { answer.expect(one) }
            }
            stand.answers(whole("x", never + fields))
            for method in ["GET", "POST"] {
                let more = method == "POST" ? "Content-Length: 0\r\n" : ""
                let answer = try await stand.ask(method, "/never", more)
                answer.expect(.status(200), .body("x"))
                for one in expected { answer.expect(one) }
            }
        }
    }

    private static let answerFields: [WireClause] = [
        answer(
            "RFC 9110 §7.6.1", .must, "fields listed in Connection reach neither the client nor the store",
            "Connection: X-Hop, x-two\r\nX-Hop: 1\r\nX-Two: 2\r\nX-Stays: 3\r\n", .lacks("X-Hop"), .lacks("X-Two"),
            .line("X-Stays: 3")),
        answer(
            "RFC 9110 §7.6.1", .must, "the Connection field of the origin does not reach the client",
            "Connection: X-Odd\r\n", .fieldLacks("Connection", "X-Odd")),
        answer(
            "RFC 9110 §7.6.1", .should, "Proxy-Connection and Keep-Alive do not reach the client",
            "Proxy-Connection: keep-alive\r\nKeep-Alive: timeout=5, max=99\r\n", .lacks("Proxy-Connection"),
            .fieldLacks("Keep-Alive", "max=99")),
        answer(
            "RFC 9110 §7.6.1", .should, "Upgrade and TE do not reach the client",
            "Upgrade: h2c\r\nTE: trailers\r\n", .lacks("Upgrade"), .lacks("TE")),
        answer(
            "RFC 9111 §3.1", .must, "Proxy-Authenticate and similar fields are neither stored nor passed on",
            "Proxy-Authenticate: Basic\r\nProxy-Authentication-Info: a=b\r\n", .lacks("Proxy-Authenticate"),
            .lacks("Proxy-Authentication-Info")),
        answer(
            "RFC 9110 §5.1", .must, "unknown fields are passed on in their spelling",
            "X-ODD-name_1: One\r\nx-odd: two words\r\n", .line("X-ODD-name_1: One"), .line("x-odd: two words")),
        answer(
            "RFC 9110 §5.3", .mustNot, "the order of the lines of one field is not changed",
            "X-List: b\r\nX-Other: 1\r\nX-List: a\r\nX-List: c\r\n", .order("X-List", ["b", "a", "c"])),
        answer(
            "RFC 9110 §5.3", .may, "fields stay in the order of receipt",
            "X-One: 1\r\nA-Two: 2\r\nM-Three: 3\r\n", .sequence(["X-One", "A-Two", "M-Three"])),
        answer(
            "RFC 9110 §5.5", .should, "non-ASCII bytes are passed on unchanged",
            "X-Name: f\u{FC}r \u{2603}\r\n", .line("X-Name: f\u{FC}r \u{2603}")),
        answer(
            "RFC 9110 §5.5", .must, "a field with an empty value is passed on", "X-Empty: \r\n", .field("X-Empty", "")),
        answer(
            "RFC 9110 §5.6.2", .must, "a field name may contain every token character",
            "!#$%&'*+-.^_`|~09aZ: 1\r\n", .line("!#$%&'*+-.^_`|~09aZ: 1")),
        answer(
            "RFC 9110 §5.4", .may, "a field of 20,000 bytes is passed on",
            "X-Long: \(String(repeating: "a", count: 20_000))\r\n",
            .line("X-Long: \(String(repeating: "a", count: 20_000))")),
        answer(
            "RFC 9112 §5.1", .must, "white space between a field's name and its colon is removed",
            "X-Odd : 1\r\nX-Tab \t: 2\r\n", .line("X-Odd: 1"), .line("X-Tab: 2")),
        answer(
            "RFC 4559 §6", .should, "challenges that authenticate connections are left out where another is offered",
            "WWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM, Basic realm=\"a, b\", charset=\"UTF-8\"\r\n",
            .order("WWW-Authenticate", ["Basic realm=\"a, b\", charset=\"UTF-8\""])),
        answer(
            "RFC 9110 §15.5.2", .must, "the only challenge of a response stays, whatever its scheme",
            "WWW-Authenticate: NTLM\r\n", .order("WWW-Authenticate", ["NTLM"])),
        answer(
            "RFC 9110 §11.6.1", .mustNot, "no line of WWW-Authenticate is modified",
            "WWW-Authenticate: Basic realm=\"a, b\"\r\nWWW-Authenticate: Digest  nonce=\"x\"\r\n",
            .order("WWW-Authenticate", ["Basic realm=\"a, b\"", "Digest  nonce=\"x\""])),
        answer(
            "RFC 9110 §7.7", .shouldNot,
            "Server is not changed, nor are Content-Location, Location and Link to other origins",
            "Server: thing/1\r\nContent-Location: http://a.example/b\r\nLocation: http://127.0.0.1:9/x\r\n"
                + "Link: <http://a.example/s>; rel=preload\r\n",
            .order("Server", ["thing/1"]), .line("Content-Location: http://a.example/b"),
            .line("Location: http://127.0.0.1:9/x"), .line("Link: <http://a.example/s>; rel=preload")),
        answer(
            "RFC 9110 §7.7", .shouldNot, "validators and dates of the origin are not changed",
            "ETag: W/\"a,b\"\r\nLast-Modified: Monday, 01-Dec-25 00:00:00 GMT\r\nExpires: soon\r\n",
            .line("ETag: W/\"a,b\""), .line("Last-Modified: Monday, 01-Dec-25 00:00:00 GMT"), .line("Expires: soon")),
        answer(
            "RFC 9110 §8.6", .mustNot, "a response has one Content-Length and no Transfer-Encoding", "",
            .only("Content-Length", "1"), .lacks("Transfer-Encoding")),
        WireClause("RFC 6265 §3", .shouldNot, "several Set-Cookie lines are not combined into one") { stand in
            stand.answers(whole("x", never + "Set-Cookie: a=1; Path=/\r\nX-A: 1\r\nSet-Cookie: b=2, c; Path=/d\r\n"))
            let answer = try await stand.get("/a")
            answer.expect(.order("Set-Cookie", ["a=1; Path=\(stand.root)/", "b=2, c; Path=\(stand.root)/d"]))
        },
        WireClause("RFC 9110 §5.5", .should, "to the client: bytes that are not UTF-8 are passed on unchanged") {
            stand in
            for fields in [page, never] {
                stand.answers(whole("x", fields + "X-Name: caf\(octet(0xE9)) \(octet(0x80))\(octet(0xFF))\r\n"))
                for _ in 0..<3 {
                    try await stand.get("/\(fields.count)").expect(
                        .line("X-Name: caf\(octet(0xE9)) \(octet(0x80))\(octet(0xFF))"))
                }
            }
        },
    ]

    private static let viaFields: [WireClause] = [
        request(
            "RFC 9110 §7.6.3", .must,
            "requests to the origin have a Via entry of this server, with the version of the client",
            asking: "", .field("Via", "1.1 larder")),
        request(
            "RFC 9110 §7.6.3", .must, "the Via entry of this server comes after the received ones",
            asking: "Via: 1.0 fred, 1.1 p.example (x)\r\n", .field("Via", "1.0 fred, 1.1 p.example (x), 1.1 larder")),
        request(
            "RFC 9110 §7.6.3", .mustNot, "Via entries with different versions are not combined",
            asking: "Via: 1.0 a\r\nVia: 1.1 b\r\n", .field("Via", "1.0 a, 1.1 b, 1.1 larder")),
        answer(
            "RFC 9110 §7.6.3", .must, "responses have one Via entry of this server, with the version of the origin", "",
            .field("Via", "1.1 larder")),
        answer(
            "RFC 9110 §7.6.3", .must, "in responses too, the Via entry of this server comes after the received ones",
            "Via: 1.0 fred\r\n", .field("Via", "1.0 fred, 1.1 larder")),
        WireClause("RFC 9110 §7.6.3", .must, "Via states the version of an HTTP/1.0 client") { stand in
            stand.answers(whole("x", page))
            try await stand.exchange("GET \(stand.root)/a HTTP/1.0\r\n\r\n")
            stand.lastRequest.expect(.field("Via", "1.0 larder"))
        },
        WireClause("RFC 9110 §7.6.3", .must, "Via states the version of an HTTP/1.0 origin") { stand in
            stand.answers("HTTP/1.0 200 OK\r\n\(page)Content-Length: 1\r\n\r\nx")
            for _ in 0..<3 { try await stand.get("/a").expect(.field("Via", "1.0 larder")) }
        },
    ]

    private static let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"

    private static let dates: [WireClause] = [
        WireClause("RFC 9110 §6.6.1", .must, "a response without Date gets the time of receipt as Date, permanently") {
            stand in
            stand.answers(whole("x", page))
            for _ in 0..<3 {
                try await stand.get("/a").expect(.only("Date", "Thu, 01 Jan 2026 00:00:00 GMT"))
                stand.advance(seconds: 20)
            }
            stand.expectCalls(1)
        },
        WireClause("RFC 9110 §6.6.1", .must, "a response without Date that is not stored gets one too") { stand in
            for (method, status) in [
                ("GET", "200 OK"), ("POST", "201 Created"), ("GET", "404 Not Found"), ("PUT", "500 Oh"),
            ] {
                stand.answers(whole("x", never, status: status))
                let answer = try await stand.ask(method, "/a", method == "GET" ? "" : "Content-Length: 0\r\n")
                answer.expect(.only("Date", "Thu, 01 Jan 2026 00:00:00 GMT"))
            }
        },
        answer(
            "RFC 9110 §6.6.1", .mustNot, "the Date of the origin is not changed",
            "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n",
            .only("Date", "Thu, 01 Jan 2026 00:00:00 GMT")),
        WireClause("RFC 9110 §6.6.1", .mustNot, "an old Date of a response that is not stored is not changed") {
            stand in
            stand.answers(whole("x", never + date + "\r\n"))
            try await stand.get("/a").expect(.only("Date", "Sun, 06 Nov 1994 08:49:37 GMT"))
        },
    ]

    private static func status(_ line: String, _ level: Level, _ says: String, number: Int) -> WireClause {
        WireClause("RFC 9110 §15", level, says) { stand in
            for fields in [page, never] {
                stand.answers("HTTP/1.1 \(line)\r\n\(fields)Content-Length: 1\r\n\r\nx")
                for _ in 0..<3 {
                    let answer = try await stand.get("/\(fields.count)")
                    answer.expect(.statusLine("HTTP/1.1 \(line)"), .status(number), .body("x"))
                }
            }
        }
    }

    private static let statuses: [WireClause] = [
        status("200 Fine", .may, "the reason phrase of a success is passed on", number: 200),
        status("200 ", .may, "an empty reason phrase stays empty", number: 200),
        status("404 Nicht da, leider", .may, "the reason phrase of an error is passed on", number: 404),
        status("299 Odd", .must, "an unknown success status is passed on unchanged", number: 299),
        status("418 Teapot", .must, "an unknown client error is passed on unchanged", number: 418),
        status("599 Odd", .must, "the last possible server error is passed on unchanged", number: 599),
        status(
            "451 Unavailable For Legal Reasons", .must, "a status of another standard is passed on unchanged",
            number: 451),
        WireClause("RFC 9110 §15", .should, "an invalid status code is an error of the origin") { stand in
            for line in ["600 No", "099 No", "000 No", "999 No"] {
                stand.answers("HTTP/1.1 \(line)\r\n\(page)Content-Length: 1\r\n\r\nx")
                try await stand.get(stand.fresh()).expect(.status(502))
            }
        },
        WireClause("RFC 9110 §15.4", .may, "redirects are passed on and not followed") { stand in
            for status in ["301 Moved", "302 Found", "303 See Other", "307 T", "308 P"] {
                let before = stand.calls
                stand.answers(whole("x", never + "Location: /b?c\r\n", status: status))
                let answer = try await stand.get(stand.fresh())
                answer.expect(.statusLine("HTTP/1.1 \(status)"), .line("Location: \(stand.root)/b?c"))
                stand.expectCalls(before + 1)
            }
        },
        WireClause("RFC 9110 §15.3.5", .must, "a 204 has no body and no Content-Length") { stand in
            for fields in [page, never, never + "Content-Length: 0\r\n"] {
                stand.answers("HTTP/1.1 204 No Content\r\n\(fields)\r\n")
                let target = stand.fresh()
                let answers = try await stand.pipeline([stand.request("GET", target), stand.request("GET", target)])
                for answer in answers {
                    answer.expect(.status(204), .body(""), .lacks("Content-Length"), .lacks("Transfer-Encoding"))
                }
            }
        },
        WireClause("RFC 9110 §8.6", .mustNot, "Content-Length of a 204 is not passed on") { stand in
            stand.answers("HTTP/1.1 204 No Content\r\n\(never)Content-Length: 5\r\n\r\n")
            try await stand.get("/a").expect(.status(204), .body(""), .lacks("Content-Length"))
        },
        WireClause("RFC 9110 §15.3.6", .mustNot, "a 205 has no content") { stand in
            stand.answers("HTTP/1.1 205 Reset Content\r\n\(never)Content-Length: 0\r\n\r\n")
            try await stand.get("/a").expect(.status(205), .body(""))
        },
    ]

    private static let heads: [WireClause] = [
        WireClause("RFC 9110 §9.3.2", .mustNot, "a response to HEAD has no content, stored or not") { stand in
            stand.answers { $0.isHead ? "HTTP/1.1 200 OK\r\n\(page)Content-Length: 5\r\n\r\n" : whole("hello", page) }
            let answers = try await stand.pipeline([
                stand.request("HEAD", "/a"), stand.request("GET", "/a"), stand.request("HEAD", "/a"),
                stand.request("GET", "/a"),
            ])
            for answer in answers { answer.expect(.status(200)) }
            expectSame(answers.map(\.text), ["", "hello", "", "hello"])
        },
        WireClause("RFC 9110 §9.3.2", .should, "a response to HEAD has the fields of GET") { stand in
            let fields = page + "ETag: \"v1\"\r\nContent-Type: text/plain\r\nX-Odd: 1\r\n"
            stand.answers {
                $0.isHead ? "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 5\r\n\r\n" : whole("hello", fields)
            }
            for _ in 0..<2 {
                for method in ["HEAD", "GET", "HEAD"] {
                    let answer = try await stand.ask(method, "/a")
                    answer.expect(.line("ETag: \"v1\""), .line("Content-Type: text/plain"), .line("X-Odd: 1"))
                    answer.expect(.only("Content-Length", "5"), .statusLine("HTTP/1.1 200 OK"))
                }
            }
        },
        WireClause(
            "RFC 9110 §9.3.2", .may,
            "a HEAD response that is not from the store may lack a length, but never states a wrong one"
        ) {
            stand in
            stand.answers { request in
                let fields = "\(never)Transfer-Encoding: chunked\r\n"
                return request.isHead
                    ? "HTTP/1.1 200 OK\r\n\(fields)\r\n" : "HTTP/1.1 200 OK\r\n\(fields)\r\n5\r\nhello\r\n0\r\n\r\n"
            }
            let answers = try await stand.pipeline([stand.request("HEAD", "/a"), stand.request("GET", "/a")])
            answers[0].expect(.status(200), .body(""), .fieldIn("Content-Length", [nil, "5"]))
            answers[1].expect(.status(200), .body("hello"))
        },
        WireClause("RFC 9110 §9.3.2", .mustNot, "an error response to HEAD has no content") { stand in
            stand.answers {
                $0.isHead
                    ? "HTTP/1.1 404 No\r\n\(never)Content-Length: 4\r\n\r\n" : whole("none", never, status: "404 No")
            }
            let answers = try await stand.pipeline([stand.request("HEAD", "/a"), stand.request("GET", "/a")])
            answers[0].expect(.status(404), .body(""))
            answers[1].expect(.status(404), .body("none"))
        },
        WireClause("RFC 9110 §9.3.2", .mustNot, "a generated response to HEAD has no content") { stand in
            stand.answers("nonsense\r\n\r\n")
            let answers = try await stand.pipeline([stand.request("HEAD", "/a"), stand.request("HEAD", "/b")])
            for answer in answers { answer.expect(.status(502), .body("")) }
        },
    ]
}
