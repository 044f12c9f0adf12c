// Which bytes a client may send (RFC 9112 §2 to §7). A request that two readers could read differently is refused, and
// nothing of it reaches the origin.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let requestFraming = badRequests + goodRequests + requestChunks + cutRequests

    private static let host = "Host: localhost\r\n"

    /// Bytes that are refused. The client gets an error status, the connection ends, the origin receives nothing, and
    /// later bytes on the connection are not answered. `@` stands for the root of the provider.
    private static func refused(
        _ section: String, _ level: Level, _ says: String, _ bytes: String, status: Int...
    ) -> WireClause {
        WireClause(section, level, "a request is refused: \(says)") { stand in
            stand.answers(whole("x"))
            let text = bytes.replacing("@", with: stand.root)
            let (answer, rest) = try await stand.talk { client in
                try client.send(text + stand.request("GET", "/smuggled"))
                client.finishSending()
                return (try client.receive(), try client.receiveRest())
            }
            answer.expect(.statusIn(status.isEmpty ? [400] : status), .fieldIn("Connection", ["close"]))
            expectSame(rest, [])
            stand.expectCalls(0)
        }
    }

    private static func field(
        _ section: String, _ level: Level, _ says: String, _ lines: String, method: String = "GET", body: String = "",
        status: Int...
    ) -> WireClause {
        let bytes = "\(method) @/a HTTP/1.1\r\n\(host)\(lines)\r\n\(body)"
        return WireClause(section, level, "a request is refused: \(says)") { stand in
            stand.answers(whole("x"))
            let text = bytes.replacing("@", with: stand.root)
            let (answer, rest) = try await stand.talk { client in
                try client.send(text + stand.request("GET", "/smuggled"))
                client.finishSending()
                return (try client.receive(), try client.receiveRest())
            }
            answer.expect(.statusIn(status.isEmpty ? [400] : status), .fieldIn("Connection", ["close"]))
            expectSame(rest, [])
            stand.expectCalls(0)
        }
    }

    private static let badRequests: [WireClause] = [
        // Request line.
        refused("RFC 9112 §3", .should, "two spaces before the target", "GET  @/a HTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §3", .should, "two spaces before the version", "GET @/a  HTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §3", .should, "white space in the target", "GET @/a b HTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §3", .should, "a tab between target and version", "GET @/a\tHTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §3", .should, "no version", "GET @/a\r\n\(host)\r\n"),
        refused("RFC 9112 §3", .should, "a line with only a method", "GET\r\n\(host)\r\n"),
        refused("RFC 9112 §2.3", .must, "HTTP in lower case", "GET @/a http/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §2.3", .must, "a version of two digits", "GET @/a HTTP/1.10\r\n\(host)\r\n"),
        refused("RFC 9112 §2.3", .must, "no minor version number", "GET @/a HTTP/1\r\n\(host)\r\n"),
        refused(
            "RFC 9110 §15.6.6", .should, "another major version is answered with 505",
            "GET @/a HTTP/2.0\r\n\(host)\r\n",
            status: 505),
        refused("RFC 9110 §15.6.6", .should, "HTTP/0.9", "GET @/a HTTP/0.9\r\n\(host)\r\n", status: 400, 505),
        refused(
            "RFC 9110 §5.6.2", .must, "a method with a character that is not allowed in a token",
            "GE(T @/a HTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §3.2", .must, "a control character in the target", "GET @/a\u{1} HTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §3.2", .must, "NUL in the target", "GET @/a\0 HTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §11.1", .must, "a carriage return in the target", "GET @/a\rX HTTP/1.1\r\n\(host)\r\n"),
        refused("RFC 9112 §3.2", .must, "a target in an unknown form", "GET a/b HTTP/1.1\r\n\(host)\r\n"),
        // Lines.
        refused(
            "RFC 9112 §2.2", .may, "a request line that ends with a line feed alone", "GET @/a HTTP/1.1\n\(host)\r\n"),
        refused(
            "RFC 9112 §2.2", .may, "a field line that ends with a line feed alone",
            "GET @/a HTTP/1.1\r\nHost: localhost\n\r\n"),
        refused("RFC 9112 §2.2", .may, "a head that ends with a line feed alone", "GET @/a HTTP/1.1\r\n\(host)\n"),
        refused(
            "RFC 9112 §2.2", .must, "a bare carriage return in a field", "GET @/a HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n"),
        refused(
            "RFC 9112 §2.2", .must, "a bare carriage return that looks like a line end",
            "GET @/a HTTP/1.1\r\n\(host)X: a\rEvil: b\r\n\r\n"),
        refused("RFC 9112 §2.2", .must, "white space before the first field", "GET @/a HTTP/1.1\r\n \(host)\r\n"),
        refused("RFC 9112 §5.2", .must, "a folded line, with a space", "GET @/a HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n"),
        refused("RFC 9112 §5.2", .must, "a folded line, with a tab", "GET @/a HTTP/1.1\r\n\(host)X: a\r\n\tb\r\n\r\n"),
        refused(
            "RFC 9112 §5.2", .must, "a folded Content-Length",
            "POST @/a HTTP/1.1\r\n\(host)Content-Length:\r\n 5\r\n\r\nhello"),
        // Fields.
        field("RFC 9112 §5.1", .must, "a space before the colon", "X : a\r\n"),
        field("RFC 9112 §5.1", .must, "a tab before the colon", "X\t: a\r\n"),
        field(
            "RFC 9112 §5.1", .must, "a space before the colon of Content-Length", "Content-Length : 5\r\n",
            method: "POST", body: "hello"),
        field(
            "RFC 9112 §5.1", .must, "a space before the colon of Transfer-Encoding", "Transfer-Encoding : chunked\r\n",
            method: "POST", body: "0\r\n\r\n"),
        field("RFC 9112 §5", .must, "a line without a colon", "X\r\n"),
        field("RFC 9110 §5.1", .must, "an empty name", ": a\r\n"),
        field("RFC 9110 §5.1", .must, "a name with a character that is not allowed in a token", "X(Y: a\r\n"),
        field("RFC 9110 §5.1", .must, "a name that is not ASCII", "X\(octet(0xE9)): a\r\n"),
        field("RFC 9110 §5.5", .must, "NUL in a value", "X: a\0b\r\n"),
        field("RFC 9110 §5.5", .must, "another control character in a value", "X: a\u{8}b\r\n"),
        field("RFC 9110 §5.5", .must, "DEL in a value", "X: a\u{7F}b\r\n"),
        // Host.
        refused("RFC 9112 §3.2", .must, "HTTP/1.1 without Host", "GET @/a HTTP/1.1\r\n\r\n"),
        field("RFC 9112 §3.2", .must, "Host twice with the same value", "Host: localhost\r\n"),
        field("RFC 9112 §3.2", .must, "Host twice with different values", "Host: 127.0.0.1\r\n"),
        refused(
            "RFC 9112 §3.2", .must, "a Host that is not a host", "GET @/a HTTP/1.1\r\nHost: a b\r\n\r\n", status: 400,
            421),
        refused(
            "RFC 9112 §3.2", .must, "a Host that is a list", "GET @/a HTTP/1.1\r\nHost: localhost, localhost\r\n\r\n",
            status: 400, 421),
        refused(
            "RFC 9112 §3.2", .must, "a Host with user information", "GET @/a HTTP/1.1\r\nHost: a@localhost\r\n\r\n",
            status: 400, 421),
        refused(
            "RFC 9110 §7.4", .must, "a host that is not served here is answered with 421",
            "GET @/a HTTP/1.1\r\nHost: evil.example\r\n\r\n", status: 421),
        // Lengths.
        field(
            "RFC 9112 §6.3", .must, "two different lengths", "Content-Length: 5\r\nContent-Length: 6\r\n",
            method: "POST", body: "hello!"),
        field(
            "RFC 9110 §8.6", .must, "two equal lengths", "Content-Length: 5\r\nContent-Length: 5\r\n",
            method: "POST", body: "hello"),
        field("RFC 9110 §8.6", .must, "a list of lengths", "Content-Length: 5, 5\r\n", method: "POST", body: "hello"),
        field(
            "RFC 9112 §6.3", .must, "a list of different lengths", "Content-Length: 5, 6\r\n", method: "POST",
            body: "hello"),
        field("RFC 9112 §6.3", .must, "a length with a sign", "Content-Length: +5\r\n", method: "POST", body: "hello"),
        field("RFC 9112 §6.3", .must, "a negative length", "Content-Length: -5\r\n", method: "POST", body: "hello"),
        field(
            "RFC 9112 §6.3", .must, "a length with a fraction", "Content-Length: 5.0\r\n", method: "POST", body: "hello"
        ),
        field(
            "RFC 9112 §6.3", .must, "a length in hexadecimal", "Content-Length: 0x5\r\n", method: "POST", body: "hello"),
        field(
            "RFC 9112 §6.3", .must, "a length with white space inside", "Content-Length: 5 0\r\n", method: "POST",
            body: "hello"),
        field("RFC 9112 §6.3", .must, "an empty length", "Content-Length:\r\n", method: "POST", body: "hello"),
        field(
            "RFC 9112 §6.3", .must, "a length that is a word", "Content-Length: five\r\n", method: "POST", body: "hello"
        ),
        field(
            "RFC 9110 §8.6", .must, "a length that is too large for an integer",
            "Content-Length: 18446744073709551621\r\n",
            method: "POST", body: "hello", status: 400, 413),
        field("RFC 9112 §6.3", .must, "a bad length in a GET too", "Content-Length: x\r\n"),
        // Transfer codings.
        field(
            "RFC 9112 §6.1", .may, "Content-Length before Transfer-Encoding",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", method: "POST", body: "0\r\n\r\n"),
        field(
            "RFC 9112 §6.1", .may, "Content-Length after Transfer-Encoding",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", method: "POST", body: "0\r\n\r\n"),
        refused(
            "RFC 9112 §6.1", .must, "Transfer-Encoding in HTTP/1.0",
            "POST @/a HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        field(
            "RFC 9112 §6.3", .must, "chunked is not the last coding", "Transfer-Encoding: chunked, gzip\r\n",
            method: "POST", body: "0\r\n\r\n"),
        field(
            "RFC 9112 §6.3", .must, "codings without chunked", "Transfer-Encoding: gzip\r\n", method: "POST",
            body: "0\r\n\r\n"),
        field(
            "RFC 9112 §6.1", .mustNot, "chunked twice", "Transfer-Encoding: chunked, chunked\r\n", method: "POST",
            body: "0\r\n\r\n"),
        field(
            "RFC 9112 §6.1", .mustNot, "chunked on two lines",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", method: "POST", body: "0\r\n\r\n"),
        field(
            "RFC 9112 §6.1", .should, "an unknown coding is answered with 501",
            "Transfer-Encoding: brotli, chunked\r\n", method: "POST", body: "0\r\n\r\n", status: 501),
        field(
            "RFC 9112 §6.1", .should, "a known coding before chunked is answered with 501",
            "Transfer-Encoding: gzip, chunked\r\n", method: "POST", body: "0\r\n\r\n", status: 400, 501),
        field(
            "RFC 9112 §6.1", .must, "the obsolete coding identity", "Transfer-Encoding: identity\r\n", method: "POST",
            status: 400, 501),
        field(
            "RFC 9112 §6.1", .must, "a coding in quotes", "Transfer-Encoding: \"chunked\"\r\n", method: "POST",
            body: "0\r\n\r\n", status: 400, 501),
        field(
            "RFC 9112 §6.1", .must, "a coding with a vertical tab", "Transfer-Encoding: \u{B}chunked\r\n",
            method: "POST", body: "0\r\n\r\n"),
        field(
            "RFC 9112 §6.1", .must, "an empty Transfer-Encoding", "Transfer-Encoding:\r\n", method: "POST",
            body: "0\r\n\r\n"),
    ]

    private static let goodRequests: [WireClause] = [
        WireClause("RFC 9112 §2.2", .should, "empty lines before a request are skipped") { stand in
            stand.answers(whole("x"))
            try await stand.exchange("\r\n\r\nGET \(stand.root)/a HTTP/1.1\r\n\(host)\r\n").expect(.status(200))
        },
        WireClause("RFC 9110 §2.5", .should, "a later minor version is treated as HTTP/1.1") { stand in
            stand.answers(whole("x"))
            try await stand.exchange("GET \(stand.root)/a HTTP/1.9\r\n\(host)\r\n")
                .expect(.status(200), .statusLine("HTTP/1.1 200 OK"))
            stand.lastRequest.expect(.version("HTTP/1.1"))
        },
        WireClause("RFC 9110 §5.1", .must, "field names, including those of framing fields, are not case-sensitive") {
            stand in
            stand.answers(whole("x"))
            let answers = try await stand.pipeline([
                "POST \(stand.root)/a HTTP/1.1\r\nhOST: localhost\r\ncontent-LENGTH: 5\r\n\r\nhello",
                "POST \(stand.root)/b HTTP/1.1\r\nHOST: localhost\r\ntransfer-ENCODING: CHUNKED\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            ])
            for answer in answers { answer.expect(.status(200)) }
            stand.requestFor("/a").expect(.body("hello"))
            stand.requestFor("/b").expect(.body("hi"))
        },
        WireClause("RFC 9112 §5.1", .must, "white space around a value is optional") { stand in
            stand.answers(whole("x"))
            try await stand.exchange(
                "POST \(stand.root)/a HTTP/1.1\r\nHost:localhost\r\nContent-Length:\t 5 \t\r\n\r\nhello"
            )
            .expect(.status(200))
            stand.lastRequest.expect(.body("hello"))
        },
        WireClause("RFC 9112 §6.3", .must, "in requests: leading zeros do not change a length") { stand in
            stand.answers(whole("x"))
            let answers = try await stand.pipeline([
                stand.request("POST", "/a", "Content-Length: 005\r\n") + "hello", stand.request("GET", "/b"),
            ])
            for answer in answers { answer.expect(.status(200)) }
            stand.requestFor("/a").expect(.body("hello"))
        },
        WireClause("RFC 9112 §3.2.2", .must, "a target in absolute form is accepted, and its host overrides Host") {
            stand in
            stand.answers(whole("x"))
            for authority in ["localhost", "127.0.0.1:1", "LOCALHOST:80"] {
                try await stand.exchange("GET http://\(authority)\(stand.root)/a?b HTTP/1.1\r\n\(host)\r\n").expect(
                    .status(200))
                stand.lastRequest.expect(.target("/a?b"), .isForOrigin)
            }
        },
        WireClause("RFC 9112 §3.2.2", .must, "the host of a target in absolute form counts, and Host is ignored") {
            stand in
            stand.answers(whole("x"))
            let target = "http://127.0.0.1:1\(stand.root)/a"
            try await stand.exchange("GET \(target) HTTP/1.1\r\nHost: evil.example\r\n\r\n").expect(.status(200))
            stand.lastRequest.expect(.target("/a"), .isForOrigin)
        },
        WireClause("RFC 9112 §3.2.2", .must, "a page of the host in the ignored Host field is foreign") { stand in
            stand.answers(whole("x"))
            let target = "http://127.0.0.1:1\(stand.root)/a"
            let fields = "Host: evil.example\r\nOrigin: http://evil.example\r\n"
            try await stand.exchange("GET \(target) HTTP/1.1\r\n\(fields)\r\n").expect(.status(403))
            stand.expectCalls(0)
        },
        WireClause(
            "RFC 9112 §3.2", .must, "a malformed Host is answered with 400, also beside a target in absolute form"
        ) {
            stand in
            stand.answers(whole("x"))
            let target = "http://127.0.0.1:1\(stand.root)/a"
            try await stand.exchange("GET \(target) HTTP/1.1\r\nHost: a b\r\n\r\n").expect(.status(400))
            try await stand.exchange("GET \(target) HTTP/1.1\r\n\r\n").expect(.status(400))
            stand.expectCalls(0)
        },
        WireClause("RFC 9112 §3.2.2", .must, "a foreign host in absolute form is answered with 421, whatever Host says")
        {
            stand in
            stand.answers(whole("x"))
            try await stand.exchange("GET http://evil.example\(stand.root)/a HTTP/1.1\r\n\(host)\r\n").expect(
                .status(421))
            stand.expectCalls(0)
        },
        WireClause("RFC 9112 §3.3", .must, "an HTTP/1.0 request needs no Host") { stand in
            stand.answers(whole("x"))
            try await stand.exchange("GET \(stand.root)/a HTTP/1.0\r\n\r\n").expect(.status(200))
        },
    ]

    /// A valid chunked request. The origin receives exactly the content.
    private static func chunks(_ section: String, _ level: Level, _ says: String, _ body: String, gives content: String)
        -> WireClause
    {
        WireClause(section, level, "in requests: \(says)") { stand in
            stand.answers(whole("x"))
            let answers = try await stand.pipeline([
                stand.request("POST", "/a", "Transfer-Encoding: chunked\r\n") + body, stand.request("GET", "/next"),
            ])
            for answer in answers { answer.expect(.status(200)) }
            stand.requestFor("/a").expect(.body(content))
            stand.expectCalls(2)
        }
    }

    /// An invalid chunked request. The client gets an error or is cut off, and the origin never receives a complete
    /// request.
    private static func badChunks(_ section: String, _ level: Level, _ says: String, _ body: String) -> WireClause {
        WireClause(section, level, "a request is refused: \(says)") { stand in
            stand.answers(whole("x"))
            let answer = try await stand.talk { client in
                try client.send(stand.request("POST", "/a", "Transfer-Encoding: chunked\r\n") + body)
                try? client.send(stand.request("GET", "/smuggled"))
                client.finishSending()
                let answer = try? client.receive()
                expectSame(try? client.receiveRest(), [])
                return answer
            }
            if let answer { answer.expect(.statusIn([400, 413, 431])) }
            stand.expectWholeRequests(0)
        }
    }

    private static let requestChunks: [WireClause] = [
        chunks(
            "RFC 9112 §7.1", .must, "several chunks form one content", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            gives: "abcde"
        ),
        chunks(
            "RFC 9112 §7.1", .must, "sizes are hexadecimal in either case",
            "a\r\n0123456789\r\nA\r\nabcdefghij\r\n0\r\n\r\n", gives: "0123456789abcdefghij"),
        chunks("RFC 9112 §7.1", .must, "sizes may have leading zeros", "0003\r\nabc\r\n000\r\n\r\n", gives: "abc"),
        chunks("RFC 9112 §7.1", .must, "an empty content", "0\r\n\r\n", gives: ""),
        chunks(
            "RFC 9112 §7.1.1", .must, "unknown chunk extensions are ignored", "3;a=b;c=\"d;e\";f\r\nabc\r\n0;x\r\n\r\n",
            gives: "abc"),
        chunks(
            "RFC 9112 §7.1.1", .may, "white space before an extension is accepted", "3 ; a=b\r\nabc\r\n0\r\n\r\n",
            gives: "abc"),
        chunks(
            "RFC 9112 §7.1", .must, "line ends inside a chunk belong to the content", "6\r\na\r\n0\r\n\r\n0\r\n\r\n",
            gives: "a\r\n0\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a size that is not a number", "x\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "an empty size", "\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a size with a sign", "+3\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a negative size", "-3\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a size with white space before it", " 3\r\nabc\r\n0\r\n\r\n"),
        badChunks(
            "RFC 9112 §7.1", .must, "a size that is too large for an integer", "10000000000000003\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a chunk longer than its size", "3\r\nabcd\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a chunk shorter than its size", "5\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a size that ends with a line feed alone", "3\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1", .must, "a chunk that ends with a line feed alone", "3\r\nabc\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1.1", .must, "a line feed in an extension", "3;a\nb\r\nabc\r\n0\r\n\r\n"),
        badChunks("RFC 9112 §7.1.1", .must, "a carriage return in an extension", "3;a\rb\r\nabc\r\n0\r\n\r\n"),
        badChunks(
            "RFC 9112 §7.1.1", .should, "extensions that exceed the limit",
            "3;\(String(repeating: "a", count: 100_000))\r\nabc\r\n0\r\n\r\n"),
        badChunks(
            "RFC 9112 §7.1.2", .should, "trailers that exceed the limit",
            "3\r\nabc\r\n0\r\nX: \(String(repeating: "a", count: 100_000))\r\n\r\n"),
        badChunks("RFC 9112 §5.2", .must, "a folded trailer", "3\r\nabc\r\n0\r\nX: a\r\n b\r\n\r\n"),
    ]

    private static let cutRequests: [WireClause] = [
        WireClause("RFC 9112 §8", .must, "a request cut short inside its content is not passed on as a complete one") {
            stand in
            stand.answers(whole("x"))
            for framing in ["Content-Length: 10\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"] {
                try await stand.talk { client in
                    try client.send("POST \(stand.root)/a HTTP/1.1\r\n\(host)\(framing)")
                    client.finishSending()
                    if let answer = try? client.receive() { answer.expect(.statusIn([400, 408])) }
                }
            }
            stand.expectWholeRequests(0)
        },
        WireClause("RFC 9112 §8", .must, "a request cut short inside its head is not passed on") { stand in
            stand.answers(whole("x"))
            for bytes in ["GET \(stand.root)/a HTTP/1.1\r\n\(host)", "GET \(stand.root)/a HTTP/1.1\r\n\(host)X: a\r\n"]
            {
                try await stand.talk { client in
                    try client.send(bytes)
                    client.finishSending()
                    if let answer = try? client.receive() { answer.expect(.statusIn([400, 408])) }
                }
            }
            stand.expectCalls(0)
        },
    ]
}
