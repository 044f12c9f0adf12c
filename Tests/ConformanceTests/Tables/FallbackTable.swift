// Lifetimes that the configuration gives to responses that state none.

extension Tables {
    private static let paths = ", ttl: { \"/a\": 60s, \"/items/*\": 100s, \"/files/**\": 200s, \"/z\": 0s }"
    private static let everyPath = ", ttl: 60s"

    @Clauses static var fallbacks: [Clause] {
        Clause(
            "RFC 9111 §4.2.2 configured lifetime", .may,
            "A response that states no lifetime is fresh for the configured time.", settings: everyPath
        ) {
            answers(reply("Date: {now}"))
            get()
            pass(59)
            hits("body 1")
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.2 configured instead of guessed", .may,
            "The configured lifetime takes the place of the guess from Last-Modified.", settings: everyPath
        ) {
            answers(reply("Date: {now}", "Last-Modified: {now-10000}"))
            get()
            pass(59)
            hits("body 1")
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.3 configured lifetime and Age", .must,
            "The configured lifetime counts from the generation of the response.", settings: everyPath
        ) {
            answers(reply("Date: {now-20}"))
            get()
            pass(39)
            hits("body 1")
            pass(1)
            miss("body 2")
        }
        for (name, line, end) in [
            ("max-age", "Cache-Control: max-age=5", 5), ("s-maxage", "Cache-Control: s-maxage=5", 5),
            ("Expires", "Expires: {now+5}", 5), ("Larder-Cache-Control", "Larder-Cache-Control: max-age=5", 5),
            ("long max-age", "Cache-Control: max-age=600", 600),
        ] {
            Clause(
                "RFC 9111 §4.2.1 \(name) before the configured lifetime", .mustNot,
                "A response that states a lifetime does not get the configured one.", settings: everyPath
            ) {
                answers(reply("Date: {now}", line))
                get()
                pass(end - 1)
                hits("body 1")
                pass(1)
                miss("body 2")
            }
        }
        for line in ["Cache-Control: no-store", "Cache-Control: private", "Cache-Control: no-cache", "Expires: 0"] {
            Clause(
                "RFC 9111 §3 \(line.split(separator: " ").last ?? "") with a configured lifetime", .mustNot,
                "The configuration does not make a response reusable that forbids it.", settings: everyPath
            ) {
                answers(reply(line))
                get()
                miss("body 2")
            }
        }
        for code in ["302 Found", "400 Bad", "403 No", "500 Error"] {
            Clause(
                "RFC 9110 §15.1 no configured lifetime \(code.prefix(3))", .mustNot,
                "A status code that is not heuristically cacheable gets no configured lifetime.", settings: everyPath
            ) {
                answers(reply("Date: {now}", status: code))
                get()
                miss("body 2")
            }
        }
        Clause(
            "RFC 9110 §15.1 configured lifetime 404", .may,
            "A status code that is heuristically cacheable gets the configured lifetime.", settings: everyPath
        ) {
            answers(reply("Date: {now}", status: "404 Not Found"))
            get()
            pass(59)
            hits("body 1")
        }
        Clause(
            "RFC 9111 §3.5 credentials with a configured lifetime", .mustNot,
            "The configuration does not make the response to a request with credentials one for all.",
            settings: everyPath
        ) {
            answers(reply("Date: {now}"))
            get("Authorization: Bearer a")
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.3.4 configured lifetime after a 304", .may,
            "A confirmed response gets the configured lifetime again.", settings: everyPath
        ) {
            answers(reply("Date: {now}", "ETag: \"v\""), replyHead("ETag: \"v\"", status: "304 Not Modified"))
            get()
            pass(60)
            get(expect: body("body 1"), forwarded("stale", status: 304))
            pass(59)
            hits("body 1")
        }
        for (path, time) in [("/items/1", 100), ("/it%65ms/1", 100), ("/files/a/b?c", 200)] {
            Clause(
                "RFC 9111 §4.2.2 lifetime of \(path)", .may, "The configured lifetime is that of the path.",
                settings: paths
            ) {
                answers(reply("Date: {now}"))
                get(at: path)
                pass(time - 1)
                hits("body 1", at: path)
                pass(1)
                miss("body 2", at: path)
            }
        }
        for path in ["/items/1/2", "/z"] {
            Clause(
                "RFC 9111 §4.2.2 no lifetime of \(path)", .may,
                "A path without a configured lifetime, or with none at all, is not reused.", settings: paths
            ) {
                answers(reply("Date: {now}"))
                get(at: path)
                miss("body 2", at: path)
            }
        }
    }
}
