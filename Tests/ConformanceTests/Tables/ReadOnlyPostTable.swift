// POST endpoints that the configuration declares read-only.

extension Tables {
    private static let json = "Content-Type: application/json"
    private static let graphQL = ", readOnlyPosts: [{ path: /g, ttl: 60s, kind: graphql }]"
    private static let search = ", readOnlyPosts: [{ path: /s, ttl: 60s, kind: any }]"
    private static let query = #"{"query":"{ a }"}"#
    private static let mutation = #"{"query":"mutation { a }"}"#

    private static func data() -> Answer { reply(body: #"{"data":"{n}"}"#) }

    private static func chunk(_ text: String) -> Answer.Part {
        .text(String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n")
    }

    @Clauses static var readOnlyPosts: [Clause] {
        Clause(
            "RFC 9111 §4 declared POST", .may,
            "The response to a POST that is declared read-only answers the same POST again.",
            settings: search
        ) {
            answers(reply())
            send(
                "POST", json, at: "/s", body: "one", expect: body("body 1"),
                forwarded("uri-miss", status: 200, stored: true))
            send("POST", json, at: "/s", body: "one", expect: body("body 1"), hit(ttl: 60))
            received(1, startLine("POST /s HTTP/1.1"), body("one"), has("Content-Type", "application/json"))
            saw(1)
            pass(60)
            send("POST", json, at: "/s", body: "one", expect: body("body 2"), forwarded("stale", status: 200))
            received(2, lacks("If-None-Match"), lacks("If-Modified-Since"))
        }
        for (what, lines, content) in [
            ("content", [json], "two"), ("longer content", [json], "onee"),
            ("type", ["Content-Type: text/plain"], "one"),
        ] {
            Clause(
                "RFC 9111 §4 declared POST with other \(what)", .must,
                "The cache key includes the content and the fields that define its meaning.",
                settings: search
            ) {
                answers(reply())
                send("POST", json, at: "/s", body: "one", expect: body("body 1"))
                Step.exchange(ask("POST", "/s", lines, body: content), [body("body 2"), forwarded()])
                send("POST", json, at: "/s", body: "one", expect: body("body 1"), hit())
            }
        }
        Clause(
            "RFC 9111 §4 declared POST elsewhere", .mustNot, "A POST to another path or query is passed on.",
            settings: search
        ) {
            answers(reply("Cache-Control: max-age=600"))
            for path in ["/t", "/s/", "/s/x", "/S"] {
                send("POST", json, at: path, body: "one", expect: body("body 1"), forwarded("method", status: 200))
                send("POST", json, at: path, body: "one", expect: body("body 2"), forwarded("method", status: 200))
            }
            send("POST", json, at: "/s?a", body: "one", expect: body("body 1"))
            send("POST", json, at: "/s?b", body: "one", expect: body("body 1"), forwarded())
        }
        Clause(
            "RFC 9111 §4 declared POST and GET", .mustNot,
            "A POST response answers no GET, and a GET response answers no POST.",
            settings: search
        ) {
            answers(reply("Cache-Control: max-age=600"))
            send("POST", json, at: "/s", body: "one", expect: body("body 1"))
            miss("body 2", at: "/s")
            hits("body 2", at: "/s")
            send("POST", json, at: "/s", body: "one", expect: body("body 1"), hit())
        }
        Clause(
            "RFC 9111 §4.4 declared POST", .mustNot, "A POST that is declared read-only invalidates nothing.",
            settings: search
        ) {
            answers(reply("Cache-Control: max-age=600"))
            get(at: "/s")
            send("POST", json, at: "/s", body: "one", expect: body("body 2"))
            hits("body 1", at: "/s")
            send(
                "POST", json, at: "/s", body: String(repeating: "x", count: 70_000),
                expect: forwarded("method", status: 200))
            hits("body 1", at: "/s")
        }
        for method in ["PUT", "DELETE", "PATCH"] {
            Clause(
                "RFC 9111 §4.4 \(method) and declared POST", .must,
                "An unsafe request invalidates stored POST responses of its URL.",
                settings: search
            ) {
                answers(reply())
                send("POST", json, at: "/s", body: "one", expect: body("body 1"))
                send(method, at: "/s", body: "x")
                send("POST", json, at: "/s", body: "one", expect: body("body 3"), forwarded())
            }
        }
        for line in [
            "Cache-Control: no-store", "Cache-Control: private", "Cache-Control: max-age=0", "Expires: 0", "Vary: *",
        ] {
            Clause(
                "RFC 9111 §3 declared POST, \(line)", .mustNot,
                "Restrictions in the response override the declared lifetime.",
                settings: search
            ) {
                answers(reply(line))
                send("POST", json, at: "/s", body: "one", expect: body("body 1"))
                send("POST", json, at: "/s", body: "one", expect: body("body 2"), forwarded())
            }
        }
        Clause(
            "RFC 9111 §4.2.1 declared POST", .must, "A lifetime in the response overrides the declared one.",
            settings: search
        ) {
            answers(reply("Cache-Control: max-age=600", "Last-Modified: {now-100000}"))
            send("POST", json, at: "/s", body: "one", expect: body("body 1"))
            send("POST", json, at: "/s", body: "one", expect: body("body 1"), hit(ttl: 600))
        }
        for status in ["404 Not Found", "301 Moved Permanently", "500 Oops", "429 Slow"] {
            Clause(
                "RFC 9111 §4.2.2 declared POST, \(status)", .mustNot,
                "The declared lifetime applies to successful responses only.",
                settings: search
            ) {
                answers(reply("Last-Modified: {now-100000}", status: status))
                send("POST", json, at: "/s", body: "one", expect: body("body 1"))
                send("POST", json, at: "/s", body: "one", expect: body("body 2"), forwarded())
            }
        }
        for line in ["Authorization: Basic eA==", "Cookie: a=b"] {
            Clause(
                "RFC 9111 §3.5 declared POST, \(line.prefix { $0 != ":" })", .mustNot,
                "The response to a request with credentials is not given to other clients.",
                settings: search
            ) {
                answers(reply())
                send("POST", json, line, at: "/s", body: "one", expect: body("body 1"))
                send("POST", json, at: "/s", body: "one", expect: body("body 2"), forwarded())
                send("POST", json, line, at: "/s", body: "one", expect: body("body 3"), forwarded())
            }
        }
        Clause(
            "RFC 9111 §4.1 declared POST", .must, "Variants of a QUERY response are kept separate, as with GET.",
            settings: search
        ) {
            answers(reply("Vary: X-Who"))
            send("POST", json, "X-Who: a", at: "/s", body: "one", expect: body("body 1"))
            send("POST", json, "X-Who: b", at: "/s", body: "one", expect: body("body 2"))
            send("POST", json, "X-Who: a", at: "/s", body: "one", expect: body("body 1"), hit())
        }
        for line in [#"If-None-Match: "v""#, #"If-Match: "w""#, "If-Unmodified-Since: {now-100000}"] {
            Clause(
                "RFC 9110 §13.2.1 declared POST, \(line.prefix { $0 != ":" })", .mustNot,
                "A condition of a POST is evaluated by the origin, not by the cache.",
                settings: search
            ) {
                answers(reply(#"ETag: "v""#, "Last-Modified: {now}"))
                send("POST", json, at: "/s", body: "one", expect: body("body 1"))
                send(
                    "POST", json, line, at: "/s", body: "one", expect: status(200), body("body 2"),
                    forwarded("method", status: 200))
                received(2, has(String(line.prefix { $0 != ":" })), body("one"))
                send("POST", json, at: "/s", body: "one", expect: body("body 1"), hit())
            }
        }
        for line in ["If-Modified-Since: {now+100000}", "Range: bytes=0-1"] {
            Clause(
                "RFC 9110 §13.1.3 declared POST, \(line.prefix { $0 != ":" })", .must,
                "A field that has no meaning for POST is ignored.",
                settings: search
            ) {
                answers(reply("Last-Modified: {now-100000}"))
                send("POST", json, at: "/s", body: "one", expect: body("body 1"))
                send("POST", json, line, at: "/s", body: "one", expect: status(200), body("body 1"), hit())
            }
        }
        Clause(
            "RFC 9110 §9.3.3 other method asked for", .must, "A POST that overrides its method is passed on.",
            settings: search
        ) {
            answers(reply())
            send("POST", json, "X-HTTP-Method-Override: DELETE", at: "/s", body: "one", expect: body("body 1"))
            send(
                "POST", json, "X-HTTP-Method-Override: DELETE", at: "/s", body: "one", expect: body("body 2"),
                forwarded("method", status: 200))
        }
        for (what, lines) in [("a form", ["Content-Type: application/x-www-form-urlencoded"]), ("no type", [])] {
            Clause(
                "RFC 9110 §9.3.3 _method in \(what)", .must,
                "A POST whose content may be a form that asks for another method is passed on and invalidates.",
                settings: search
            ) {
                answers(reply())
                Step.exchange(ask("POST", "/s", lines, body: "a=1"), [body("body 1")])
                Step.exchange(ask("POST", "/s", lines, body: "a=1"), [body("body 1"), hit()])
                Step.exchange(
                    ask("POST", "/s", lines, body: "a=1&_method=DELETE"),
                    [body("body 2"), forwarded("method", status: 200, stored: false)])
                Step.exchange(ask("POST", "/s", lines, body: "a=1"), [body("body 3"), forwarded()])
            }
        }
        Clause(
            "RFC 9110 §9.2.1 GraphQL query", .may, "The response to a GraphQL query answers the same query again.",
            settings: graphQL
        ) {
            answers(data())
            send("POST", json, at: "/g", body: query, expect: body(#"{"data":"1"}"#))
            send("POST", json, at: "/g", body: query, expect: body(#"{"data":"1"}"#), hit(ttl: 60))
            send("POST", json, at: "/g", body: #"{"query":"{ b }"}"#, expect: body(#"{"data":"2"}"#), forwarded())
        }
        for (what, content) in [
            ("mutation", mutation), ("subscription", #"{"query":"subscription { a }"}"#),
            ("named mutation", #"{"query":"query A { a } mutation B { b }","operationName":"B"}"#),
            ("batch with a mutation", "[\(query),\(mutation)]"), ("no document", #"{"query":"{ a "}"#),
            ("persisted document", #"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}"#),
            ("document to be registered", #"{"query":"{ a }","extensions":{"persistedQuery":{"sha256Hash":"x"}}}"#),
        ] {
            Clause(
                "RFC 9110 §9.2.1 GraphQL \(what)", .mustNot,
                "A request that is not certainly a query is passed on and invalidates.",
                settings: graphQL
            ) {
                answers(data())
                send("POST", json, at: "/g", body: query, expect: body(#"{"data":"1"}"#))
                send(
                    "POST", json, at: "/g", body: content, expect: body(#"{"data":"2"}"#),
                    forwarded("method", status: 200))
                send(
                    "POST", json, at: "/g", body: content, expect: body(#"{"data":"3"}"#),
                    forwarded("method", status: 200))
                received(2, body(content))
                send("POST", json, at: "/g", body: query, expect: body(#"{"data":"4"}"#), forwarded())
            }
        }
        Clause(
            "RFC 9111 §3 GraphQL errors", .shouldNot, "A GraphQL response with errors is not stored.", settings: graphQL
        ) {
            answers(reply("Cache-Control: max-age=600", body: #"{"data":null,"errors":["{n}"]}"#))
            send("POST", json, at: "/g", body: query, expect: body(#"{"data":null,"errors":["1"]}"#))
            send("POST", json, at: "/g", body: query, expect: body(#"{"data":null,"errors":["2"]}"#), forwarded())
        }
        Clause(
            "RFC 9111 §3 GraphQL late errors", .shouldNot,
            "Errors at the end of a slow response prevent storing too.",
            settings: graphQL
        ) {
            answers(
                say(
                    .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), chunk(#"{"data":1,"err"#),
                    .gate("late"),
                    chunk(#"ors":["no"]}"#), .text("0\r\n\r\n")))
            Step.start("slow", ask("POST", "/g", [json], body: query))
            reaches(1)
            open("late")
            finish("slow", body(#"{"data":1,"errors":["no"]}"#))
            answers(data())
            send("POST", json, at: "/g", body: query, expect: body(#"{"data":"2"}"#), forwarded())
        }
        Clause(
            "RFC 9110 §9.2.1 application/graphql with JSON", .mustNot,
            "Content that is no valid GraphQL document by its own type is passed on and not stored.",
            settings: graphQL
        ) {
            answers(data())
            for number in 1...2 {
                send(
                    "POST", "Content-Type: application/graphql", at: "/g", body: query,
                    expect: body("{\"data\":\"\(number)\"}"), forwarded("method", status: 200, stored: false))
            }
            received(1, body(query), has("Content-Type", "application/graphql"))
            send("POST", "Content-Type: application/graphql", at: "/g", body: "{ a }", expect: body(#"{"data":"3"}"#))
            send(
                "POST", "Content-Type: application/graphql", at: "/g", body: "{ a }", expect: body(#"{"data":"3"}"#),
                hit())
        }
        Clause(
            "RFC 9110 §9.2.1 GraphQL in the URL", .must,
            "A POST with a GraphQL document in the URL is passed on, since some servers prefer the URL.",
            settings: graphQL
        ) {
            answers(data())
            for number in 1...2 {
                send(
                    "POST", json, at: "/g?query=mutation%7Ba%7D", body: query, expect: body("{\"data\":\"\(number)\"}"),
                    forwarded("method", status: 200))
            }
        }
    }
}
