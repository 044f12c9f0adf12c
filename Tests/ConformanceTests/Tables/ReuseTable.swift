// When a stored response is used, and when a stale one is used (RFC 9111 §4.2.4, §5.2; RFC 5861; RFC 8246).

extension Tables {
    @Clauses static var requests: [Clause] {
        Clause("RFC 9111 §5.2.1.1 max-age", .may, "A response older than the max-age of the request is not used.") {
            answers(reply("Cache-Control: max-age=600"))
            get()
            pass(30)
            get("Cache-Control: max-age=30", expect: body("body 1"), hit())
            pass(1)
            get("Cache-Control: max-age=30", expect: body("body 2"), forwarded("request", status: 200, stored: true))
        }
        Clause("RFC 9111 §5.2.1.1 max-age=0", .may, "max-age=0 in a request causes a validation.") {
            answers(reply("Cache-Control: max-age=600", "ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            get("Cache-Control: max-age=0", expect: status(200), body("body 1"), forwarded("request", status: 304))
            received(2, has("If-None-Match", "\"a\""))
        }
        Clause(
            "RFC 9111 §5.2.1.1 max-age longer than the lifetime", .mustNot,
            "max-age in a request does not extend the lifetime of a response."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(60)
            miss("body 2", "Cache-Control: max-age=600")
        }
        Clause("RFC 9111 §5.2.1.2 max-stale", .may, "max-stale without a number accepts any stale response.") {
            answers(reply("Cache-Control: max-age=60", body: "{n}"))
            get()
            pass(1000)
            get("Cache-Control: max-stale", expect: body("1"), has("Age", "1000"), hit(ttl: -940))
        }
        Clause(
            "RFC 9111 §5.2.1.2 max-stale within", .may,
            "max-stale accepts a response that is stale by at most this many seconds."
        ) {
            answers(reply("Cache-Control: max-age=60", body: "{n}"))
            get()
            pass(90)
            get("Cache-Control: max-stale=30", expect: body("1"), hit(ttl: -30))
        }
        Clause(
            "RFC 9111 §5.2.1.2 max-stale beyond", .mustNot,
            "max-stale does not accept a response that is stale by more seconds."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(91)
            miss("body 2", "Cache-Control: max-stale=30")
        }
        Clause(
            "RFC 9111 §4.2.4 max-stale and an answer that comes stale", .mustNot,
            "Staleness at the time of receipt counts."
        ) {
            answers(reply("Cache-Control: max-age=60", "Age: 100", body: "{n}"))
            get()
            get("Cache-Control: max-stale=39", expect: body("2"), forwarded("stale"))
            get("Cache-Control: max-stale=40", expect: body("2"), has("Age", "100"), hit(ttl: -40))
        }
        for directive in ["must-revalidate", "proxy-revalidate", "s-maxage=60", "no-cache"] {
            Clause(
                "RFC 9111 §4.2.4 max-stale against \(directive)", .mustNot,
                "max-stale does not override a prohibition in the response."
            ) {
                answers(reply("Cache-Control: max-age=60, \(directive)"))
                get()
                pass(61)
                miss("body 2", "Cache-Control: max-stale=600")
            }
        }
        Clause("RFC 9111 §5.2.1.3 min-fresh", .may, "min-fresh accepts a response that stays fresh for that long.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(20)
            get("Cache-Control: min-fresh=40", expect: body("body 1"), hit(ttl: 40))
            pass(1)
            get("Cache-Control: min-fresh=40", expect: body("body 2"), forwarded("request"))
        }
        Clause("RFC 9111 §5.2.1.4 no-cache", .shouldNot, "A request with no-cache is not answered without validation.")
        {
            answers(reply("Cache-Control: max-age=600", "ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            get("Cache-Control: no-cache", expect: status(200), body("body 1"), forwarded("request", status: 304))
            received(2, has("If-None-Match", "\"a\""))
        }
        Clause(
            "RFC 9111 §5.2.1.4 no-cache without validator", .shouldNot,
            "A request with no-cache is not answered without a request to the origin."
        ) {
            answers(reply("Cache-Control: max-age=600"))
            get()
            get("Cache-Control: no-cache", expect: body("body 2"), forwarded("request", status: 200, stored: true))
            hits("body 2")
        }
        Clause(
            "RFC 9111 §5.2.1.7 only-if-cached on a miss", .should,
            "A request with only-if-cached is answered from the store or with 504."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get("Cache-Control: only-if-cached", expect: status(504))
            saw(0)
        }
        for (method, body) in [("OPTIONS", nil), ("REPORT", nil), ("QUERY", nil), ("SEARCH", "x"), ("GET", "x")] {
            Clause(
                "RFC 9111 §5.2.1.7 only-if-cached, \(method)\(body == nil ? "" : " with content")", .should,
                "A safe request that nothing stored can answer gets 504 with only-if-cached."
            ) {
                answers(reply("Cache-Control: max-age=60"))
                send(method, "Cache-Control: only-if-cached", body: body, expect: status(504))
                saw(0)
            }
        }
        Clause(
            "RFC 9111 §5.2.1.7 only-if-cached on a hit", .should,
            "A request with only-if-cached is answered from the store or with 504."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            get("Cache-Control: only-if-cached", expect: status(200), body("body 1"), hit())
            saw(1)
        }
        Clause(
            "RFC 9111 §5.2.1.7 only-if-cached when stale", .should,
            "A request with only-if-cached is answered by a usable response or with 504."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(60)
            get("Cache-Control: only-if-cached", expect: status(504))
            get("Cache-Control: only-if-cached, max-stale=60", expect: status(200), body("body 1"), hit(ttl: 0))
            saw(1)
        }
        Clause(
            "RFC 9111 §5.2.1.7 only-if-cached of another variant", .should,
            "A request with only-if-cached is answered from the store or with 504."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a")
            get("X-Who: b", "Cache-Control: only-if-cached", expect: status(504))
            saw(1)
        }
        Clause("RFC 9111 §5.2 directives in other letters", .must, "Directive names are not case-sensitive.") {
            answers(reply("Cache-Control: max-age=600"))
            get()
            miss("body 2", "Cache-Control: No-Cache")
            get("cache-control: ONLY-IF-CACHED", expect: body("body 2"), hit())
        }
        Clause("RFC 9111 §5.2.3 unknown request directives", .must, "Unknown directives are ignored.") {
            answers(reply("Cache-Control: max-age=600"))
            get()
            get("Cache-Control: frob, x=\"no-cache\"", expect: body("body 1"), hit())
        }
        Clause(
            "RFC 9111 §5.2 request directives are passed on", .must,
            "Cache directives of a request are forwarded with it."
        ) {
            answers(reply("Cache-Control: max-age=600"))
            get("Cache-Control: no-cache, frob=1")
            received(1, contains("Cache-Control", "no-cache"), contains("Cache-Control", "frob=1"))
        }
    }

    @Clauses static var stale: [Clause] {
        Clause("RFC 9111 §4.2.4 connected", .mustNot, "A stale response is not used while the origin responds.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"{n}\""))
            get()
            pass(60)
            get(expect: body("body 2"), forwarded("stale", status: 200, stored: true))
        }
        Clause("RFC 9111 §4.2.4 disconnected", .may, "A stale response may be used if the origin cannot be reached.") {
            answers(reply("Cache-Control: max-age=60"), disconnection())
            get()
            pass(100)
            get(expect: status(200), body("body 1"), has("Age", "100"), lacks("Warning"), forwarded("stale"))
        }
        for directive in ["must-revalidate", "proxy-revalidate", "s-maxage=60", "no-cache"] {
            Clause(
                "RFC 9111 §4.2.4 disconnected with \(directive)", .mustNot,
                "A stale response that forbids stale use is not used."
            ) {
                answers(reply("Cache-Control: max-age=60, \(directive)", "ETag: \"a\""), disconnection())
                get()
                pass(61)
                get(expect: notBody("body 1"), .either(status(504), status(502), status(503)))
            }
        }
        for directive in ["must-revalidate", "proxy-revalidate", "s-maxage=60"] {
            Clause(
                "RFC 9111 §5.2.2.2 504 with \(directive)", .should,
                "A request whose required validation fails is answered with 504."
            ) {
                answers(reply("Cache-Control: max-age=60, \(directive)"), disconnection())
                get()
                pass(61)
                get(expect: status(504))
            }
        }
        Clause(
            "RFC 9111 §5.2.2.2 must-revalidate while fresh", .may, "must-revalidate has no effect on a fresh response."
        ) {
            answers(reply("Cache-Control: max-age=60, must-revalidate"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause(
            "RFC 9111 §4.2.4 disconnected and the client wants fresh", .mustNot,
            "A stale response that the request excludes is not used, even if the origin cannot be reached."
        ) {
            answers(reply("Cache-Control: max-age=60"), disconnection())
            get()
            pass(100)
            get("Cache-Control: no-cache", expect: notBody("body 1"))
        }
        Clause("RFC 9111 §4.3.3 error on validation", .may, "A server error from the origin is passed on.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), reply(status: "500 Broken", body: "broken"))
            get()
            pass(60)
            get(expect: status(500), body("broken"), forwarded("stale", status: 500))
        }
        Clause(
            "RFC 9111 §4.3.3 error with must-revalidate", .mustNot,
            "A stale response that forbids stale use does not replace an error."
        ) {
            answers(
                reply("Cache-Control: max-age=60, must-revalidate, stale-if-error=600", "ETag: \"a\""),
                reply(status: "500 Broken", body: "broken"))
            get()
            pass(60)
            get(expect: status(500), body("broken"))
        }
        Clause(
            "RFC 9111 §4.3.3 error keeps the stored answer", .may,
            "After an error was passed on, the stored response is validated again."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""), reply(status: "500 Broken", body: "broken"))
            get()
            pass(60)
            get(expect: status(500))
            answers(notModified("ETag: \"a\""))
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
        }
        Clause("RFC 9111 §4.3.3 other answers on validation", .must, "A 404 in response to a validation is passed on.")
        {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), reply(status: "404 Gone", body: "none"))
            get()
            pass(60)
            get(expect: status(404), body("none"))
        }
    }

    @Clauses static var staleExtensions: [Clause] {
        Clause(
            "RFC 5861 §3 stale-while-revalidate", .may,
            "Within the window, a stale response is used at once and refreshed in the background."
        ) {
            answers(
                reply("Cache-Control: max-age=60, stale-while-revalidate=30"))
            get()
            pass(70)
            get(expect: body("body 1"), hit(ttl: -10), has("Age", "70"))
            reaches(2)
            settle
            hits("body 2", also: has("Age", "0"))
        }
        Clause(
            "RFC 5861 §3 one refresh", .should,
            "Several requests within the window cause one refresh, and its response is used afterwards."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30", at: "/a"))
            answers(reply("Cache-Control: max-age=60", at: "/a").held(at: "refresh"))
            answers(reply(body: "other", at: "/other").held(at: "other"))
            get()
            // This request does not end, so the harness does not wait for the refresh.
            start("other", at: "/other")
            reaches(1, at: "/other")
            pass(70)
            get(expect: body("body 1"), hit(ttl: -10))
            reaches(2, at: "/a")
            get(expect: body("body 1"), hit(ttl: -10))
            get(expect: body("body 1"), hit(ttl: -10))
            saw(2, at: "/a")
            open("refresh")
            open("other")
            finish("other")
            hits("body 2")
            saw(2, at: "/a")
        }
        Clause("RFC 5861 §3 refresh is conditional", .may, "The refresh validates the stored response.") {
            answers(
                reply("Cache-Control: max-age=60, stale-while-revalidate=30", "ETag: \"a\""),
                notModified("ETag: \"a\"", "Cache-Control: max-age=60"))
            get()
            pass(70)
            get(expect: body("body 1"), hit(ttl: -10))
            reaches(2)
            settle
            received(2, has("If-None-Match", "\"a\""))
            hits("body 1", also: has("Age", "0"))
        }
        Clause(
            "RFC 5861 §3 beyond the window", .shouldNot,
            "After the window, a stale response is not used without validation."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30"))
            get()
            pass(90)
            get(expect: body("body 2"), forwarded("stale"))
        }
        Clause(
            "RFC 5861 §3 beyond the window on arrival", .shouldNot,
            "After the window, a stale response is not used without validation."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30", "Age: 90"))
            get()
            get(expect: body("body 2"), forwarded("stale"))
        }
        Clause(
            "RFC 5861 §3 with must-revalidate", .mustNot, "stale-while-revalidate does not override must-revalidate."
        ) {
            answers(reply("Cache-Control: max-age=60, must-revalidate, stale-while-revalidate=30"))
            get()
            pass(61)
            miss("body 2")
        }
        Clause(
            "RFC 5861 §3 with a client's no-cache", .mustNot,
            "stale-while-revalidate does not override no-cache in the request."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30"))
            get()
            pass(61)
            miss("body 2", "Cache-Control: no-cache")
        }
        for value in ["-1", "abc", ""] {
            Clause(
                "RFC 5861 §3 stale-while-revalidate=\(value)", .shouldNot,
                "A stale-while-revalidate that is not a number of seconds is ignored."
            ) {
                answers(reply("Cache-Control: max-age=60, stale-while-revalidate=\(value)"))
                get()
                pass(61)
                miss("body 2")
            }
        }
        for code in ["500", "502", "503", "504"] {
            Clause(
                "RFC 5861 §4 stale-if-error on \(code)", .may, "Within the window, a stale response replaces an error."
            ) {
                answers(
                    reply("Cache-Control: max-age=60, stale-if-error=30"),
                    reply(status: "\(code) Broken", body: "broken"))
                get()
                pass(89)
                get(expect: status(200), body("body 1"), has("Age", "89"), forwarded("stale", status: Int(code)))
            }
        }
        for line in ["Authorization: Basic YTpi", "Cookie: a=1"] {
            Clause(
                "RFC 5861 §4 an error for one client: \(line)", .may,
                "A server error to a request with credentials does not replace a stored response, even with public."
            ) {
                answers(
                    reply("Cache-Control: max-age=60"),
                    reply("Cache-Control: public, max-age=60", status: "503 Broken", body: "broken"))
                get()
                get(line, expect: status(503), body("broken"))
                hits("body 1")
            }
        }
        for code in ["408", "502", "503", "504"] {
            Clause(
                "RFC 9111 §4.3.3 \(code) is asked for once", .should,
                "An error response is forwarded, and the request is not repeated."
            ) {
                answers(reply(status: "\(code) Broken", body: "broken {n}"))
                get(expect: status(Int(code) ?? 0), body("broken 1"))
                saw(1)
            }
            Clause("RFC 9111 §3 \(code) with a lifetime", .may, "An error response with a lifetime is stored.") {
                answers(reply("Cache-Control: max-age=60", status: "\(code) Broken", body: "broken {n}"))
                get(expect: status(Int(code) ?? 0), body("broken 1"))
                hits("broken 1", also: status(Int(code) ?? 0))
                saw(1)
            }
        }
        Clause(
            "RFC 5861 §4 stale-if-error beyond", .shouldNot,
            "After the window, a stale response does not replace an error."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), reply(status: "500 Broken", body: "broken"))
            get()
            pass(90)
            get(expect: status(500), body("broken"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error and HEAD", .may,
            "Within the window, a stale response replaces an error to HEAD too."
        ) {
            answers(
                reply("Cache-Control: max-age=60, stale-if-error=30"),
                replyHead(status: "503 Busy"))
            get()
            pass(61)
            head(expect: status(200), forwarded("stale", status: 503), has("Content-Length", "6"))
            pass(29)
            head(expect: status(503))
        }
        Clause(
            "RFC 5861 §4 stale-if-error beyond on arrival", .shouldNot,
            "After the window, a stale response does not replace an error."
        ) {
            answers(
                reply("Cache-Control: max-age=60, stale-if-error=30", "Age: 90"),
                reply(status: "500 Broken", body: "broken"))
            get()
            get(expect: status(500), body("broken"))
        }
        Clause("RFC 5861 §4 stale-if-error and 404", .mustNot, "stale-if-error applies to server errors only.") {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), reply(status: "404 None", body: "none"))
            get()
            pass(61)
            get(expect: status(404), body("none"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error while disconnected", .may,
            "Within the window, a stale response is used if the connection is lost."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), disconnection())
            get()
            pass(89)
            get(expect: status(200), body("body 1"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error disconnected beyond", .shouldNot,
            "After the window of its response, a stale response is not used."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), disconnection())
            get()
            pass(90)
            get(expect: notBody("body 1"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error of the request", .may,
            "stale-if-error in a request accepts a stale response instead of an error."
        ) {
            answers(reply("Cache-Control: max-age=60"), reply(status: "500 Broken", body: "broken"))
            get()
            pass(80)
            get("Cache-Control: stale-if-error=30", expect: status(200), body("body 1"))
            pass(20)
            get("Cache-Control: stale-if-error=30", expect: status(500))
        }
        Clause("RFC 8246 §2 immutable while fresh", .should, "A fresh immutable response is not validated.") {
            answers(reply("Cache-Control: max-age=600, immutable", "ETag: \"a\""))
            get()
            pass(599)
            hits("body 1")
            get("If-None-Match: \"a\"", expect: status(304), hit())
            saw(1)
        }
        Clause("RFC 8246 §2 immutable when stale", .mustNot, "immutable does not make a stale response fresh.") {
            answers(reply("Cache-Control: max-age=60, immutable", "ETag: \"{n}\""))
            get()
            pass(60)
            miss("body 2")
        }
        Clause("RFC 8246 §2 immutable without a lifetime", .mustNot, "immutable gives no lifetime.") {
            answers(reply("Cache-Control: immutable"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 8246 §2 immutable with an argument", .must,
            "An argument of immutable is ignored."
        ) {
            answers(reply("Cache-Control: max-age=60, immutable=\"no-store\", immutable"))
            get()
            hits("body 1")
        }
        Clause("RFC 8246 §2 immutable in a request", .must, "immutable in a request has no effect.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(60)
            miss("body 2", "Cache-Control: immutable")
        }
    }
}
