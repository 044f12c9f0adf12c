// Unsafe methods (RFC 9110 §9.2.1) through a pass-through provider. Bodies are streamed byte for byte, and the response
// is given to no other client.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let uploads: [WireClause] = [
        WireClause("RFC 9110 §9.3.3", .must, "a body with a Content-Length reaches the origin byte for byte") { stand in
            stand.answers(whole("done"))
            for method in ["POST", "PUT", "PATCH", "DELETE", "PROPPATCH"] {
                for count in [0, 1, 1000, 300_000] {
                    let body = pattern(count)
                    let answer = try await stand.send(method, "/a", body, chunked: false)
                    answer.expect(.status(200), .body("done"))
                    stand.lastRequest.expect(.method(method), .content(body), .isFramedAtMostOnce)
                }
            }
        },
        WireClause("RFC 9112 §7.1", .must, "a chunked body reaches the origin byte for byte") { stand in
            stand.answers(whole("done"))
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                for count in [0, 1, 1000, 300_000] {
                    let body = pattern(count)
                    let answer = try await stand.send(method, "/a", body, chunked: true)
                    answer.expect(.status(200), .body("done"))
                    stand.lastRequest.expect(.method(method), .content(body), .isFramedAtMostOnce)
                }
            }
        },
        WireClause(
            "RFC 9110 §9.3.3", .must, "a body of several megabytes is passed on, with a Content-Length and in chunks"
        ) { stand in
            stand.answers(whole("done"))
            let body = pattern(5_000_000)
            for chunked in [false, true] {
                try await stand.send("POST", "/a", body, chunked: chunked).expect(.status(200), .body("done"))
                stand.lastRequest.expect(.content(body))
            }
        },
        WireClause("RFC 9110 §8.6", .should, "a POST without content states this with Content-Length: 0") { stand in
            stand.answers(whole("done"))
            for method in ["POST", "PUT"] {
                try await stand.ask(method, "/a", "Content-Length: 0\r\n").expect(.status(200))
                stand.lastRequest.expect(.order("Content-Length", ["0"]), .lacks("Transfer-Encoding"))
            }
        },
        WireClause("RFC 9112 §6.1", .may, "content is passed on while it is still arriving") { stand in
            // A body with a short Content-Length is received completely first, so that a slow client does not occupy an
            // upstream slot.
            for framing in ["Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n"] {
                let chunked = framing.hasPrefix("Transfer")
                let rest = chunked ? "world" : String(repeating: "w", count: 99_995)
                let half = Gate()
                let early = Lock(Bytes())
                stand.converses { wire in
                    let head = try wire.readHead()
                    let first = try wire.readSome(of: head)
                    early.withLock { $0 = first }
                    half.open()
                    let rest = try wire.readRest(of: head, after: first)
                    try wire.send(whole("got \(rest.count)"))
                }
                let answer = try await stand.talk { client in
                    try client.send(stand.request("POST", "/a", framing) + (chunked ? "5\r\nhello\r\n" : "hello"))
                    // The client sends nothing more until the origin has received the first half.
                    half.waitPatiently()
                    try client.send(chunked ? "5\r\n\(rest)\r\n0\r\n\r\n" : rest)
                    return try client.receive()
                }
                answer.expect(.status(200), .body("got \(5 + rest.utf8.count)"))
                expectSame(early.withLock { $0 }, wireBytes("hello"))
            }
        },
        WireClause(
            "RFC 9112 §8", .must, "a client that leaves inside its body does not leave a complete request at the origin"
        ) {
            stand in
            // These bodies are passed on while they arrive. The client leaves when the origin has received a part.
            for (fields, part) in [
                ("Content-Length: 100000\r\n", "hello"), ("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n"),
            ] {
                let (begun, ended) = (Gate(), Gate())
                stand.converses { wire in
                    defer { ended.open() }
                    let head = try wire.readHead()
                    let first = try wire.readSome(of: head)
                    begun.open()
                    _ = try wire.readRest(of: head, after: first)
                }
                try await stand.talk { client in
                    try client.send(stand.request("POST", "/a", fields) + part)
                    begun.waitPatiently()
                    client.reset()
                }
                let isOver = try await onOwnThread { ended.opens(within: .seconds(Wire.patience)) }
                #expect(isOver, "the origin sees no end: \(fields)")
            }
            // A short body is received completely first. When Larder closes, it has seen that this one ends too early.
            let short = stand.request("POST", "/a", "Content-Length: 10\r\n") + "hello"
            try await stand.talk { client in
                try client.send(short)
                client.reset()
            }
            try await stand.talk { client in
                try client.send(short)
                client.finishSending()
                do {
                    try client.readToEnd()
                } catch let end as WireEnd where end.wasReset {
                    // Larder closed before it had read everything.
                }
            }
            try await stand.settles()
            stand.expectWholeRequests(0)
            stand.expectCalls(2)
        },
        WireClause("RFC 9112 §9.5", .should, "a response that comes before the body is complete reaches the client") {
            stand in
            stand.converses { wire in
                _ = try wire.readHead()
                try wire.send(whole("too much", "Connection: close\r\n", status: "413 Content Too Large"))
                wire.finishSending()
                try wire.readToEnd()
            }
            let answer = try await stand.talk { client in
                try client.send(
                    stand.request("POST", "/a", "Content-Length: 1000000\r\n") + String(repeating: "a", count: 1000))
                return try client.receive()
            }
            answer.expect(.status(413), .body("too much"))
        },
        WireClause("RFC 9111 §3", .mustNot, "the response to an unsafe method is not the response to a GET") { stand in
            for method in ["POST", "PUT", "DELETE", "PATCH"] {
                let target = stand.fresh()
                stand.answers(whole("from \(method)", "Cache-Control: max-age=600\r\n"))
                try await stand.ask(method, target, "Content-Length: 0\r\n").expect(.body("from \(method)"), .isNotHit)
                stand.answers(whole("from GET", "Cache-Control: max-age=600\r\n"))
                try await stand.get(target).expect(.body("from GET"), .isNotHit)
            }
        },
        WireClause(
            "RFC 9110 §9.2.1", .mustNot, "an unsafe method is never answered from the store or from a shared fetch"
        ) {
            stand in
            stand.answers(whole("stored", "Cache-Control: max-age=600\r\n"))
            try await stand.get("/a")
            let count = Tally()
            stand.answers { _ in
                count.add()
                return whole("call \(count.count)")
            }
            for number in 1...3 {
                try await stand.ask("POST", "/a", "Content-Length: 0\r\n").expect(.body("call \(number)"))
            }
        },
        WireClause("RFC 9211 §2.2", .must, "Cache-Status has fwd=method and no hit for an unsafe method") {
            stand in
            stand.answers(whole("x", "Cache-Control: max-age=600\r\n"))
            for method in ["POST", "DELETE", "OPTIONS", "BREW"] {
                let answer = try await stand.ask(method, "/a", "Content-Length: 0\r\n")
                answer.expect(.field("Cache-Status", "larder; fwd=method; fwd-status=200"))
            }
        },
        WireClause(
            "RFC 9110 §15.5.6", .must, "built-in providers are read-only and answer other methods with 405 and Allow"
        ) { stand in
            for method in ["POST", "PUT", "PATCH", "DELETE", "BREW"] {
                let answer = try await stand.askInterface(
                    "\(method) /raw/itunes/search?term=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab")
                answer.expect(.status(405), .field("Allow", "GET, HEAD"))
            }
        },
        WireClause(
            "RFC 9110 §15.5.2", .may,
            "Larder requires no token; the origin decides whether a change is allowed"
        ) { stand in
            stand.answers(whole("no", "WWW-Authenticate: Basic realm=\"x\"\r\n", status: "401 Unauthorized"))
            let answer = try await stand.ask("DELETE", "/a")
            answer.expect(.status(401), .line("WWW-Authenticate: Basic realm=\"x\""), .body("no"))
        },
    ]
}
