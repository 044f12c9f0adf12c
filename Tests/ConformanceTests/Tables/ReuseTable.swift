// When a stored answer is used, and when stale (RFC 9111 §4.2.4, §5.2; RFC 5861; RFC 8246).

extension Tables {
    @Clauses static var requests: [Clause] {
        Clause("RFC 9111 §5.2.1.1 max-age", .may, "A client is not given what is older than it accepts.") {
            answers(reply("Cache-Control: max-age=600"))
            get()
            pass(30)
            get("Cache-Control: max-age=30", expect: body("body 1"), hit())
            pass(1)
            get("Cache-Control: max-age=30", expect: body("body 2"), forwarded("request", status: 200, stored: true))
        }
        Clause("RFC 9111 §5.2.1.1 max-age=0", .may, "max-age=0 asks for a validation.") {
            answers(reply("Cache-Control: max-age=600", "ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            get("Cache-Control: max-age=0", expect: status(200), body("body 1"), forwarded("request", status: 304))
            received(2, has("If-None-Match", "\"a\""))
        }
        Clause(
            "RFC 9111 §5.2.1.1 max-age longer than the lifetime", .mustNot, "A client's max-age makes nothing fresh."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(60)
            miss("body 2", "Cache-Control: max-age=600")
        }
        Clause("RFC 9111 §5.2.1.2 max-stale", .may, "max-stale without a number accepts any stale answer.") {
            answers(reply("Cache-Control: max-age=60", body: "{n}"))
            get()
            pass(1000)
            get("Cache-Control: max-stale", expect: body("1"), has("Age", "1000"), hit(ttl: -940))
        }
        Clause("RFC 9111 §5.2.1.2 max-stale within", .may, "max-stale accepts an answer stale by so much.") {
            answers(reply("Cache-Control: max-age=60", body: "{n}"))
            get()
            pass(90)
            get("Cache-Control: max-stale=30", expect: body("1"), hit(ttl: -30))
        }
        Clause("RFC 9111 §5.2.1.2 max-stale beyond", .mustNot, "max-stale does not accept an answer stale by more.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(91)
            miss("body 2", "Cache-Control: max-stale=30")
        }
        Clause(
            "RFC 9111 §4.2.4 max-stale and an answer that comes stale", .mustNot,
            "How stale an answer was when it came counts."
        ) {
            answers(reply("Cache-Control: max-age=60", "Age: 100", body: "{n}"))
            get()
            get("Cache-Control: max-stale=39", expect: body("2"), forwarded("stale"))
            get("Cache-Control: max-stale=40", expect: body("2"), has("Age", "100"), hit(ttl: -40))
        }
        for directive in ["must-revalidate", "proxy-revalidate", "s-maxage=60", "no-cache"] {
            Clause(
                "RFC 9111 §4.2.4 max-stale against \(directive)", .mustNot,
                "A client's max-stale does not lift what the answer forbids."
            ) {
                answers(reply("Cache-Control: max-age=60, \(directive)"))
                get()
                pass(61)
                miss("body 2", "Cache-Control: max-stale=600")
            }
        }
        Clause("RFC 9111 §5.2.1.3 min-fresh", .may, "A client is given what stays fresh for as long as it wants.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(20)
            get("Cache-Control: min-fresh=40", expect: body("body 1"), hit(ttl: 40))
            pass(1)
            get("Cache-Control: min-fresh=40", expect: body("body 2"), forwarded("request"))
        }
        Clause("RFC 9111 §5.2.1.4 no-cache", .shouldNot, "A client's no-cache is not answered without a validation.") {
            answers(reply("Cache-Control: max-age=600", "ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            get("Cache-Control: no-cache", expect: status(200), body("body 1"), forwarded("request", status: 304))
            received(2, has("If-None-Match", "\"a\""))
        }
        Clause(
            "RFC 9111 §5.2.1.4 no-cache without validator", .shouldNot,
            "A client's no-cache is not answered without asking."
        ) {
            answers(reply("Cache-Control: max-age=600"))
            get()
            get("Cache-Control: no-cache", expect: body("body 2"), forwarded("request", status: 200, stored: true))
            hits("body 2")
        }
        Clause(
            "RFC 9111 §5.2.1.7 only-if-cached on a miss", .should,
            "only-if-cached is answered from the store or by 504."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get("Cache-Control: only-if-cached", expect: status(504))
            saw(0)
        }
        Clause(
            "RFC 9111 §5.2.1.7 only-if-cached on a hit", .should, "only-if-cached is answered from the store or by 504."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            get("Cache-Control: only-if-cached", expect: status(200), body("body 1"), hit())
            saw(1)
        }
        Clause(
            "RFC 9111 §5.2.1.7 only-if-cached when stale", .should,
            "only-if-cached is answered by what may be used, or by 504."
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
            "only-if-cached is answered from the store or by 504."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a")
            get("X-Who: b", "Cache-Control: only-if-cached", expect: status(504))
            saw(1)
        }
        Clause("RFC 9111 §5.2 directives in other letters", .must, "Names of directives know no case.") {
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
            "Directives go along with a request that goes forward."
        ) {
            answers(reply("Cache-Control: max-age=600"))
            get("Cache-Control: no-cache, frob=1")
            received(1, contains("Cache-Control", "no-cache"), contains("Cache-Control", "frob=1"))
        }
    }

    @Clauses static var stale: [Clause] {
        Clause("RFC 9111 §4.2.4 connected", .mustNot, "A stale answer is not used while the origin answers.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"{n}\""))
            get()
            pass(60)
            get(expect: body("body 2"), forwarded("stale", status: 200, stored: true))
        }
        Clause("RFC 9111 §4.2.4 disconnected", .may, "A stale answer may serve while the origin cannot be reached.") {
            answers(reply("Cache-Control: max-age=60"), disconnection())
            get()
            pass(100)
            get(expect: status(200), body("body 1"), has("Age", "100"), lacks("Warning"), forwarded("stale"))
        }
        for directive in ["must-revalidate", "proxy-revalidate", "s-maxage=60", "no-cache"] {
            Clause(
                "RFC 9111 §4.2.4 disconnected with \(directive)", .mustNot,
                "A stale answer is not used where it forbids that."
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
                "A validation that cannot be done is answered by 504."
            ) {
                answers(reply("Cache-Control: max-age=60, \(directive)"), disconnection())
                get()
                pass(61)
                get(expect: status(504))
            }
        }
        Clause(
            "RFC 9111 §5.2.2.2 must-revalidate while fresh", .may, "must-revalidate says nothing about a fresh answer."
        ) {
            answers(reply("Cache-Control: max-age=60, must-revalidate"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause(
            "RFC 9111 §4.2.4 disconnected and the client wants fresh", .mustNot,
            "What the request excludes is not used while disconnected."
        ) {
            answers(reply("Cache-Control: max-age=60"), disconnection())
            get()
            pass(100)
            get("Cache-Control: no-cache", expect: notBody("body 1"))
        }
        Clause("RFC 9111 §4.3.3 error on validation", .may, "An error that the origin sends is passed on.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), reply(status: "500 Broken", body: "broken"))
            get()
            pass(60)
            get(expect: status(500), body("broken"), forwarded("stale", status: 500))
        }
        Clause(
            "RFC 9111 §4.3.3 error with must-revalidate", .mustNot,
            "An error is not covered where stale use is forbidden."
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
            "After an error passed on, the stored answer is validated again."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""), reply(status: "500 Broken", body: "broken"))
            get()
            pass(60)
            get(expect: status(500))
            answers(notModified("ETag: \"a\""))
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
        }
        Clause("RFC 9111 §4.3.3 other answers on validation", .must, "A 404 in place of a 304 is passed on.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), reply(status: "404 Gone", body: "none"))
            get()
            pass(60)
            get(expect: status(404), body("none"))
        }
    }

    @Clauses static var staleExtensions: [Clause] {
        Clause(
            "RFC 5861 §3 stale-while-revalidate", .may,
            "In its window a stale answer is given at once, and one refresh goes out behind."
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
            "However many ask meanwhile, one refresh goes out; then its answer is used."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30", at: "/a"))
            answers(reply("Cache-Control: max-age=60", at: "/a").held(at: "refresh"))
            answers(reply(body: "other", at: "/other").held(at: "other"))
            get()
            // A request that never ends keeps the harness from waiting for the refresh.
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
        Clause("RFC 5861 §3 refresh is conditional", .may, "The refresh validates the stored answer.") {
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
        Clause("RFC 5861 §3 beyond the window", .shouldNot, "Beyond its window a stale answer is not used unvalidated.")
        {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30"))
            get()
            pass(90)
            get(expect: body("body 2"), forwarded("stale"))
        }
        Clause(
            "RFC 5861 §3 beyond the window on arrival", .shouldNot,
            "Beyond its window a stale answer is not used unvalidated."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30", "Age: 90"))
            get()
            get(expect: body("body 2"), forwarded("stale"))
        }
        Clause("RFC 5861 §3 with must-revalidate", .mustNot, "The window does not lift must-revalidate.") {
            answers(reply("Cache-Control: max-age=60, must-revalidate, stale-while-revalidate=30"))
            get()
            pass(61)
            miss("body 2")
        }
        Clause("RFC 5861 §3 with a client's no-cache", .mustNot, "The window does not lift a client's no-cache.") {
            answers(reply("Cache-Control: max-age=60, stale-while-revalidate=30"))
            get()
            pass(61)
            miss("body 2", "Cache-Control: no-cache")
        }
        for value in ["-1", "abc", ""] {
            Clause(
                "RFC 5861 §3 stale-while-revalidate=\(value)", .shouldNot,
                "A window that is no number of seconds is none."
            ) {
                answers(reply("Cache-Control: max-age=60, stale-while-revalidate=\(value)"))
                get()
                pass(61)
                miss("body 2")
            }
        }
        for code in ["500", "502", "503", "504"] {
            Clause("RFC 5861 §4 stale-if-error on \(code)", .may, "In its window a stale answer covers for an error.") {
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
                "An error of the server that one client is told takes the place of no answer, though it says that it is everybody's."
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
            Clause("RFC 9111 §4.3.3 \(code) is asked for once", .should, "An error is an answer, and is forwarded.") {
                answers(reply(status: "\(code) Broken", body: "broken {n}"))
                get(expect: status(Int(code) ?? 0), body("broken 1"))
                saw(1)
            }
            Clause("RFC 9111 §3 \(code) with a lifetime", .may, "An error that says how long it holds is stored.") {
                answers(reply("Cache-Control: max-age=60", status: "\(code) Broken", body: "broken {n}"))
                get(expect: status(Int(code) ?? 0), body("broken 1"))
                hits("broken 1", also: status(Int(code) ?? 0))
                saw(1)
            }
        }
        Clause(
            "RFC 5861 §4 stale-if-error beyond", .shouldNot,
            "Beyond its window a stale answer does not cover for an error."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), reply(status: "500 Broken", body: "broken"))
            get()
            pass(90)
            get(expect: status(500), body("broken"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error and HEAD", .may,
            "In its window a stale answer covers for an error, to HEAD too."
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
            "Beyond its window a stale answer does not cover for an error."
        ) {
            answers(
                reply("Cache-Control: max-age=60, stale-if-error=30", "Age: 90"),
                reply(status: "500 Broken", body: "broken"))
            get()
            get(expect: status(500), body("broken"))
        }
        Clause("RFC 5861 §4 stale-if-error and 404", .mustNot, "The window is about errors of the server only.") {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), reply(status: "404 None", body: "none"))
            get()
            pass(61)
            get(expect: status(404), body("none"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error while disconnected", .may,
            "In its window a stale answer covers for a lost connection."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), disconnection())
            get()
            pass(89)
            get(expect: status(200), body("body 1"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error disconnected beyond", .shouldNot,
            "Beyond the window that an answer gives it is not used."
        ) {
            answers(reply("Cache-Control: max-age=60, stale-if-error=30"), disconnection())
            get()
            pass(90)
            get(expect: notBody("body 1"))
        }
        Clause(
            "RFC 5861 §4 stale-if-error of the request", .may,
            "A request may ask for a stale answer in place of an error."
        ) {
            answers(reply("Cache-Control: max-age=60"), reply(status: "500 Broken", body: "broken"))
            get()
            pass(80)
            get("Cache-Control: stale-if-error=30", expect: status(200), body("body 1"))
            pass(20)
            get("Cache-Control: stale-if-error=30", expect: status(500))
        }
        Clause("RFC 8246 §2 immutable while fresh", .should, "A fresh immutable answer is not validated.") {
            answers(reply("Cache-Control: max-age=600, immutable", "ETag: \"a\""))
            get()
            pass(599)
            hits("body 1")
            get("If-None-Match: \"a\"", expect: status(304), hit())
            saw(1)
        }
        Clause("RFC 8246 §2 immutable when stale", .mustNot, "immutable makes nothing fresh.") {
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
            "immutable has no argument; one that is there means nothing."
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
