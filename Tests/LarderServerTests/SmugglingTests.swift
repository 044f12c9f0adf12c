import Glibc
import LarderCore
import LarderHTTP
import LarderServer
import LarderTestSupport
import Testing

/// Bytes that two recipients might read as different requests are refused, and what follows them is never served (RFC
/// 9112 §11.2). The parser's own tests name the rules; these tests check what a client sees.
@Suite struct SmugglingTests {
    static let second = "GET /second HTTP/1.1\r\nHost: localhost\r\n\r\n"

    static let refused: [(String, Int)] = [
        (
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX",
            400
        ),
        (
            "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nX",
            400
        ),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\nX: a\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nX: a\u{0}b\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: local host\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: user@localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost/x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost:8o\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400),
        ("GET http://a@localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", 421),
        ("GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("G{T / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n", 400),
    ]

    @Test(arguments: refused, [nil, "/"])
    func doubtfulFramingIsRefusedAndNothingBehindItIsServed(
        request: (text: String, status: Int), streamsBelow: String?
    ) async throws {
        let served = Lock<[String]>([])
        let handler = Answering(streamsBelow: streamsBelow) { request in
            served.withLock { $0.append(request.path) }
            _ = try? await readAll(request.upload)
            return ServerResponse(status: 200, body: .bytes([0x79]))
        }
        try await withServer(handler: handler) { test in
            let client = try wire(test)
            try client.send(request.text + Self.second)
            let response = try client.receive()
            #expect(response.status == request.status)
            #expect(response["Connection"] == "close")
            client.finishSending()
            #expect(try client.isClosed())
            #expect(!served.withLock { $0.contains("/second") })
        }
    }

    /// A request that is odd but has only one reading is served, and so is the request after it.
    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b;c=\"d\"\r\nabc\r\n0;e\r\nT: 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ,chunked,\r\n\r\n003\r\nabc\r\n000\r\n\r\n",
        "POST http://localhost/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 003\r\n\r\nabc",
        "\r\n\r\nPOST / HTTP/1.1\r\nHOST:localhost\r\ncontent-length:\t3 \r\n\r\nabc",
        "M-SEARCH / HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 3\r\n\r\nabc",
    ])
    func oddButPlainFramingIsServedAndSoIsWhatFollows(text: String) async throws {
        for streamsBelow in [nil, "/"] as [String?] {
            let handler = Answering(streamsBelow: streamsBelow) { request in
                let body = request.body + ((try? await readAll(request.upload)) ?? [])
                return ServerResponse(status: 200, body: .bytes(Bytes(text: request.path) + body))
            }
            try await withServer(handler: handler) { test in
                let client = try wire(test)
                try client.send(text + Self.second)
                #expect(try client.receive().text == "/abc")
                #expect(try client.receive().text == "/second")
            }
        }
    }
}
