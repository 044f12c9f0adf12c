// One question to several APIs at once: each source's state is reported, a failed or late source spoils nothing, and
// the order holds over the whole answer.
import LarderCore
import LarderTestSupport
import Testing

/// Three APIs at one origin, distinguished by the beginning of the path. A test can replace what one of them does.
final class Market: Sendable {
    private let replaced = Lock<[String: [Act]]>([:])
    private let made = Lock<ScriptedOrigin?>(nil)

    init() {
        let origin = ScriptedOrigin { [replaced] request in
            let api = request.target.split(separator: "/").first.map(String.init) ?? ""
            return replaced.withLock { $0[api] } ?? [.send(ok(Self.answers[api] ?? "{}"))]
        }
        made.withLock { $0 = origin }
    }

    var origin: ScriptedOrigin { made.withLock { $0! } }

    func set(_ api: String, _ acts: Act...) { replaced.withLock { $0[api] = acts } }

    func calls(_ api: String) -> Int { origin.requests.count { $0.target.hasPrefix("/\(api)/") } }

    /// - Parameter more: settings of each provider, such as ", enabled: false", by the provider's name.
    func configuration(key: Bool = true, _ more: [String: String] = [:], _ rest: String = "") -> String {
        let manners = "rate: off, quota: off"
        // On a busy machine, a source may need longer than the default deadline.
        let deadline = rest.contains("search:") ? "" : "search: { deadline: 120s }"
        return """
            providers:
              itunes: { baseURL: "\(origin.base)/itunes", \(manners)\(more["itunes"] ?? "") }
              newsapi: { baseURL: "\(origin.base)/newsapi", \(manners)\(key ? ", key: a-long-key" : "")\(more["newsapi"] ?? "") }
              dnd5e: { baseURL: "\(origin.base)/dnd5e", \(manners)\(more["dnd5e"] ?? "") }
              jokes: { enabled: false }
              hackernews: { enabled: false }
              tmdb: { enabled: false }
            \(deadline)
            \(rest)
            """
    }

    private static func song(_ name: String, _ price: String, _ date: String) -> String {
        """
        {"wrapperType":"track","kind":"song","trackId":\(name.utf8.reduce(7) { $0 * 31 % 99991 + Int($1) }),
        "artistName":"Someone","trackName":"\(name)","trackPrice":\(price),"currency":"USD",
        "releaseDate":"\(date)T12:00:00Z"}
        """
    }

    private static func article(_ title: String, _ date: String) -> String {
        """
        {"source":{"id":null,"name":"Paper"},"author":null,"title":"\(title)","description":"d",
        "url":"https://example.org/\(title)","urlToImage":null,"publishedAt":"\(date)T00:00:00Z","content":null}
        """
    }

    private static let answers = [
        "itunes": """
        {"resultCount":3,"results":[\(song("zebra fire", "0.99", "2001-01-01")),
        \(song("Árbol fire", "1.29", "2021-01-01")),\(song("apple fire", "0.69", "2011-01-01"))]}
        """,
        "newsapi": """
        {"status":"ok","totalResults":2,"articles":[\(article("Bonfire", "2025-05-05")),
        \(article("Fireworks", "2005-05-05"))]}
        """,
        "dnd5e": """
        {"count":2,"results":[{"index":"fire-giant","name":"Fire Giant","url":"/api/2014/monsters/fire-giant"},
        {"index":"rat","name":"Rat","url":"/api/2014/monsters/rat"}]}
        """,
    ]
}

@Suite struct SearchScenarios {
    private func withMarket(
        _ key: Bool = true, more: [String: String] = [:], rest: String = "", time: any TimeSource = SystemTime(),
        _ body: (RunningLarder, Market) async throws -> Void
    ) async throws {
        let market = Market()
        defer { market.origin.stop() }
        try await withLarder(market.configuration(key: key, more, rest), time: time) { try await body($0, market) }
    }

    private func titles(_ answer: WireResponse) throws -> [String] {
        try answer.json()["results"]?.elements.compactMap { $0["title"]?.string } ?? []
    }

    /// The state of each source, such as "itunes results".
    private func states(_ answer: WireResponse) throws -> [String] {
        try answer.json()["sources"]?.elements.map {
            "\($0["provider"]?.string ?? "-") \($0["state"]?.string ?? "-")"
        } ?? []
    }

    private func source(_ answer: WireResponse, _ name: String) throws -> JSONValue {
        try #require(try answer.json()["sources"]?.elements.first { $0["provider"]?.string == name })
    }

    @Test func everySourceAnswersAndRelevanceInterleavesThem() async throws {
        try await withMarket { larder, market async throws in
            let answer = try await larder.get("/v1/search?q=fire&source=itunes,newsapi,dnd5e")
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["state"]?.string == "results")
            #expect(try states(answer) == ["itunes results", "newsapi results", "dnd5e results"])
            #expect(
                try titles(answer) == [
                    "zebra fire", "Bonfire", "Fire Giant", "Árbol fire", "Fireworks", "apple fire",
                ])
            #expect(try answer.json()["count"]?.integer == 6)
            #expect(answer["Cache-Status"]?.contains("fwd=uri-miss") == true, "\(answer)")
            let second = try await larder.get("/v1/search?q=fire&source=itunes,newsapi,dnd5e")
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(second)")
            #expect(second.body == answer.body)
            let reversed = try await larder.get("/v1/search?q=fire&source=dnd5e,itunes")
            #expect(try titles(reversed).first == "Fire Giant")
            #expect(market.origin.requests.count == 3)
        }
    }

    @Test func theOrderHoldsOverTheWhole() async throws {
        try await withMarket { larder, market async throws in
            let all = "/v1/search?q=fire&source=itunes,newsapi,dnd5e&sort="
            #expect(
                try titles(await larder.get(all + "name")) == [
                    "apple fire", "Árbol fire", "Bonfire", "Fire Giant", "Fireworks", "zebra fire",
                ])
            #expect(
                try titles(await larder.get(all + "date")) == [
                    "Bonfire", "Árbol fire", "apple fire", "Fireworks", "zebra fire", "Fire Giant",
                ])
            #expect(
                try titles(await larder.get(all + "price")) == [
                    "apple fire", "zebra fire", "Árbol fire", "Bonfire", "Fireworks", "Fire Giant",
                ])
            #expect(market.calls("itunes") == 1 && market.calls("dnd5e") == 1, "an order of ours needs no call")
        }
    }

    @Test func withoutASourceAllThatAreConfiguredAreAsked() async throws {
        try await withMarket { larder, _ async throws in
            let answer = try await larder.get("/v1/search?q=fire")
            #expect(try states(answer) == ["itunes results", "newsapi results", "dnd5e results"])
        }
        try await withMarket(false) { larder, market async throws in
            let answer = try await larder.get("/v1/search?q=fire")
            #expect(try answer.json()["state"]?.string == "results", "nobody asked for what is not configured")
            #expect(try states(answer) == ["itunes results", "dnd5e results"])
            #expect(market.calls("newsapi") == 0)
        }
        try await withMarket(more: ["dnd5e": ", enabled: false"]) { larder, market async throws in
            #expect(try states(await larder.get("/v1/search?q=fire")) == ["itunes results", "newsapi results"])
            #expect(market.calls("dnd5e") == 0)
        }
    }

    @Test func aNamedSourceThatIsNotConfiguredMakesTheAnswerPartial() async throws {
        try await withMarket(false) { larder, market async throws in
            let answer = try await larder.get("/v1/search?q=fire&source=itunes,newsapi")
            #expect(answer.status == 200, "\(answer)")
            #expect(try answer.json()["state"]?.string == "partial")
            #expect(try states(answer) == ["itunes results", "newsapi failed"])
            let error = try source(answer, "newsapi")["error"]
            #expect(error?["class"]?.string == "notConfigured")
            #expect(error?["retryable"]?.bool == false)
            #expect(error?["detail"]?.string?.contains("newsapi.key") == true)
            #expect(market.calls("newsapi") == 0)
        }
    }

    @Test func shortNamesAreTheSameSources() async throws {
        try await withMarket { larder, market async throws in
            let long = try await larder.get("/v1/search?q=fire&source=newsapi,dnd5e")
            for names in ["news,dnd", "NEWS,dnd5e", "news,%20dnd", "news,dnd,newsapi"] {
                let short = try await larder.get("/v1/search?q=fire&source=\(names)")
                #expect(short.body == long.body, "\(names): \(short)")
            }
            #expect(market.origin.requests.count == 2)
        }
    }

    @Test func aCategoryThatOneSourceKnowsAsksThatOneAlone() async throws {
        try await withMarket { larder, market async throws in
            for (category, provider) in [("music", "itunes"), ("monsters", "dnd5e"), ("sports", "newsapi")] {
                let answer = try await larder.get("/v1/search?q=fire&category=\(category)")
                #expect(try states(answer) == ["\(provider) results"], "\(answer)")
                #expect(market.calls(provider) == 1)
            }
            #expect(market.origin.requests.count == 3)
        }
    }

    @Test func aSourceThatFailsLeavesTheOthersAndIsAskedAgain() async throws {
        let time = ManualTime()
        try await withMarket(time: time) { larder, market async throws in
            market.set("newsapi", .send(ok("<html>", status: "500 Oops")))
            let partial = try await larder.get("/v1/search?q=fire")
            #expect(partial.status == 200, "\(partial)")
            #expect(try partial.json()["state"]?.string == "partial")
            #expect(try states(partial) == ["itunes results", "newsapi failed", "dnd5e results"])
            #expect(try source(partial, "newsapi")["error"]?["class"]?.string == "broken")
            #expect(try titles(partial).count == 4)
            #expect(partial["Cache-Control"] == "no-cache", "what is partial is not kept")
            market.set("newsapi", .send(ok(#"{"status":"ok","totalResults":0,"articles":[]}"#)))
            time.advance(by: .seconds(60))
            let whole = try await larder.get("/v1/search?q=fire")
            #expect(try whole.json()["state"]?.string == "results", "\(whole)")
            #expect(try states(whole) == ["itunes results", "newsapi noResults", "dnd5e results"])
            #expect(market.calls("itunes") == 1, "what was there was kept")
        }
    }

    @Test func aSourceThatIsLateIsToldSoAndComesLater() async throws {
        let gate = Gate()
        try await withMarket(rest: "search: { deadline: 100ms }") { larder, market async throws in
            // The other sources are already stored. Only the gate decides which source is late.
            for target in ["/v1/itunes/search?q=fire", "/v1/news/everything?q=fire&sort=relevance"] {
                #expect(try await larder.get(target).status == 200)
            }
            market.set("dnd5e", .await(gate), .send(ok(#"{"count":0,"results":[]}"#)))
            let late = try await larder.get("/v1/search?q=fire")
            #expect(late.status == 200, "\(late)")
            #expect(try states(late) == ["itunes results", "newsapi results", "dnd5e failed"])
            let error = try source(late, "dnd5e")["error"]
            #expect(error?["class"]?.string == "timedOut", "\(late)")
            #expect(error?["retryable"]?.bool == true)
            gate.open()
            try await larder.eventually("the late source's answer is stored") {
                try await states(larder.get("/v1/search?q=fire")).last == "dnd5e noResults"
            }
            #expect(market.calls("dnd5e") == 1, "the fetch went on by itself")
        }
    }

    @Test func whenEverySourceFailsTheAnswerIsAProblem() async throws {
        try await withMarket { larder, market async throws in
            market.set("itunes", .send(ok("", status: "403 Forbidden")))
            market.set("newsapi", .close)
            market.set("dnd5e", .send(ok("<html>")))
            let answer = try await larder.get("/v1/search?q=fire")
            try BadInputScenarios.expectProblem(answer, 429, "all failed")
            #expect(try answer.json()["class"]?.string == "limited", "the failure that promises most leads")
            #expect(answer["Retry-After"] != nil)
            let detail = try answer.json()["detail"]?.string ?? ""
            for name in ["itunes", "newsapi", "dnd5e"] { #expect(detail.contains(name), "\(detail)") }
            // The explanation names each source once, without an entry for the sum.
            let id = try #require(answer["X-Request-Id"])
            let told = try await larder.get("/v1/explain/\(id)").json()["sources"]?.elements
            let named = told?.compactMap { $0["provider"]?.string } ?? []
            #expect(Set(named).count == named.count && named.contains("itunes"), "\(named)")
        }
    }

    @Test func aStalePartIsMarkedAndTheWholeIsNotKept() async throws {
        let time = ManualTime()
        let ttl = ", ttl: 60s, staleFor: 2d"
        try await withMarket(more: ["itunes": ttl], rest: "cache: { jitter: 0 }", time: time) {
            larder, market async throws in
            let first = try await larder.get("/v1/search?q=fire&source=itunes,dnd")
            market.set("itunes", .send(ok("", status: "500 Oops")))
            time.advance(by: .seconds(90_000))
            let covered = try await larder.get("/v1/search?q=fire&source=itunes,dnd")
            #expect(covered.status == 200)
            #expect(try covered.json()["state"]?.string == "results", "\(covered)")
            #expect(try source(covered, "itunes")["stale"]?.bool == true)
            #expect(try source(covered, "itunes")["error"]?["class"]?.string == "broken", "\(covered)")
            #expect(try source(covered, "dnd5e")["stale"]?.bool == false)
            #expect(try titles(covered) == titles(first))
            #expect(covered["Cache-Status"]?.hasPrefix("larder; hit; ttl=-") == true, "\(covered)")
            #expect(covered["Age"] == "90000", "\(covered)")
            #expect(covered["Cache-Control"] == "no-cache")
            #expect(covered["ETag"] != first["ETag"])
        }
    }

    @Test func severalClientsAskingTheSameCostOneCallEach() async throws {
        let gate = Gate()
        try await withMarket { larder, market async throws in
            market.set("newsapi", .await(gate), .send(ok(#"{"status":"ok","totalResults":0,"articles":[]}"#)))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await larder.get("/v1/search?q=fire").status } }
                try await larder.eventually("they wait") { try await larder.counter("larder_joined_total") >= 19 }
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(market.origin.requests.count == 3, "\(market.origin.requests.map(\.target))")
        }
    }
}
