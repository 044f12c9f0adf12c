// Requests that the stored parts of a representation do not answer.

extension Tables {
    /// The last four of ten digits, with this tag.
    private static func end(_ tag: String, _ text: String, _ control: String = "max-age=600") -> Answer {
        part(6, tag, text, control)
    }

    /// A part of ten digits that begins at this position.
    private static func part(
        _ first: Int, _ tag: String, _ text: String, _ control: String = "max-age=600", _ lines: String...
    ) -> Answer {
        say(
            .text(
                "HTTP/1.1 206 Partial Content\r\nCache-Control: \(control)\r\nETag: \"\(tag)\"\r\n"
                    + lines.map { "\($0)\r\n" }.joined()
                    + "Content-Range: bytes \(first)-\(first + text.utf8.count - 1)/10\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"))
    }

    /// Digests of the ten digits, and of other content.
    private static let digitDigests = [
        ("sha-256", "hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=", "2SmKENGwc1g33EvYXaxkGw887yekfl1TpU8vP1svz/o="),
        (
            "sha-512",
            "u5bC/EDS1UYX1vJ2/r5XH2I6ja3wtzSFUpmw4Qf9oyz2tp8toys2RF1zaQuTy9D3v8IOD38oVT0qRCjyO3FukA==",
            "4lrDhF+MvhKAGi36WonUxV3EeQDztu3Jqe5ZDzwrkxL2ZdADnJOCi3tY8zlQvIF6CVWpxQAKjT4oBWnwh0XKaA=="
        ),
    ]

    @Clauses private static var partDigests: [Clause] {
        for (name, right, wrong) in digitDigests {
            Clause(
                "RFC 9530 §3 \(name) of parts", .may,
                "Parts that match the Repr-Digest of their representation answer a request for all of it."
            ) {
                let line = "Repr-Digest: \(name)=:\(right):"
                answers(part(6, "v", "6789", "max-age=600", line), part(0, "v", "012345", "max-age=600", line))
                get("Range: bytes=-4", expect: status(206), body("6789"))
                get(expect: status(200), body("0123456789"), forwarded("partial"))
                hits("0123456789", also: has("Repr-Digest", "\(name)=:\(right):"))
                hits("0123456789")
                saw(2)
            }
            Clause(
                "RFC 9530 §3 wrong \(name) of parts", .shouldNot,
                "Parts that do not match the Repr-Digest of their representation are used once and then removed."
            ) {
                let line = "Repr-Digest: \(name)=:\(wrong):"
                answers(
                    part(6, "v", "6789", "max-age=600", line), part(0, "v", "012345", "max-age=600", line),
                    reply("Cache-Control: max-age=600", "ETag: \"v\"", body: "other"))
                get("Range: bytes=-4", expect: status(206), body("6789"))
                get("Range: bytes=0-5", expect: status(206), body("012345"))
                get("Range: bytes=1-8", expect: status(206), body("12345678"), hit())
                get(expect: status(200), body("0123456789"))
                miss("other")
                received(3, lacks("Range"))
                saw(3)
            }
            Clause(
                "RFC 9530 §3 wrong \(name) of a part that arrives", .shouldNot,
                "A part that arrives and completes a representation that does not match is not stored either."
            ) {
                let line = "Repr-Digest: \(name)=:\(wrong):"
                answers(
                    part(6, "v", "6789", "max-age=600", line), slowStart(line),
                    reply("Cache-Control: max-age=600", "ETag: \"v\"", body: "other"))
                get("Range: bytes=-4", expect: status(206), body("6789"))
                start("all")
                reaches(2)
                open("end")
                finish("all", body("0123456789"))
                miss("other")
                received(3, lacks("Range"))
            }
        }
    }

    /// The first six digits without a promised length. The last five follow when the gate "end" opens.
    private static func slowStart(_ line: String) -> Answer {
        let head =
            "HTTP/1.1 206 Partial Content\r\nCache-Control: max-age=600\r\nETag: \"v\"\r\n\(line)\r\n"
            + "Content-Range: bytes 0-5/10\r\nTransfer-Encoding: chunked\r\n\r\n"
        return say(.text(head + "1\r\n0\r\n"), .gate("end"), .text("5\r\n12345\r\n0\r\n\r\n"))
    }

    @Clauses static var partsUnfit: [Clause] {
        partDigests
        for place in ["bytes 9-6/10", "bytes 6-9/3", "bytes 6-"] {
            Clause(
                "RFC 9110 §14.4 \(place) not asked for", .shouldNot,
                "A 206 with an invalid Content-Range to a request without a range is not passed on."
            ) {
                answers(
                    reply(
                        "Cache-Control: max-age=600", "Content-Range: \(place)", status: "206 Partial Content",
                        body: "6789"),
                    reply("Cache-Control: max-age=600"))
                get(expect: status(502))
                miss("body 2")
                saw(2)
            }
        }
        Clause(
            "RFC 9211 §2.2 HEAD of parts", .must,
            "The reason is partial if parts are stored but do not answer the request."
        ) {
            answers(end("v", "6789"), replyHead("Cache-Control: max-age=600", "ETag: \"v\"", "Content-Length: 10"))
            get("Range: bytes=-4", expect: status(206), body("6789"))
            head(expect: status(200), forwarded("partial"))
        }
        Clause(
            "RFC 9111 §4.3.4 another version of stale parts", .must,
            "After a 304 that names another version, the range is requested again, not the whole."
        ) {
            answers(end("a", "aaaa"), notModified("ETag: \"b\""), end("b", "bbbb"))
            get("Range: bytes=-4", expect: status(206), body("aaaa"))
            pass(700)
            get("Range: bytes=-4", expect: status(206), body("bbbb"), forwarded())
            received(3, has("Range", "bytes=-4"), lacks("If-None-Match"))
            get("Range: bytes=-4", expect: body("bbbb"), hit())
            saw(3)
        }
        for line in ["Authorization: Basic YTpi", "Cookie: a=1"] {
            Clause(
                "RFC 9111 §3.5 304 for parts to \(line.prefix { $0 != ":" })", .may,
                "A 304 for one client only confirms the parts and does not change them."
            ) {
                answers(
                    end("a", "aaaa", "public, max-age=60"), notModified("ETag: \"a\"", "Cache-Control: private"))
                get("Range: bytes=-4", expect: status(206), body("aaaa"))
                pass(60)
                get("Range: bytes=-4", line, expect: status(206), body("aaaa"))
                saw(2)
            }
        }
        for control in ["no-store", "private"] {
            Clause(
                "RFC 9111 §3 304 with \(control) for parts", .must,
                "After a 304 that forbids storing the parts, the range is requested again and the client gets it all."
            ) {
                answers(
                    end("a", "aaaa"), notModified("ETag: \"a\"", "Cache-Control: \(control)"), end("a", "bbbb", control)
                )
                get("Range: bytes=-4", expect: status(206), body("aaaa"))
                get("Range: bytes=-4", "Cache-Control: no-cache", expect: status(206), body("bbbb"))
                saw(3)
                received(3, has("Range", "bytes=-4"), lacks("If-None-Match"), lacks("If-Range"))
                get("Range: bytes=-4", expect: body("bbbb"), forwarded())
            }
            Clause(
                "RFC 9111 §3.4 missing bytes with \(control)", .may,
                "Missing bytes that must not be stored complete one response; the stored parts stay."
            ) {
                answers(end("a", "6789"), part(2, "a", "2345", control), part(2, "a", "23456789", control))
                get("Range: bytes=-4", expect: status(206), body("6789"))
                get("Range: bytes=2-9", expect: status(206), body("23456789"), forwarded("partial"))
                received(2, has("Range", "bytes=2-5"), has("If-Range", "\"a\""))
                get("Range: bytes=-4", expect: body("6789"), hit())
                get("Range: bytes=2-9", expect: body("23456789"), forwarded("partial"))
                received(3, has("Range", "bytes=2-9"))
                get("Range: bytes=-4", expect: body("6789"), hit())
                saw(3)
            }
        }
    }
}
