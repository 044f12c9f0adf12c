// Streaming of bodies (RFC 9111 §3.3, RFC 9112 §8): waiting clients, joined clients, slow clients, clients that leave,
// and what is stored.
import LarderCore
import LarderTestSupport
import Testing

extension WireClauses {
    static let streams: [WireClause] = [
        WireClause("RFC 9110 §7.6", .may, "the first bytes reach the client while the origin is still sending") {
            stand in
            for fields in [page, never] {
                for framing in ["Content-Length: 10\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"] {
                    let seen = Gate()
                    stand.converses { wire in
                        _ = try wire.readRequest()
                        try wire.send("HTTP/1.1 200 OK\r\n\(fields)\(framing)")
                        seen.waitPatiently()
                        try wire.send(framing.hasPrefix("C") ? "world" : "5\r\nworld\r\n0\r\n\r\n")
                    }
                    let target = stand.fresh()
                    let answer = try await stand.talk { client in
                        try client.send(stand.request("GET", target))
                        let head = try client.receiveHead()
                        let first = try client.receiveBody(head, atLeast: 5)
                        seen.open()
                        return client.receiveRest(of: head, after: first)
                    }
                    answer.expect(.status(200), .body("helloworld"))
                }
            }
        },
        WireClause("RFC 9111 §4", .may, "a client that joins a running fetch receives every byte") {
            stand in
            let more = Gate()
            let body = pattern(400_000)
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.send("HTTP/1.1 200 OK\r\n\(page)Content-Length: \(body.count)\r\n\r\n")
                try wire.send(Bytes(body[..<100_000]))
                more.waitPatiently()
                try wire.send(Bytes(body[100_000...]))
            }
            // The origin continues once both clients have read some of what it sent.
            let both = Tally(2) { more.open() }
            async let first = stand.read("/a", atLeast: 50_000) { both.add() }
            async let second = stand.read("/a", atLeast: 50_000) { both.add() }
            let answers = [try await first, try await second]
            for answer in answers { answer.expect(.status(200), .content(body)) }
            stand.expectCalls(1)
            try await stand.settles()
            try await stand.get("/a").expect(.content(body), .isHit)
        },
        WireClause("RFC 9111 §4", .may, "a slow client delays neither other clients nor the store") { stand in
            let body = pattern(6_000_000)
            stand.answers(whole(body, page))
            try await stand.talk { slow in
                try slow.send(stand.request("GET", "/a"))
                let head = try slow.receiveHead()
                // This client reads no more for now. Other clients must still be served.
                for _ in 0..<2 {
                    let other = try stand.client()
                    try other.send(stand.request("GET", "/a"))
                    try other.receive().expect(.status(200), .content(body))
                }
                slow.receiveRest(of: head).expect(.content(body))
            }
            stand.expectCalls(1)
        },
        WireClause("RFC 9112 §8", .must, "if the origin fails, all clients of the fetch are cut and nothing is stored")
        {
            stand in
            let fail = Gate()
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.send("HTTP/1.1 200 OK\r\n\(page)Content-Length: 100000\r\n\r\n")
                try wire.send(pattern(50_000))
                fail.waitPatiently()
                wire.reset()
            }
            let both = Tally(2) { fail.open() }
            async let first = stand.read("/a", atLeast: 10_000) { both.add() }
            async let second = stand.read("/a", atLeast: 10_000) { both.add() }
            for outcome in [try await first, try await second] { expectSame(outcome.isWhole, false) }
            stand.recovers()
            stand.answers(whole("good", page))
            try await stand.get("/a").expect(.body("good"), .isNotHit)
        },
        WireClause("RFC 9111 §3.3", .may, "a client that leaves does not end a fetch that other clients read") {
            stand in
            let (left, more) = (Gate(), Gate())
            let body = pattern(300_000)
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.send("HTTP/1.1 200 OK\r\n\(page)Content-Length: \(body.count)\r\n\r\n")
                try wire.send(Bytes(body[..<100_000]))
                more.waitPatiently()
                try wire.send(Bytes(body[100_000...]))
            }
            let both = Gate()
            async let leaver: Void = stand.leave("/a", atLeast: 1000) { both.waitPatiently() }
            async let stayer = stand.read("/a", atLeast: 1000) {
                both.open()
                left.waitPatiently()
                more.open()
            }
            try await leaver
            left.open()
            try await stayer.expect(.status(200), .content(body))
            stand.expectCalls(1)
            try await stand.settles()
            try await stand.get("/a").expect(.content(body), .isHit)
        },
        WireClause(
            "RFC 9111 §3.3", .mustNot, "a response that no client read to the end is stored completely or not at all"
        ) {
            stand in
            let more = Gate()
            stand.converses { wire in
                _ = try wire.readRequest()
                try wire.send("HTTP/1.1 200 OK\r\n\(page)Content-Length: 200000\r\n\r\n")
                try wire.send(pattern(100_000))
                more.waitPatiently()
                try? wire.send(Bytes(pattern(200_000)[100_000...]))
            }
            try await stand.leave("/a", atLeast: 1000)
            more.open()
            try await stand.settles()
            stand.answers(whole(pattern(200_000), page))
            try await stand.get("/a").expect(.status(200), .content(pattern(200_000)))
        },
        WireClause(
            "RFC 9211 §2.4", .must,
            "a response too large to be stored is sent completely, not stored, and marked as not stored",
            "cache: { maxObject: 64 KiB }"
        ) { stand in
            let body = pattern(300_000)
            for framing in [true, false] {
                stand.answers(framing ? whole(body, page) : chunkedAnswer(body, page))
                let target = stand.fresh()
                for _ in 0..<2 {
                    let answer = try await stand.get(target)
                    answer.expect(.status(200), .content(body), .isNotHit, .fieldLacks("Cache-Status", "hit"))
                    // If the length was not known in advance, the head could not say that the response is not stored.
                    if framing { answer.expect(.fieldLacks("Cache-Status", "stored")) }
                }
            }
            stand.expectCalls(4)
        },
        WireClause("RFC 9110 §7.6", .must, "the response to an unsafe method is streamed, and every byte arrives") {
            stand in
            let body = pattern(300_000)
            for method in ["POST", "DELETE", "OPTIONS", "BREW"] {
                for bytes in [whole(body), chunkedAnswer(body)] {
                    let more = Gate()
                    stand.converses { wire in
                        _ = try wire.readRequest()
                        try wire.send(Bytes(bytes[..<100_000]))
                        more.waitPatiently()
                        try wire.send(Bytes(bytes[100_000...]))
                    }
                    let answer = try await stand.talk { client in
                        try client.send(stand.request(method, "/a", "Content-Length: 0\r\n"))
                        let head = try client.receiveHead()
                        let first = try client.receiveBody(head, atLeast: 10_000)
                        more.open()
                        return client.receiveRest(of: head, after: first)
                    }
                    answer.expect(.status(200), .content(body))
                }
            }
        },
        WireClause("RFC 9110 §14.2", .must, "ranges of a large stored body are correct at every position") { stand in
            let body = pattern(3_000_000)
            stand.answers(whole(body, page + "ETag: \"v1\"\r\n"))
            try await stand.get("/a").expect(.content(body))
            for (from, to) in [
                (0, 0), (65_535, 65_536), (1_048_570, 1_048_590), (2_999_999, 2_999_999), (100, 2_500_000),
            ] {
                let answer = try await stand.ask("GET", "/a", "Range: bytes=\(from)-\(to)\r\n")
                answer.expect(
                    .status(206), .content(Bytes(body[from...to])),
                    .field("Content-Range", "bytes \(from)-\(to)/3000000"))
            }
            try await stand.ask("HEAD", "/a").expect(.status(200), .body(""), .only("Content-Length", "3000000"))
            try await stand.settles()
            try await stand.get("/a").expect(.content(body), .isHit)
            stand.expectCalls(1)
        },
        WireClause(
            "RFC 9112 §7.1", .must,
            "a large chunked body with odd chunk sizes arrives completely, and from the store with its length"
        ) { stand in
            let body = pattern(2_500_000)
            stand.answers(chunkedAnswer(body, page, sizes: [1, 2, 65_535, 65_536, 65_537, 100_003]))
            try await stand.get("/a").expect(.status(200), .content(body))
            try await stand.settles()
            try await stand.get("/a").expect(.content(body), .isHit, .only("Content-Length", "2500000"))
            stand.expectCalls(1)
        },
        WireClause("RFC 9111 §4", .mustNot, "requests that wait for a response that must not be shared do not get it") {
            stand in
            let go = Gate()
            let count = Tally()
            stand.answers { request in
                count.add()
                go.waitPatiently()
                return whole("for \(request.value("X-Who") ?? "")", never)
            }
            async let anna = stand.ask("GET", "/a", "X-Who: anna\r\n")
            async let bert = stand.ask("GET", "/a", "X-Who: bert\r\n")
            try await stand.larder.eventually("one of them asks") { count.count >= 1 }
            go.open()
            let answers = [try await anna, try await bert]
            expectSame(answers.map(\.text), ["for anna", "for bert"])
        },
    ]

    private static let page = "Cache-Control: max-age=600\r\n"
    private static let never = "Cache-Control: no-store\r\n"
}
