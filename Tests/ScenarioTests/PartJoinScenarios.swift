// Which fetch a request shares: that of a range that others ask for as well, and that of a refresh.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PartJoinScenarios {
    private typealias Common = PartScenarios

    /// Two clients ask for one range at once, one of them with gzip. Some bytes of the film are already stored.
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
