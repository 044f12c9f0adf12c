// Methods, hops and expectations (RFC 9110 §7.6.2, §9, §10.1.1), interim responses and trailers: what is passed on
// besides a plain request and its response.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let forwarding = methods + hops + expectations + interims + trailers + upgrades

    private static let page = "Cache-Control: max-age=600\r\n"
    private static let never = "Cache-Control: no-store\r\n"

    private static let methods: [WireClause] = [
        WireClause("RFC 9110 §9.1", .should, "unknown methods are passed on with their body") { stand in
            stand.answers(whole("done"))
            for method in ["PROPFIND", "BREW", "M-SEARCH", "a", "!#$%&'*+-.^_`|~"] {
                let answer = try await stand.ask(method, "/a", "Content-Length: 3\r\n", body: "a\0b")
                answer.expect(.status(200), .body("done"))
                stand.lastRequest.expect(.method(method), .body("a\0b"))
            }
        },
        WireClause(
            "RFC 9110 §9.1", .must, "methods are case-sensitive: get is not GET and is not answered from the store"
        ) {
            stand in
            stand.answers(whole("stored", page))
            try await stand.get("/a")
            stand.answers(whole("other", page))
            try await stand.ask("get", "/a").expect(.body("other"), .isNotHit)
            stand.lastRequest.expect(.method("get"))
            try await stand.ask("Head", "/a").expect(.body("other"))
            stand.lastRequest.expect(.method("Head"))
        },
        WireClause("RFC 9110 §9.3.7", .mustNot, "OPTIONS is passed on, and its response is not stored") { stand in
            stand.answers(whole("x", page + "Allow: GET, BREW\r\n"))
            for calls in 1...2 {
                try await stand.ask("OPTIONS", "/a").expect(.status(200), .line("Allow: GET, BREW"), .isNotHit)
                stand.expectCalls(calls)
            }
            stand.answers(whole("page", page))
            try await stand.get("/a").expect(.body("page"), .isNotHit)
        },
        WireClause("RFC 9110 §9.3.6", .must, "CONNECT is refused and opens no tunnel") { stand in
            stand.answers(whole("x"))
            for target in ["127.0.0.1:\(stand.origin.port)", "\(stand.root)/a"] {
                let answer = try await stand.exchange("CONNECT \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer.expect(.statusIn([400, 403, 404, 405, 501]))
            }
            stand.expectCalls(0)
        },
        WireClause("RFC 9110 §9.3.8", .may, "TRACE is refused with a list of the allowed methods") { stand in
            stand.answers(whole("x"))
            try await stand.ask("TRACE", "/a", "Cookie: secret\r\n")
                .expect(.status(405), .has("Allow"), .bodyLacks("secret"))
            stand.expectCalls(0)
        },
        WireClause("RFC 9110 §9.3.1", .must, "content in a GET is framed correctly and not read as the next request") {
            stand in
            stand.answers { request in whole("asked \(request.target)", page) }
            let inner = "GET \(stand.root)/inner HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let answers = try await stand.pipeline([
                stand.request("GET", "/outer", "Content-Length: \(inner.utf8.count)\r\n") + inner,
                stand.request("GET", "/next"),
            ])
            expectSame(answers.map(\.text), ["asked /outer", "asked /next"])
            expectSame(stand.origin.requests.contains { $0.target == "/inner" }, false)
        },
        WireClause("RFC 9110 §9.3.1", .must, "a GET with content does not create the stored response of the plain GET")
        {
            stand in
            stand.answers { request in whole("body \(String(decoding: request.body, as: UTF8.self))", page) }
            try await stand.ask("GET", "/a", "Content-Length: 1\r\n", body: "x").expect(.status(200))
            try await stand.get("/a").expect(.body("body "))
        },
    ]

    private static let hops: [WireClause] = [
        WireClause("RFC 9110 §7.6.2", .mustNot, "OPTIONS with Max-Forwards: 0 is answered and not passed on") {
            stand in
            stand.answers(whole("x"))
            try await stand.ask("OPTIONS", "/a", "Max-Forwards: 0\r\n").expect(.statusIn([200, 204]))
            stand.expectCalls(0)
        },
        WireClause("RFC 9110 §7.6.2", .must, "OPTIONS with Max-Forwards: 5 is passed on with 4") { stand in
            stand.answers(whole("x"))
            try await stand.ask("OPTIONS", "/a", "Max-Forwards: 5\r\n").expect(.status(200))
            stand.lastRequest.expect(.order("Max-Forwards", ["4"]))
        },
        WireClause("RFC 9110 §7.6.2", .mustNot, "TRACE with Max-Forwards: 0 does not reach the origin") { stand in
            stand.answers(whole("x"))
            try await stand.ask("TRACE", "/a", "Max-Forwards: 0\r\n").expect(.statusIn([200, 405]))
            stand.expectCalls(0)
        },
        WireClause("RFC 9110 §7.6.2", .may, "Max-Forwards with other methods is ignored") { stand in
            stand.answers(whole("x", page))
            try await stand.ask("GET", "/a", "Max-Forwards: 0\r\n").expect(.status(200), .body("x"))
            try await stand.ask("POST", "/a", "Max-Forwards: 0\r\nContent-Length: 0\r\n").expect(
                .status(200), .body("x"))
            stand.expectCalls(2)
        },
    ]

    private static let expectations: [WireClause] = [
        WireClause(
            "RFC 9110 §10.1.1", .must, "100-continue is passed on before the content, and so is the 100 response"
        ) {
            stand in
            stand.converses { wire in
                let head = try wire.readHead()
                try wire.send("HTTP/1.1 100 Continue\r\n\r\n")
                let body = try wire.readBody(head)
                try wire.send(whole("got \(body.count)"))
            }
            let answer = try await stand.talk { client in
                try client.send(stand.request("POST", "/a", "Expect: 100-continue\r\nContent-Length: 5\r\n"))
                let interim = try client.receiveHead()
                try client.send("hello")
                return (interim, try client.receive())
            }
            answer.0.expect(.status(100))
            answer.1.expect(.status(200), .body("got 5"))
            stand.lastRequest.expect(.only("Expect", "100-continue"))
        },
        WireClause("RFC 9110 §10.1.1", .must, "100-continue is not case-sensitive") { stand in
            stand.converses { wire in
                let head = try wire.readHead()
                try wire.send("HTTP/1.1 100 Continue\r\n\r\n")
                try wire.send(whole("got \(try wire.readBody(head).count)"))
            }
            let answer = try await stand.talk { client in
                try client.send(stand.request("PUT", "/a", "Expect: 100-Continue\r\nContent-Length: 5\r\n"))
                let interim = try client.receiveHead()
                try client.send("hello")
                return (interim, try client.receive())
            }
            answer.0.expect(.status(100))
            answer.1.expect(.body("got 5"))
        },
        WireClause("RFC 9110 §10.1.1", .must, "a final response of the origin is sent without a 100 before it") {
            stand in
            for status in ["417 Expectation Failed", "413 Content Too Large", "401 Unauthorized"] {
                stand.converses { wire in
                    _ = try wire.readHead()
                    try wire.send(whole("no", "Connection: close\r\n", status: status))
                    try wire.finish()
                }
                let first = try await stand.talk { client in
                    try client.send(stand.request("POST", "/a", "Expect: 100-continue\r\nContent-Length: 5\r\n"))
                    return try client.receiveHead()
                }
                first.expect(.statusLine("HTTP/1.1 \(status)"))
            }
        },
        WireClause(
            "RFC 9110 §10.1.1", .should, "if the content was not requested, the connection ends or continues correctly"
        ) {
            stand in
            stand.converses { wire in
                let head = try wire.readHead()
                if head.method == "POST" {
                    try wire.send(whole("no", "Connection: close\r\n", status: "413 Content Too Large"))
                    try wire.finish()
                } else {
                    try wire.send(whole("next"))
                }
            }
            let (first, next) = try await stand.talk { client in
                try client.send(stand.request("POST", "/a", "Expect: 100-continue\r\nContent-Length: 5\r\n"))
                let first = try client.receive()
                // The client never sends the content. The next bytes are a request, or the connection has ended.
                try? client.send(stand.request("GET", "/b"))
                return (first, try? client.receive())
            }
            first.expect(.status(413))
            if let next {
                next.expect(.statusIn([200, 400]))
            } else {
                first.expect(.only("Connection", "close"))
            }
        },
        WireClause("RFC 9110 §10.1.1", .may, "other expectations are answered with 417") { stand in
            stand.answers(whole("x"))
            for value in ["200-ok", "100-continue, x", "100-continues", "a=b"] {
                try await stand.ask("POST", "/a", "Expect: \(value)\r\nContent-Length: 0\r\n").expect(.status(417))
            }
            stand.expectCalls(0)
        },
        WireClause("RFC 9110 §10.1.1", .must, "an expectation in an HTTP/1.0 request is ignored and causes no 100") {
            stand in
            stand.answers(whole("x"))
            let first = try await stand.talk { client in
                try client.send(
                    "POST \(stand.root)/a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab")
                return try client.receiveHead()
            }
            first.expect(.status(200))
            stand.lastRequest.expect(.body("ab"))
        },
        WireClause("RFC 9110 §10.1.1", .mustNot, "an expectation without content causes no 100") { stand in
            stand.answers(whole("x"))
            let first = try await stand.talk { client in
                try client.send(stand.request("GET", "/a", "Expect: 100-continue\r\n"))
                return try client.receiveHead()
            }
            first.expect(.status(200))
        },
        WireClause("RFC 9110 §10.1.1", .may, "content that the client sends without waiting is accepted") { stand in
            stand.converses { wire in
                let head = try wire.readHead()
                try wire.send("HTTP/1.1 100 Continue\r\n\r\n")
                try wire.send(whole("got \(try wire.readBody(head).count)"))
            }
            let answer = try await stand.talk { client in
                try client.send(stand.request("POST", "/a", "Expect: 100-continue\r\nContent-Length: 5\r\n") + "hello")
                return try client.receive()
            }
            answer.expect(.status(200), .body("got 5"))
        },
        WireClause("RFC 9110 §10.1.1", .mustNot, "a client that did not expect a 100 is not sent a generated one") {
            stand in
            stand.answers(whole("x"))
            let first = try await stand.talk { client in
                try client.send(stand.request("POST", "/a", "Content-Length: 5\r\n"))
                try client.send("hello")
                return try client.receiveHead()
            }
            first.expect(.status(200))
        },
    ]

    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: <s.css>; rel=preload\r\nX-Odd: 1\r\n\r\n"

    /// The origin sends a 103, and its response once the gate is open.
    private static func holds(_ stand: Stand, _ fields: String) -> Gate {
        let gate = Gate()
        stand.converses { wire in
            let request = try wire.readRequest()
            try wire.send(hints)
            gate.wait()
            try wire.send(request.startLine.hasPrefix("HEAD") ? "HTTP/1.1 200 OK\r\n\r\n" : whole("x", fields))
        }
        return gate
    }

    private static let interims: [WireClause] = [
        WireClause(
            "RFC 9110 §15.2", .must, "a 103 is passed on to an HTTP/1.1 client, with its fields, before the response"
        ) {
            stand in
            for fields in [page, never] {
                stand.answers(hints + whole("x", fields))
                let (interim, answer) = try await stand.talk { client in
                    try client.send(stand.request("GET", "/\(fields.count)"))
                    return (try client.receiveHead(), try client.receive())
                }
                interim.expect(.status(103), .line("Link: <s.css>; rel=preload"), .line("X-Odd: 1"))
                interim.expect(.lacks("Content-Length"), .lacks("Transfer-Encoding"))
                answer.expect(.status(200), .body("x"), .lacks("Link"))
            }
        },
        WireClause("RFC 9110 §7.6.1", .must, "connection fields are not passed on in interim responses") { stand in
            let hop = "Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nUpgrade: x\r\n"
            stand.answers("HTTP/1.1 103 Early Hints\r\n\(hop)X-Odd: 1\r\n\r\n" + whole("x", never))
            let interim = try await stand.talk { client in
                try client.send(stand.request("GET", "/a"))
                return try client.receiveHead()
            }
            interim.expect(.status(103), .line("X-Odd: 1"))
            for name in ["Connection", "X-Hop", "Keep-Alive", "Upgrade"] { interim.expect(.lacks(name)) }
        },
        WireClause("RFC 9110 §15.2", .must, "several interim responses are passed on in order") { stand in
            stand.answers("HTTP/1.1 102 Processing\r\n\r\n" + hints + "HTTP/1.1 199 Odd\r\n\r\n" + whole("x", never))
            let heads = try await stand.talk { client in
                try client.send(stand.request("GET", "/a"))
                return try (0..<4).map { _ in try client.receiveHead() }
            }
            expectSame(heads.map(\.status), [102, 103, 199, 200])
        },
        WireClause("RFC 9110 §15.2", .must, "interim responses to an unsafe method are passed on too") { stand in
            stand.answers(hints + whole("x"))
            let heads = try await stand.talk { client in
                try client.send(stand.request("POST", "/a", "Content-Length: 2\r\n") + "ab")
                return try (0..<2).map { _ in try client.receiveHead() }
            }
            expectSame(heads.map(\.status), [103, 200])
        },
        WireClause("RFC 9110 §15.2", .should, "a 103 is passed on while the origin is still preparing its response") {
            stand in
            for (method, more) in [("GET", ""), ("HEAD", ""), ("POST", "Content-Length: 0\r\n")] {
                let gate = holds(stand, never)
                let request = stand.request(method, stand.fresh(), more)
                let (interim, answer) = try await stand.talk { client in
                    defer { gate.open() }
                    try client.send(request)
                    let interim = try client.receiveHead()
                    gate.open()
                    return (interim, try client.receiveHead())
                }
                interim.expect(.status(103), .line("Link: <s.css>; rel=preload"))
                answer.expect(.status(200))
            }
        },
        WireClause(
            "RFC 9110 §15.2", .should,
            "a 103 is sent at once to the client that caused the fetch, and to others with the response"
        ) {
            stand in
            let gate = holds(stand, page)
            defer { gate.open() }
            let request = stand.request("GET", "/a")
            let (leads, led) = (Gate(), Gate())
            async let first = stand.talk { client in
                try client.send(request)
                let early = try client.receiveHead()
                leads.open()
                return [early, try client.receiveHead()].map(\.status)
            }
            async let second = stand.talk { client in
                leads.wait()
                try client.send(request)
                led.open()
                return [try client.receiveHead(), try client.receiveHead()].map(\.status)
            }
            await led.pass()
            try await stand.larder.eventually("it has joined") {
                try await stand.larder.counter("larder_joined_total") == 1
            }
            gate.open()
            expectSame(try await [first, second], [[103, 200], [103, 200]])
        },
        WireClause("RFC 9110 §15.2", .mustNot, "an HTTP/1.0 client is sent no interim response") { stand in
            stand.answers(hints + whole("x", page))
            let first = try await stand.talk { client in
                try client.send("GET \(stand.root)/a HTTP/1.0\r\n\r\n")
                return try client.receiveHead()
            }
            first.expect(.status(200), .lacks("Link"))
        },
        WireClause("RFC 9111 §3", .mustNot, "an interim response is not stored, and a hit comes without it") { stand in
            stand.answers(hints + whole("x", page))
            try await stand.get("/a").expect(.body("x"))
            for _ in 0..<2 {
                let first = try await stand.talk { client in
                    try client.send(stand.request("GET", "/a"))
                    return try client.receiveHead()
                }
                first.expect(.status(200), .lacks("Link"), .isHit)
            }
        },
        WireClause("RFC 9110 §15.2.1", .must, "a 100 that was not requested is not the final response") { stand in
            stand.answers("HTTP/1.1 100 Continue\r\n\r\n" + whole("x", page))
            try await stand.get("/a").expect(.status(200), .body("x"))
        },
    ]

    private static func trailing(_ trailers: String, _ fields: String = page) -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\(trailers)\r\n"
    }

    /// A response with trailers, which must not change its head or body, stored or not.
    private static func trailer(
        _ section: String, _ level: Level, _ says: String, _ trailers: String, _ fields: String = page,
        _ expected: Expect...
    ) -> WireClause {
        WireClause(section, level, says) { stand in
            stand.answers(trailing(trailers, fields))
            for _ in 0..<3 {
                let answer = try await stand.get("/a")
                answer.expect(.status(200), .body("hello"))
                for one in expected { answer.expect(one) }
            }
        }
    }

    private static let trailers: [WireClause] = [
        trailer(
            "RFC 9110 §6.5.1", .mustNot, "trailers are not merged into the head", "X-After: 1\r\nETag: \"t\"\r\n", page,
            .headLacks("X-After"), .headLacks("ETag")),
        trailer(
            "RFC 9110 §6.5.1", .mustNot, "trailers are not merged into a response that is not stored", "X-After: 1\r\n",
            never,
            .headLacks("X-After")),
        WireClause("RFC 9110 §6.5.1", .mustNot, "Cache-Control in trailers has no effect") { stand in
            stand.answers(trailing("Cache-Control: max-age=600\r\n", never))
            try await stand.get("/a")
            try await stand.get("/a").expect(.isNotHit, .body("hello"))
            stand.expectCalls(2)
        },
        trailer(
            "RFC 9112 §6.3", .mustNot, "framing fields in trailers have no effect",
            "Content-Length: 3\r\nTransfer-Encoding: gzip\r\n", page, .headLacks("X-None")),
        trailer(
            "RFC 9110 §6.6.2", .may, "Trailer is not passed on, since trailers are dropped", "X-After: 1\r\n",
            page + "Trailer: X-After\r\n", .lacks("Trailer"), .headLacks("X-After")),
        WireClause("RFC 9112 §7.1.2", .may, "trailers of a request are dropped and never merged") { stand in
            stand.answers(whole("x"))
            let body =
                "2\r\nab\r\n0\r\nX-After: 1\r\nAuthorization: Basic eDp5\r\nHost: evil\r\nContent-Length: 9\r\n\r\n"
            let answers = try await stand.pipeline([
                stand.request("POST", "/a", "Transfer-Encoding: chunked\r\n") + body, stand.request("GET", "/b"),
            ])
            for answer in answers { answer.expect(.status(200)) }
            stand.requestFor("/a").expect(.body("ab"), .lacks("X-After"), .lacks("Authorization"), .isForOrigin)
        },
    ]

    private static let upgrades: [WireClause] = [
        WireClause("RFC 9110 §7.8", .may, "a client that offers an upgrade is answered in HTTP/1.1") { stand in
            stand.answers(whole("x", page))
            let answer = try await stand.ask(
                "GET", "/a", "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")
            answer.expect(.status(200), .body("x"))
        },
        WireClause("RFC 9110 §7.8", .mustNot, "an origin that switches protocols without being asked causes a 502") {
            stand in
            stand.answers("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxxxx")
            for method in ["GET", "POST"] {
                let more = method == "POST" ? "Content-Length: 0\r\n" : ""
                try await stand.ask(method, stand.fresh(), more + "Connection: Upgrade\r\nUpgrade: x\r\n")
                    .expect(.status(502), .lacks("Upgrade"))
            }
        },
    ]
}
