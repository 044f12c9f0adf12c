// A client that joins another client's fetch never gets less than it asked for.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct JoinedFlowTests {
    private func entry(_ key: CacheKey, _ text: String, at time: WallTime) -> StoredResponse {
        var entry = StoredResponse(
            key: key, layer: .normalised, provider: "itunes", endpoint: "search", requestTime: time, responseTime: time,
            freshUntil: time + .seconds(3600), staleUntil: time + .seconds(7200))
        entry.body = Bytes(text: text)
        return entry
    }

    /// Asks while a flight is under way. The flight ends with an answer from the store that is 1,000 seconds old.
    private func joined(_ directives: String) async throws -> String {
        let key = CacheKey(layer: .normalised, provider: "itunes", endpoint: "search", parameters: [])
        let (gate, opening) = AsyncStream<Void>.makeStream()
        var text = ""
        try await withLarder { larder in
            let engine = larder.daemon.engine
            let now = engine.time.wall()
            func flow(_ directives: ClientDirectives, _ work: @escaping @Sendable () async -> Made) -> EntryRequest {
                let rule = FreshnessRule(
                    semantics: .ttl, ttl: .seconds(3600), staleWindow: .seconds(3600), emptyTTL: .zero,
                    negativeTTL: .zero)
                return EntryRequest(
                    engine: engine,
                    recipe: EntryRecipe(engine.cache, key, provider: "itunes") { _ in .answered(await work()) },
                    terms: RequestTerms(
                        directives: directives, judge: .configured(rule, staleWhileRefresh: .zero)))
            }
            let leader = flow(.none) {
                for await _ in gate { break }
                return Made(entry: entry(key, "old", at: now + .seconds(-1000)), origin: .otherForm("wider"))
            }
            let follower = flow(ClientDirectives(fields: ["Cache-Control": directives])) {
                Made(entry: entry(key, "new", at: now))
            }
            async let first = leader.served()
            try await larder.eventually("it is under way") { engine.flights.isAnswered(key.digest) }
            async let second = follower.served()
            try await larder.eventually("it was joined") { try await larder.counter("larder_joined_total") == 1 }
            opening.finish()
            #expect(try await first.entry.body == Bytes(text: "old"))
            text = try await second.entry.body.lossyText
        }
        return text
    }

    @Test(arguments: ["no-cache", "max-age=60", "min-fresh=3000"])
    func anOlderAnswerThanAClientTakesIsNotGivenToItByTheFlightItJoined(_ directives: String) async throws {
        #expect(try await joined(directives) == "new")
    }

    @Test(arguments: ["max-age=2000", ""]) func whoeverTakesItIsGivenIt(_ directives: String) async throws {
        #expect(try await joined(directives) == "old")
    }
}
