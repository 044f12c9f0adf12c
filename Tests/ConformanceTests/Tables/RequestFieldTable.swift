// Request fields that change what a condition, a range or an answer means.

extension Tables {
    @Clauses static var requestFields: [Clause] {
        differences
        selectingFields
        for (name, section) in [("If", "RFC 4918 §10.4"), ("Last-Event-ID", "WHATWG HTML §9.2")] {
            Clause("\(section) \(name)", .mustNot, "The answer to a request with this field is not given to others.") {
                answers(reply("Cache-Control: max-age=60", "ETag: \"{n}\""))
                miss("body 1", "\(name): 5", also: forwarded("bypass", stored: false))
                received(1, has(name, "5"))
                miss("body 2")
                hits("body 2")
                miss("body 3", "\(name): 5", also: forwarded("bypass", stored: false))
                hits("body 2")
                get("\(name): 5", "Cache-Control: only-if-cached", expect: status(504))
                saw(3)
            }
        }
        for name in ["Want-Content-Digest", "Want-Repr-Digest"] {
            Clause("RFC 9530 §4 \(name)", .may, "A wish for a digest is passed on, and shares the answer of others.") {
                answers(reply("Cache-Control: max-age=60"))
                get("\(name): sha-256=1", expect: body("body 1"))
                received(1, has(name, "sha-256=1"))
                hits("body 1")
                hits("body 1", "\(name): sha-512=3")
            }
        }
        Clause("RFC 9110 §14.2 old name", .may, "A range by its old name is ignored, and the whole answer is stored.") {
            answers(reply("Cache-Control: max-age=60"))
            get("Request-Range: bytes=0-1", expect: status(200), body("body 1"))
            received(1, lacks("Request-Range"))
            hits("body 1")
        }
    }

    @Clauses private static var differences: [Clause] {
        Clause(
            "RFC 3229 §10.5.3 own condition", .mustNot,
            "A-IM of a client is not sent together with the validator of the cache."
        ) {
            answers(reply("Cache-Control: max-age=1", "ETag: \"a\""), notModified("ETag: \"a\""))
            get("A-IM: feed", "If-None-Match: \"old\"", expect: status(200), body("body 1"))
            received(1, lacks("A-IM"), lacks("If-None-Match"))
            pass(5)
            get("A-IM: feed", "If-None-Match: \"old\"", expect: status(200), body("body 1"))
            received(2, lacks("A-IM"), has("If-None-Match", "\"a\""))
            get(expect: body("body 1"))
        }
        Clause("RFC 3229 §10.5.3 own client", .may, "A-IM goes with the condition of the client, for it alone.") {
            answers(reply("Cache-Control: max-age=60", "ETag: \"b\"", "IM: feed", status: "226 IM Used"))
            get(
                "Authorization: Basic eDp5", "A-IM: feed", "If-None-Match: \"a\"",
                expect: status(226), body("body 1"), has("IM", "feed"))
            received(1, has("A-IM", "feed"), has("If-None-Match", "\"a\""))
            answers(reply("Cache-Control: max-age=60"))
            miss("body 2")
        }
        Clause("RFC 3229 §10.4.1 226", .mustNot, "A difference from another version is not given to others.") {
            answers(reply("Cache-Control: max-age=60, public", "ETag: \"b\"", status: "226 IM Used"))
            get(expect: status(226), forwarded("uri-miss", stored: false))
            answers(reply("Cache-Control: max-age=60"))
            miss("body 2")
        }
        Clause("RFC 3229 §10.4.1 stored", .mustNot, "A difference replaces nothing that is stored.") {
            answers(
                reply("Cache-Control: max-age=1, stale-if-error=600", "ETag: \"a\""),
                reply("Cache-Control: max-age=60", status: "226 IM Used"), disconnection())
            get(expect: body("body 1"))
            pass(5)
            get(expect: status(226))
            get(expect: status(200), body("body 1"))
        }
    }

    @Clauses private static var selectingFields: [Clause] {
        for (name, section) in [
            ("Prefer", "RFC 7240 §2"), ("Accept-Datetime", "RFC 7089 §2.1.1"), ("Forwarded", "RFC 7239 §5.3"),
            ("X-Forwarded-Host", "RFC 7239 §5.3"), ("X-Host", "RFC 7239 §5.3"), ("X-Original-URL", "RFC 9111 §4"),
            ("X-Rewrite-URL", "RFC 9111 §4"),
        ] {
            Clause("\(section) \(name)", .mustNot, "An answer that this field selected is not given to other requests.")
            {
                answers(reply("Cache-Control: max-age=60"))
                get("\(name): a=1", expect: body("body 1"), contains("Vary", name))
                received(1, has(name, "a=1"))
                hits("body 1", "\(name): a=1")
                miss("body 2", "\(name): a=2")
                miss("body 3")
                hits("body 3")
                hits("body 1", "\(name): a=1")
                saw(3)
            }
            Clause(
                "\(section) \(name) and none", .mustNot,
                "An answer to a request without this field, whose Vary does not name it, is not given to one with it."
            ) {
                answers(reply("Cache-Control: max-age=60", "ETag: \"{n}\""))
                miss("body 1")
                hits("body 1")
                miss("body 2", "\(name): a=1", also: contains("Vary", name))
                hits("body 2", "\(name): a=1")
                hits("body 1")
                send("PUT", body: "x", expect: status(200))
                miss("body 4")
                miss("body 5", "\(name): a=1")
            }
            Clause(
                "\(section) \(name) of HEAD", .mustNot,
                "The answer to a HEAD with this field updates no answer to requests without it."
            ) {
                answers(
                    reply("Cache-Control: max-age=60", "ETag: \"a\""), replyHead("ETag: \"b\"", "Content-Length: 9"))
                miss("body 1")
                head("\(name): a=1", expect: status(200), forwarded(), contains("Vary", name))
                hits("body 1")
            }
            Clause("\(section) \(name) together", .mustNot, "Requests with other values share no fetch.") {
                answers(
                    say(
                        .text("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 3\r\n\r\n"),
                        .gate("sent"), .text("one")),
                    reply("Cache-Control: max-age=60", body: "other"))
                start("one", "\(name): a=1")
                reaches(1)
                get(expect: body("other"))
                open("sent")
                finish("one", body("one"))
                saw(2)
            }
            Clause("\(section) \(name) confirmed", .mustNot, "A 304 does not make the selected answer one for all.") {
                answers(
                    reply("Cache-Control: max-age=1", "ETag: \"a\"", "Vary: X-A"),
                    notModified("ETag: \"a\"", "Vary: X-A", "Cache-Control: max-age=60"),
                    reply("Cache-Control: max-age=60"))
                get("\(name): a=1", expect: body("body 1"))
                pass(5)
                get("\(name): a=1", expect: body("body 1"), forwarded("stale", status: 304))
                hits("body 1", "\(name): a=1")
                miss("body 3")
            }
        }
    }
}
