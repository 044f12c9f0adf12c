// How many calls a range costs. What came is used, and an origin that serves only ranges gets one.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RangeCallScenarios {
    private static let film = Film(size: 3 << 20, most: .max)

    /// An origin whose link works once.
    private static func once(_ answer: [Act]) -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return number == 1 ? answer : [.send("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n")]
        }
    }

    @Test(arguments: ["private, max-age=600", "no-store"])
    func aRangeIsCutFromTheAnswerThatCame(_ control: String) async throws {
        var film = Self.film
        film.control = control
        let origin = Self.once(film.whole)
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            let part = try await larder.get("/raw/api/film", ("Range", "bytes=10-19"))
            #expect(part.status == 206 && part["Content-Range"] == "bytes 10-19/\(film.size)", "\(part)")
            #expect(part.body == film.bytes(10..<20))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func ofAnAnswerOfUnknownLengthTheWholeIsGiven() async throws {
        let body = String(repeating: "x", count: 300_000)
        let size = String(body.utf8.count, radix: 16)
        let head = "HTTP/1.1 200 OK\r\nCache-Control: private\r\nTransfer-Encoding: chunked\r\n\r\n"
        let gate = Gate()
        let origin = Self.once([.send(head + "\(size)\r\n\(body)\r\n"), .await(gate), .send("0\r\n\r\n")])
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            // A server may ignore a range (RFC 9110 §14.2). The end comes only when the answer has begun, because its
            // length is known then, and the range can be cut.
            let (status, rest) = try await larder.talk { client in
                try client.send(
                    "GET /raw/api/film HTTP/1.1\r\nHost: localhost\r\nRange: bytes=10-19\r\nConnection: close\r\n\r\n")
                let status = try client.receiveHead().status
                gate.open()
                return (status, try client.receiveRest())
            }
            #expect(status == 200)
            #expect(rest.count { $0 == 0x78 } == body.utf8.count)
            #expect(origin.requests.count == 1)
        }
    }

    /// An origin that refuses what is not a range with an end, as some media servers do.
    private static func bounded(_ film: Film) -> ScriptedOrigin {
        ScriptedOrigin { request in
            guard let range = request.field("Range"), range.hasPrefix("bytes="), !range.hasSuffix("-") else {
                return [.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")]
            }
            return film.acts(request)
        }
    }

    @Test func anOriginThatServesOnlyBoundedRangesIsAskedForOne() async throws {
        let film = Self.film
        let origin = Self.bounded(film)
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            let last = film.size - 1
            let ranges: [ClosedRange<Int64>] = [0...9, 0...9, 100...199, 2_000_000...2_000_099, last - 99...last]
            for range in ranges {
                let text = "bytes=\(range.lowerBound)-\(range.upperBound)"
                let part = try await larder.get("/raw/api/film", ("Range", text))
                #expect(part.status == 206, "\(text): \(part.status)")
                #expect(part.body == film.bytes(range.lowerBound..<range.upperBound + 1), "\(text)")
                try await PartScenarios.settled(larder)
            }
            // Only the first question was for the whole. What one answer showed is known from then on.
            #expect(
                PartScenarios.asked(origin) == [
                    "all", "bytes=0-9", "bytes=100-199", "bytes=2000000-2000099", "bytes=\(last - 99)-\(last)",
                ])
        }
    }

    @Test(arguments: [404, 410, 401, 429])
    func anErrorThatConcernsEveryRequestCostsOneCall(_ status: Int) async throws {
        let origin = ScriptedOrigin { _ in [.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")] }
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            let answer = try await larder.get("/raw/api/film", ("Range", "bytes=0-9"))
            #expect(answer.status == status)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: ["max-age=600", "private, max-age=600", "no-store"])
    func aRangeOfEverythingIsAnsweredAlikeEachTime(_ control: String) async throws {
        var film = Self.film
        film.control = control
        let origin = ScriptedOrigin { [film] in film.acts($0) }
        defer { origin.stop() }
        try await withLarder(PartScenarios.configuration(origin)) { larder in
            for turn in 1...4 {
                let part = try await larder.get("/raw/api/film", ("Range", "bytes=0-"))
                #expect(part.status == 206, "\(turn): \(part.status)")
                #expect(part["Content-Range"] == "bytes 0-\(film.size - 1)/\(film.size)", "\(turn)")
                let isSame = part.body == film.bytes(0..<film.size)
                #expect(isSame, "\(turn)")
            }
        }
    }
}
