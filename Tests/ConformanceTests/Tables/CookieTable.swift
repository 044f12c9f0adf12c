// How the configuration decides about cookies (RFC 9111 §7.3).

extension Tables {
    @Clauses static var cookies: [Clause] {
        let drop = ", cookies: drop"
        for control in ["Cache-Control: max-age=60", "Expires: {now+60}"] {
            Clause(
                "RFC 9111 §7.3 cookies: drop, \(control)", .may,
                "A response with an explicit lifetime is stored without its cookies.", settings: drop
            ) {
                answers(reply(control, "Set-Cookie: id={n}", "X-One: 1"))
                get(expect: body("body 1"), has("Set-Cookie", "id=1"))
                hits("body 1", also: lacks("Set-Cookie"), has("X-One", "1"))
            }
        }
        for control in ["ETag: \"a\"", "Last-Modified: {now-100000}", "Cache-Control: no-store"] {
            Clause(
                "RFC 9111 §7.3 cookies: drop, \(control)", .shouldNot,
                "A response that sets a cookie is not stored without an explicit permission.", settings: drop
            ) {
                answers(reply(control, "Set-Cookie: id={n}"))
                get()
                miss("body 2", also: has("Set-Cookie", "id=2"))
            }
        }
        Clause(
            "RFC 9111 §7.3 cookies: drop, at once", .mustNot,
            "Only the client that caused the fetch gets the cookies of the response.",
            settings: drop
        ) {
            answers(reply("Cache-Control: max-age=60", "Set-Cookie: id={n}").held(at: "go"))
            start("first")
            reaches(1)
            start("second")
            open("go")
            finish("first", has("Set-Cookie", "id=1"))
            finish("second", body("body 1"), lacks("Set-Cookie"))
        }
        for line in ["X-Anybody: 1", "Authorization: Bearer x", "Cookie: a=b"] {
            Clause(
                "RFC 9111 §7.3 cookie of a 304, \(line.prefix { $0 != ":" })", .may,
                "Only the client that caused the validation gets the cookies of the 304."
            ) {
                answers(
                    reply("Cache-Control: public, max-age=60", "ETag: \"a\""),
                    notModified("ETag: \"a\"", "Set-Cookie: id=2", "X-New: 1"))
                get()
                pass(60)
                get(line, expect: body("body 1"), has("Set-Cookie", "id=2"), has("X-New", "1"))
                hits("body 1", also: lacks("Set-Cookie"), has("X-New", "1"))
            }
        }
        Clause(
            "RFC 9111 §5.2.2.7 private field of a 304", .may,
            "Fields that a 304 marks private go only to the client that caused the validation."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""),
                notModified("ETag: \"a\"", "Cache-Control: max-age=60, private=\"X-Me\"", "X-Me: 1"))
            get()
            pass(60)
            get(expect: body("body 1"), has("X-Me", "1"))
            hits("body 1", also: lacks("X-Me"))
        }
        Clause(
            "RFC 9111 §7.3 cookies: keep", .may,
            "With cookies: keep, a response is stored and reused with its cookies.",
            settings: ", cookies: keep"
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Set-Cookie: a=1", "Set-Cookie: b=2", "ETag: \"a\""),
                notModified("ETag: \"a\"", "Set-Cookie: c=3"))
            get(expect: has("Set-Cookie", "a=1", "b=2"))
            hits("body 1", also: has("Set-Cookie", "a=1", "b=2"))
            pass(60)
            get(expect: forwarded("stale", status: 304))
            hits("body 1", also: has("Set-Cookie", "c=3"))
        }
        Clause(
            "RFC 9111 §3.5 personalCookies: no", .may,
            "With personalCookies: false, a GET with cookies is answered like any other, and its cookies are not sent.",
            settings: ", personalCookies: false"
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: Cookie"))
            get("Cookie: a=1")
            received(1, lacks("Cookie"))
            hits("body 1", "Cookie: b=2")
            hits("body 1")
            send("POST", "Cookie: a=1", body: "x")
            received(2, has("Cookie", "a=1"))
        }
        Clause(
            "RFC 9111 §3.5 personalCookies: no, QUERY and declared POST", .may,
            "With personalCookies: false, cookies of a QUERY or declared POST are ignored too.",
            settings: ", personalCookies: false, readOnlyPosts: [{ path: /s, ttl: 60s, kind: any }]"
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: Cookie"))
            send("QUERY", "Content-Type: text/plain", "Cookie: a=1", body: "x", expect: body("body 1"))
            received(1, lacks("Cookie"))
            send("QUERY", "Content-Type: text/plain", "Cookie: b=1", body: "x", expect: body("body 1"), hit())
            send("POST", "Cookie: a=1", at: "/s", body: "x", expect: body("body 1"))
            received(2, lacks("Cookie"))
            send("POST", "Cookie: b=1", at: "/s", body: "x", expect: body("body 1"), hit())
            send("POST", at: "/s", body: "x", expect: body("body 1"), hit())
        }
        for directive in ["private", "no-cache"] {
            Clause(
                "RFC 9111 \(directive == "private" ? "§5.2.2.7" : "§5.2.2.4") \(directive)=\"Set-Cookie\"", .may,
                "A response that restricts only Set-Cookie is stored without that field."
            ) {
                answers(reply("Cache-Control: max-age=60, \(directive)=\"Set-Cookie\"", "Set-Cookie: id={n}"))
                get(expect: body("body 1"), has("Set-Cookie", "id=1"))
                hits("body 1", also: lacks("Set-Cookie"))
            }
        }
        Clause(
            "RFC 9111 §3.5 personalCookies: yes", .mustNot,
            "The response to a request with cookies is not stored for others because of max-age alone."
        ) {
            answers(reply("Cache-Control: max-age=60", body: "{n} for {got:Cookie}"))
            get("Cookie: a=1", expect: body("1 for a=1"))
            miss("2 for ", also: lacks("Set-Cookie"))
            miss("3 for b=2", "Cookie: b=2")
        }
    }
}
