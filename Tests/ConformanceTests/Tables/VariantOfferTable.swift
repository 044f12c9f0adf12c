// A request that selects no stored variant validates the variants of other requests (RFC 9111 §4.1, §4.3.1).

extension Tables {
    @Clauses static var variantOffers: [Clause] {
        Clause(
            "RFC 9111 §4.1 tags of variants", .may,
            "A request that selects no stored variant is sent with the strong tags of the stored variants."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""),
                reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"b\""))
            get("User-Agent: 1")
            get("User-Agent: 2")
            get("User-Agent: 3", expect: body("body 3"))
            received(1, lacks("If-None-Match"))
            received(2, has("If-None-Match", "\"a\""), lacks("If-Modified-Since"))
            received(3, has("If-None-Match", "\"b\", \"a\""))
        }
        Clause(
            "RFC 9111 §4.3.4 304 for another variant", .may,
            "A 304 with the tag of a stored variant selects its body for the response, which is stored."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\"", "X-Who: one"),
                notModified("Cache-Control: max-age=600", "Vary: User-Agent", "ETag: \"a\"", "X-Who: two"))
            get("User-Agent: 1")
            get(
                "User-Agent: 2", expect: status(200), body("body 1"), has("X-Who", "two"),
                forwarded("vary-miss", status: 304, stored: true))
            get("User-Agent: 2", expect: body("body 1"), hit(), has("X-Who", "two"))
            saw(2)
        }
        Clause(
            "RFC 9111 §4.3.4 304 for two variants", .must,
            "A 304 with a strong tag updates every stored response with the same tag."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""),
                notModified("Cache-Control: max-age=600", "Vary: User-Agent", "ETag: \"a\""))
            get("User-Agent: 1")
            pass(30)
            get("User-Agent: 2")
            pass(60)
            get("User-Agent: 1", expect: body("body 1"), hit())
            get("User-Agent: 2", expect: body("body 1"), hit())
            saw(2)
        }
        for line in ["private", "no-store"] {
            Clause(
                "RFC 9111 §3 304 with \(line) for another variant", .mustNot,
                "Fields of a 304 that must not be stored change no stored variant with the same tag."
            ) {
                answers(
                    reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""),
                    notModified("Cache-Control: \(line)", "Vary: User-Agent", "ETag: \"a\"", "X-User: me"),
                    reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""))
                get("User-Agent: 1")
                get("User-Agent: 2", expect: body("body 1"), has("X-User", "me"), forwarded("vary-miss", status: 304))
                get("User-Agent: 1", expect: body("body 3"), lacks("X-User"))
            }
        }
        Clause(
            "RFC 9111 §4.3.4 304 without a tag", .may,
            "A 304 without a tag confirms the variant if only one tag was offered."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""),
                notModified("Cache-Control: max-age=60"))
            get("User-Agent: 1")
            get("User-Agent: 2", expect: body("body 1"), forwarded("vary-miss", status: 304, stored: true))
        }
        for (what, tag) in [("an unknown", "\"c\""), ("a weak", "W/\"a\"")] {
            Clause(
                "RFC 9111 §4.3.4 304 with \(what) tag", .mustNot,
                "A 304 without the strong tag of an offered variant confirms none; the upstream is asked again."
            ) {
                answers(
                    reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""), notModified("ETag: \(tag)"),
                    reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"c\""))
                get("User-Agent: 1")
                get("User-Agent: 2", expect: body("body 3"), forwarded("vary-miss", status: 200, stored: true))
                received(3, lacks("If-None-Match"))
            }
        }
        for (what, first, second) in [
            ("another field", "X-Org-Id: 1", "X-Org-Id: 2"),
            ("a language that is not preferred", "Accept-Language: de", "Accept-Language: en, de;q=0.5"),
            ("a type that is not preferred", "Accept: text/html", "Accept: application/json, */*"),
        ] {
            Clause(
                "RFC 9110 §8.8.3 \(what)", .mustNot,
                "No tag is offered if careless tags of the origin could select another caller's response or form."
            ) {
                answers(
                    reply(
                        "Cache-Control: max-age=60", "Vary: \(first.prefix { $0 != ":" })", "ETag: \"a\"",
                        "Content-Language: de", "Content-Type: text/html"))
                get(first)
                get(second, expect: body("body 2"))
                received(2, lacks("If-None-Match"))
            }
        }
        Clause(
            "RFC 9110 §8.8.3 a 304 that varies by another field", .mustNot,
            "If Vary of a 304 may tell callers apart, it confirms no variant; the upstream is asked again."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""),
                notModified("Cache-Control: max-age=60", "Vary: User-Agent, X-Org-Id", "ETag: \"a\""),
                reply("Cache-Control: max-age=60", "Vary: User-Agent, X-Org-Id", "ETag: \"a\""))
            get("User-Agent: 1")
            get("User-Agent: 2", "X-Org-Id: 2", expect: body("body 3"))
            received(3, lacks("If-None-Match"))
            get("User-Agent: 3", expect: body("body 4"))
            received(4, lacks("If-None-Match"))
        }
        for line in ["Authorization: Basic YTpi", "Cookie: a=1", "Cache-Control: no-store"] {
            Clause(
                "RFC 9111 §3.5 tags and \(line.prefix { $0 != ":" })", .mustNot,
                "A request whose response is for one client only carries no tags of stored variants."
            ) {
                answers(reply("Cache-Control: max-age=60", "Vary: User-Agent", "ETag: \"a\""))
                get("User-Agent: 1")
                get("User-Agent: 2", line, expect: body("body 2"))
                received(2, lacks("If-None-Match"))
            }
        }
    }
}
