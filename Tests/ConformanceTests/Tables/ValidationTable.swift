// Validation of stored responses (RFC 9111 §4.3) and invalidation after changes (§4.4).

extension Tables {
    @Clauses static var validation: [Clause] {
        Clause("RFC 9111 §4.3.1 strong tag", .must, "A validation carries the stored entity tag.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a,b\""), notModified("ETag: \"a,b\""))
            get()
            pass(60)
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
            received(2, has("If-None-Match", "\"a,b\""), lacks("If-Modified-Since"))
        }
        Clause("RFC 9111 §4.3.1 weak tag", .must, "A validation carries the stored entity tag even if the tag is weak.")
        {
            answers(reply("Cache-Control: max-age=60", "ETag: W/\"a\""), notModified("ETag: W/\"a\""))
            get()
            pass(60)
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
            received(2, has("If-None-Match", "W/\"a\""))
        }
        Clause("RFC 9111 §4.3.1 date of change", .should, "A validation carries the stored Last-Modified date.") {
            answers(reply("Cache-Control: max-age=60", "Last-Modified: {now-1000}"), notModified())
            get()
            pass(60)
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
            received(2, has("If-Modified-Since", "Wed, 31 Dec 2025 23:43:20 GMT"), lacks("If-None-Match"))
        }
        Clause("RFC 9111 §4.3.1 tag and date", .must, "A validation carries both tag and date if both are stored.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\"", "Last-Modified: {now-1000}"),
                notModified("ETag: \"a\""))
            get()
            pass(60)
            get(expect: body("body 1"))
            received(2, has("If-None-Match", "\"a\""), has("If-Modified-Since", "Wed, 31 Dec 2025 23:43:20 GMT"))
        }
        Clause("RFC 9111 §4.3.1 nothing to validate by", .mustNot, "Without a validator, no condition is sent.") {
            answers(reply("Cache-Control: max-age=60", "Date: {now}"))
            get()
            pass(60)
            miss("body 2")
            received(2, lacks("If-None-Match"), lacks("If-Modified-Since"))
        }
        Clause("RFC 9111 §4.3.1 stale at once", .may, "A response without lifetime is stored if it has a validator.") {
            answers(reply("ETag: \"a\""), notModified("ETag: \"a\""))
            get()
            get(expect: status(200), body("body 1"), forwarded("stale", status: 304))
        }
        for (what, line) in [
            ("Authorization", "Authorization: Basic YTpi"), ("Cookie", "Cookie: a=1"),
            ("no-store", "Cache-Control: no-store"),
        ] {
            Clause(
                "RFC 9111 §4.3.2 own copy, \(what)", .should,
                "If the response is not storable, the origin evaluates the condition of the client."
            ) {
                answers(notModified("ETag: \"a\""), reply("ETag: \"b\"", "Cache-Control: private"))
                get(line, "If-None-Match: \"a\"", expect: status(304), has("ETag", "\"a\""))
                received(1, has("If-None-Match", "\"a\""))
                get(line, "If-None-Match: \"a\"", expect: status(200), body("body 2"))
            }
        }
        Clause(
            "RFC 9111 §4.3.2 own copy, known not to be shared", .should,
            "If the response is not storable, the origin evaluates the condition of the client."
        ) {
            answers(reply("ETag: \"a\"", "Cache-Control: private"), notModified("ETag: \"a\""))
            get(expect: body("body 1"))
            get("If-None-Match: \"a\"", expect: status(304))
            received(2, has("If-None-Match", "\"a\""))
        }
        Clause("RFC 9111 §4.3.4 lifetime begins anew", .must, "A 304 restarts age and lifetime.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\"", "Age: 10"),
                notModified("ETag: \"a\"", "Cache-Control: max-age=100"))
            get()
            pass(60)
            get(expect: body("body 1"), has("Age", "0"))
            pass(99)
            hits("body 1", also: has("Age", "99"), hit(ttl: 1))
            pass(1)
            get(expect: body("body 1"), forwarded("stale", status: 304))
        }
        Clause(
            "RFC 9111 §4.3.4 304 without Cache-Control", .must,
            "If a 304 has no Cache-Control, the stored directives stay in force."
        ) {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), notModified("ETag: \"a\"", "Date: {now}"))
            get()
            pass(60)
            get()
            pass(59)
            hits("body 1", also: has("Cache-Control", "max-age=60"), hit(ttl: 1))
        }
        Clause("RFC 9111 §4.3.4 304 with an age", .must, "The Age of a 304 counts.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""), notModified("ETag: \"a\"", "Age: 50"))
            get()
            pass(60)
            get()
            pass(9)
            hits("body 1", also: has("Age", "59"))
            pass(1)
            get(expect: forwarded("stale"))
        }
        Clause(
            "RFC 9111 §3.2 fields of a 304", .must,
            "Fields of a 304 replace the stored fields of the same name; other stored fields stay."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\"", "X-Two: 1", "X-Two: 2", "X-Stay: here", "X-One: old"),
                notModified("ETag: \"a\"", "X-One: new", "X-Two: 3", "X-More: here", "Cache-Control: max-age=90"))
            get()
            pass(60)
            get(expect: has("X-One", "new"), has("X-Two", "3"), has("X-Stay", "here"), has("X-More", "here"))
            hits(
                "body 1", also: has("X-One", "new"), has("X-Two", "3"), has("X-Stay", "here"), has("X-More", "here"),
                has("Cache-Control", "max-age=90"), has("ETag", "\"a\""))
        }
        Clause("RFC 9111 §3.2 Content-Length of a 304", .mustNot, "A 304 does not change the stored Content-Length.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""),
                notModified("ETag: \"a\"", "Content-Length: 999"))
            get()
            pass(60)
            get(expect: body("body 1"), has("Content-Length", "6"))
            hits("body 1", also: has("Content-Length", "6"))
        }
        Clause("RFC 9111 §3.2 Content-Encoding of a 304", .may, "A 304 does not change the stored Content-Encoding.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""),
                notModified("ETag: \"a\"", "Content-Encoding: gzip", "Content-Range: bytes 0-1/6"))
            get()
            pass(60)
            get(expect: status(200), body("body 1"), lacks("Content-Encoding"), lacks("Content-Range"))
            hits("body 1", also: status(200), lacks("Content-Encoding"), lacks("Content-Range"))
        }
        Clause("RFC 9111 §3.1 Connection of a 304", .mustNot, "Connection fields are not taken from a 304.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""),
                notModified("ETag: \"a\"", "Connection: X-Hop", "X-Hop: 1", "Set-Cookie: a=b", "Keep-Alive: 5"))
            get()
            pass(60)
            get()
            hits("body 1", also: lacks("X-Hop"), lacks("Set-Cookie"), lacks("Keep-Alive"))
        }
        Clause(
            "RFC 9111 §3 304 with private and two variants", .mustNot,
            "Fields of a 304 that must not be stored change no stored variant with the same tag."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Vary: X-Kind", "ETag: \"a\""),
                reply("Cache-Control: max-age=60", "Vary: X-Kind", "ETag: \"a\""),
                notModified("Cache-Control: private", "Vary: X-Kind", "ETag: \"a\"", "X-User: me"),
                reply("Cache-Control: max-age=60", "Vary: X-Kind", "ETag: \"a\""))
            get("X-Kind: 1")
            get("X-Kind: 2")
            pass(60)
            get("X-Kind: 1", expect: body("body 1"), has("X-User", "me"))
            get("X-Kind: 2", "Cache-Control: max-stale", expect: body("body 4"), lacks("X-User"))
        }
        Clause("RFC 9111 §4.3.4 304 with no-store", .mustNot, "A response whose 304 has no-store is not reused.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""),
                notModified("ETag: \"a\"", "Cache-Control: no-store"), reply("Cache-Control: max-age=60"))
            get()
            pass(60)
            get(expect: status(200), body("body 1"))
            miss("body 3")
        }
        for line in ["Authorization: Bearer x", "Cookie: a=b", "Cache-Control: no-store"] {
            let field = line.prefix { $0 != ":" }
            Clause(
                "RFC 9111 §\(field == "Cache-Control" ? "5.2.1.5" : "3.5") 304 to \(field)", .mustNot,
                "A 304 for one client only is not stored for others."
            ) {
                answers(
                    reply("Cache-Control: public, max-age=60", "ETag: \"a\""),
                    notModified("ETag: \"a\"", "Cache-Control: max-age=600", "X-User: me"),
                    reply("Cache-Control: public, max-age=60"))
                get()
                pass(60)
                get(line, expect: status(200), body("body 1"), has("X-User", "me"))
                received(2, has("If-None-Match", "\"a\""))
                get(expect: body("body 3"), forwarded("stale"), lacks("X-User"))
                received(3, has("If-None-Match", "\"a\""))
            }
        }
        for line in ["Authorization: Bearer x", "Cookie: a=b"] {
            Clause(
                "RFC 9111 §4.3.4 304 for all to \(line.prefix { $0 != ":" })", .may,
                "A 304 that is marked as shared is stored, even if the request had credentials."
            ) {
                answers(
                    reply("Cache-Control: public, max-age=60", "ETag: \"a\""),
                    notModified("ETag: \"a\"", "Cache-Control: public, max-age=600", "X-New: 1"))
                get()
                pass(60)
                get(line, expect: status(200), body("body 1"))
                hits("body 1", also: has("X-New", "1"))
            }
        }
        Clause(
            "RFC 9111 §4.3.4 all variants with the strong tag", .must,
            "A 304 with a strong tag updates all stored responses with the same tag."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Vary: X-Who", "ETag: \"a\""),
                reply("Cache-Control: max-age=60", "Vary: X-Who", "ETag: \"a\""),
                reply("Cache-Control: max-age=60", "Vary: X-Who", "ETag: \"c\""),
                notModified("Vary: X-Who", "ETag: \"a\"", "Cache-Control: max-age=600", "X-New: 1"),
                reply("Cache-Control: max-age=60", "Vary: X-Who", "ETag: \"d\""))
            get("X-Who: a")
            get("X-Who: b")
            get("X-Who: c")
            pass(60)
            get("X-Who: a", expect: body("body 1"), forwarded("stale", status: 304))
            hits("body 1", "X-Who: a", also: has("X-New", "1"))
            hits("body 2", "X-Who: b", also: has("X-New", "1"))
            miss("body 5", "X-Who: c", also: lacks("X-New"))
        }
        Clause("RFC 9111 §4.3.3 200 on validation", .must, "A full response to a validation replaces the stored one.") {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\"", "X-Old: 1"),
                reply("Cache-Control: max-age=60", "ETag: \"b\"", "X-New: 1"))
            get()
            pass(60)
            get(expect: body("body 2"), lacks("X-Old"), forwarded("stale", status: 200, stored: true))
            hits("body 2", also: lacks("X-Old"), has("X-New", "1"), has("ETag", "\"b\""))
        }
        Clause(
            "RFC 9111 §4.3.3 404 on validation takes the place", .must,
            "A full response to a validation replaces the stored one."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""),
                reply("Cache-Control: max-age=60", status: "404 None", body: "none"))
            get()
            pass(60)
            get(expect: status(404))
            hits("none", also: status(404))
        }
        Clause(
            "RFC 9111 §4.3.3 no-store on validation", .mustNot,
            "A newer response that is not stored does not make the older one usable."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\""), reply("Cache-Control: no-store"))
            get()
            pass(60)
            miss("body 2")
            miss("body 3")
        }
        for code in ["404 None", "410 Gone"] {
            for lines in ["Cache-Control: no-store", "X-None: 1"] {
                let name = "\(code.prefix(3)) with \(lines.split(separator: ": ").last ?? "")"
                Clause(
                    "RFC 9111 §4.3.3 \(name) that is not stored", .must,
                    "A newer response that is not stored does not make the older one usable."
                ) {
                    answers(reply("Cache-Control: max-age=600", "ETag: \"a\""), reply(lines, status: code))
                    get()
                    get("Cache-Control: no-cache", expect: status(Int(code.prefix(3)) ?? 0))
                    get(expect: status(Int(code.prefix(3)) ?? 0), forwarded())
                    get(expect: status(Int(code.prefix(3)) ?? 0), forwarded())
                }
                Clause(
                    "RFC 9111 §4.2.4 stale after \(name)", .mustNot,
                    "The stale window ends with a response from the origin that says there is no representation."
                ) {
                    answers(
                        reply("Cache-Control: max-age=60, stale-while-revalidate=600", "ETag: \"a\""),
                        reply(lines, status: code))
                    get()
                    pass(60)
                    get(expect: body("body 1"))
                    reaches(2)
                    settle
                    get(expect: status(Int(code.prefix(3)) ?? 0), forwarded())
                    get("Cache-Control: max-stale", expect: status(Int(code.prefix(3)) ?? 0), forwarded())
                }
            }
            Clause(
                "RFC 9110 §15.5 \(code.prefix(3)) and variants", .may,
                "If the URL has no current representation, no stored variant of it is used."
            ) {
                answers(reply("Cache-Control: max-age=600", "Vary: X-Who"))
                get("X-Who: a")
                get("X-Who: b")
                answers(reply(status: code), reply("Cache-Control: max-age=600", "Vary: X-Who"))
                get("X-Who: a", "Cache-Control: no-cache", expect: status(Int(code.prefix(3)) ?? 0))
                miss("body 4", "X-Who: b")
            }
        }
        Clause(
            "RFC 9111 §4.3.3 no-store on validation of what is fresh", .must,
            "A newer response that is not stored does not make the older one usable."
        ) {
            answers(reply("Cache-Control: max-age=600", "ETag: \"a\""), reply("Cache-Control: no-store"))
            get()
            get("Cache-Control: no-cache", expect: body("body 2"))
            miss("body 3")
        }
        for code in ["403 No", "429 Many", "500 Broken"] {
            Clause(
                "RFC 9111 §4.3.3 \(code.prefix(3)) on validation of what is fresh", .may,
                "An error about the request, or a server error, keeps the stored response."
            ) {
                answers(reply("Cache-Control: max-age=600", "ETag: \"a\""), reply(status: code))
                get()
                get("Cache-Control: no-cache")
                hits("body 1")
            }
        }
        Clause(
            "RFC 9111 §4.3.3 private answer to one person", .may,
            "A private response to a request with credentials does not replace the response for others."
        ) {
            answers(
                reply("Cache-Control: public, max-age=600", "ETag: \"a\""), reply("Cache-Control: private"))
            get()
            get("Authorization: Bearer x", "Cache-Control: no-cache", expect: body("body 2"))
            hits("body 1")
        }
        Clause(
            "RFC 9111 §4.3.1 no condition of ours with other methods", .mustNot,
            "A request with another method, such as OPTIONS, gets no condition from the cache."
        ) {
            answers(reply("Cache-Control: max-age=60", "ETag: \"a\""))
            get()
            send("OPTIONS")
            received(2, lacks("If-None-Match"))
        }
    }

    @Clauses static var invalidation: [Clause] {
        Clause("RFC 10008 §2 QUERY", .mustNot, "A QUERY is safe and invalidates nothing.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            send("QUERY", "Content-Type: text/plain", body: "x", expect: status(200))
            hits("body 1")
        }
        for method in ["PROPFIND", "REPORT", "SEARCH"] {
            Clause("RFC 9110 §9.2.1 \(method)", .mustNot, "A method that is registered as safe invalidates nothing.") {
                answers(reply("Cache-Control: max-age=60"))
                get()
                send(method, expect: status(200))
                hits("body 1")
            }
        }
        for method in ["POST", "PUT", "DELETE", "PATCH", "FROB"] {
            Clause("RFC 9111 §4.4 \(method)", .must, "A successful unsafe or unknown method invalidates its target.") {
                answers(reply("Cache-Control: max-age=600"))
                get()
                hits("body 1")
                send(method, body: "x", expect: status(200), body("body 2"), forwarded("method", status: 200))
                received(2, startLine("\(method) /a HTTP/1.1"), body("x"))
                miss("body 3")
                hits("body 3")
            }
        }
        for target in ["/a?", "/a%7Eb", "/a~b", "/a%7Cb", "/\u{E4}", "/a//b", "/?", "/a?x=%"] {
            Clause("RFC 9111 §4.4 target \(target)", .must, "A target is invalidated under every spelling.") {
                answers(reply("Cache-Control: max-age=600"))
                get(at: target)
                hits("body 1", at: target)
                send("POST", at: target, body: "x")
                miss("body 3", at: target)
            }
        }
        for (one, other) in [
            ("/a~b", "/a%7Eb"), ("/a%2fb", "/a%2Fb"), ("/%61b", "/ab"), ("/a?q=%41", "/a?q=A"), ("/\u{E4}", "/%C3%A4"),
        ] {
            Clause("RFC 9110 §4.2.3 \(one) and \(other)", .must, "A change invalidates all spellings of the URL.") {
                answers(reply("Cache-Control: max-age=600"))
                get(at: one)
                get(at: other, expect: body("body 1"), hit())
                send("PUT", at: other, body: "x")
                saw(1, at: other)
                miss("body 2", at: one)
            }
        }
        Clause("RFC 3986 §6.2.2.2 reserved", .mustNot, "A reserved character differs from its percent-encoded form.") {
            answers(reply("Cache-Control: max-age=600"))
            get(at: "/a/b")
            get(at: "/a%2Fb", expect: body("body 1"), forwarded())
        }
        for code in ["201 Created", "204 No Content", "303 See Other"] {
            Clause("RFC 9111 §4.4 POST answered \(code.prefix(3))", .must, "A non-error response invalidates.") {
                answers(
                    reply("Cache-Control: max-age=600"),
                    code.hasPrefix("204") ? replyHead(status: code) : reply(status: code),
                    reply("Cache-Control: max-age=600"))
                get()
                send("POST", body: "x")
                miss("body 3")
            }
        }
        for code in ["400 Bad", "404 None", "409 Conflict", "500 Broken", "501 Unknown"] {
            Clause("RFC 9111 §4.4 POST answered \(code.prefix(3))", .may, "An error response does not invalidate.") {
                answers(reply("Cache-Control: max-age=600"), reply(status: code))
                get()
                send("POST", body: "x", expect: status(Int(code.prefix(3)) ?? 0))
                hits("body 1")
            }
        }
        for method in ["OPTIONS", "HEAD"] {
            Clause("RFC 9111 §4.4 \(method)", .shouldNot, "A QUERY is safe and invalidates nothing.") {
                answers(reply("Cache-Control: max-age=600"), replyHead("Content-Length: 0"))
                get()
                send(method)
                hits("body 1")
            }
        }
        Clause("RFC 9111 §4.4 all variants", .must, "All variants of the target are invalidated.") {
            answers(reply("Cache-Control: max-age=600", "Vary: X-Who"))
            get("X-Who: a")
            get("X-Who: b")
            hits("body 1", "X-Who: a")
            send("POST", body: "x")
            miss("body 4", "X-Who: a")
            miss("body 5", "X-Who: b")
        }
        Clause("RFC 9111 §4.4 other addresses", .shouldNot, "Other URLs stay valid, including other queries.") {
            answers(reply("Cache-Control: max-age=600"))
            get(at: "/a?x=1")
            get(at: "/a/b")
            send("POST", body: "x")
            hits("body 1", at: "/a?x=1")
            hits("body 1", at: "/a/b")
        }
        for name in ["Location", "Content-Location"] {
            Clause("RFC 9111 §4.4 \(name)", .may, "The URL in this field is invalidated, whether absolute or relative.")
            {
                answers(
                    reply("Cache-Control: max-age=600"), reply("Cache-Control: max-age=600"),
                    reply("Cache-Control: max-age=600"), reply("\(name): /b", status: "201 Created"))
                get(at: "/b")
                get(at: "/d/c?x=1")
                get(at: "/d/e")
                send("POST", at: "/d/p", body: "x")
                miss("body 2", at: "/b")
                answers(reply("\(name): {origin}/d/c?x=1"))
                send("POST", at: "/d/p", body: "x")
                answers(reply("Cache-Control: max-age=600"))
                miss("body 2", at: "/d/c?x=1")
                answers(reply("\(name): e"))
                send("POST", at: "/d/p", body: "x")
                miss("body 2", at: "/d/e")
            }
            for place in ["http://127.0.0.1:1/b", "https://{host}/b", "http://other.example/b", "//other.example/b"] {
                Clause("RFC 9111 §4.4 \(name): \(place)", .mustNot, "A URL of another origin is not invalidated.") {
                    answers(reply("Cache-Control: max-age=600"), reply("\(name): \(place)", status: "201 Created"))
                    get(at: "/b")
                    send("POST", body: "x")
                    hits("body 1", at: "/b")
                }
            }
            Clause("RFC 9111 §4.4 \(name) of an error", .may, "A URL in this field of an error is not invalidated.") {
                answers(reply("Cache-Control: max-age=600"), reply("\(name): /b", status: "409 Conflict"))
                get(at: "/b")
                send("POST", body: "x")
                hits("body 1", at: "/b")
            }
            Clause("RFC 9111 §4.4 \(name) of a GET", .mustNot, "A safe method does not invalidate this URL.") {
                answers(reply("Cache-Control: max-age=600"), reply("\(name): /b"))
                get(at: "/b")
                get()
                hits("body 1", at: "/b")
            }
        }
        Clause("RFC 9111 §4 written through", .must, "An unsafe request is sent to the origin before it is answered.") {
            answers(reply("Cache-Control: max-age=600"))
            send("POST", "Content-Type: text/plain", "X-Mine: 1", body: "one", expect: body("body 1"))
            send("POST", "Cache-Control: only-if-cached", body: "two", expect: body("body 2"))
            received(1, body("one"), has("Content-Type", "text/plain"), has("X-Mine", "1"), has("Content-Length", "3"))
            received(2, body("two"))
        }
        Clause("RFC 9111 §4.4 change during a fetch", .should, "A response fetched during a change is not reused.") {
            answers(
                reply("Cache-Control: max-age=600").held(at: "late"), reply("Cache-Control: max-age=600"))
            start("slow")
            reaches(1)
            send("POST", body: "x", expect: body("body 2"))
            open("late")
            finish("slow", body("body 1"))
            miss("body 3")
        }
    }
}
