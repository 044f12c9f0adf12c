// How a stored 404 or 410 affects the other variants of the URL (RFC 9110 §15.5.5, §15.5.11). The absence may apply to
// all variants or only to the fields of its own request, so each variant is revalidated before it is used again. A 404
// or 410 that is not stored is covered by the validation table.

extension Tables {
    @Clauses static var absence: [Clause] {
        for code in ["404 None", "410 Gone"] {
            let number = Int(code.prefix(3)) ?? 0
            for name in ["X-Who", "Accept-Encoding"] {
                Clause(
                    "RFC 9110 §15.5 \(number) that is stored, and variants by \(name)", .may,
                    "Variants stored earlier are revalidated before they are used for requests with other field values."
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
                "A stale response is not used after the origin has said that the URL has no representation."
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
                "A variant that was revalidated after an earlier absence is revalidated again after the next one."
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
