// How old an answer is (RFC 9111 §4.2.3, §5.1), and guessed freshness (§4.2.2).

extension Tables {
    @Clauses static var age: [Clause] {
        Clause("RFC 9111 §5.1 Age of a reused answer", .must, "A reused answer carries its current age in seconds.") {
            answers(reply("Cache-Control: max-age=600"))
            get()
            hits("body 1", also: has("Age", "0"))
            pass(7)
            hits("body 1", also: has("Age", "7"))
            pass(400)
            hits("body 1", also: has("Age", "407"))
        }
        Clause("RFC 9111 §4.2.3 Age from upstream", .must, "The age it came with counts.") {
            answers(reply("Cache-Control: max-age=60", "Age: 50"))
            get(expect: has("Age", "50"))
            pass(9)
            hits("body 1", also: has("Age", "59"), hit(ttl: 1))
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 age from Date", .must, "The time since its Date counts as age.") {
            answers(reply("Cache-Control: max-age=60", "Date: {now-50}"))
            get()
            pass(9)
            hits("body 1", also: has("Age", "59"))
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 Date older than Age", .must, "The larger of apparent and told age counts.") {
            answers(reply("Cache-Control: max-age=600", "Age: 20", "Date: {now-50}"))
            get()
            hits("body 1", also: has("Age", "50"))
        }
        Clause("RFC 9111 §4.2.3 Age older than Date", .must, "The larger of apparent and told age counts.") {
            answers(reply("Cache-Control: max-age=600", "Age: 50", "Date: {now-20}"))
            get()
            hits("body 1", also: has("Age", "50"))
        }
        Clause("RFC 9111 §4.2.3 Date of a fast clock", .must, "A Date of the future is an apparent age of zero.") {
            answers(reply("Cache-Control: max-age=60", "Date: {now+3600}"))
            get()
            pass(59)
            hits("body 1", also: has("Age", "59"))
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 without Date and Age", .must, "Without Date and Age the age counts from arrival.") {
            answers(reply("Cache-Control: max-age=60"))
            get()
            pass(5)
            hits("body 1", also: has("Age", "5"))
        }
        Clause("RFC 9110 §6.6.1 unreadable Date", .may, "An unreadable Date is as if the answer came without one.") {
            answers(reply("Cache-Control: max-age=60", "Date: yesterday"))
            get()
            pass(59)
            hits("body 1", also: has("Age", "59"))
            pass(1)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 time on the way", .must, "The time between request and answer counts as age.") {
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
        Clause("RFC 9111 §4.2.3 time on the way beside Age", .must, "The time on the way is added to the told age.") {
            answers(reply("Cache-Control: max-age=60", "Age: 20").held(at: "late"))
            start("first")
            reaches(1)
            pass(10)
            open("late")
            finish("first")
            hits("body 1", also: has("Age", "30"), hit(ttl: 30))
        }
        for value in ["-1", "abc", "1.5", "\"50\"", "50s", ""] {
            Clause("RFC 9111 §5.1 Age: \(value)", .should, "An Age that is no number of seconds is ignored.") {
                answers(reply("Cache-Control: max-age=60", "Age: \(value)"))
                get()
                pass(45)
                hits("body 1", also: has("Age", "45"))
                pass(15)
                miss("body 2")
            }
        }
        Clause("RFC 9111 §5.1 two lines of Age", .should, "Of several ages the first counts.") {
            answers(reply("Cache-Control: max-age=60", "Age: 10", "Age: 50"))
            get()
            pass(45)
            hits("body 1", also: has("Age", "55"))
        }
        Clause("RFC 9111 §5.1 Age as a list", .should, "Of several ages the first counts.") {
            answers(reply("Cache-Control: max-age=60", "Age: 10, 50"))
            get()
            pass(45)
            hits("body 1", also: has("Age", "55"))
        }
        for value in ["2147483648", "99999999999999999999999999"] {
            Clause("RFC 9111 §1.2.2 Age: \(value)", .must, "Too large an age is a very large one.") {
                answers(reply("Cache-Control: max-age=600", "Age: \(value)"))
                get()
                miss("body 2")
            }
        }
        Clause("RFC 9111 §4.2 age equal to the lifetime", .must, "An answer as old as its lifetime is stale.") {
            answers(reply("Cache-Control: max-age=60", "Age: 60"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.3 three forms of Date", .must, "Date is read in all three forms.") {
            answers(
                reply("Cache-Control: max-age=600", "Date: {rfc850-50}", at: "/b"),
                reply("Cache-Control: max-age=600", "Date: {asctime-50}", at: "/c"))
            get(at: "/b")
            hits("body 1", at: "/b", also: has("Age", "50"))
            get(at: "/c")
            hits("body 1", at: "/c", also: has("Age", "50"))
        }
        Clause("RFC 9110 §6.6.1 Date of the origin is kept", .must, "A Date that came is passed on and not made anew.")
        {
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
                "Freshness may be guessed where the status allows it."
            ) {
                answers(reply("Date: {now}", "Last-Modified: {now-1000}", status: code))
                get()
                pass(50)
                hits("body 1")
                pass(1000)
                miss("body 2")
            }
        }
        Clause("RFC 9111 §4.2.2 heuristic 204", .may, "Freshness may be guessed where the status allows it.") {
            answers(replyHead("Date: {now}", "Last-Modified: {now-1000}", "X-N: {n}", status: "204 No Content"))
            get()
            pass(50)
            get(expect: status(204), has("X-N", "1"), hit())
        }
        for code in [
            "299 Unknown", "302 Found", "303 See Other", "307 Moved", "400 Bad", "401 No", "403 No", "418 Teapot",
        ] {
            Clause(
                "RFC 9111 §4.2.2 no heuristic \(code.prefix(3))", .mustNot, "Freshness of this status is not guessed."
            ) {
                answers(reply("Date: {now}", "Last-Modified: {now-1000}", status: code))
                get()
                miss("body 2")
            }
        }
        Clause("RFC 9111 §4.2.2 public allows the guess", .may, "With public, freshness of any status may be guessed.")
        {
            answers(
                reply("Cache-Control: public", "Date: {now}", "Last-Modified: {now-1000}", status: "302 Found"))
            get()
            pass(50)
            hits("body 1")
        }
        Clause("RFC 9111 §4.2.2 a tenth", .should, "The guess is at most a fraction of the time since the last change.")
        {
            answers(reply("Date: {now}", "Last-Modified: {now-1000}"))
            get()
            pass(99)
            hits("body 1")
            pass(2)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 a day at most", .may, "The guess has a bound: a day.") {
            answers(reply("Date: {now}", "Last-Modified: {now-315360000}"))
            get()
            pass(86_000)
            hits("body 1")
            pass(401)
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 no guess beside max-age", .mustNot, "Nothing is guessed where the answer says it.") {
            answers(reply("Cache-Control: max-age=0", "Last-Modified: {now-1000000}"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 no guess beside s-maxage", .mustNot, "Nothing is guessed where the answer says it.") {
            answers(reply("Cache-Control: s-maxage=0", "Last-Modified: {now-1000000}"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 no guess beside Expires", .mustNot, "Nothing is guessed where the answer says it.") {
            answers(reply("Date: {now}", "Expires: {now-5}", "Last-Modified: {now-1000000}"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 change in the future", .shouldNot, "A change later than the answer gives no freshness.")
        {
            answers(reply("Date: {now}", "Last-Modified: {now+100000}"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 nothing to guess from", .shouldNot, "Without a last change nothing is guessed.") {
            answers(reply("Date: {now}", "ETag: \"{n}\""))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.2.2 query", .may, "An address with a query is treated like any other.") {
            answers(reply("Date: {now}", "Last-Modified: {now-1000}", at: "/a?b=c"))
            get(at: "/a?b=c")
            pass(50)
            hits("body 1", at: "/a?b=c")
        }
        Clause("RFC 9111 §5.5 Warning", .mustNot, "No Warning is made, also not for old or guessed answers.") {
            answers(reply("Date: {now}", "Last-Modified: {now-8640000}"))
            get()
            pass(86_390)
            hits("body 1", also: lacks("Warning"))
        }
    }
}
