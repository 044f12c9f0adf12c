// QUERY: a safe method whose content defines the query (RFC 10008).

extension Tables {
    private static let type = "Content-Type: text/plain"
    private static let kept = "Cache-Control: max-age=600"

    @Clauses static var queries: [Clause] {
        Clause("RFC 10008 §2.7 stored", .may, "A stored QUERY response answers the same QUERY again.") {
            answers(reply("Cache-Control: max-age=600"))
            send("QUERY", type, body: "one", expect: body("body 1"), forwarded("uri-miss", status: 200, stored: true))
            send("QUERY", type, body: "one", expect: body("body 1"), hit())
            received(1, startLine("QUERY /a HTTP/1.1"), body("one"), has("Content-Type", "text/plain"))
            saw(1)
        }
        for (what, lines, content) in [
            ("content", [type], "two"), ("longer content", [type], "onee"),
            ("type", ["Content-Type: application/json"], "one"), ("coding", [type, "Content-Encoding: x"], "one"),
            ("language", [type, "Content-Language: de"], "one"),
        ] {
            Clause(
                "RFC 10008 §2.7 other \(what)", .must,
                "The cache key includes the content and the fields that define its meaning."
            ) {
                answers(reply("Cache-Control: max-age=600"))
                send("QUERY", type, body: "one", expect: body("body 1"))
                Step.exchange(ask("QUERY", "/a", lines, body: content), [body("body 2"), forwarded()])
                send("QUERY", type, body: "one", expect: body("body 1"), hit())
            }
        }
        Clause("RFC 10008 §2.7 other target", .must, "The cache key includes the target.") {
            answers(reply("Cache-Control: max-age=600"))
            send("QUERY", type, body: "one", expect: body("body 1"))
            send("QUERY", type, at: "/a?x", body: "one", expect: body("body 1"), forwarded())
        }
        Clause("RFC 10008 §2.7 GET", .mustNot, "A QUERY response answers no GET, and a GET response answers no QUERY.")
        {
            answers(reply("Cache-Control: max-age=600"))
            send("QUERY", type, body: "one", expect: body("body 1"))
            miss("body 2")
            hits("body 2")
            send("QUERY", type, body: "one", expect: body("body 1"), hit())
            send("QUERY", type, body: "two", expect: body("body 3"))
        }
        Clause("RFC 10008 §2.7 Vary", .must, "Variants of a QUERY response are kept separate, as with GET.") {
            answers(reply("Cache-Control: max-age=600", "Vary: X-Who"))
            send("QUERY", type, "X-Who: a", body: "one", expect: body("body 1"))
            send("QUERY", type, "X-Who: b", body: "one", expect: body("body 2"))
            send("QUERY", type, "X-Who: a", body: "one", expect: body("body 1"), hit())
            send("QUERY", type, "X-Who: b", body: "one", expect: body("body 2"), hit())
        }
        Clause(
            "RFC 9111 §4.3 QUERY", .may,
            "A stale QUERY response is validated by a conditional QUERY with the same content."
        ) {
            answers(
                reply("Cache-Control: max-age=10", #"ETag: "v""#),
                notModified("Cache-Control: max-age=10", #"ETag: "v""#))
            send("QUERY", type, body: "one", expect: body("body 1"))
            pass(20)
            send("QUERY", type, body: "one", expect: status(200), body("body 1"))
            received(2, startLine("QUERY /a HTTP/1.1"), body("one"), has("If-None-Match", #""v""#))
        }
        Clause(
            "RFC 10008 §2 condition", .should,
            "A QUERY whose condition matches the stored validator is answered with 304."
        ) {
            answers(reply("Cache-Control: max-age=600", #"ETag: "v""#))
            send("QUERY", type, body: "one")
            send("QUERY", type, #"If-None-Match: "v""#, body: "one", expect: status(304))
        }
        for method in ["POST", "PUT", "DELETE"] {
            Clause(
                "RFC 9111 §4.4 \(method) and QUERY", .must,
                "An unsafe request invalidates stored QUERY responses of its URL."
            ) {
                answers(reply("Cache-Control: max-age=600"))
                send("QUERY", type, body: "one", expect: body("body 1"))
                send("QUERY", type, body: "two", expect: body("body 2"))
                send(method, body: "x")
                send("QUERY", type, body: "one", expect: body("body 4"), forwarded())
                send("QUERY", type, body: "two", expect: body("body 5"), forwarded())
            }
        }
        Clause("RFC 9111 §3 QUERY no-store", .mustNot, "A response that forbids storing is not stored.") {
            answers(reply("Cache-Control: no-store"))
            send("QUERY", type, body: "one", expect: body("body 1"))
            send("QUERY", type, body: "one", expect: body("body 2"))
        }
        Clause("RFC 10008 §2.7 without content", .may, "A QUERY without content is passed on.") {
            answers(reply("Cache-Control: max-age=600"))
            send("QUERY", expect: body("body 1"), forwarded("method", status: 200))
            send("QUERY", expect: body("body 2"), forwarded("method", status: 200))
        }
        Clause("RFC 10008 §2.7 long content", .may, "A QUERY with content longer than cache.maxQueryBody is passed on.")
        {
            answers(reply("Cache-Control: max-age=600"))
            for number in 1...2 {
                send(
                    "QUERY", type, body: String(repeating: "x", count: 70_000),
                    expect: body("body \(number)"), forwarded("method", status: 200))
            }
        }
        Clause("RFC 9110 §10.1.1 QUERY", .may, "A chunked QUERY is passed on completely.") {
            answers(reply("Cache-Control: max-age=600"))
            raw(
                "QUERY /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n",
                expect: body("body 1"), forwarded("method", status: 200))
            received(1, body("one"))
        }
    }
}
