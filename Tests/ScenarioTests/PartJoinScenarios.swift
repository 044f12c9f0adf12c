// Whose fetch a request shares: and what another was told is given to nobody.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct PartJoinScenarios {
    private typealias Common = PartScenarios

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
