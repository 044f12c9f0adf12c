// Which bytes an origin may send (RFC 9112 §4 to §8). A response that two readers could read differently is refused. A
// truncated response never looks complete. Bytes after a response are never used as the next response.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let answerFraming = badHeads + badLengths + goodAnswers + badChunkedAnswers + cutAnswers + leftovers

    private static let page = "Cache-Control: max-age=600\r\n"

    /// A response whose head is refused. The client gets a generated 502 and nothing of the response, the store gets
    /// nothing, and the connection is not reused.
    private static func refused(
        _ section: String, _ level: Level, _ says: String, _ bytes: String, lacks: String = "Evil"
    ) -> WireClause {
        WireClause(section, level, "a response is refused: \(says)") { stand in
            stand.answers(bytes)
            for method in ["GET", "POST"] {
                let more = method == "POST" ? "Content-Length: 0\r\n" : ""
                let answer = try await stand.ask(method, "/a", more)
                answer.expect(.status(502), .headLacks(lacks), .bodyLacks("hello"))
            }
            stand.recovers()
            stand.answers(whole("good", page))
            try await stand.get("/a").expect(.status(200), .body("good"), .isNotHit)
            stand.expectOneRequestEachConnection()
        }
    }

    private static func line(_ section: String, _ level: Level, _ says: String, _ line: String) -> WireClause {
        refused(section, level, says, "\(line)\r\n\(page)Content-Length: 5\r\n\r\nhello")
    }

    private static func field(_ section: String, _ level: Level, _ says: String, _ lines: String) -> WireClause {
        refused(section, level, says, "HTTP/1.1 200 OK\r\n\(page)\(lines)Content-Length: 5\r\n\r\nhello")
    }

    private static func framing(
        _ section: String, _ level: Level, _ says: String, _ lines: String, _ body: String = "hello"
    ) -> WireClause {
        refused(section, level, says, "HTTP/1.1 200 OK\r\n\(page)\(lines)\r\n\(body)")
    }

    private static let badHeads: [WireClause] = [
        line("RFC 9112 §4", .must, "not HTTP", "ICY 200 OK"),
        line("RFC 9112 §4", .must, "no version", "200 OK"),
        line("RFC 9112 §2.3", .must, "HTTP in lower case", "http/1.1 200 OK"),
        line("RFC 9112 §2.3", .must, "another major version", "HTTP/2.0 200 OK"),
        line("RFC 9112 §2.3", .must, "no minor version number", "HTTP/1 200 OK"),
        line("RFC 9112 §4", .must, "a status of two digits", "HTTP/1.1 20 OK"),
        line("RFC 9112 §4", .must, "a status of four digits", "HTTP/1.1 2000 OK"),
        line("RFC 9112 §4", .must, "a status that is not a number", "HTTP/1.1 2xx OK"),
        line("RFC 9112 §4", .must, "two spaces before the status", "HTTP/1.1  200 OK"),
        line("RFC 9112 §4", .must, "no status", "HTTP/1.1"),
        line("RFC 9112 §4", .must, "a control character in the reason", "HTTP/1.1 200 O\u{1}K"),
        line("RFC 9112 §11.1", .must, "a carriage return in the reason", "HTTP/1.1 200 OK\rEvil: 1"),
        refused(
            "RFC 9112 §2.2", .may, "a status line that ends with a line feed alone",
            "HTTP/1.1 200 OK\n\(page)Content-Length: 5\r\n\r\nhello"),
        refused(
            "RFC 9112 §2.2", .may, "a field line that ends with a line feed alone",
            "HTTP/1.1 200 OK\r\nX: 1\nEvil: 2\r\nContent-Length: 5\r\n\r\nhello"),
        refused(
            "RFC 9112 §2.2", .may, "a head that ends with a line feed alone",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\nhello"),
        refused(
            "RFC 9112 §2.2", .must, "white space before the first field",
            "HTTP/1.1 200 OK\r\n Evil: 1\r\nContent-Length: 5\r\n\r\nhello"),
        field("RFC 9112 §2.2", .must, "a bare carriage return in a value", "X: a\rb\r\n"),
        field("RFC 9112 §11.1", .must, "a carriage return that could begin a field", "X: a\rEvil: b\r\n"),
        field("RFC 9112 §5.2", .must, "a folded line, with a space", "X: a\r\n Evil\r\n"),
        field("RFC 9112 §5.2", .must, "a folded line, with a tab", "X: a\r\n\tEvil\r\n"),
        field("RFC 9112 §5.1", .must, "a space before the colon of Content-Length", "Content-Length : 5\r\n"),
        field("RFC 9112 §5.1", .must, "a tab before the colon of Content-Length", "Content-Length\t: 5\r\n"),
        field(
            "RFC 9112 §5.1", .must, "a space before the colon of Transfer-Encoding", "Transfer-Encoding : chunked\r\n"),
        field("RFC 9112 §5", .must, "a line without a colon", "Evil\r\n"),
        field("RFC 9110 §5.1", .must, "an empty name", ": Evil\r\n"),
        field("RFC 9110 §5.1", .must, "a name with a character that is not allowed in a token", "Evil@X: a\r\n"),
        field("RFC 9110 §5.5", .must, "NUL in a value", "Evil: a\0b\r\n"),
        field("RFC 9110 §5.5", .must, "another control character in a value", "Evil: a\u{8}b\r\n"),
        field("RFC 9110 §5.5", .must, "DEL in a value", "Evil: a\u{7F}b\r\n"),
        field(
            "RFC 9110 §5.4", .may, "a head that exceeds the limit",
            "Evil: a\r\n" + (0..<3000).map { "X-\($0): \(String(repeating: "a", count: 80))\r\n" }.joined()),
    ]

    private static let badLengths: [WireClause] = [
        framing("RFC 9112 §6.3", .must, "two different lengths", "Content-Length: 5\r\nContent-Length: 6\r\n"),
        framing("RFC 9112 §6.3", .must, "a list of different lengths", "Content-Length: 5, 6\r\n"),
        framing("RFC 9112 §6.3", .must, "a length with a sign", "Content-Length: +5\r\n"),
        framing("RFC 9112 §6.3", .must, "a negative length", "Content-Length: -5\r\n"),
        framing("RFC 9112 §6.3", .must, "a length with a fraction", "Content-Length: 5.0\r\n"),
        framing("RFC 9112 §6.3", .must, "a length in hexadecimal", "Content-Length: 0x5\r\n"),
        framing("RFC 9112 §6.3", .must, "an empty length", "Content-Length:\r\n"),
        framing("RFC 9112 §6.3", .must, "a length that is a word", "Content-Length: five\r\n"),
        framing(
            "RFC 9112 §6.3", .must, "a length that is too large for an integer",
            "Content-Length: 18446744073709551621\r\n"),
        framing(
            "RFC 9112 §6.3", .should, "Content-Length before Transfer-Encoding",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        framing(
            "RFC 9112 §6.3", .should, "Content-Length after Transfer-Encoding",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        framing(
            "RFC 9112 §6.1", .mustNot, "chunked twice", "Transfer-Encoding: chunked, chunked\r\n",
            "5\r\nhello\r\n0\r\n\r\n"),
        framing(
            "RFC 9112 §6.1", .mustNot, "chunked on two lines",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        framing(
            "RFC 9112 §6.1", .must, "a coding that was not requested, before chunked",
            "Transfer-Encoding: gzip, chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        framing("RFC 9112 §6.1", .must, "a coding that was not requested, alone", "Transfer-Encoding: gzip\r\n"),
        framing(
            "RFC 9112 §6.3", .must, "chunked is not the last coding", "Transfer-Encoding: chunked, gzip\r\n",
            "5\r\nhello\r\n0\r\n\r\n"),
        framing("RFC 9112 §6.1", .must, "the obsolete coding identity", "Transfer-Encoding: identity\r\n"),
        framing(
            "RFC 9112 §6.1", .must, "an empty Transfer-Encoding", "Transfer-Encoding:\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        refused(
            "RFC 9112 §6.1", .must, "Transfer-Encoding in HTTP/1.0",
            "HTTP/1.0 200 OK\r\n\(page)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    ]

    /// An unusual but valid response. It is passed on completely with our own framing, and stored.
    private static func taken(
        _ section: String, _ level: Level, _ says: String, _ bytes: String, gives body: String = "hello",
        closes: Bool = false
    ) -> WireClause {
        WireClause(section, level, "in responses: \(says)") { stand in
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.send(bytes)
                if closes { try wire.finish() }
            }
            let answers = try await stand.pipeline([stand.request("GET", "/a"), stand.request("GET", "/a")])
            for answer in answers { answer.expect(.status(200), .body(body)) }
            answers[1].expect(.isHit, .only("Content-Length", "\(body.utf8.count)"))
            stand.expectCalls(1)
        }
    }

    private static func chunked(
        _ section: String, _ level: Level, _ says: String, _ body: String, gives content: String = "hello"
    ) -> WireClause {
        taken(
            section, level, says, "HTTP/1.1 200 OK\r\n\(page)Transfer-Encoding: chunked\r\n\r\n\(body)", gives: content)
    }

    private static let goodAnswers: [WireClause] = [
        chunked("RFC 9112 §7.1", .must, "several chunks form one body", "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"),
        chunked(
            "RFC 9112 §7.1", .must, "sizes are hexadecimal in either case",
            "a\r\n0123456789\r\nA\r\nabcdefghij\r\n0\r\n\r\n", gives: "0123456789abcdefghij"),
        chunked("RFC 9112 §7.1", .must, "sizes may have leading zeros", "00005\r\nhello\r\n000\r\n\r\n"),
        chunked("RFC 9112 §7.1", .must, "an empty chunked body", "0\r\n\r\n", gives: ""),
        chunked(
            "RFC 9112 §7.1.1", .must, "unknown chunk extensions are ignored and not passed on",
            "5;ext=\"1;2\";e\r\nhello\r\n0;ext\r\n\r\n"),
        chunked(
            "RFC 9112 §7.1", .must, "line ends inside a chunk belong to the body", "7\r\na\r\n0\r\n\r\r\n0\r\n\r\n",
            gives: "a\r\n0\r\n\r"),
        taken(
            "RFC 9112 §6.1", .must, "coding names are not case-sensitive",
            "HTTP/1.1 200 OK\r\n\(page)transfer-encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        taken(
            "RFC 9112 §6.3", .must, "leading zeros do not change a length",
            "HTTP/1.1 200 OK\r\n\(page)Content-Length: 0005\r\n\r\nhello"),
        taken(
            "RFC 9112 §8", .must, "a body that ends with the connection is complete and may be stored",
            "HTTP/1.1 200 OK\r\n\(page)\r\nhello", closes: true),
        taken(
            "RFC 9112 §8", .must, "an empty body that ends with the connection is complete and may be stored",
            "HTTP/1.1 200 OK\r\n\(page)\r\n", gives: "", closes: true),
        taken(
            "RFC 9112 §8", .must, "a body of an HTTP/1.0 origin that ends with the connection is complete",
            "HTTP/1.0 200 OK\r\n\(page)\r\nhello",
            closes: true),
        taken(
            "RFC 9110 §6.2", .must, "a response of an HTTP/1.0 origin is sent in the version of this server",
            "HTTP/1.0 200 OK\r\n\(page)Content-Length: 5\r\n\r\nhello", closes: true),
        taken(
            "RFC 9112 §4", .may, "a status line without a reason phrase and without the space before it is accepted",
            "HTTP/1.1 200\r\n\(page)Content-Length: 5\r\n\r\nhello"),
        WireClause("RFC 9110 §8.6", .must, "equal Content-Length values are reduced to one, or the response is refused")
        {
            stand in
            for lines in ["Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5, 5\r\n"] {
                for fields in [page, "Cache-Control: no-store\r\n"] {
                    stand.answers("HTTP/1.1 200 OK\r\n\(fields)\(lines)\r\nhello")
                    let target = stand.fresh()
                    for _ in 0..<2 {
                        let answer = try await stand.get(target)
                        answer.expect(.statusIn([200, 502]), .isFramedOnce)
                        if answer.status == 200 { answer.expect(.only("Content-Length", "5"), .body("hello")) }
                    }
                    stand.recovers()
                }
            }
        },
        WireClause(
            "RFC 9112 §6.3", .must,
            "a response that is not stored gets its framing from this server, whatever the origin used"
        ) { stand in
            let never = "Cache-Control: no-store\r\n"
            for bytes in [
                "HTTP/1.1 200 OK\r\n\(never)Transfer-Encoding: chunked\r\n\r\n5;ext=1\r\nhello\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\(never)Content-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\n\(never)\r\nhello", "HTTP/1.0 200 OK\r\n\(never)\r\nhello",
            ] {
                stand.converses { wire in
                    _ = try wire.readRequest()
                    try wire.send(bytes)
                    if !bytes.contains("Content-Length"), !bytes.contains("chunked") { try wire.finish() }
                }
                for _ in 0..<2 {
                    let answers = try await stand.pipeline([
                        stand.request("GET", "/a"), stand.request("POST", "/a", "Content-Length: 0\r\n"),
                    ])
                    for answer in answers { answer.expect(.status(200), .body("hello"), .isFramedOnce) }
                }
            }
        },
        WireClause("RFC 9112 §6.1", .mustNot, "an HTTP/1.0 client is not sent Transfer-Encoding") { stand in
            for fields in [page, "Cache-Control: no-store\r\n"] {
                stand.answers("HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
                for _ in 0..<2 {
                    let answer = try await stand.exchange("GET \(stand.root)/\(fields.count) HTTP/1.0\r\n\r\n")
                    answer.expect(.status(200), .body("hello"), .lacks("Transfer-Encoding"))
                }
            }
        },
    ]

    /// A broken body. If the head was sent, the connection of the client is cut, otherwise the client gets 502. Nothing
    /// is stored.
    private static func broken(
        _ section: String, _ level: Level, _ says: String, _ head: String, _ body: String, resets: Bool = false
    ) -> WireClause {
        WireClause(section, level, "a broken response is cut and not stored: \(says)") { stand in
            for method in ["GET", "POST", "GET"] {
                stand.converses { wire in
                    _ = try wire.readRequest()
                    try wire.send("HTTP/1.1 200 OK\r\n\(head)\r\n\(body)")
                    if resets { wire.reset() } else { try wire.finish() }
                }
                let more = method == "POST" ? "Content-Length: 0\r\n" : ""
                let outcome = try await stand.outcome(stand.request(method, "/a", more))
                expectCutOr502(outcome)
                stand.recovers()
            }
            stand.answers(whole("good", page))
            try await stand.get("/a").expect(.status(200), .body("good"), .isNotHit)
        }
    }

    private static func badChunks(_ says: String, _ body: String, _ section: String = "RFC 9112 §7.1") -> WireClause {
        broken(section, .must, says, "\(page)Transfer-Encoding: chunked\r\n", body)
    }

    private static let badChunkedAnswers: [WireClause] = [
        badChunks("a size that is not a number", "5\r\nhello\r\nx\r\nabc\r\n0\r\n\r\n"),
        badChunks("an empty size", "5\r\nhello\r\n\r\nabc\r\n0\r\n\r\n"),
        badChunks("a negative size", "5\r\nhello\r\n-3\r\nabc\r\n0\r\n\r\n"),
        badChunks("a size that is too large for an integer", "5\r\nhello\r\n10000000000000003\r\nabc\r\n0\r\n\r\n"),
        badChunks("a chunk longer than its size", "5\r\nhello!!\r\n0\r\n\r\n"),
        badChunks("the last chunk is missing", "5\r\nhello\r\n", "RFC 9112 §8"),
        badChunks("a chunk is cut", "5\r\nhel", "RFC 9112 §8"),
        badChunks("the end of a chunk's size is missing", "5\r\nhello\r\n5", "RFC 9112 §8"),
        badChunks("the line end after a chunk is missing", "5\r\nhello", "RFC 9112 §8"),
        badChunks("the empty line after the last chunk is missing", "5\r\nhello\r\n0\r\n", "RFC 9112 §8"),
        badChunks("the trailers are cut", "5\r\nhello\r\n0\r\nX: 1\r\n", "RFC 9112 §8"),
    ]

    private static let cutAnswers: [WireClause] = [
        broken("RFC 9112 §8", .must, "a body shorter than its length", "\(page)Content-Length: 10\r\n", "hello"),
        broken("RFC 9112 §8", .must, "no body despite a Content-Length", "\(page)Content-Length: 10\r\n", ""),
        broken("RFC 9112 §8", .must, "a reset inside the body", "\(page)Content-Length: 10\r\n", "hello", resets: true),
        broken(
            "RFC 9112 §8", .must, "a reset inside a chunked body", "\(page)Transfer-Encoding: chunked\r\n",
            "5\r\nhello\r\n", resets: true),
        broken(
            "RFC 9112 §8", .must, "a reset in a body that ends with the connection", page, "hello",
            resets: true),
        WireClause(
            "RFC 9112 §8", .must,
            "if a body is cut short after the head was sent, the connection of the client is closed"
        ) {
            stand in
            for framing in ["Content-Length: 10\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"] {
                for fields in [page, "Cache-Control: no-store\r\n"] {
                    let seen = Gate()
                    stand.converses { wire in
                        _ = try wire.readRequest()
                        try wire.send("HTTP/1.1 200 OK\r\n\(fields)\(framing)")
                        seen.waitPatiently()
                        try wire.finish()
                    }
                    let outcome = try await stand.talk { client in
                        try client.send(stand.request("GET", "/a"))
                        let head = try client.receiveHead()
                        seen.open()
                        return client.receiveRest(of: head)
                    }
                    outcome.expect(.status(200))
                    expectSame(outcome.isWhole, false)
                    stand.recovers()
                }
            }
            stand.answers(whole("good", page))
            try await stand.get("/a").expect(.body("good"), .isNotHit)
        },
        WireClause("RFC 9112 §8", .must, "an HTTP/1.0 client can detect that the body was cut short") { stand in
            // Without a length, the end of the connection would end the body. So the connection must not end normally,
            // or a length must have been sent.
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.send("HTTP/1.1 200 OK\r\n\(page)Content-Length: 10\r\n\r\nhello")
                try wire.finish()
            }
            let outcome = try await stand.outcome("GET \(stand.root)/a HTTP/1.0\r\n\r\n")
            expectCutOr502(outcome)
        },
    ]

    /// Bytes after a response. The next requests must get their own responses.
    private static func leftover(_ says: String, _ answer: String, method: String = "GET") -> WireClause {
        WireClause("RFC 9112 §6.3", .mustNot, "these bytes are not used as the next response: \(says)") { stand in
            let poison = "HTTP/1.1 200 OK\r\n\(page)Content-Length: 6\r\n\r\npoison"
            stand.answers(answer + poison)
            _ = try await stand.outcome(stand.request(method, "/a"))
            stand.recovers()
            stand.answers { request in whole("asked \(request.target)", page) }
            for target in ["/b", "/c"] { try await stand.get(target).expect(.status(200), .body("asked \(target)")) }
        }
    }

    private static let leftovers: [WireClause] = [
        leftover("bytes after a body with a length", "HTTP/1.1 200 OK\r\n\(page)Content-Length: 5\r\n\r\nhello"),
        leftover("bytes after an empty body", "HTTP/1.1 200 OK\r\n\(page)Content-Length: 0\r\n\r\n"),
        leftover(
            "bytes after the last chunk",
            "HTTP/1.1 200 OK\r\n\(page)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        leftover("bytes after a 204", "HTTP/1.1 204 No Content\r\n\(page)\r\n"),
        leftover("the body of a 204", "HTTP/1.1 204 No Content\r\n\(page)Content-Length: 5\r\n\r\nhello"),
        leftover(
            "the body of a response to HEAD", "HTTP/1.1 200 OK\r\n\(page)Content-Length: 5\r\n\r\nhello", method: "HEAD"
        ),
        leftover(
            "bytes after a response to an unsafe method", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            method: "DELETE"),
        WireClause(
            "RFC 9112 §6.3", .mustNot,
            "bytes that arrive without a request on an idle connection are not used as a response"
        ) { stand in
            stand.answers(whole("first", page))
            try await stand.get("/a").expect(.body("first"))
            stand.sayUnasked("HTTP/1.1 200 OK\r\n\(page)Content-Length: 6\r\n\r\npoison")
            stand.recovers()
            stand.answers { request in whole("asked \(request.target)", page) }
            try await stand.get("/b").expect(.status(200), .body("asked /b"))
        },
        WireClause("RFC 9112 §11.1", .must, "text that a client put into a target never becomes a line of a response") {
            stand in
            stand.answers { request in whole("x", page + "Location: \(request.target)\r\n") }
            let answer = try await stand.ask("GET", "/a?b=%0d%0aSet-Cookie:%20evil=1%0d%0a%0d%0a%3Cx%3E")
            answer.expect(.status(200), .lacks("Set-Cookie"))
        },
    ]
}
