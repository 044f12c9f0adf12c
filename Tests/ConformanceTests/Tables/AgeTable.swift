// The age of a response (RFC 9111 §4.2.3, §5.1) and guessed lifetimes (§4.2.2).

extension Tables {
    @Clauses static var age: [Clause] {
        Clause("RFC 9111 §5.1 Age of a reused answer", .must, "A reused response carries its current age in seconds.") {
            answers(reply("Cache-Control: max-age=600"))
            get()
            hits("body 1", also: has("Age", "0"))
            pass(7)
            hits("body 1", also: has("Age", "7"))
            pass(400)
            hits("body 1", also: has("Age", "407"))
        }
        Clause("RFC 9111 §4.2.3 Age from upstream", .must, "The Age value of the received response counts.") {
            answers(reply("Cache-Control: max-age=60", "Age: 50"))
            get(expect: has("Age", "50"))
            pass(9)
            hits("body 1", also: has("Age", "59"), hit(ttl: 1))
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 age from Date", .must, "The time since the Date of a response counts as age.") {
            answers(reply("Cache-Control: max-age=60", "Date: {now-50}"))
            get()
            pass(9)
            hits("body 1", also: has("Age", "59"))
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.3 Date older than Age", .must,
            "The age is the larger of the apparent age (from Date) and the Age value."
        ) {
            answers(reply("Cache-Control: max-age=600", "Age: 20", "Date: {now-50}"))
            get()
            hits("body 1", also: has("Age", "50"))
        }
        Clause(
            "RFC 9111 §4.2.3 Age older than Date", .must,
            "The age is the larger of the apparent age (from Date) and the Age value."
        ) {
            answers(reply("Cache-Control: max-age=600", "Age: 50", "Date: {now-20}"))
            get()
            hits("body 1", also: has("Age", "50"))
        }
        Clause("RFC 9111 §4.2.3 Date of a fast clock", .must, "A Date in the future means an apparent age of zero.") {
            answers(reply("Cache-Control: max-age=60", "Date: {now+3600}"))
            get()
            pass(59)
            hits("body 1", also: has("Age", "59"))
            pass(1)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.3 without Date and Age", .must,
            "Without Date and Age, the age counts from the time of receipt."
        ) {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(5)
            hits("body 1", also: has("Age", "5"))
        }
        Clause("RFC 9110 §6.6.1 unreadable Date", .may, "An unreadable Date is treated like a missing Date.") {
            answers(reply("Cache-Control: max-age=60", "Date: yesterday"))
            get()
            pass(59)
            hits("body 1", also: has("Age", "59"))
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 time on the way", .must, "The time between request and response counts as age.") {
            answers(reply("Cache-Control: max-age=60").held(at: "late"))
            start("first")
            reaches(1)
            pass(10)
            open("late")
            finish("first", body("body 1"))
            hits("body 1", also: has("Age", "10"), hit(ttl: 50))
            pass(50)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.3 time on the way beside Age", .must,
            "The time between request and response is added to the Age value."
        ) {
            answers(reply("Cache-Control: max-age=60", "Age: 20").held(at: "late"))
            start("first")
            reaches(1)
            pass(10)
            open("late")
            finish("first")
            hits("body 1", also: has("Age", "30"), hit(ttl: 30))
        }
        for value in ["-1", "abc", "1.5", "\"50\"", "50s", ""] {
            Clause("RFC 9111 §5.1 Age: \(value)", .should, "An Age value that is not a number of seconds is ignored.") {
                answers(reply("Cache-Control: max-age=60", "Age: \(value)"))
                get()
                pass(45)
                hits("body 1", also: has("Age", "45"))
                pass(15)
                miss("body 2")
            }
        }
        Clause("RFC 9111 §5.1 two lines of Age", .should, "The first of several Age values counts.") {
            answers(reply("Cache-Control: max-age=60", "Age: 10", "Age: 50"))
            get()
            pass(45)
            hits("body 1", also: has("Age", "55"))
        }
        Clause("RFC 9111 §5.1 Age as a list", .should, "The first of several Age values counts.") {
            answers(reply("Cache-Control: max-age=60", "Age: 10, 50"))
            get()
            pass(45)
            hits("body 1", also: has("Age", "55"))
        }
        for value in ["2147483648", "99999999999999999999999999"] {
            Clause(
                "RFC 9111 §1.2.2 Age: \(value)", .must,
                "An Age value that is too large to represent stands for a very large age."
            ) {
                answers(reply("Cache-Control: max-age=600", "Age: \(value)"))
                get()
                miss("body 2")
            }
        }
        Clause("RFC 9111 §4.2 age equal to the lifetime", .must, "A response whose age equals its lifetime is stale.") {
            answers(reply("Cache-Control: max-age=60", "Age: 60"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 three forms of Date", .must, "Date is parsed in all three forms.") {
            answers(
                reply("Cache-Control: max-age=600", "Date: {rfc850-50}", at: "/b"),
                reply("Cache-Control: max-age=600", "Date: {asctime-50}", at: "/c"))
            get(at: "/b")
            hits("body 1", at: "/b", also: has("Age", "50"))
            get(at: "/c")
            hits("body 1", at: "/c", also: has("Age", "50"))
        }
        Clause("RFC 9110 §6.6.1 Date of the origin is kept", .must, "A received Date is passed on unchanged.") {
            answers(reply("Cache-Control: max-age=600", "Date: {now-50}"))
            get(expect: has("Date", "Wed, 31 Dec 2025 23:59:10 GMT"))
            pass(100)
            hits("body 1", also: has("Date", "Wed, 31 Dec 2025 23:59:10 GMT"))
        }
    }

    @Clauses static var heuristics: [Clause] {
        for code in [
            "200 OK", "203 Non-Authoritative", "300 Multiple Choices", "301 Moved", "308 Moved", "404 Not Found",
            "405 No", "410 Gone", "414 URI Too Long", "501 Not Implemented",
        ] {
            Clause(
                "RFC 9111 §4.2.2 heuristic \(code.prefix(3))", .may,
                "The lifetime is guessed if the status code allows it."
            ) {
                answers(reply("Date: {now}", "Last-Modified: {now-1000}", status: code))
                get()
                pass(50)
                hits("body 1")
                pass(1000)
                miss("body 2")
            }
        }
        Clause("RFC 9111 §4.2.2 heuristic 204", .may, "The lifetime is guessed if the status code allows it.") {
            answers(replyHead("Date: {now}", "Last-Modified: {now-1000}", "X-N: {n}", status: "204 No Content"))
            get()
            pass(50)
            get(expect: status(204), has("X-N", "1"), hit())
        }
        for code in [
            "299 Unknown", "302 Found", "303 See Other", "307 Moved", "400 Bad", "401 No", "403 No", "418 Teapot",
        ] {
            Clause(
                "RFC 9111 §4.2.2 no heuristic \(code.prefix(3))", .mustNot,
                "The lifetime is not guessed for this status code."
            ) {
                answers(reply("Date: {now}", "Last-Modified: {now-1000}", status: code))
                get()
                miss("body 2")
            }
        }
        Clause(
            "RFC 9111 §4.2.2 public allows the guess", .may, "With public, the lifetime is guessed for any status code."
        ) {
            answers(
                reply("Cache-Control: public", "Date: {now}", "Last-Modified: {now-1000}", status: "302 Found"))
            get()
            pass(50)
            hits("body 1")
        }
        Clause(
            "RFC 9111 §4.2.2 a tenth", .should,
            "The guessed lifetime is at most a fraction of the time since the last modification."
        ) {
            answers(reply("Date: {now}", "Last-Modified: {now-1000}"))
            get()
            pass(99)
            hits("body 1")
            pass(2)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 a day at most", .may, "The guessed lifetime is at most one day.") {
            answers(reply("Date: {now}", "Last-Modified: {now-315360000}"))
            get()
            pass(86_000)
            hits("body 1")
            pass(401)
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.2 no guess beside max-age", .mustNot,
            "The lifetime is not guessed if the response states one."
        ) {
            answers(reply("Cache-Control: max-age=0", "Last-Modified: {now-1000000}"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.2 no guess beside s-maxage", .mustNot,
            "The lifetime is not guessed if the response states one."
        ) {
            answers(reply("Cache-Control: s-maxage=0", "Last-Modified: {now-1000000}"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.2 no guess beside Expires", .mustNot,
            "The lifetime is not guessed if the response states one."
        ) {
            answers(reply("Date: {now}", "Expires: {now-5}", "Last-Modified: {now-1000000}"))
            get()
            miss("body 2")
        }
        Clause(
            "RFC 9111 §4.2.2 change in the future", .shouldNot,
            "A Last-Modified later than the response gives no lifetime."
        ) {
            answers(reply("Date: {now}", "Last-Modified: {now+100000}"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 nothing to guess from", .shouldNot, "Without Last-Modified, no lifetime is guessed.") {
            answers(reply("Date: {now}", "ETag: \"{n}\""))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 query", .may, "A URL with a query is treated like any other URL.") {
            answers(reply("Date: {now}", "Last-Modified: {now-1000}", at: "/a?b=c"))
            get(at: "/a?b=c")
            pass(50)
            hits("body 1", at: "/a?b=c")
        }
        Clause(
            "RFC 9111 §5.5 Warning", .mustNot,
            "Larder never generates Warning, not even for old responses or guessed lifetimes."
        ) {
            answers(reply("Date: {now}", "Last-Modified: {now-8640000}"))
            get()
            pass(86_390)
            hits("body 1", also: lacks("Warning"))
        }
    }
}
