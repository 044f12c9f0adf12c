// A question whose answer is part of a stored answer costs no call, says so, and has the age of the stored answer.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct WiderScenarios {
    /// An iTunes with this many songs, which returns as many as are asked for, and spells with their levels.
    private final class Shop: Sendable {
        let origin: ScriptedOrigin

        init(songs: Int) {
            origin = ScriptedOrigin { request in
                let target = request.target
                if target.contains("/dnd5e/") { return [.send(ok(Self.spells))] }
                func number(_ name: String) -> Int? {
                    target.firstRange(of: "\(name)=").flatMap { range in
                        Int(target[range.upperBound...].prefix { $0.isNumber })
                    }
                }
                let start = number("offset") ?? 0
                let end = min(start + (number("limit") ?? 50), songs)
                let records = (min(start, end)..<end).map {
                    #"{"wrapperType":"track","kind":"song","trackId":\#($0 + 1),"trackName":"song \#($0)"}"#
                }
                return [
                    .send(ok(#"{"resultCount":\#(records.count),"results":[\#(records.joined(separator: ","))]}"#))
                ]
            }
        }

        var calls: Int { origin.requests.count }

        var configuration: String {
            """
            providers:
              itunes: { baseURL: "\(origin.base)", rate: off }
              dnd5e: { baseURL: "\(origin.base)/dnd5e", rate: off }
            admin: { token: a-token-of-some-length }
            """
        }

        private static let spells = """
            {"count":3,"results":[{"index":"light","name":"Light","level":0,"url":"/api/2014/spells/light"},
            {"index":"wish","name":"Wish","level":9,"url":"/api/2014/spells/wish"},
            {"index":"gate","name":"Gate","level":9,"url":"/api/2014/spells/gate"}]}
            """
    }

    private func withShop(
        songs: Int = 1000, time: any TimeSource = SystemTime(), _ body: (RunningLarder, Shop) async throws -> Void
    ) async throws {
        let shop = Shop(songs: songs)
        defer { shop.origin.stop() }
        try await withLarder(shop.configuration, time: time) { try await body($0, shop) }
    }

    private func titles(_ answer: WireResponse) throws -> [String] {
        try answer.json()["results"]?.elements.compactMap { $0["title"]?.string } ?? []
    }

    @Test func tenComeOutOfAStoredFiftyWithItsAgeAndLifetime() async throws {
        let time = ManualTime()
        try await withShop(time: time) { larder, shop async throws in
            let fifty = try await larder.get("/v1/itunes/search?q=song")
            #expect(try titles(fifty).count == 50, "\(fifty)")
            time.advance(by: .seconds(1000))
            let ten = try await larder.get("/v1/itunes/search?q=song&limit=10")
            #expect(try titles(ten) == (0..<10).map { "song \($0)" })
            #expect(shop.calls == 1)
            #expect(ten["Age"] == "1000", "\(ten)")
            #expect(ten["Cache-Status"]?.hasPrefix("larder; hit; ttl=") == true, "\(ten)")
            #expect(ten["Cache-Status"]?.hasSuffix("; detail=wider") == true, "\(ten)")
            // The query is the one that was asked. The next time the answer is an entry of its own.
            #expect(try ten.json()["query"]?["limit"]?.integer == 10)
            let again = try await larder.get("/v1/itunes/search?q=song&limit=10")
            #expect(try titles(again).count == 10)
            #expect(again["Cache-Status"]?.contains("hit") == true)
            let middle = try await larder.get("/v1/itunes/search?q=song&limit=10&offset=20")
            #expect(try titles(middle).first == "song 20")
            #expect(shop.calls == 1)
            #expect(try await larder.counter("larder_wider_answers_total", #"provider="itunes""#) == 2)
            // When the fifty songs are no longer fresh, the ten are not fresh either.
            time.advance(by: .seconds(2 * 86_400))
            _ = try await larder.get("/v1/itunes/search?q=song&limit=12")
            #expect(shop.calls == 2)
        }
    }

    @Test func fewerDoNotAnswerForMoreUnlessTheListHasEnded() async throws {
        try await withShop(songs: 30) { larder, shop async throws in
            _ = try await larder.get("/v1/itunes/search?q=song&limit=20")
            let all = try await larder.get("/v1/itunes/search?q=song&limit=40")
            #expect(try titles(all).count == 30)
            #expect(shop.calls == 2, "twenty of thirty say nothing about the rest")
            let more = try await larder.get("/v1/itunes/search?q=song&limit=200")
            #expect(try titles(more).count == 30)
            #expect(shop.calls == 2, "thirty of forty are all there are")
        }
    }

    @Test func anotherQuestionAndAClientThatWantsNoneAreNotAnsweredSo() async throws {
        try await withShop { larder, shop async throws in
            _ = try await larder.get("/v1/itunes/search?q=song")
            _ = try await larder.get("/v1/itunes/search?q=song&limit=10&country=de")
            _ = try await larder.get("/v1/itunes/search?q=other&limit=10")
            #expect(shop.calls == 3)
            _ = try await larder.get("/v1/itunes/search?q=song&limit=10", ("Cache-Control", "no-cache"))
            #expect(shop.calls == 4)
            // Raw bytes are the API's own. They are never taken from another answer.
            _ = try await larder.get("/raw/itunes/search?term=song&limit=20")
            #expect(shop.calls == 5)
            let stored = try await larder.get("/v1/itunes/search?q=song&limit=25", ("Cache-Control", "only-if-cached"))
            #expect(stored.status == 200, "\(stored)")
            #expect(shop.calls == 5)
        }
    }

    @Test func aPurgeOfTheBiggerTakesTheSmallerAlong() async throws {
        try await withShop { larder, shop async throws in
            _ = try await larder.get("/v1/itunes/search?q=song")
            _ = try await larder.get("/v1/itunes/search?q=song&limit=10")
            let url = PercentCoding.encode("\(shop.origin.base)/search?term=song")
            let purged = try await larder.send(
                "DELETE", "/v1/cache?url=\(url)", fields: [("Authorization", "Bearer a-token-of-some-length")])
            #expect(try purged.json()["purged"]?.integer == 3, "the fifty, raw and normalised, and the ten: \(purged)")
            let ten = try await larder.get("/v1/itunes/search?q=song&limit=10")
            #expect(ten["Cache-Status"]?.contains("fwd=") == true, "\(ten)")
            #expect(shop.calls == 2)
        }
    }

    @Test func spellsOfALevelAndBeastsByNameComeOutOfTheWholeList() async throws {
        try await withShop { larder, shop async throws in
            #expect(try titles(await larder.get("/v1/dnd/spells")).count == 3)
            #expect(try titles(await larder.get("/v1/dnd/spells?level=9")) == ["Wish", "Gate"])
            #expect(try titles(await larder.get("/v1/dnd/spells?name=LIG")) == ["Light"])
            #expect(try titles(await larder.get("/v1/dnd/spells?name=g&level=9,0&limit=1")) == ["Light"])
            #expect(shop.calls == 1)
        }
    }
}
