// Partial responses (RFC 9111 §3.3, §3.4, RFC 9110 §14): which are stored, and which requests they answer.

extension Tables {
    private static let kept = "Cache-Control: max-age=600"
    private static let tag = #"ETag: "v""#
    private static let digits = "0123456789"
    private static let ranged = "206 Partial Content"

    /// A part of the ten digits. Each digit equals its own position.
    private static func part(
        _ first: Int, _ last: Int, _ lines: [String] = [kept, tag], place: String? = nil, text: String? = nil
    ) -> Answer {
        let text = text ?? String(Array(digits)[first...last])
        let head = ["HTTP/1.1 \(ranged)"] + lines + ["Content-Range: \(place ?? "bytes \(first)-\(last)/10")"]
        return Answer(
            path: nil,
            parts: [.text(head.joined(separator: "\r\n") + "\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")])
    }

    /// The last four of the ten digits, sent as these chunks.
    private static func chunkedPart(_ chunks: String) -> Answer {
        say(
            .text(
                "HTTP/1.1 \(ranged)\r\n\(kept)\r\n\(tag)\r\nContent-Range: bytes 6-9/10\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n\(chunks)"))
    }

    /// A request for a range, and the checks of its response.
    private static func range(_ range: String, _ text: String, _ place: String, _ checks: Check...) -> Step {
        .exchange(
            ask("GET", "/a", ["Range: bytes=\(range)"]),
            [status(206), body(text), has("Content-Range", "bytes \(place)/10")] + checks)
    }

    @Clauses static var parts: [Clause] {
        storedParts
        combinedParts
        loneParts
        refusedParts
        partConditions
        partsAndOthers
        partsUnfit
    }

    @Clauses private static var storedParts: [Clause] {
        Clause("RFC 9111 §3.3 part", .may, "A stored part with a strong validator answers the same range again.") {
            answers(part(6, 9))
            range("-4", "6789", "6-9", forwarded("uri-miss", status: 206, stored: true))
            received(1, has("Range", "bytes=-4"), lacks("If-Range"))
            range("-4", "6789", "6-9", hit())
            range("6-", "6789", "6-9", hit(), has("ETag", #""v""#))
            saw(1)
        }
        Clause("RFC 9111 §3.3 part within", .may, "A stored part answers every range within it.") {
            answers(part(4, 9))
            range("-6", "456789", "4-9")
            range("6-8", "678", "6-8", hit())
            range("7-", "789", "7-9", hit())
            range("-1", "9", "9-9", hit())
            range("5-500", "56789", "5-9", hit())
            saw(1)
        }
        Clause(
            "RFC 9111 §3.3 part and no range", .mustNot,
            "A stored part does not answer a request for the whole representation."
        ) {
            answers(part(6, 9), reply(kept, tag, body: digits))
            range("-4", "6789", "6-9")
            miss(digits, also: status(200), lacks("Content-Range"))
        }
        Clause("RFC 9111 §3.3 part and HEAD", .mustNot, "A stored part does not answer HEAD.") {
            answers(part(6, 9), replyHead(kept, tag, "Content-Length: 10"))
            range("-4", "6789", "6-9")
            head(expect: status(200), forwarded())
            saw(2)
        }
        Clause("RFC 9110 §14.6 several", .may, "Stored parts answer several ranges in one request.") {
            answers(part(4, 9, [kept, tag, "Content-Type: text/plain"]))
            range("-6", "456789", "4-9")
            get(
                "Range: bytes=4-5, 8-9", expect: status(206), hit(),
                contains("Content-Type", "multipart/byteranges; boundary="))
            saw(1)
        }
        Clause("RFC 9111 §4.2 stale part", .must, "A stale part is validated before it is used.") {
            answers(part(6, 9), notModified(kept, tag))
            range("-4", "6789", "6-9")
            pass(700)
            range("7-8", "78", "7-8", forwarded("stale", status: 304))
            received(2, has("If-None-Match", #""v""#))
            range("7-8", "78", "7-8", hit())
            saw(2)
        }
        Clause("RFC 9111 §4.3.3 stale part changed", .must, "A newer part replaces the stale one.") {
            answers(part(6, 9), part(6, 7, [kept, #"ETag: "w""#], text: "GH"))
            range("-4", "6789", "6-9")
            pass(700)
            range("6-7", "GH", "6-7", forwarded("stale", status: 206))
            range("6-7", "GH", "6-7", hit(), has("ETag", #""w""#))
        }
    }

    @Clauses private static var combinedParts: [Clause] {
        Clause("RFC 9111 §3.4 what lacks", .may, "Only the missing bytes of a partly stored range are requested.") {
            answers(part(6, 9), part(2, 5))
            range("-4", "6789", "6-9")
            range("2-", "23456789", "2-9", forwarded("partial", status: 206, stored: true))
            received(2, has("Range", "bytes=2-5"), has("If-Range", #""v""#))
            range("3-8", "345678", "3-8", hit())
            saw(2)
        }
        Clause("RFC 9111 §3.4 between", .may, "Missing bytes may lie between stored parts or on either side of one.") {
            answers(part(6, 9), part(2, 3), part(4, 5), part(1, 1))
            range("-4", "6789", "6-9")
            range("2-3", "23", "2-3")
            range("2-8", "2345678", "2-8")
            received(3, has("Range", "bytes=4-5"))
            range("1-9", "123456789", "1-9")
        }
        Clause("RFC 9111 §3.4 all", .may, "Parts that cover the whole representation answer a request for it.") {
            answers(part(6, 9), part(0, 5))
            range("-4", "6789", "6-9")
            range("0-5", "012345", "0-5")
            hits(digits, also: status(200), lacks("Content-Range"))
            head(expect: status(200), hit(), has("Content-Length", "10"))
            saw(2)
        }
        Clause("RFC 9111 §3.4 completed", .may, "If parts are stored, only the missing bytes are requested.") {
            answers(part(5, 9), part(0, 4))
            range("-5", "56789", "5-9")
            get(expect: status(200), body(digits), lacks("Content-Range"))
            received(2, has("Range", "bytes=0-4"), has("If-Range", #""v""#))
            hits(digits)
        }
        Clause("RFC 9110 §15.3.7 fewer fields", .must, "A part fetched with If-Range is sent with the stored fields.") {
            answers(part(6, 9, [kept, tag, "Content-Type: text/x", "A: 1"]), part(2, 5, [kept, tag, "A: 2"]))
            range("-4", "6789", "6-9")
            range("2-", "23456789", "2-9", has("Content-Type", "text/x"), has("A", "2"))
        }
        Clause("RFC 9112 §7.1 chunked part", .may, "A chunked part, whose length only Content-Range states, is stored.")
        {
            answers(chunkedPart("4\r\n6789\r\n0\r\n\r\n"))
            range("-4", "6789", "6-9")
            range("7-8", "78", "7-8", hit())
            saw(1)
        }
        Clause("RFC 9110 §14.4 longer part", .mustNot, "A part longer than its Content-Range says is not stored.") {
            answers(chunkedPart("8\r\n67891234\r\n0\r\n\r\n"), part(6, 9))
            range("-4", "6789", "6-9")
            range("-4", "6789", "6-9", forwarded())
            saw(2)
        }
        Clause(
            "RFC 9110 §15.3.7 not asked for", .may,
            "A part that the origin sends instead of the whole answers the range of the client."
        ) {
            answers(part(2, 4))
            range("2-4", "234", "2-4", forwarded("uri-miss", status: 206, stored: true))
            received(1, lacks("Range"))
            range("3-4", "34", "3-4", hit())
            saw(1)
        }
        Clause("RFC 9110 §15.3.7 less", .may, "If the origin sends less than requested, the rest is requested.") {
            answers(part(0, 4), part(5, 9))
            get("Range: bytes=-10", expect: status(206), body(digits))
            received(2, has("Range", "bytes=5-"), has("If-Range", #""v""#))
        }
        Clause("RFC 9110 §13.1.5 whole instead", .must, "A whole response to If-Range replaces the stored parts.") {
            answers(part(6, 9), reply(kept, #"ETag: "w""#, body: "ABCDEFGHIJ"))
            range("-4", "6789", "6-9")
            range("2-7", "CDEFGH", "2-7", has("ETag", #""w""#))
            hits("ABCDEFGHIJ", also: status(200))
            saw(2)
        }
        Clause("RFC 9111 §3.4 other validator", .mustNot, "Parts with different validators are not combined.") {
            answers(
                part(6, 9), part(2, 5, [kept, #"ETag: "w""#], text: "CDEF"),
                part(2, 9, [kept, #"ETag: "w""#], text: "CDEFGHIJ"))
            range("-4", "6789", "6-9")
            range("2-", "CDEFGHIJ", "2-9", has("ETag", #""w""#))
            received(3, has("Range", "bytes=2-"), lacks("If-Range"))
            range("6-", "GHIJ", "6-9", hit())
        }
        Clause("RFC 9111 §3.4 other length", .mustNot, "Parts with different complete lengths are not combined.") {
            answers(
                part(6, 9), part(2, 5, place: "bytes 2-5/11"), part(2, 9, place: "bytes 2-9/11"))
            range("-4", "6789", "6-9")
            get("Range: bytes=2-9", expect: status(206), body("23456789"), has("Content-Range", "bytes 2-9/11"))
        }
        Clause("RFC 9111 §3.2 newer fields", .must, "Fields of the newest part replace the stored ones.") {
            answers(part(6, 9, [kept, tag, "A: 1", "B: 1"]), part(2, 5, [kept, tag, "A: 2"]))
            range("-4", "6789", "6-9")
            range("2-5", "2345", "2-5")
            range("6-", "6789", "6-9", hit(), has("A", "2"), has("B", "1"))
        }
        Clause("RFC 9110 §8.8.2.2 date", .may, "A Last-Modified that is older than Date is a strong validator.") {
            let lines = [kept, "Date: {now}", "Last-Modified: {now-3600}"]
            answers(part(6, 9, lines), part(2, 5, lines))
            range("-4", "6789", "6-9")
            range("2-", "23456789", "2-9")
            received(2, has("If-Range"))
            range("2-", "23456789", "2-9", hit())
        }
        Clause("RFC 9111 §4.1 part", .must, "Parts belong to the variant that the request fields select.") {
            answers(
                part(6, 9, [kept, #"ETag: "a""#, "Vary: X-Who"], text: "aaaa"),
                part(6, 9, [kept, #"ETag: "b""#, "Vary: X-Who"], text: "bbbb"))
            get("X-Who: a", "Range: bytes=-4", expect: body("aaaa"))
            get("X-Who: b", "Range: bytes=-4", expect: body("bbbb"))
            get("X-Who: a", "Range: bytes=-4", expect: body("aaaa"), hit())
            get("X-Who: b", "Range: bytes=-3", expect: body("bbb"), hit())
            saw(2)
        }
    }

    /// A part that answers ranges within it but is never combined with other parts.
    private static func alone(_ scenario: String, _ says: String, _ lines: [String]) -> Clause {
        Clause("RFC 9111 §3.4 \(scenario)", .mustNot, says) {
            answers(part(5, 9, lines), part(0, 4, lines), reply(kept, body: "abcdefghij"))
            range("-5", "56789", "5-9")
            range("6-8", "678", "6-8", hit())
            range("0-4", "01234", "0-4", forwarded())
            received(2, lacks("If-Range"))
            get(expect: status(200), body("abcdefghij"), forwarded())
            received(3, lacks("Range"))
        }
    }

    @Clauses private static var loneParts: [Clause] {
        alone("weak tag", "Parts with a weak tag are not combined.", [kept, #"ETag: W/"v""#])
        alone("no validator", "Parts without a validator are not combined.", [kept])
        alone(
            "date of now", "Parts whose Last-Modified equals Date are not combined.",
            [kept, "Date: {now}", "Last-Modified: {now}"])
        Clause("RFC 9111 §4.3.4 weak part", .may, "A stale part with a weak tag is validated.") {
            answers(part(6, 9, [kept, #"ETag: W/"v""#]), notModified(kept, #"ETag: W/"v""#))
            range("-4", "6789", "6-9")
            pass(700)
            range("-4", "6789", "6-9", forwarded("stale", status: 304))
            range("-4", "6789", "6-9", hit())
            saw(2)
        }
    }

    /// A part that is forwarded and not stored.
    private static func refused(_ scenario: String, _ says: String, _ answer: Answer, _ text: String) -> Clause {
        Clause("RFC 9111 §3.3 \(scenario)", .mustNot, says) {
            answers(answer, answer)
            get("Range: bytes=-4", expect: status(206), body(text), forwarded())
            get("Range: bytes=-4", expect: status(206), body(text), forwarded())
            saw(2)
        }
    }

    @Clauses private static var refusedParts: [Clause] {
        refused(
            "too short", "A part that is shorter than requested and cannot be completed is passed on and not stored.",
            part(6, 8, [kept]), "678")
        refused(
            "wrong digest", "A part that does not match its Content-Digest is not stored.",
            part(6, 9, [kept, tag, "Content-Digest: sha-256=:\(String(repeating: "A", count: 43))=:"]), "6789")
        refused(
            "no-store", "A part with no-store is not stored.", part(6, 9, ["Cache-Control: no-store", tag]), "6789"
        )
        refused(
            "private", "A private part is not stored.", part(6, 9, ["Cache-Control: private", tag]), "6789")
        refused(
            "other range", "A part that was not requested is not stored.", part(0, 3, place: "bytes 0-3/10"), "0123")
        refused(
            "length that lies", "A part whose length differs from its Content-Range is not stored.",
            part(6, 9, place: "bytes 4-9/10"), "6789")
        refused(
            "last before first", "A part whose last position is before the first is not stored.",
            part(6, 9, place: "bytes 9-6/10"), "6789")
        refused(
            "unknown length", "A part of a representation of unknown length is not stored.",
            part(6, 9, place: "bytes 6-9/*"), "6789")
        refused(
            "multipart", "Several parts in one response are not stored.",
            part(6, 9, [kept, tag, "Content-Type: multipart/byteranges; boundary=x"]), "6789")
        refused(
            "length beyond reason", "A part of a representation that is longer than 2^60 bytes is not stored.",
            part(6, 9, place: "bytes 6-9/9223372036854775807"), "6789")
        Clause(
            "RFC 9110 §14.2 coded", .must,
            "A part in a coding that was not asked for is a part of the coded body, also when it is stored."
        ) {
            answers(part(6, 9, [kept, tag, "Content-Encoding: gzip"]))
            for isHit in [false, true] {
                range("-4", "6789", "6-9", isHit ? hit() : forwarded(), has("Content-Encoding", "gzip"))
            }
            saw(1)
        }
        Clause(
            "RFC 9110 §15.3.7 reduced", .mustNot,
            "A 206 to the If-Range of the client does not provide the fields of the whole representation."
        ) {
            answers(part(6, 9, [kept, tag]), part(6, 9, [kept, tag, "Content-Type: text/plain"]))
            get(#"If-Range: "v""#, "Range: bytes=-4", expect: status(206), body("6789"))
            range("-4", "6789", "6-9", forwarded(), has("Content-Type", "text/plain"))
            saw(2)
        }
        Clause("RFC 9111 §3.5 part", .mustNot, "A part that was requested with credentials is not stored.") {
            answers(part(6, 9), part(6, 9))
            get("Authorization: Basic eDp5", "Range: bytes=-4", expect: body("6789"))
            get("Range: bytes=-4", expect: body("6789"), forwarded())
            saw(2)
        }
        Clause("RFC 9111 §5.2.1.5 part", .mustNot, "A part that was requested with no-store is not stored.") {
            answers(part(6, 9), part(6, 9))
            get("Cache-Control: no-store", "Range: bytes=-4", expect: body("6789"))
            get("Range: bytes=-4", expect: body("6789"), forwarded())
            saw(2)
        }
        Clause("RFC 9110 §14.4 416", .may, "A 416 from the origin is forwarded and not stored.") {
            answers(
                reply("Content-Range: bytes */10", status: "416 Range Not Satisfiable"), part(6, 9))
            get("Range: bytes=5000000-", expect: status(416), has("Content-Range", "bytes */10"))
            range("-4", "6789", "6-9")
        }
    }

    @Clauses private static var partConditions: [Clause] {
        Clause("RFC 9110 §13.1.5 stored part", .must, "If-Range is compared with the stored parts.") {
            answers(part(6, 9), part(0, 5))
            range("-4", "6789", "6-9")
            get("Range: bytes=6-9", #"If-Range: "v""#, expect: status(206), body("6789"), hit())
            get("Range: bytes=6-9", #"If-Range: "old""#, expect: status(200), body(digits))
        }
        Clause("RFC 9110 §13.1.5 unknown", .must, "If nothing is stored, If-Range and Range are sent to the origin.") {
            answers(reply(kept, tag, body: digits))
            get("Range: bytes=-4", #"If-Range: "old""#, expect: status(200), body(digits))
            received(1, has("If-Range", #""old""#), has("Range", "bytes=-4"))
            hits(digits)
        }
        Clause("RFC 9110 §13.1.1 unknown", .must, "The origin evaluates a condition on a part that is not stored.") {
            answers(reply(status: "412 Precondition Failed"))
            get(#"If-Match: "old""#, "Range: bytes=-4", expect: status(412), forwarded("uri-miss", status: 412))
            received(1, has("If-Match", #""old""#), has("Range", "bytes=-4"))
            saw(1)
        }
        Clause("RFC 9110 §13.1.2 unknown", .must, "A 304 from the origin to the condition of the client is passed on.")
        {
            answers(notModified(tag), part(6, 9))
            get(
                #"If-None-Match: "v""#, "Range: bytes=-4", expect: status(304), has("ETag", #""v""#),
                forwarded("uri-miss", status: 304))
            received(1, has("If-None-Match", #""v""#), has("Range", "bytes=-4"))
            range("-4", "6789", "6-9", forwarded("uri-miss", status: 206, stored: true))
            received(2, lacks("If-None-Match"))
        }
        Clause("RFC 9110 §13.2.1 part not stored", .must, "A part whose condition holds is sent even if not stored.") {
            answers(part(6, 9, ["Cache-Control: no-store", tag]))
            get(#"If-Match: "v""#, "Range: bytes=-4", expect: status(206), body("6789"), forwarded())
            saw(1)
        }
        Clause("RFC 9111 §3.3 condition", .may, "A part whose condition holds is stored.") {
            answers(part(6, 9))
            get(#"If-Match: "v""#, "Range: bytes=-4", expect: status(206), body("6789"), forwarded("uri-miss"))
            range("-4", "6789", "6-9", hit())
            saw(1)
        }
        Clause("RFC 9111 §4.3.1 condition", .must, "A stale part is validated with its own validator only.") {
            answers(part(6, 9), notModified(kept, tag))
            range("-4", "6789", "6-9")
            pass(700)
            get(#"If-None-Match: "old""#, "Range: bytes=7-8", expect: status(206), body("78"))
            received(2, has("If-None-Match", #""v""#))
            saw(2)
        }
        Clause("RFC 9110 §13.1.5 stale part", .must, "If-Range is forwarded when a stale part is validated.") {
            answers(part(6, 9), reply(kept, #"ETag: "w""#, body: "ABCDEFGHIJ"))
            range("-4", "6789", "6-9")
            pass(700)
            get("Range: bytes=6-9", #"If-Range: "v""#, expect: status(200), body("ABCDEFGHIJ"))
            received(2, has("If-Range", #""v""#), has("If-None-Match", #""v""#))
        }
        Clause("RFC 9110 §13.2.2 part", .must, "Conditions are evaluated before Range.") {
            answers(part(6, 9))
            range("-4", "6789", "6-9")
            get("Range: bytes=6-9", #"If-None-Match: "v""#, expect: status(304), hit())
            get("Range: bytes=6-9", #"If-None-Match: "old""#, expect: status(206), body("6789"), hit())
            saw(1)
        }
        Clause(
            "RFC 9111 §5.2.1.7 part", .should,
            "A request with only-if-cached is answered from stored parts or with 504."
        ) {
            answers(part(6, 9))
            range("-4", "6789", "6-9")
            get("Cache-Control: only-if-cached", "Range: bytes=-2", expect: status(206), body("89"))
            get("Cache-Control: only-if-cached", "Range: bytes=2-3", expect: status(504))
            get("Cache-Control: only-if-cached", expect: status(504))
            saw(1)
        }
        Clause("RFC 9111 §5.2.1.4 part", .must, "A request with no-cache makes the cache validate stored parts.") {
            answers(part(6, 9), notModified(kept, tag))
            range("-4", "6789", "6-9")
            get("Cache-Control: no-cache", "Range: bytes=-4", expect: status(206), body("6789"), forwarded())
            saw(2)
        }
    }

    @Clauses private static var partsAndOthers: [Clause] {
        Clause("RFC 9110 §14.1 other unit", .may, "A range in another unit is passed on to the origin.") {
            answers(
                say(.text("HTTP/1.1 206 Partial Content\r\nContent-Range: items 0-1/5\r\nContent-Length: 2\r\n\r\nab")))
            get("Range: items=0-1", expect: status(206), body("ab"), has("Content-Range", "items 0-1/5"))
            received(1, has("Range", "items=0-1"))
        }
        Clause("RFC 9110 §14.2 several that lack", .may, "Several ranges that are not stored are passed on.") {
            answers(part(6, 9), part(0, 1))
            range("-4", "6789", "6-9")
            get("Range: bytes=0-1, 8-9", expect: status(206), body("01"))
            received(2, has("Range", "bytes=0-1, 8-9"))
        }
        Clause("RFC 9110 §15.5.17 stored part", .may, "A range beyond the end of stored parts is passed on.") {
            answers(part(6, 9), reply("Content-Range: bytes */10", status: "416 Range Not Satisfiable"))
            range("-4", "6789", "6-9")
            get("Range: bytes=10-", expect: status(416), has("Content-Range", "bytes */10"), forwarded("partial"))
            received(2, has("Range", "bytes=10-"), lacks("If-Range"))
            range("-4", "6789", "6-9", hit())
        }
        Clause("RFC 9111 §4 longer by now", .must, "A new part beyond the known end replaces the stored parts.") {
            answers(part(6, 9), part(10, 11, [kept, #"ETag: "w""#], place: "bytes 10-11/12", text: "KL"))
            range("-4", "6789", "6-9")
            get("Range: bytes=10-", expect: status(206), body("KL"), has("Content-Range", "bytes 10-11/12"))
            get("Range: bytes=-2", expect: status(206), body("KL"), hit(), has("ETag", #""w""#))
            saw(2)
        }
        for method in ["POST", "PUT", "DELETE"] {
            Clause("RFC 9111 §4.4 \(method) and parts", .must, "An unsafe request invalidates stored parts.") {
                answers(part(6, 9), reply(), part(6, 9))
                range("-4", "6789", "6-9")
                send(method, body: "x")
                range("-4", "6789", "6-9", forwarded("uri-miss"))
            }
        }
        Clause("RFC 9111 §4 no-store after part", .must, "A newer response that is not stored removes stored parts.") {
            answers(part(6, 9), reply("Cache-Control: no-store", tag, body: digits), part(6, 9))
            range("-4", "6789", "6-9")
            get("Range: bytes=-4", "Cache-Control: no-cache", expect: body("6789"))
            range("-4", "6789", "6-9", forwarded())
            saw(3)
        }
        for (name, line) in [("no-store", "Cache-Control: no-store"), ("private", "Cache-Control: private")] {
            Clause(
                "RFC 9111 §4.3.3 \(name) part after part", .must,
                "A newer part that is not stored removes stored parts."
            ) {
                answers(part(6, 9), part(6, 9, [line, #"ETag: "w""#], text: "GHIJ"), part(6, 9))
                range("-4", "6789", "6-9")
                get("Range: bytes=-4", "Cache-Control: no-cache", expect: status(206), body("GHIJ"))
                range("-4", "6789", "6-9", forwarded())
            }
        }
        Clause(
            "RFC 9111 §4.3.3 several after part", .must, "A multipart response of a newer version removes stored parts."
        ) {
            answers(
                part(6, 9), part(6, 9, [kept, #"ETag: "w""#, "Content-Type: multipart/byteranges; boundary=x"]),
                part(6, 9))
            range("-4", "6789", "6-9")
            get("Range: bytes=0-1, 8-9", expect: status(206))
            range("-4", "6789", "6-9", forwarded())
        }
        Clause("RFC 9111 §4.3.5 part", .must, "A HEAD response of another version removes stored parts.") {
            answers(part(6, 9), replyHead(kept, #"ETag: "w""#, "Content-Length: 10"), part(6, 9))
            range("-4", "6789", "6-9")
            head(expect: status(200), forwarded())
            range("-4", "6789", "6-9", forwarded())
        }
        Clause("RFC 9111 §4.3.5 same part", .may, "A HEAD response of the same version keeps stored parts.") {
            answers(part(6, 9), replyHead(kept, tag, "Content-Length: 10"))
            range("-4", "6789", "6-9")
            head(expect: status(200), forwarded())
            range("-4", "6789", "6-9", hit())
        }
        Clause("RFC 5861 §4 part", .may, "A server error does not replace stored parts.") {
            answers(part(6, 9), reply("Cache-Control: max-age=60", status: "503 Service Unavailable"))
            range("-4", "6789", "6-9")
            get("Range: bytes=2-3", expect: status(503))
            range("-4", "6789", "6-9", hit())
            saw(2)
        }
        Clause("RFC 9110 §15.5.5 404 after part", .must, "A 404 removes stored parts.") {
            answers(part(6, 9), reply(status: "404 Not Found", body: "gone"), part(6, 9))
            range("-4", "6789", "6-9")
            get("Range: bytes=0-3", expect: status(404))
            range("-4", "6789", "6-9", forwarded())
        }
        Clause("RFC 9111 §4 whole after part", .must, "A stored whole response is used instead of parts.") {
            answers(part(6, 9), reply(kept, #"ETag: "w""#, body: "ABCDEFGHIJ"))
            range("-4", "6789", "6-9")
            get(expect: status(200), body("ABCDEFGHIJ"))
            range("-4", "GHIJ", "6-9", hit())
            saw(2)
        }
    }
}
