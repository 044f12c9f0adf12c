// Connections (RFC 9112 §9): order, reuse and closing, with clients and with the origin.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let connections: [WireClause] = [
        WireClause(
            "RFC 9112 §9.3.2", .must,
            "pipelined requests are answered in order, even if a slow one is followed by fast ones"
        ) {
            stand in
            let slow = Gate()
            stand.answers { request in
                if request.target == "/slow" { slow.waitPatiently() }
                return whole("asked \(request.target)", page)
            }
            try await stand.get("/hit")
            let answers = try await stand.talk { client in
                try client.send(["/slow", "/hit", "/other", "/hit"].map { stand.request("GET", $0) }.joined())
                slow.open()
                return try (0..<4).map { _ in try client.receive() }
            }
            expectSame(answers.map(\.text), ["asked /slow", "asked /hit", "asked /other", "asked /hit"])
        },
        WireClause("RFC 9112 §9.3.2", .must, "each body in a pipeline ends at its own end") { stand in
            stand.answers { request in whole("\(request.method) \(request.body.count)") }
            let answers = try await stand.pipeline([
                stand.request("POST", "/a", "Content-Length: 3\r\n") + "abc",
                stand.request("PUT", "/b", "Transfer-Encoding: chunked\r\n") + "4\r\nabcd\r\n0\r\n\r\n",
                stand.request("DELETE", "/c"), stand.request("GET", "/d"),
                stand.request("POST", "/e", "Content-Length: 0\r\n"), stand.request("GET", "/f"),
            ])
            expectSame(answers.map(\.text), ["POST 3", "PUT 4", "DELETE 0", "GET 0", "POST 0", "GET 0"])
        },
        WireClause(
            "RFC 9112 §9.3", .should,
            "an HTTP/1.1 connection is kept open after hits and misses, with and without a body"
        ) {
            stand in
            for bytes in [
                whole("x", page), whole("x", never), "HTTP/1.1 204 No Content\r\n\(never)\r\n",
                "HTTP/1.1 200 OK\r\n\(never)Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
                whole("x", never, status: "500 Oh"),
            ] {
                stand.answers(bytes)
                let target = stand.fresh()
                try await stand.talk { client in
                    for _ in 0..<3 {
                        try client.send(stand.request("GET", target))
                        try client.receive().expect(.fieldLacks("Connection", "close"))
                    }
                }
            }
        },
        WireClause("RFC 9112 §9.6", .must, "a request with close is answered with close, and the connection ends") {
            stand in
            for fields in [page, never] {
                stand.answers(whole("x", fields))
                for _ in 0..<3 {
                    let (answer, rest) = try await stand.talk { client in
                        try client.send(stand.request("GET", "/\(fields.count)", "Connection: close\r\n"))
                        return (try client.receive(), try client.receiveRest())
                    }
                    answer.expect(.status(200), .only("Connection", "close"))
                    expectSame(rest, [])
                }
            }
        },
        WireClause("RFC 9112 §9.6", .should, "a client that has closed its sending side still gets its answers") {
            stand in
            stand.answers { request in whole("\(request.method) \(request.target)") }
            let answers = try await stand.talk { client in
                try client.send(
                    stand.request("GET", "/a") + stand.request("PUT", "/b", "Content-Length: 1\r\n") + "x"
                        + stand.request("GET", "/c"))
                client.finishSending()
                let answers = try (0..<3).map { _ in try client.receive() }
                expectSame(try client.receiveRest(), [])
                return answers
            }
            expectSame(answers.map(\.text), ["GET /a", "PUT /b", "GET /c"])
        },
        WireClause("RFC 9112 §9.6", .mustNot, "requests after one with close are not processed") { stand in
            stand.answers(whole("x", never))
            let rest = try await stand.talk { client in
                try client.send(stand.request("GET", "/a", "Connection: X, Close\r\n") + stand.request("GET", "/b"))
                try client.receive().expect(.status(200))
                return try client.receiveRest()
            }
            expectSame(rest, [])
            stand.expectCalls(1)
        },
        WireClause("RFC 9112 §9.3", .must, "an HTTP/1.0 connection ends after the response") { stand in
            for fields in [page, never] {
                stand.answers(whole("x", fields))
                for _ in 0..<3 {
                    let (answer, rest) = try await stand.talk { client in
                        try client.send("GET \(stand.root)/\(fields.count) HTTP/1.0\r\n\r\n")
                        return (try client.receive(), try client.receiveRest())
                    }
                    answer.expect(.status(200), .body("x"))
                    expectSame(rest, [])
                }
            }
        },
        WireClause(
            "RFC 9112 §9.3", .may,
            "an HTTP/1.0 connection with keep-alive is kept open and the response says so; otherwise it ends"
        ) { stand in
            stand.answers(whole("x", page))
            try await stand.talk { client in
                for _ in 0..<3 {
                    try client.send("GET \(stand.root)/a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
                    let answer = try client.receive()
                    answer.expect(.status(200), .body("x"))
                    if answer["Connection"]?.lowercased() != "keep-alive" {
                        expectSame(try client.receiveRest(), [])
                        return
                    }
                }
            }
        },
        WireClause("RFC 9112 §9.3", .must, "close overrides keep-alive") { stand in
            stand.answers(whole("x", page))
            for version in ["1.0", "1.1"] {
                let rest = try await stand.talk { client in
                    try client.send(
                        "GET \(stand.root)/a HTTP/\(version)\r\nHost: localhost\r\nConnection: keep-alive, close\r\n\r\n"
                    )
                    try client.receive().expect(.status(200))
                    return try client.receiveRest()
                }
                expectSame(rest, [])
            }
        },
        WireClause("RFC 9110 §7.6.1", .must, "close from the origin ends only the connection to the origin") { stand in
            stand.converses { wire in
                let request = try wire.readRequest()
                try wire.send(whole("asked \(request.target)", never + "Connection: close\r\n"))
                try wire.finish()
            }
            try await stand.talk { client in
                for target in ["/a", "/b", "/c"] {
                    try client.send(stand.request("GET", target))
                    try client.receive().expect(.body("asked \(target)"), .fieldLacks("Connection", "close"))
                }
            }
        },
        WireClause(
            "RFC 9110 §7.6.1", .must, "close from the client ends only the connection to the client",
            // Each loop has its own upstream connections, and each client may be served by another loop. So there is
            // one loop.
            "server: { loops: 1 }"
        ) { stand in
            stand.answers(whole("x", never))
            for target in ["/a", "/b", "/c"] {
                try await stand.ask("GET", target, "Connection: close\r\n").expect(.status(200))
                // The last byte may arrive here before the fetch ends. Until then, the upstream connection is not free.
                try await stand.settles()
            }
            expectSame(stand.origin.connections, 1)
        },
        WireClause(
            "RFC 9112 §9.3.1", .mustNot, "a request that is not idempotent is not repeated when its connection fails"
        ) { stand in
            let posts = Tally()
            stand.converses { wire in
                let request = try wire.readRequest()
                guard request.method == "POST" else { return try wire.send(whole("x", never)) }
                posts.add()
                wire.reset()
            }
            try await stand.get("/a").expect(.status(200))
            try await stand.ask("POST", "/b", "Content-Length: 1\r\n", body: "x").expect(.status(502))
            expectSame(posts.count, 1)
        },
        WireClause("RFC 9112 §9.3.1", .may, "a GET whose reused connection failed is repeated on another connection") {
            stand in
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.send(whole("x", never))
                try wire.finish()
            }
            for target in ["/a", "/b", "/c"] { try await stand.get(target).expect(.status(200), .body("x")) }
        },
    ]

    private static let page = "Cache-Control: max-age=600\r\n"
    private static let never = "Cache-Control: no-store\r\n"
}
