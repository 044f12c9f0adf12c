// Requests that the stored parts of a representation do not answer.

extension Tables {
    /// The last four of ten digits, with that tag.
    private static func end(_ tag: String, _ text: String) -> Answer {
        say(
            .text(
                "HTTP/1.1 206 Partial Content\r\nCache-Control: max-age=600\r\nETag: \"\(tag)\"\r\n"
                    + "Content-Range: bytes 6-9/10\r\nContent-Length: 4\r\n\r\n\(text)"))
    }

    @Clauses static var partsUnfit: [Clause] {
        Clause("RFC 9211 §2.2 HEAD of parts", .must, "Where parts are stored and do not answer, that is said.") {
            answers(end("v", "6789"), replyHead("Cache-Control: max-age=600", "ETag: \"v\"", "Content-Length: 10"))
            get("Range: bytes=-4", expect: status(206), body("6789"))
            head(expect: status(200), forwarded("partial"))
        }
        Clause(
            "RFC 9111 §4.3.4 another version of stale parts", .must,
            "A 304 that names another version has the range asked for anew, not the whole."
        ) {
            answers(end("a", "aaaa"), notModified("ETag: \"b\""), end("b", "bbbb"))
            get("Range: bytes=-4", expect: status(206), body("aaaa"))
            pass(700)
            get("Range: bytes=-4", expect: status(206), body("bbbb"), forwarded())
            received(3, has("Range", "bytes=-4"), lacks("If-None-Match"))
            get("Range: bytes=-4", expect: body("bbbb"), hit())
            saw(3)
        }
    }
}
