// No-Vary-Search, as defined by the draft of the HTTP working group.

extension Tables {
    private static let kept = "Cache-Control: max-age=600"

    private static func field(_ value: String) -> String { "No-Vary-Search: \(value)" }

    /// Checks whether the response for the first target answers the second one.
    private static func pair(_ value: String, _ one: String, _ other: String, same: Bool) -> [Step] {
        answers(reply(kept, field(value), body: "first", at: one), reply(kept, field(value), body: "other", at: other))
            + [
                get(at: one, expect: body("first")),
                same
                    ? get(at: other, expect: body("first"), hit())
                    : get(at: other, expect: body("other"), forwarded("uri-miss", status: 200)),
            ]
    }

    @Clauses static var searchVariance: [Clause] {
        for (what, value, one, other) in [
            ("a named parameter", #"params=("utm")"#, "/a?x=1&utm=1", "/a?utm=2&x=1"),
            ("a parameter that is left out", #"params=("utm")"#, "/a?utm=1", "/a"),
            ("any parameter", "params", "/a?x=1", "/a?y=2"),
            ("any but the exceptions", #"params, except=("id")"#, "/a?id=1&x", "/a?y&id=1"),
            ("exceptions alone", #"except=("id")"#, "/a?id=1&x", "/a?y&id=1"),
            ("no exceptions", "except=()", "/a?x", "/a?y"),
            ("their order", "key-order", "/a?x=1&y=2", "/a?y=2&x=1"),
            ("order and name", #"key-order, params=("z")"#, "/a?x=1&y=2", "/a?z&y=2&x=1"),
            ("percent-encoding", "key-order", "/a?x=%61", "/a?%78=a"), ("plus", "key-order", "/a?x=+", "/a?x=%20"),
            ("an encoded name", #"params=("%C3%A9+x")"#, "/a?%C3%A9%20x=1", "/a?%c3%a9+x=2"),
            ("empty pieces", "key-order", "/a?x=1", "/a?x=1&&"),
            ("no query", "key-order", "/a?", "/a"), ("what is no UTF-8", "key-order", "/a?x=%f6", "/a?x=%ef%bf%bd"),
            ("an unknown entry", #"params=("utm"), future=1"#, "/a?utm=1", "/a?utm=2"),
            ("a boolean", "params=?1", "/a?x", "/a?y"),
        ] {
            Clause(
                "No-Vary-Search draft §7 ignores \(what)", .may,
                "A stored response answers a URL that differs only in ignored parts of the query."
            ) {
                pair(value, one, other, same: true)
                saw(1)
            }
        }
        for (what, value, one, other) in [
            ("another value", #"params=("utm")"#, "/a?x=1", "/a?x=2"),
            ("order", #"params=("utm")"#, "/a?x=1&y=2", "/a?y=2&x=1"),
            ("order of values", "key-order", "/a?x=1&x=2", "/a?x=2&x=1"),
            ("an exception", #"params, except=("id")"#, "/a?id=1", "/a?id=2"),
            ("case", #"params=("utm")"#, "/a?utm=1", "/a?UTM=1"), ("another path", "params", "/a?x", "/b?x"),
            ("path in case", "params", "/a?x", "/A?x"),
            ("a plus that is encoded", "key-order", "/a?x=+", "/a?x=%2B"),
        ] {
            Clause(
                "No-Vary-Search draft §6 heeds \(what)", .mustNot,
                "A stored response does not answer a URL with any other difference."
            ) {
                pair(value, one, other, same: false)
            }
        }
        for value in [
            "unknown-key", #"key-order="x""#, #"params="x""#, "params=(x)", #"params=("x"), except=("y")"#,
            "params=(), except=()",
            #"params=?0, except=("y")"#, "params, except=(y)", #"params, except="y""#, "params, except=?1",
            "params=?0", "params=()", "key-order=?0", #"params=("x""#, "params=1", "",
        ] {
            Clause(
                "No-Vary-Search draft §5 \(value.isEmpty ? "empty" : value)", .must,
                "A field that is invalid or empty means the default: every difference counts."
            ) {
                pair(value, "/a?x=1", "/a?x=2", same: false)
            }
        }
        Clause("No-Vary-Search draft §7 exact", .must, "A stored response for the exact URL takes precedence.") {
            answers(reply(kept, field("params"), body: "one", at: "/a?1"), reply(kept, body: "two", at: "/a?2"))
            get(at: "/a?2", expect: body("two"))
            get(at: "/a?1", expect: body("one"))
            get(at: "/a?2", expect: body("two"), hit())
            get(at: "/a?3", expect: body("one"), hit())
        }
        Clause("No-Vary-Search draft §7 stale", .must, "A stale response does not answer other URLs.") {
            answers(reply("Cache-Control: max-age=10", field("params"), #"ETag: "v""#, body: "one", at: "/a?1"))
            answers(reply(kept, field("params"), body: "two", at: "/a?2"))
            get(at: "/a?1")
            pass(20)
            get(at: "/a?2", expect: body("two"), forwarded("uri-miss", status: 200))
            received(2, lacks("If-None-Match"))
        }
        Clause("No-Vary-Search draft §7 Age", .must, "A response for another URL carries its own age.") {
            answers(reply(kept, field("params"), body: "one", at: "/a?1"))
            get(at: "/a?1")
            pass(20)
            get(at: "/a?2", expect: body("one"), has("Age", "20"), hit(ttl: 580))
        }
        Clause("No-Vary-Search draft §7 max-age of the request", .must, "Cache directives of the request apply.") {
            answers(reply(kept, field("params"), body: "one", at: "/a?1"), reply(kept, body: "two", at: "/a?2"))
            get(at: "/a?1")
            get("Cache-Control: no-cache", at: "/a?2", expect: body("two"), forwarded())
        }
        Clause("No-Vary-Search draft §7 Vary", .must, "The request fields select among the variants.") {
            answers(reply(kept, field("params"), "Vary: X-Who", body: "{got:X-Who}", at: "/a?1"))
            answers(reply(kept, body: "other", at: "/a?2"))
            get("X-Who: a", at: "/a?1")
            get("X-Who: a", at: "/a?2", expect: body("a"), hit())
            get("X-Who: b", at: "/a?2", expect: body("other"), forwarded())
        }
        Clause("No-Vary-Search draft §7 HEAD", .may, "A stored response for another URL answers HEAD too.") {
            answers(reply(kept, field("params"), body: "one", at: "/a?1"))
            get(at: "/a?1")
            head(at: "/a?2", expect: status(200), hit())
        }
        Clause("RFC 9111 §3.5 No-Vary-Search", .mustNot, "A response for one client does not answer others.") {
            answers(reply("Cache-Control: private, max-age=60", field("params"), body: "one", at: "/a?1"))
            answers(reply(kept, body: "two", at: "/a?2"))
            get("Authorization: Basic eA==", at: "/a?1")
            get(at: "/a?2", expect: body("two"), forwarded())
        }
        for (target, clause, level, text) in [
            ("/a?1", "RFC 9111 §4.4", .must, "After a change of its URL, a stored response answers no other URL."),
            (
                "/a?2", "No-Vary-Search draft §7", .may,
                "After a change of another URL that it answered, a stored response no longer answers that URL."
            ),
        ] as [(String, String, Level, String)] {
            Clause("\(clause) changed at \(target)", level, text) {
                answers(reply(kept, field("params"), body: "one", at: "/a?1"))
                answers(reply(kept, body: "two", at: "/a?2"))
                get(at: "/a?1")
                get(at: "/a?2", expect: body("one"), hit())
                send("PUT", at: target, body: "x")
                get(at: "/a?2", expect: body("two"), forwarded())
            }
        }
    }

    @Clauses static var languages: [Clause] {
        for (what, asked) in [
            ("alone", "de"), ("by weight", "en;q=0.5, de"), ("as a part", "de;q=0.9, *;q=0.1"),
        ] {
            Clause(
                "RFC 9110 §12.5.4 best language, \(what)", .may,
                "A stored variant in the preferred language of the client answers the request."
            ) {
                answers(reply(kept, "Vary: Accept-Language", "Content-Language: de-AT"))
                get("Accept-Language: fr, de;q=0.1", expect: body("body 1"))
                get("Accept-Language: \(asked)", expect: body("body 1"), hit())
                saw(1)
            }
        }
        for (what, asked) in [
            ("equal weights", "de, en"), ("another is better", "fr, de;q=0.9"), ("a narrower range", "de-CH, de;q=0.9"),
            ("any", "*"),
            ("weight zero", "de;q=0"), ("a longer word", "d"), ("no grammar", "de;x"),
        ] {
            Clause(
                "RFC 9110 §12.5.4 not best, \(what)", .mustNot,
                "A stored variant in a language that is not the preferred one does not answer the request."
            ) {
                answers(reply(kept, "Vary: Accept-Language", "Content-Language: de"))
                get("Accept-Language: fr;q=0.5", expect: body("body 1"))
                get("Accept-Language: \(asked)", expect: body("body 2"), forwarded("vary-miss", status: 200))
            }
        }
        for line in ["Content-Language: de, en", "Content-Language: en", "X-None: 1"] {
            Clause(
                "RFC 9110 §8.5 best language, \(line)", .mustNot,
                "A stored variant in several languages, another language or none does not answer the request."
            ) {
                answers(reply(kept, "Vary: Accept-Language", line))
                get("Accept-Language: fr;q=0.5", expect: body("body 1"))
                get("Accept-Language: de", expect: body("body 2"), forwarded("vary-miss", status: 200))
            }
        }
        Clause("RFC 9111 §4.1 best language and other fields", .must, "All other fields that Vary names must match.") {
            answers(reply(kept, "Vary: Accept-Language, X-Who", "Content-Language: de"))
            get("Accept-Language: fr", "X-Who: a", expect: body("body 1"))
            get("Accept-Language: de", "X-Who: b", expect: body("body 2"), forwarded())
            get("Accept-Language: de, fr;q=0.2", "X-Who: a", expect: body("body 1"), hit())
        }
        Clause("RFC 9111 §4 best language, stale", .must, "A stale variant is not used because of its language.") {
            answers(reply("Cache-Control: max-age=10", "Vary: Accept-Language", "Content-Language: de"))
            get("Accept-Language: fr", expect: body("body 1"))
            pass(20)
            get("Accept-Language: de", expect: body("body 2"), forwarded("vary-miss", status: 200))
        }
        Clause(
            "RFC 9111 §4.1 best language, exact", .must, "The variant that the request fields select takes precedence."
        ) {
            answers(reply(kept, "Vary: Accept-Language", "Content-Language: de"))
            get("Accept-Language: de", expect: body("body 1"))
            get("Accept-Language: de, en", expect: body("body 2"))
            get("Accept-Language: de, en", expect: body("body 2"), hit())
            get("Accept-Language: de", expect: body("body 1"), hit())
        }
    }
}
