// Responses that Larder generates because the origin gave none (RFC 9110 §15.6.3, §15.6.5), and their Proxy-Status (RFC
// 9209).
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let failures: [WireClause] = [
        WireClause("RFC 9209 §2.3.7", .should, "a refused connection is answered with 502 and connection_refused") {
            stand in
            stand.closes()
            try await expectFailure(stand, status: 502, ["connection_refused"])
        },
        WireClause(
            "RFC 9209 §2.3.2", .should, "a host name without an address is answered with 502 and dns_error",
            // The answer that the name does not exist may take the resolver longer than the default.
            "fetch: { connectTimeout: 60s }",
            origin: "http://nowhere.invalid"
        ) {
            stand in
            try await expectFailure(stand, status: 502, ["dns_error"])
        },
        WireClause(
            "RFC 9209 §2.3.13", .should, "a missing response is answered with 504 and a timeout error",
            "fetch: { deadline: 20s }\nserver: { loops: 1 }"
        ) { stand in
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.readToEnd()
            }
            for (method, more) in [("GET", ""), ("POST", "Content-Length: 0\r\n")] {
                let calls = stand.calls
                async let late = stand.ask(method, stand.fresh(), more)
                try await stand.larder.eventually("the origin is asked") { stand.calls == calls + 1 }
                stand.advance(seconds: 21)
                try await stand.larder.giveLoopsATurn()
                let answer = try await late
                answer.expect(.status(504), .proxyStatus(["http_response_timeout", "connection_read_timeout"]))
                stand.recovers()
            }
        }.withTimersOfTheStand(),
        WireClause(
            "RFC 9209 §2.3.11", .should, "a response that is not HTTP is answered with 502 and http_protocol_error"
        ) { stand in
            stand.answers("nonsense\r\n\r\n")
            try await expectFailure(stand, status: 502, ["http_protocol_error"])
        },
        WireClause(
            "RFC 9209 §2.3.11", .should, "a response with two framings is answered with 502 and http_protocol_error"
        ) { stand in
            stand.answers("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            try await expectFailure(stand, status: 502, ["http_protocol_error"])
        },
        WireClause("RFC 9209 §2.3.9", .should, "a connection that ends before the head is answered with 502") { stand in
            for bytes in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"] {
                stand.converses { wire in
                    _ = try wire.readRequest()
                    try wire.send(bytes)
                    try wire.finish()
                }
                try await expectFailure(
                    stand, status: 502, ["http_response_incomplete", "connection_terminated", "http_protocol_error"])
                stand.recovers()
            }
        },
        WireClause(
            "RFC 9209 §2.3.9", .should,
            "a connection that is reset before the head is answered with 502 and connection_terminated"
        ) { stand in
            stand.converses { wire in
                _ = try wire.readRequest()
                wire.reset()
            }
            try await expectFailure(stand, status: 502, ["connection_terminated", "http_response_incomplete"])
        },
        WireClause(
            "RFC 9209 §2", .mustNot,
            "an error response of the origin is passed on without Proxy-Status from this server"
        ) {
            stand in
            for status in ["500 Oh", "502 Bad Gateway", "503 Later", "504 Gateway Timeout", "404 No"] {
                stand.answers(whole("its own", "Cache-Control: no-store\r\nRetry-After: 7\r\n", status: status))
                for method in ["GET", "POST"] {
                    let more = method == "POST" ? "Content-Length: 0\r\n" : ""
                    let answer = try await stand.ask(method, stand.fresh(), more)
                    answer.expect(
                        .statusLine("HTTP/1.1 \(status)"), .body("its own"), .lacks("Proxy-Status"),
                        .line("Retry-After: 7"))
                    stand.recovers()
                }
            }
        },
        WireClause("RFC 9209 §2", .mustNot, "a successful response has no Proxy-Status from this server, stored or not")
        { stand in
            for fields in ["Cache-Control: max-age=60\r\n", "Cache-Control: no-store\r\n"] {
                stand.answers(whole("x", fields))
                for _ in 0..<3 { try await stand.get("/\(fields.count)").expect(.lacks("Proxy-Status")) }
            }
        },
        WireClause("RFC 9209 §2", .should, "Proxy-Status of other servers is kept") { stand in
            stand.answers(
                whole("x", "Cache-Control: no-store\r\nProxy-Status: inner; error=dns_timeout\r\n", status: "502 Bad"))
            try await stand.get("/a").expect(.order("Proxy-Status", ["inner; error=dns_timeout"]))
        },
        WireClause("RFC 9110 §15.6.3", .must, "a generated error has no-store and a media type, and is not stored") {
            stand in
            stand.answers("nonsense\r\n\r\n")
            let answer = try await stand.get("/a")
            answer.expect(
                .status(502), .line("Content-Type: application/problem+json"), .fieldHas("Cache-Control", "no-store"),
                .has("Date"))
            stand.recovers()
            stand.answers(whole("good", "Cache-Control: max-age=60\r\n"))
            try await stand.get("/a").expect(.status(200), .body("good"))
        },
        WireClause("RFC 9110 §15.6.3", .must, "a generated error does not contain the name or path of the origin") {
            stand in
            stand.closes()
            let answer = try await stand.get("/secret-path?key=secret")
            answer.expect(.status(502), .bodyLacks("secret"), .headLacks("secret"))
        },
        WireClause("RFC 9209 §2", .may, "a request that is refused as malformed gets no error about the upstream") {
            stand in
            let answer = try await stand.exchange("GET \(stand.root)/a HTTP/1.1\r\nHost: localhost\r\nX : a\r\n\r\n")
            answer.expect(.status(400), .fieldLacks("Proxy-Status", "error=connection"))
            stand.expectCalls(0)
        },
    ]

    private static func expectFailure(_ stand: Stand, status: Int, _ errors: [String]) async throws {
        for (method, more) in [("GET", ""), ("POST", "Content-Length: 0\r\n")] {
            let answer = try await stand.ask(method, stand.fresh(), more)
            answer.expect(.status(status), .proxyStatus(errors))
            stand.recovers()
        }
    }
}
