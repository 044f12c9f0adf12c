// What a 404 or 410 that is stored leaves of the URL's other variants (RFC 9110 §15.5.5, §15.5.11): it may be about all of
// them, or about the fields of its own request, so that each is asked about before it is used again. Of one that is not stored
// the table of validation tells.

extension Tables {
    @Clauses static var absence: [Clause] {
        for code in ["404 None", "410 Gone"] {
            let number = Int(code.prefix(3)) ?? 0
            for name in ["X-Who", "Accept-Encoding"] {
                Clause(
                    "RFC 9110 §15.5 \(number) that is stored, and variants by \(name)", .may,
                    "What was stored before is asked about before it is used for other request fields."
                ) {
                    answers(
                        reply("Cache-Control: max-age=600", "Vary: \(name)", "ETag: \"a\""),
                        reply("Cache-Control: max-age=600", "Vary: \(name)", "ETag: \"b\""))
                    get("\(name): gzip")
                    get("\(name): br")
                    hits("body 2", "\(name): br")
                    answers(
                        reply("Cache-Control: max-age=600", "Vary: \(name)", status: code, body: "none"),
                        notModified("ETag: \"b\""))
                    get("\(name): gzip", "Cache-Control: no-cache", expect: status(number))
                    get("\(name): br", expect: status(200), body("body 2"), forwarded("stale", status: 304))
                    received(4, has("If-None-Match", "\"b\""))
                    hits("body 2", "\(name): br")
                    hits("none", "\(name): gzip", also: status(number))
                }
            }
            Clause(
                "RFC 9111 §4.2.4 stale variants after a stored \(number)", .mustNot,
                "Nothing permits a stale answer of a URL whose origin has just said that there is none."
            ) {
                answers(
                    reply(
                        "Cache-Control: max-age=60, stale-while-revalidate=600, stale-if-error=600", "Vary: X-Who",
                        "ETag: \"a\""))
                get("X-Who: a")
                get("X-Who: b")
                answers(
                    reply("Cache-Control: max-age=600", "Vary: X-Who", status: code),
                    reply(status: "500 Broken"))
                get("X-Who: a", "Cache-Control: no-cache", expect: status(number))
                get("X-Who: b", expect: status(500), forwarded("stale", status: 500))
                pass(60)
                get("X-Who: b", expect: status(500), forwarded("stale", status: 500))
                get("X-Who: b", "Cache-Control: max-stale", expect: status(500))
                get("X-Who: b", "Cache-Control: only-if-cached", expect: status(504))
            }
            Clause(
                "RFC 9110 §15.5 \(number) once more", .may,
                "What has been asked about since is asked about again: it may have come and gone in between."
            ) {
                answers(reply("Cache-Control: max-age=600", "Vary: X-Who"))
                get("X-Who: a")
                get("X-Who: b")
                answers(
                    reply("Cache-Control: max-age=60", "Vary: X-Who", status: code),
                    reply("Cache-Control: max-age=600", "Vary: X-Who"),
                    reply("Cache-Control: max-age=60", "Vary: X-Who", status: code, body: "none"),
                    reply("Cache-Control: max-age=600", "Vary: X-Who"))
                get("X-Who: a", "Cache-Control: no-cache", expect: status(number))
                miss("body 4", "X-Who: b")
                pass(60)
                get("X-Who: a", expect: status(number), body("none"))
                miss("body 6", "X-Who: b")
                hits("body 6", "X-Who: b")
            }
        }
    }
}
