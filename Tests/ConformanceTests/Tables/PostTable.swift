// POST responses that are stored for GET, and groups of responses that one change invalidates.

extension Tables {
    @Clauses static var posts: [Clause] {
        Clause(
            "RFC 9110 §9.3.3 stored for GET", .may,
            "A POST response with a lifetime and its own URL in Content-Location answers a later GET."
        ) {
            answers(reply("Cache-Control: max-age=600", "Content-Location: /a"))
            send("POST", body: "x", expect: body("body 1"), forwarded("method", status: 200, stored: true))
            hits("body 1")
            saw(1)
        }
        Clause("RFC 9110 §9.3.3 HEAD", .may, "A stored POST response answers a later HEAD.") {
            answers(reply("Cache-Control: max-age=600", "Content-Location: {origin}/a"))
            send("POST", body: "x")
            head(expect: status(200), hit())
            saw(1)
        }
        Clause("RFC 9110 §9.3.3 POST again", .mustNot, "A stored POST response does not answer a later POST.") {
            answers(reply("Cache-Control: max-age=600", "Content-Location: /a"))
            send("POST", body: "x", expect: body("body 1"))
            send("POST", body: "x", expect: body("body 2"))
            hits("body 2")
        }
        Clause("RFC 9110 §9.3.3 older answer", .must, "A POST response replaces the response stored before.") {
            answers(
                reply("Cache-Control: max-age=600"), reply("Cache-Control: max-age=600", "Content-Location: /a"))
            get()
            hits("body 1")
            send("POST", body: "x", expect: body("body 2"))
            hits("body 2")
        }
        Clause(
            "RFC 9110 §9.3.3 no Content-Location", .mustNot, "A POST response without Content-Location is not stored."
        ) {
            answers(reply("Cache-Control: max-age=600"))
            send("POST", body: "x")
            miss("body 2")
        }
        Clause(
            "RFC 9110 §9.3.3 other Content-Location", .mustNot,
            "A POST response with another URL in Content-Location is not stored for this URL."
        ) {
            answers(reply("Cache-Control: max-age=600", "Content-Location: /b"))
            send("POST", body: "x")
            miss("body 2")
            miss("body 1", at: "/b")
        }
        Clause(
            "RFC 9110 §9.3.3 no explicit lifetime", .mustNot,
            "A POST response without an explicit lifetime is not stored."
        ) {
            answers(reply("Last-Modified: {now-100000}", "Content-Location: /a"))
            send("POST", body: "x")
            miss("body 2")
        }
        for line in ["Cache-Control: max-age=600, private", "Cache-Control: max-age=600, no-store"] {
            Clause(
                "RFC 9110 §9.3.3 \(line)", .mustNot,
                "A POST response is not stored if a GET response with these fields would not be."
            ) {
                answers(reply(line, "Content-Location: /a"))
                send("POST", body: "x")
                miss("body 2")
            }
        }
        Clause(
            "RFC 9110 §9.3.3 Authorization", .mustNot,
            "The response to a request with credentials is not given to other clients."
        ) {
            answers(reply("Cache-Control: max-age=600", "Content-Location: /a"))
            send("POST", "Authorization: Basic eA==", body: "x")
            miss("body 2")
        }
    }

    @Clauses static var groups: [Clause] {
        Clause(
            "RFC 9875 §3 invalidation", .may,
            "A response to an unsafe request invalidates the stored responses of the groups that it names."
        ) {
            answers(reply("Cache-Control: max-age=600", #"Cache-Groups: "a", "b""#, at: "/1"))
            answers(reply("Cache-Control: max-age=600", #"Cache-Groups: "b""#, at: "/2"))
            answers(reply("Cache-Control: max-age=600", #"Cache-Groups: "c""#, at: "/3"))
            answers(reply(#"Cache-Group-Invalidation: "a", "x""#, at: "/p"))
            get(at: "/1")
            get(at: "/2")
            get(at: "/3")
            hits("body 1", at: "/1")
            send("POST", at: "/p", body: "x")
            miss("body 2", at: "/1")
            hits("body 1", at: "/2")
            hits("body 1", at: "/3")
            hits("body 2", at: "/1")
        }
        Clause("RFC 9875 §3 variants", .may, "All variants in the group are invalidated.") {
            answers(reply("Cache-Control: max-age=600", "Vary: X-Who", #"Cache-Groups: "a""#, at: "/1"))
            answers(reply(#"Cache-Group-Invalidation: "a""#, at: "/p"))
            get("X-Who: a", at: "/1")
            get("X-Who: b", at: "/1")
            send("POST", at: "/p", body: "x")
            miss("body 3", "X-Who: a", at: "/1")
            miss("body 4", "X-Who: b", at: "/1")
        }
        for method in ["GET", "OPTIONS"] {
            Clause(
                "RFC 9875 §3 \(method)", .must, "Cache-Group-Invalidation in a response to a safe method is ignored."
            ) {
                answers(reply("Cache-Control: max-age=600", #"Cache-Groups: "a""#, at: "/1"))
                answers(reply(#"Cache-Group-Invalidation: "a""#, at: "/p"))
                get(at: "/1")
                send(method, at: "/p")
                hits("body 1", at: "/1")
            }
        }
        Clause("RFC 9875 §2 opaque", .must, "Group names are compared byte for byte, and their parameters are ignored.")
        {
            answers(reply("Cache-Control: max-age=600", #"Cache-Groups: "a";x=1"#, at: "/1"))
            answers(reply("Cache-Control: max-age=600", #"Cache-Groups: "A""#, at: "/2"))
            answers(reply(#"Cache-Group-Invalidation: "a";y"#, at: "/p"))
            get(at: "/1")
            get(at: "/2")
            send("POST", at: "/p", body: "x")
            hits("body 1", at: "/2")
            miss("body 2", at: "/1")
        }
        for (what, news) in [
            (
                "HEAD",
                replyHead(
                    "Cache-Control: max-age=600", #"ETag: "v""#, #"Cache-Groups: "b""#, "Content-Length: 6", at: "/1")
            ),
            ("304", notModified("Cache-Control: max-age=600", #"ETag: "v""#, #"Cache-Groups: "b""#, at: "/1")),
        ] {
            Clause(
                "RFC 9875 §2 other groups by \(what)", .must,
                "A response belongs to the groups that its newest fields name."
            ) {
                answers(reply("Cache-Control: max-age=10", #"ETag: "v""#, #"Cache-Groups: "a""#, at: "/1"))
                answers(reply(#"Cache-Group-Invalidation: "b""#, at: "/p"))
                get(at: "/1")
                pass(20)
                answers(news)
                what == "HEAD" ? head(at: "/1") : get(at: "/1")
                answers(reply("Cache-Control: max-age=600", at: "/1"))
                send("POST", at: "/p", body: "x")
                get(at: "/1", expect: status(200), forwarded())
            }
        }
        Clause(
            "RFC 9875 §3 change during a fetch", .should,
            "A response requested before the invalidation is not used after it."
        ) {
            answers(reply("Cache-Control: max-age=600", #"Cache-Groups: "a""#, at: "/1").held(at: "late"))
            answers(reply(#"Cache-Group-Invalidation: "a""#, at: "/p"))
            start("slow", at: "/1")
            reaches(1, at: "/1")
            send("POST", at: "/p", body: "x")
            open("late")
            finish("slow", body("body 1"))
            answers(reply("Cache-Control: max-age=600", at: "/1"))
            miss("body 2", at: "/1")
        }
    }
}
