// Which stored response a request selects (RFC 9111 §4.1).

extension Tables {
    @Clauses static var vary: [Clause] {
        Clause(
            "RFC 9111 §4.1 other value", .mustNot,
            "A stored response is not used if a field named by Vary has another value."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who", body: "{n} for {got:X-Who}"))
            get("X-Who: anna", expect: body("1 for anna"))
            get("X-Who: bert", expect: body("2 for bert"), forwarded("vary-miss", status: 200, stored: true))
            hits("1 for anna", "X-Who: anna")
            hits("2 for bert", "X-Who: bert")
            saw(2)
        }
        Clause(
            "RFC 9111 §4.1 absent and present", .mustNot,
            "A field that is absent in one request matches only if it is absent in the other too."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who", body: "{n} for {got:X-Who}"))
            get(expect: body("1 for "))
            get("X-Who: anna", expect: body("2 for anna"))
            get("X-Who:", expect: body("3 for "), forwarded("vary-miss"))
            hits("1 for ")
        }
        Clause("RFC 9111 §4.1 both absent", .may, "A field that is absent in both requests matches.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get()
            hits("body 1")
        }
        Clause("RFC 9111 §4.1 star", .mustNot, "A response with Vary: * is not reused.") {
            answers(reply("Cache-Control: max-age=60", "Vary: *"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.1 star among names", .mustNot, "A response with Vary: * is not reused.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who, *"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.1 star in a second line", .mustNot, "A response with Vary: * is not reused.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who", "Vary: *"))
            get()
            miss("body 2")
        }
        Clause("RFC 9111 §4.1 several names", .mustNot, "All fields named by Vary must match.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who,\tX-Where ,, x-when", body: "{n}"))
            get("X-Who: a", "X-Where: b", "X-When: c", expect: body("1"))
            get("X-Who: a", "X-Where: b", "X-When: d", expect: body("2"))
            get("X-Who: a", "X-Where: d", "X-When: c", expect: body("3"))
            get("X-Who: d", "X-Where: b", "X-When: c", expect: body("4"))
            hits("1", "X-When: c", "X-Where: b", "X-Who: a")
        }
        Clause("RFC 9111 §4.1 several lines of Vary", .mustNot, "All fields named by Vary must match.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who", "Vary: X-Where", body: "{n}"))
            get("X-Who: a", "X-Where: b", expect: body("1"))
            get("X-Who: a", "X-Where: c", expect: body("2"))
            get("X-Who: c", "X-Where: b", expect: body("3"))
            hits("1", "X-Who: a", "X-Where: b")
        }
        Clause("RFC 9111 §4.1 case of names", .must, "Field names in Vary are not case-sensitive.") {
            answers(reply("Cache-Control: max-age=60", "vary: x-WHO", body: "{n}"))
            get("X-Who: a", expect: body("1"))
            get("x-who: b", expect: body("2"))
            hits("1", "X-WHO: a")
        }
        Clause("RFC 9111 §4.1 white space of values", .may, "White space around list members is ignored.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a, b")
            hits("body 1", "X-Who:  a ,b ")
        }
        Clause("RFC 9111 §4.1 lines of values", .may, "Several lines match one line with the same members.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a, b")
            hits("body 1", "X-Who: a", "X-Who: b")
        }
        Clause(
            "RFC 9111 §4.1 order of values", .mustNot,
            "Values in another order do not match if the order may matter."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who, Accept-Language"))
            get("X-Who: a, b", "Accept-Language: de, en")
            miss("body 2", "X-Who: b, a", "Accept-Language: de, en")
            miss("body 3", "X-Who: a, b", "Accept-Language: en, de")
        }
        Clause("RFC 9111 §4.1 case of values", .mustNot, "Values in another case do not match if case may matter.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a")
            miss("body 2", "X-Who: A")
        }
        Clause("RFC 9111 §4.1 case of languages", .may, "Languages are not case-sensitive.") {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept-Language"))
            get("Accept-Language: de-AT, en;q=0.5")
            hits("body 1", "Accept-Language: DE-at,EN;q=0.5")
        }
        Clause("RFC 9110 §12.5.4 weights order languages", .may, "Languages are ordered by weight, not by position.") {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept-Language"))
            get("Accept-Language: de, en;q=0.5, fr;q=0.8")
            hits("body 1", "Accept-Language: de;q=1.0, fr; q=0.80 ,en ;Q=0.5")
            hits("body 1", "Accept-Language: en;q=0.500", "Accept-Language: fr;q=0.8, de;q=1")
        }
        Clause("RFC 9110 §12.5.4 other weights", .mustNot, "Languages with other weights do not match.") {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept-Language"))
            get("Accept-Language: de, en;q=0.5")
            miss("body 2", "Accept-Language: de, en;q=0.6")
            miss("body 3", "Accept-Language: de;q=0.5, en")
            miss("body 4", "Accept-Language: de, en;q=0")
            miss("body 5", "Accept-Language: de")
        }
        Clause(
            "RFC 9110 §12.5.4 equal weights", .mustNot, "Languages of equal weight match only in the same order."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept-Language"))
            get("Accept-Language: de;q=0.5, en;q=0.5")
            miss("body 2", "Accept-Language: en;q=0.5, de;q=0.5")
        }
        Clause("RFC 9110 §12.5.1 media types", .may, "Media types are compared by meaning, not by spelling.") {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept"))
            get("Accept: text/html, application/json;q=0.9, */*;q=0.1")
            hits("body 1", "Accept: */*;q=0.1,Application/JSON; q=0.900, TEXT/html")
            miss("body 2", "Accept: text/html;level=1, application/json;q=0.9, */*;q=0.1")
        }
        Clause(
            "RFC 9110 §12.5.1 parameters of media types", .mustNot,
            "The value of a media type parameter is compared with case."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept"))
            get("Accept: text/a;profile=One")
            hits("body 1", "Accept: text/a ; Profile=One")
            miss("body 2", "Accept: text/a;profile=one")
        }
        Clause("RFC 9110 §12.4.2 no weight", .mustNot, "An invalid weight is compared as it is spelled.") {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept-Language"))
            get("Accept-Language: de;q=2, en;q=0.5")
            miss("body 2", "Accept-Language: en;q=0.5, de;q=2")
        }
        Clause("RFC 9111 §4.1 quoted comma", .mustNot, "A comma in a quoted string does not separate members.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: \"a, b\"")
            miss("body 2", "X-Who: \"a\", \"b\"")
            miss("body 3", "X-Who: \"a,b\"")
        }
        Clause(
            "RFC 9111 §4.1 codings", .mustNot,
            "A coded response is not used for a client that does not accept the coding."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: Accept-Encoding", body: "{n} {got:Accept-Encoding}"))
            get("Accept-Encoding: gzip, br", expect: body("1 gzip"))
            get("Accept-Encoding: identity", expect: body("2 identity"))
            hits("1 gzip", "Accept-Encoding: gzip")
            hits("2 identity", "Accept-Encoding: identity")
        }
        Clause("RFC 9111 §4.1 unnamed fields", .may, "A field that Vary does not name does not matter.") {
            answers(reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Who: a", "User-Agent: one", "Accept-Language: de", "X-Other: 1")
            hits("body 1", "X-Who: a", "User-Agent: two", "X-Other: 2")
        }
        Clause(
            "RFC 9111 §4.1 user agents", .mustNot,
            "A stored response is not used if a field named by Vary has another value."
        ) {
            answers(reply("Cache-Control: max-age=60", "Vary: User-Agent"))
            get("User-Agent: one")
            miss("body 2", "User-Agent: two")
            miss("body 3")
            hits("body 1", "User-Agent: one")
        }
        Clause("RFC 9111 §4 most recent of several", .must, "The most recent of several matching responses is used.") {
            answers(
                reply("Cache-Control: max-age=600", "Vary: X-Who"), reply("Cache-Control: max-age=600", "Vary: X-Where")
            )
            get("X-Who: a", "X-Where: b", expect: body("body 1"))
            pass(5)
            get("X-Who: c", "X-Where: b", expect: body("body 2"))
            get("X-Who: a", "X-Where: b", expect: body("body 2"), hit())
        }
        Clause(
            "RFC 9111 §4 most recent by Date", .must,
            "Of several matching responses, the one with the latest Date is used, not the one received last."
        ) {
            answers(
                reply("Cache-Control: max-age=600", "Date: {now}", "Vary: X-Who"),
                reply("Cache-Control: max-age=600", "Date: {now-300}", "Vary: X-Where"))
            get("X-Who: a", expect: body("body 1"))
            get("X-Who: c", "X-Where: b", expect: body("body 2"))
            get("X-Who: a", "X-Where: b", expect: body("body 1"), hit())
            get("X-Who: d", "X-Where: b", expect: body("body 2"), hit())
            get("X-Who: a", expect: body("body 1"), hit())
            saw(2)
        }
        Clause(
            "RFC 9111 §4 most recent that can be used", .must,
            "A fresh matching response is used, although a stale one has a later Date."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "Date: {now}", "Vary: X-Who"),
                reply("Cache-Control: max-age=6000", "Date: {now-900}", "Vary: X-Where"))
            get("X-Who: a", expect: body("body 1"))
            pass(60)
            get("X-Who: a", "X-Where: b", expect: body("body 2"))
            get("X-Who: a", "X-Where: b", expect: body("body 2"), hit())
            saw(2)
        }
        Clause(
            "RFC 9111 §4 stale newer response", .should,
            "A fresh matching response that was received before a stale one does not come back; the stale one is validated."
        ) {
            answers(
                reply("Cache-Control: max-age=6000", "Vary: X-Where"),
                reply("Cache-Control: max-age=60", "Vary: X-Who"))
            get("X-Where: b", expect: body("body 1"))
            pass(10)
            get("X-Who: a", expect: body("body 2"))
            pass(10)
            get("X-Who: a", "X-Where: b", expect: body("body 2"), hit())
            pass(60)
            get("X-Who: a", "X-Where: b", expect: body("body 3"), forwarded("stale"))
        }
        Clause("RFC 9111 §4.1 Vary that comes later", .mustNot, "The Vary of the newest response counts.") {
            answers(
                reply("Cache-Control: max-age=60"),
                reply("Cache-Control: max-age=60", "Vary: X-Who", body: "{n} for {got:X-Who}"))
            get("X-Who: anna", expect: body("body 1"))
            pass(60)
            get("X-Who: anna", expect: body("2 for anna"))
            get("X-Who: bert", expect: body("3 for bert"), forwarded())
            hits("2 for anna", "X-Who: anna")
        }
        Clause("RFC 9111 §4.1 one variant is stale", .mustNot, "Each variant has its own lifetime.") {
            answers(
                reply("Cache-Control: max-age=10", "Vary: X-Who"), reply("Cache-Control: max-age=600", "Vary: X-Who"))
            get("X-Who: a")
            get("X-Who: b")
            pass(10)
            hits("body 2", "X-Who: b")
            miss("body 3", "X-Who: a")
        }
        Clause(
            "RFC 9111 §4.1 number of variants", .may,
            "A limited number of variants is stored for each URL: the newest."
        ) {
            answers(reply("Cache-Control: max-age=600", "Vary: X-Who", body: "{n} {got:X-Who}"))
            for number in 1...40 {
                get("X-Who: \(number)", expect: body("\(number) \(number)"))
                pass(1)
            }
            hits("40 40", "X-Who: 40")
            hits("20 20", "X-Who: 20")
            get("X-Who: 1", expect: body("41 1"), forwarded("vary-miss"))
        }
    }

    @Clauses static var heads: [Clause] {
        Clause(
            "RFC 9111 §4 HEAD from a stored GET", .may,
            "A stored GET response answers HEAD, without the body."
        ) {
            answers(reply("Cache-Control: max-age=60", "X-Kind: any"))
            get()
            head(
                expect: status(200), has("Content-Length", "6"), has("X-Kind", "any"), body(""), hit(), has("Age", "0"))
            head(expect: status(200), has("Content-Length", "6"), body(""), hit())
            saw(1)
        }
        Clause("RFC 9111 §4 HEAD on a miss", .must, "A HEAD that the store cannot answer is forwarded.") {
            answers(replyHead("Cache-Control: max-age=60", "Content-Length: 1000"), reply("Cache-Control: max-age=60"))
            head(expect: status(200), has("Content-Length", "1000"), body(""), forwarded("uri-miss", stored: false))
            received(1, startLine("HEAD /a HTTP/1.1"))
        }
        Clause("RFC 9111 §4 HEAD is no answer to GET", .mustNot, "A HEAD response is not used for GET.") {
            answers(replyHead("Cache-Control: max-age=60", "Content-Length: 6"), reply("Cache-Control: max-age=60"))
            head()
            miss("body 2")
            hits("body 2")
        }
        Clause(
            "RFC 9111 §4.3.5 HEAD confirms", .should,
            "A HEAD response with the same validators and length updates the stored GET response."
        ) {
            answers(
                reply("Cache-Control: max-age=60", "ETag: \"a\"", "X-New: old"),
                replyHead("Cache-Control: max-age=100", "ETag: \"a\"", "X-New: new", "Content-Length: 6"))
            get()
            pass(61)
            head(expect: status(200), forwarded("stale", status: 200))
            received(2, startLine("HEAD /a HTTP/1.1"))
            pass(99)
            hits("body 1", also: has("X-New", "new"), has("Age", "99"))
            saw(2)
        }
        for line in ["Authorization: Bearer x", "Cookie: a=b", "Cache-Control: no-store"] {
            let field = line.prefix { $0 != ":" }
            Clause(
                "RFC 9111 §\(field == "Cache-Control" ? "5.2.1.5" : "3.5") HEAD with \(field)", .mustNot,
                "A HEAD response for one client only is not stored for others."
            ) {
                answers(
                    reply("Cache-Control: public, max-age=60", "ETag: \"a\""),
                    replyHead("Cache-Control: max-age=600", "ETag: \"a\"", "X-User: me", "Content-Length: 6"),
                    reply("Cache-Control: public, max-age=60"))
                get()
                pass(60)
                head(line, expect: status(200), has("X-User", "me"))
                get(expect: body("body 3"), forwarded("stale"), lacks("X-User"))
            }
        }
        Clause(
            "RFC 9111 §4.3.5 HEAD with another tag", .should,
            "A HEAD response with another validator makes the stored GET response stale."
        ) {
            answers(
                reply("Cache-Control: max-age=600", "ETag: \"a\""),
                replyHead("Cache-Control: max-age=600", "ETag: \"b\"", "Content-Length: 6"),
                reply("Cache-Control: max-age=600", "ETag: \"b\""))
            get()
            head("Cache-Control: no-cache")
            miss("body 3")
        }
        Clause(
            "RFC 9111 §4.3.5 HEAD with another length", .should,
            "A HEAD response with another length makes the stored GET response stale."
        ) {
            answers(
                reply("Cache-Control: max-age=600", "ETag: \"a\""),
                replyHead("Cache-Control: max-age=600", "ETag: \"a\"", "Content-Length: 7"),
                reply("Cache-Control: max-age=600", "ETag: \"a\""))
            get()
            head("Cache-Control: no-cache")
            miss("body 3")
        }
        Clause(
            "RFC 9111 §4.3.5 HEAD with another date", .should,
            "A HEAD response with another validator makes the stored GET response stale."
        ) {
            answers(
                reply("Cache-Control: max-age=600", "Last-Modified: {now-100}"),
                replyHead("Cache-Control: max-age=600", "Last-Modified: {now-50}", "Content-Length: 6"),
                reply("Cache-Control: max-age=600"))
            get()
            head("Cache-Control: no-cache")
            miss("body 3")
        }
        Clause(
            "RFC 9111 §4.3.5 HEAD that fails", .shouldNot,
            "A HEAD response other than 200 does not change the stored GET response."
        ) {
            answers(
                reply("Cache-Control: max-age=600", "ETag: \"a\""),
                replyHead("Content-Length: 0", status: "404 Not Found"))
            get()
            head("Cache-Control: no-cache", expect: status(404))
            hits("body 1")
        }
    }
}
