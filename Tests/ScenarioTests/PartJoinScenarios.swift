// Whose fetch a request shares: of a range that others ask for as well, of one that its own lies within, of a refresh.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PartJoinScenarios {
    private typealias Common = PartScenarios

    @Test func aRangeThatHasComeOfALongerOneIsReadFromItsFetch() async throws {
        let gate = Gate()
        let film = Film()
        let long: Range<Int64> = 5_000_000..<5_900_000
        let origin = ScriptedOrigin { request in
            let acts = film.acts(request)
            guard request.field("Range") == "bytes=5000000-5899999", case .sendBytes(let bytes) = acts[1] else {
                return acts
            }
            return [acts[0], .sendBytes(Bytes(bytes[..<400_000])), .await(gate), .sendBytes(Bytes(bytes[400_000...]))]
        }
        defer { origin.stop() }
        try await withLarder(Common.configuration(origin)) { larder in
            let address = larder.address
            let request = Common.request
            let (player, begun) = try await onOwnThread { () -> (WireClient, Bytes) in
                let player = try WireClient(address)
                try player.send("\(request)Range: bytes=5000000-5899999\r\n\r\n")
                _ = try player.receiveHead()
                return try (player, player.take(390_000))
            }
            let within = try await larder.get("/raw/api/film", ("Range", "bytes=5100000-5199999"))
            #expect(within.status == 206)
            #expect(Common.isSame(within.body, film.bytes(5_100_000..<5_200_000)))
            #expect(within["Cache-Status"]?.contains("collapsed") == true, "\(within["Cache-Status"] ?? "")")
            #expect(origin.requests.count == 1)
            // Of what has not come yet nobody waits for another's pace, and who wants no stored answer does not get one of before.
            for (range, fields) in [
                (5_350_000..<5_450_000 as Range<Int64>, []), (5_100_000..<5_100_010, [("Cache-Control", "no-cache")]),
                (5_100_000..<5_100_010, [("If-Range", "\"two\"")]),
            ] {
                let calls = origin.requests.count
                let text = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
                let own = try await onOwnThread {
                    let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
                    return try Common.look(text.replacing("bytes=", with: ""), 10, at: address, lines)
                }
                #expect(own["Cache-Status"]?.contains("collapsed") == false, "\(range): \(own)")
                #expect(origin.requests.count == calls + 1, "\(range)")
            }
            gate.open()
            let rest = try await onOwnThread { try player.receiveRest() }
            #expect(Common.isSame(begun + rest, film.bytes(long)))
        }
    }

    /// Two clients ask for one range at the same time, of which one takes gzip, and some bytes of the film are stored.
    private func callsOfTwo(_ lines: String) async throws -> Int {
        let gate = Gate()
        let film = Film(lines: lines)
        let origin = ScriptedOrigin { request in
            (request.field("Range") == "bytes=5000000-5000999" ? [.await(gate)] : []) + film.acts(request)
        }
        defer { origin.stop() }
        try await withLarder(Common.configuration(origin)) { larder in
            let codings = ["gzip", "identity"]
            for coding in codings {
                _ = try await larder.get(
                    "/raw/api/film", ("Range", "bytes=9000000-9000099"), ("Accept-Encoding", coding))
                try await Common.settled(larder)
            }
            let before = origin.requests.count
            try await withThrowingTaskGroup(of: WireResponse.self) { group in
                for (number, coding) in codings.enumerated() {
                    group.addTask {
                        try await larder.get(
                            "/raw/api/film", ("Range", "bytes=5000000-5000999"), ("Accept-Encoding", coding))
                    }
                    try await larder.eventually("it has asked the origin, or has joined") {
                        let joined = try await larder.counter("larder_joined_total")
                        return origin.requests.count - before + joined == number + 1
                    }
                }
                gate.open()
                for try await response in group {
                    #expect(response.status == 206)
                    #expect(response.body == film.bytes(5_000_000..<5_001_000))
                }
            }
            #expect(origin.requests.count - before <= 2)
        }
        return origin.requests.count { $0.field("Range") == "bytes=5000000-5000999" }
    }

    @Test func clientsOfOtherCodingsShareAFetchWhereTheStoredAnswerDoesNotVaryByThem() async throws {
        #expect(try await callsOfTwo("") == 1)
    }

    @Test func theyDoNotWhereItVaries() async throws {
        #expect(try await callsOfTwo("Vary: Accept-Encoding\r\n") == 2)
    }

    @Test func what304TellsOneClientInARefreshIsGivenToNobodyWhoJoined() async throws {
        let gate = Gate()
        let time = ManualTime()
        let count = Lock(0)
        let origin = ScriptedOrigin { request in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            if number == 1 {
                return [
                    .send(
                        ok(
                            "body",
                            fields: "Cache-Control: public, max-age=10, stale-while-revalidate=600\r\nETag: \"v\"\r\n"))
                ]
            }
            let mine = request.field("Authorization").map { "A: \($0)\r\n" } ?? ""
            return [
                .await(gate),
                .send("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=10\r\nETag: \"v\"\r\n\(mine)\r\n"),
            ]
        }
        defer { origin.stop() }
        try await withLarder(Common.configuration(origin), time: time) { larder in
            _ = try await larder.get("/raw/api/a")
            try await Common.settled(larder)
            time.advance(by: .seconds(60))
            let stale = try await larder.get("/raw/api/a", ("Authorization", "Basic eDp5"))
            #expect(stale.text == "body")
            try await larder.eventually("it is refreshed") { count.withLock { $0 } == 2 }
            async let other = larder.get("/raw/api/a", ("Cache-Control", "no-cache"))
            try await larder.eventually("the refresh was joined") {
                try await larder.counter("larder_joined_total") == 1
            }
            gate.open()
            let answer = try await other
            #expect(answer.text == "body")
            #expect(answer["A"] == nil)
        }
    }
}
