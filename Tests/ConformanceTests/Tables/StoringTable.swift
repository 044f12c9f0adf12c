// What a shared cache may store (RFC 9111 §3). Variants have their own table.

extension Tables {
    @Clauses static var storing: [Clause] {
        for code in [
            "200 OK", "203 N", "299 Unknown", "300 N", "301 N", "302 N", "303 N", "307 N", "308 N", "400 N",
            "403 N", "404 N", "405 N", "410 N", "414 N", "418 N", "451 N", "499 Unknown", "501 N", "599 Unknown",
        ] {
            Clause(
                "RFC 9111 §3 status \(code.prefix(3)) with max-age", .may,
                "A final response with a lifetime may be stored."
            ) {
                answers(reply("Cache-Control: max-age=60", status: code))
                get(expect: status(Int(code.prefix(3)) ?? 0), body("body 1"))
                hits("body 1", also: status(Int(code.prefix(3)) ?? 0))
            }
        }
        Clause("RFC 9111 §3 status 204 with max-age", .may, "A final response with a lifetime may be stored.") {
            answers(replyHead("Cache-Control: max-age=60", "X-N: {n}", status: "204 No Content"))
            get()
            get(expect: status(204), has("X-N", "1"), hit())
        }
        for code in ["428 N", "431 N", "511 N"] {
            Clause("RFC 6585 §3 status \(code.prefix(3))", .mustNot, "A response with this status code is not stored.")
            {
                answers(reply("Cache-Control: max-age=60", status: code))
                get(expect: forwarded("uri-miss", stored: false))
                miss("body 2")
            }
        }
        Clause("RFC 6585 §4 status 429", .mustNot, "A response with this status code is not stored.") {
            answers(reply("Cache-Control: max-age=60", status: "429 Slow"))
            get(expect: status(429), forwarded("uri-miss", stored: false))
        }
        Clause(
            "RFC 9111 §3 nothing to go by", .mustNot,
            "A response without explicit lifetime, guessed lifetime and validator is not reused."
        ) {
            answers(reply(status: "302 Found"))
            get(expect: forwarded("uri-miss", stored: false))
            miss("body 2")
        }
        Clause("RFC 9111 §5.2.2.5 no-store", .mustNot, "A response with no-store is not stored.") {
            answers(reply("Cache-Control: no-store, max-age=60"))
            get(expect: body("body 1"), forwarded("uri-miss", status: 200, stored: false))
            miss("body 2")
        }
        Clause(
            "RFC 9111 §5.2.2.5 no-store with an argument", .should,
            "A restrictive directive counts even if it is malformed."
        ) {
            answers(reply("Cache-Control: no-store=\"x\", max-age=60"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §5.2.1.5 no-store of the request", .mustNot,
            "The response to a request with no-store is not stored."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get("Cache-Control: no-store", expect: body("body 1"))
            miss("body 2")
        }
        Clause(
            "RFC 9111 §5.2.2.3 must-understand of a known status", .should,
            "With must-understand, no-store is ignored if the status code is known."
        ) {
            answers(reply("Cache-Control: must-understand, no-store, max-age=60"))
            get()
            hits("body 1")
        }
        Clause(
            "RFC 9111 §5.2.2.3 must-understand of an unknown status", .mustNot,
            "With must-understand, a response with an unknown status code is not stored."
        ) {
            answers(reply("Cache-Control: must-understand, no-store, max-age=60", status: "299 Unknown"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §5.2.2.3 must-understand alone, unknown status", .mustNot,
            "With must-understand, a response with an unknown status code is not stored."
        ) {
            answers(reply("Cache-Control: must-understand, max-age=60", status: "599 Unknown"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §5.2.2.7 private", .mustNot, "A shared cache does not store a private response.") {
            answers(reply("Cache-Control: private, max-age=60"))
            get(expect: forwarded("uri-miss", stored: false))
            miss("body 2")
        }
        Clause("RFC 9111 §5.2.2.7 private with names", .mustNot, "Fields that private names are not stored.") {
            answers(
                reply("Cache-Control: max-age=60, private=\"X-Mine, x-other\"", "X-Mine: 1", "X-Other: 2", "X-All: 3"))
            get(expect: body("body 1"))
            hits("body 1", also: lacks("X-Mine"), lacks("X-Other"), has("X-All", "3"))
        }
        Clause(
            "RFC 9111 §5.2.2.7 private with an empty list", .should,
            "A private directive with an empty list forbids storing."
        ) {
            answers(reply("Cache-Control: max-age=60, private=\"\""))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §5.2.2.4 no-cache with names", .mustNot,
            "Fields that no-cache names are not sent without validation."
        ) {
            answers(reply("Cache-Control: max-age=60, no-cache=\"X-Mine\"", "X-Mine: 1", "X-All: 3"))
            get(expect: body("body 1"))
            get(expect: .either(forwarded(), lacks("X-Mine")))
            get(expect: has("X-All", "3"), .either(forwarded(), lacks("X-Mine")))
        }
        Clause("RFC 9111 §5.2.2.4 no-cache", .mustNot, "A response with no-cache is not used without validation.") {
            answers(
                reply("Cache-Control: no-cache, max-age=60", "ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
            received(2, has("If-None-Match", "\"a\""))
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
            saw(3)
        }
        Clause(
            "RFC 9111 §5.2.2.4 no-cache without validator", .mustNot,
            "A response with no-cache is not used without validation."
        ) {
            answers(reply("Cache-Control: no-cache, max-age=60"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §5.2.2.4 no-cache with an empty list", .should,
            "A no-cache directive with an empty list applies to the whole response."
        ) {
            answers(reply("Cache-Control: no-cache=\"\", max-age=60"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §3 method POST", .mustNot, "A POST response without Content-Location is not used for GET.") {
            answers(reply("Cache-Control: max-age=60"))
            send("POST", body: "x", expect: body("body 1"))
            miss("body 2")
        }
        Clause("RFC 9111 §3 method OPTIONS", .mustNot, "The response to a method other than GET is not used for GET.") {
            answers(reply("Cache-Control: max-age=60"))
            send("OPTIONS", expect: body("body 1"))
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4 other methods are not answered", .mustNot,
            "A stored GET response is not used for another method."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            send("OPTIONS", expect: body("body 2"), forwarded("method"))
            send("REPORT", expect: body("body 3"), forwarded("method"))
        }
        Clause(
            "RFC 9111 §4 another query", .mustNot, "URLs that differ, including in the query, are different resources."
        ) {
            answers(reply("Cache-Control: max-age=60", body: "{n} {got:X-Q}"))
            get("X-Q: one", at: "/a?x=1")
            get("X-Q: two", at: "/a?x=2", expect: body("1 two"))
            get("X-Q: none", at: "/a", expect: body("1 none"))
            get("X-Q: upper", at: "/A", expect: body("1 upper"))
        }
        Clause(
            "RFC 9111 §3.3 incomplete by length", .mustNot,
            "A response cut short of its length is not used as a complete one."
        ) {
            answers(
                say(
                    .text("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 100\r\n\r\nonly this"),
                    .close))
            attempt()
            answers(reply(body: "whole"))
            miss("whole")
        }
        Clause(
            "RFC 9111 §3.3 incomplete by chunks", .mustNot,
            "A chunked response without its last chunk is not used as a complete one."
        ) {
            answers(
                say(
                    .text(
                        "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nonly\r\n"
                    ), .close))
            attempt()
            answers(reply(body: "whole"))
            miss("whole")
        }
        Clause(
            "RFC 9111 §3.3 incomplete by reset", .mustNot,
            "A response whose connection was reset is not used as a complete one."
        ) {
            answers(
                say(
                    .text("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 100\r\n\r\nonly this"),
                    .reset))
            attempt()
            answers(reply(body: "whole"))
            miss("whole")
        }
        Clause(
            "RFC 9111 §3.3 ended by closing", .may, "A body that is delimited by the end of the connection is complete."
        ) {
            answers(
                say(.text("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nConnection: close\r\n\r\nall of it"), .close)
            )
            get(expect: body("all of it"))
            hits("all of it")
        }
        Clause("RFC 9111 §3.3 status 206", .mustNot, "A part is not stored as the whole representation.") {
            answers(
                reply("Cache-Control: max-age=60", "Content-Range: bytes 0-5/100", status: "206 Partial Content"))
            attempt()
            answers(reply(body: "whole"))
            miss("whole")
        }
        Clause(
            "RFC 9110 §14.4 Content-Range without 206", .must,
            "Content-Range has no meaning in a response that is not a part."
        ) {
            answers(reply("Cache-Control: max-age=60", "Content-Range: bytes 0-5/100"))
            get(expect: status(200), body("body 1"))
            get(expect: status(200), body("body 1"), hit())
            get("Range: bytes=0-1", expect: status(206), body("bo"), has("Content-Range", "bytes 0-1/6"))
            get("Range: bytes=2-", expect: status(206), body("dy 1"), has("Content-Range", "bytes 2-5/6"))
        }
        Clause("RFC 9111 §3 error answer with a lifetime", .may, "An error response with a lifetime may be stored.") {
            answers(reply("Cache-Control: max-age=60", status: "500 Broken", body: "broken"))
            get(expect: status(500))
            answers(reply(body: "well"))
            hits("broken", also: status(500))
        }
    }

    @Clauses static var persons: [Clause] {
        Clause(
            "RFC 9111 §3.5 Authorization", .mustNot,
            "The response to a request with Authorization is not stored for others."
        ) {
            answers(reply("Cache-Control: max-age=60", body: "{n} for {got:Authorization}"))
            get("Authorization: Basic YTpi", expect: body("1 for Basic YTpi"))
            get(expect: body("2 for "), forwarded())
            get("Authorization: Basic eDp5", expect: body("3 for Basic eDp5"), forwarded())
        }
        for directive in ["public", "s-maxage=60", "must-revalidate"] {
            Clause(
                "RFC 9111 §3.5 Authorization with \(directive)", .may,
                "A response with this directive may be stored despite Authorization."
            ) {
                answers(reply("Cache-Control: max-age=60, \(directive)"))
                get("Authorization: Basic YTpi", expect: body("body 1"))
                hits("body 1")
                get("Authorization: Basic YTpi", expect: body("body 1"), hit())
            }
        }
        Clause(
            "RFC 9111 §3.5 private and Authorization", .mustNot,
            "A private response is not stored, whatever its other directives say."
        ) {
            answers(reply("Cache-Control: max-age=60, private, must-revalidate"))
            get("Authorization: Basic YTpi")
            miss("body 2")
        }
        Clause(
            "RFC 9111 §3.5 no-store and Authorization", .mustNot,
            "A no-store response is not stored, whatever its other directives say."
        ) {
            answers(reply("Cache-Control: s-maxage=60, no-store"))
            get("Authorization: Basic YTpi")
            miss("body 2")
        }
        Clause("RFC 9111 §7.3 Cookie of a request", .may, "Larder treats Cookie like Authorization.") {
            answers(reply("Cache-Control: max-age=60", body: "{n} for {got:Cookie}"))
            get("Cookie: who=anna", expect: body("1 for who=anna"))
            get(expect: body("2 for "), forwarded())
        }
        Clause("RFC 9111 §7.3 Set-Cookie", .may, "Larder does not store a response that sets a cookie.") {
            answers(reply("Cache-Control: max-age=60", "Set-Cookie: id={n}"))
            get(expect: has("Set-Cookie", "id=1"))
            miss("body 2", also: has("Set-Cookie", "id=2"))
        }
        Clause(
            "RFC 9111 §7.3 Set-Cookie of a public answer", .may, "Larder stores a public response without its cookie."
        ) {
            answers(reply("Cache-Control: max-age=60, public", "Set-Cookie: id={n}"))
            get()
            hits("body 1", also: lacks("Set-Cookie"))
        }
    }

    @Clauses static var digests: [Clause] {
        let right = "sha-256=:6StmfrQ41m9CnjfBqrdlE8GVNma3y3mX9zm/p4ZyPP0=:"
        let wrong = "sha-256=:GZfr5+6YAOn+jhZTJDLlPK9kEwswF71N2LxGmOiz7R8=:"
        for name in ["Content-Digest", "Repr-Digest"] {
            Clause("RFC 9530 §2 \(name)", .may, "Content that matches its digest is stored together with the digest.") {
                answers(reply("Cache-Control: max-age=60", "\(name): \(right)"))
                get()
                hits("body 1", also: has(name, right))
            }
            Clause("RFC 9530 §2 wrong \(name)", .shouldNot, "Content that does not match its digest is not stored.") {
                answers(reply("Cache-Control: max-age=60", "\(name): \(wrong)"), reply("Cache-Control: max-age=60"))
                get(expect: body("body 1"), has(name, wrong), forwarded("uri-miss", stored: false))
                miss("body 2")
                hits("body 2")
            }
        }
        for status in ["203 Transformed", "301 Moved", "404 Not Found", "500 Broken"] {
            for name in ["Content-Digest", "Repr-Digest"] {
                Clause(
                    "RFC 9530 §2 wrong \(name) of \(status.prefix(3))", .shouldNot,
                    "Content that does not match its digest is not stored, whatever the status."
                ) {
                    answers(
                        reply("Cache-Control: max-age=60", "\(name): \(wrong)", status: status),
                        reply("Cache-Control: max-age=60", status: status))
                    get(expect: body("body 1"), has(name, wrong))
                    miss("body 2")
                }
            }
        }
        Clause(
            "RFC 9530 §2 Content-Digest of a part", .mustNot,
            "The digest of the whole content is not sent with other content."
        ) {
            answers(
                reply(
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Digest: \(right)", "Repr-Digest: \(right)",
                    "Content-MD5: x"))
            get()
            hits(
                "bo", "Range: bytes=0-1",
                also: status(206), lacks("Content-Digest"), lacks("Content-MD5"), has("Repr-Digest", right))
            get(
                "Range: bytes=0-0,2-2", expect: status(206), hit(), lacks("Content-Digest"), has("Repr-Digest", right))
            hits("", "If-None-Match: \"a\"", also: status(304), lacks("Content-Digest"), lacks("Content-MD5"))
            get("Range: bytes=9-", expect: status(416), lacks("Content-Digest"), lacks("Repr-Digest"))
            hits("body 1", also: has("Content-Digest", right), has("Content-MD5", "x"))
        }
        Clause(
            "RFC 9530 §2 Content-Digest of a 304", .mustNot,
            "The Content-Digest of a 304 does not replace the stored one."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\"", "Content-Digest: \(right)"),
                notModified("ETag: \"a\"", "Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"))
            get()
            pass(60)
            get(expect: body("body 1"), has("Content-Digest", right))
            hits("body 1", also: has("Content-Digest", right))
        }
        Clause("RFC 9530 §2 digests that differ", .shouldNot, "Content with two different digests is not stored.") {
            answers(
                reply("Cache-Control: max-age=60", "Content-Digest: \(right)", "Repr-Digest: \(wrong)"),
                reply("Cache-Control: max-age=60"))
            get()
            miss("body 2")
        }
        let long = "sha-512=:JvaNHrAktAq8bcWICEnatJz9bCyV5g6TrlH70xGm3id/Y+y0psIsQwg0Yp2OmAk6+EVv4r1Kay96XDgosbn5tQ==:"
        let other = "sha-512=:4lrDhF+MvhKAGi36WonUxV3EeQDztu3Jqe5ZDzwrkxL2ZdADnJOCi3tY8zlQvIF6CVWpxQAKjT4oBWnwh0XKaA==:"
        Clause("RFC 9530 §5 sha-512", .may, "Content that matches its SHA-512 digest is stored.") {
            answers(reply("Cache-Control: max-age=60", "Repr-Digest: \(long), \(right)"))
            get()
            hits("body 1", also: has("Repr-Digest", "\(long), \(right)"))
        }
        for (scenario, value) in [
            ("wrong sha-512", other), ("sha-512 alone wrong", "\(right), \(other)"),
            ("sha-256 alone wrong", "\(long), \(wrong)"),
        ] {
            Clause(
                "RFC 9530 §5 \(scenario)", .shouldNot, "Content that does not match one of its digests is not stored."
            ) {
                answers(
                    reply("Cache-Control: max-age=60", "Content-Digest: \(value)"), reply("Cache-Control: max-age=60"))
                get()
                miss("body 2")
            }
        }
        for value in ["sha-512=:AAAA:", "sha=:AAAA:", "sha-256=abc", "md5=:AAAA:, sha-256=\"x\"", "sha-256=:AAAA:"] {
            Clause("RFC 9530 §5 \(value)", .may, "A digest that cannot be parsed or has another algorithm is ignored.")
            {
                answers(reply("Cache-Control: max-age=60", "Content-Digest: \(value)"))
                get()
                hits("body 1")
            }
        }
    }

    @Clauses static var fields: [Clause] {
        Clause(
            "RFC 9111 §3.1 all fields", .must,
            "A stored response keeps all fields, including unknown ones, in order and spelling."
        ) {
            answers(
                reply(
                    "X-One: 1", "cache-control: max-age=60", "x-TWO:  spaced\tout ", "X-One: again", "Server: Any/1",
                    "Content-Type: text/x-any; a=b", "Content-Language: tlh", status: "200 Fine indeed"))
            get(
                expect: startLine("HTTP/1.1 200 Fine indeed"), has("X-One", "1", "again"), line("x-TWO: spaced\tout"),
                line("Server: Any/1"))
            hits(
                "body 1", also: startLine("HTTP/1.1 200 Fine indeed"), has("X-One", "1", "again"),
                line("x-TWO: spaced\tout"), line("cache-control: max-age=60"), line("Server: Any/1"),
                line("Content-Type: text/x-any; a=b"), line("Content-Language: tlh"))
        }
        Clause("RFC 9111 §3.1 fields that Connection lists", .mustNot, "Fields listed in Connection are not stored.") {
            answers(
                reply("Cache-Control: max-age=60", "Connection: X-Hop, x-skip", "X-Hop: 1", "X-Skip: 2", "X-End: 3"))
            get(expect: lacks("X-Hop"), lacks("X-Skip"), has("X-End", "3"))
            hits("body 1", also: lacks("X-Hop"), lacks("X-Skip"), has("X-End", "3"))
        }
        for name in ["Keep-Alive", "Proxy-Connection", "TE", "Upgrade", "Trailer"] {
            Clause(
                "RFC 9110 §7.6.1 \(name) of an answer", .must,
                "Connection fields are neither stored nor passed on."
            ) {
                answers(reply("Cache-Control: max-age=60", "\(name): x"))
                get(expect: lacks(name))
                hits("body 1", also: lacks(name))
            }
        }
        for name in [
            "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods",
            "Access-Control-Allow-Headers", "Access-Control-Expose-Headers", "Access-Control-Max-Age",
            "Alt-Svc", "Reporting-Endpoints", "Service-Worker-Allowed", "Accept-CH", "Critical-CH",
            "Origin-Agent-Cluster",
            "Content-Security-Policy", "X-Frame-Options", "X-Content-Type-Options", "Cross-Origin-Resource-Policy",
            "Referrer-Policy", "Permissions-Policy", "Content-MD5", "Content-Disposition", "Link", "Allow", "Warning",
            "P3P", "Server-Timing", "Retry-After", "WWW-Authenticate", "Content-Foo", "X-Content-Foo",
        ] {
            Clause(
                "RFC 9111 §3.1 keeps \(name)", .must,
                "On a listener of its own, a provider at the root keeps this field."
            ) {
                answers(reply("Cache-Control: max-age=60", "\(name): one", "X-Between: 1", "\(name): two"))
                get(expect: has(name, "one", "two"))
                hits("body 1", also: has(name, "one", "two"))
            }
        }
        for name in [
            "Clear-Site-Data", "Strict-Transport-Security", "NEL", "Report-To", "Public-Key-Pins", "Expect-CT",
        ] {
            Clause(
                "RFC 9110 §7.7 \(name)", .may,
                "A field that acts on the whole host is passed on nowhere: other services share the host."
            ) {
                answers(reply("Cache-Control: max-age=60", "\(name): one", "X-Between: 1"))
                get(expect: lacks(name), has("X-Between", "1"))
                hits("body 1", also: lacks(name), has("X-Between", "1"))
            }
        }
        for name in ["Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization"] {
            Clause("RFC 9111 §3.1 \(name)", .mustNot, "Fields for the next proxy only are not stored.") {
                answers(reply("Cache-Control: max-age=60", "\(name): Basic realm=x"))
                get()
                hits("body 1", also: lacks(name))
            }
        }
        Clause("RFC 9111 §3.1 Transfer-Encoding", .mustNot, "The transfer coding of the upstream is not stored.") {
            answers(
                say(
                    .text(
                        "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
                    )))
            get(expect: body("abcde"))
            hits("abcde", also: lacks("Transfer-Encoding"), has("Content-Length", "5"))
        }
        Clause(
            "RFC 9110 §7.6.1 fields that a request's Connection lists", .must,
            "Fields listed in the Connection of a request are not forwarded."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get("Connection: X-Hop", "X-Hop: 1", "X-End: 2", "Proxy-Authorization: Basic x", "Keep-Alive: 5")
            received(1, lacks("X-Hop"), has("X-End", "2"), lacks("Proxy-Authorization"), lacks("Keep-Alive"))
        }
    }
}
