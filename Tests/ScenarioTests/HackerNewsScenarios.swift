// Hacker News through the whole daemon: lists joined with their items. Each item is a call and an entry of its own. The
// tests count the calls that reached the stand-in.
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

/// A Hacker News whose content the test defines.
private func hackerNews(
    lists: [String: [Int]], special: [Int: String] = [:]
) -> OriginSource {
    .custom { request in
        let parts = request.path.split(separator: "/").map { String($0.replacing(".json", with: "")) }
        func json(_ text: String) -> OriginAnswer {
            OriginAnswer(fields: ["Content-Type": "application/json; charset=utf-8"], body: Bytes(text: text))
        }
        guard parts.first == "hackernews", parts.count >= 3, parts[1] == "v0" else { return nil }
        if parts.count == 3 { return lists[parts[2]].map { json("\($0)") } }
        guard parts[2] == "item", let id = Int(parts[3]) else { return json("null") }
        return json(
            special[id]
                ?? #"{"by":"u","descendants":0,"id":\#(id),"score":1,"time":\#(4_000_000_000 + id),"title":"story \#(id)","type":"story"}"#
        )
    }
}

@Suite struct HackerNewsScenarios {
    private func withNews(
        _ source: OriginSource = .samples, _ more: String = "", rest: String = "", time: any TimeSource = SystemTime(),
        _ body: (RunningLarder, OriginServer) async throws -> Void
    ) async throws {
        let origin = try OriginServer(source: source)
        try origin.start()
        defer { origin.stop() }
        let base = origin.baseURL(for: "hackernews")
        let settings = """
            providers: { hackernews: { baseURL: "\(base)", searchURL: "\(base)"\(more) } }
            \(rest)
            """
        try await withLarder(settings, time: time) { larder in try await body(larder, origin) }
    }

    private func ids(_ answer: WireResponse) throws -> [Int] {
        try answer.json()["results"]?.elements.compactMap { $0["attributes"]?["itemId"]?.integer } ?? []
    }

    private func source(_ answer: WireResponse) throws -> JSONValue {
        try #require(try answer.json()["sources"]?.elements.first { _ in true })
    }

    @Test func aPostThatIsClosedIsKeptForADayUnlessALifetimeIsConfigured() async throws {
        let old = #"{"by":"u","id":5,"score":1,"time":1600000000,"title":"old","type":"story"}"#
        let news = hackerNews(lists: [:], special: [5: old])
        let exactly = "cache: { jitter: 0 }"
        try await withNews(news, rest: exactly) { larder, _ async throws in
            #expect(try await larder.get("/v1/hackernews/item/5")["Cache-Control"] == "private, max-age=86400")
            #expect(try await larder.get("/v1/hackernews/item/6")["Cache-Control"] == "private, max-age=300")
        }
        try await withNews(news, ", ttl: { item: 200s }", rest: exactly) { larder, _ async throws in
            #expect(try await larder.get("/v1/hackernews/item/5")["Cache-Control"] == "private, max-age=200")
        }
    }

    private let parts = "larder_parts_total"
    private func label(_ result: String) -> String { #"provider="hackernews",result="\#(result)""# }

    @Test func aListWithNullsADeadAndADeletedItemGivesTheOthersAndCountsThese() async throws {
        let news = hackerNews(
            lists: ["topstories": [9, 3, 8, 5, 7, 1, 6, 2, 4]],
            special: [
                3: "null", 7: "null", 2: "null", 8: #"{"id":8,"type":"story","title":"x","time":1,"dead":true}"#,
                1: #"{"deleted":true,"id":1,"time":1,"type":"story"}"#,
            ])
        try await withNews(news) { larder, origin async throws in
            let first = try await larder.get("/v1/hackernews/top")
            #expect(first.status == 200, "\(first)")
            #expect(first["Cache-Status"] == "larder; fwd=uri-miss; fwd-status=200; stored", "\(first)")
            #expect(try ids(first) == [9, 5, 6, 4])
            #expect(try first.json()["state"]?.string == "results")
            #expect(try source(first)["dropped"]?.integer == 5)
            #expect(try source(first)["total"]?.integer == 9)
            #expect(try source(first)["missing"] == nil)
            #expect(origin.requests(to: "/hackernews") == 10)
            #expect(
                try await larder.counter(parts, label("data")) == 7, "the list, four stories, one dead, one deleted")
            #expect(try await larder.counter(parts, label("absent")) == 3)
            #expect(try await larder.counter(parts, label("failed")) == 0)
            #expect(try await larder.counter("larder_parts_under_way") == 0)
            #expect(try await larder.counter("larder_results_dropped_total", #"provider="hackernews""#) == 5)
            #expect(
                try await larder.counter("larder_upstream_calls_total", #"provider="hackernews",class="data""#) == 7)

            let second = try await larder.get("/v1/hackernews/top")
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(second)")
            #expect(second.body == first.body)
            #expect(origin.requests(to: "/hackernews") == 10, "the second asker costs no call")
        }
    }

    @Test func listsShareTheirItemsWithEachOtherAndWithRaw() async throws {
        let news = hackerNews(lists: ["topstories": [1, 2, 3, 4], "beststories": [4, 5, 2], "newstories": [5, 1]])
        try await withNews(news) { larder, origin async throws in
            #expect(try await ids(larder.get("/v1/hackernews/top?limit=3")) == [1, 2, 3])
            #expect(origin.requests(to: "/hackernews") == 4)
            #expect(try await ids(larder.get("/v1/hackernews/top?limit=3&page=2")) == [4])
            #expect(origin.requests(to: "/hackernews") == 5, "the list was at hand")
            #expect(try await ids(larder.get("/v1/hackernews/best")) == [4, 5, 2])
            #expect(origin.requests(to: "/hackernews") == 7, "its ids and the one new item")
            #expect(try await ids(larder.get("/v1/hackernews/best?sort=date")) == [5, 4, 2])
            let raw = try await larder.get("/raw/hackernews/v0/item/5.json")
            #expect(raw["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(raw)")
            #expect(origin.requests(to: "/hackernews") == 7)
            #expect(try await larder.get("/raw/hackernews/v0/item/6.json").status == 200)
            #expect(try await ids(larder.get("/v1/hackernews/item/6")) == [6])
            #expect(origin.requests(to: "/hackernews") == 8)
        }
    }

    @Test func identicalListsAtOnceAndDifferentOnesShareEachCall() async throws {
        let news = hackerNews(lists: ["topstories": [1, 2], "beststories": [2, 1]])
        try await withNews(news) { larder, origin async throws in
            origin.script("/hackernews/v0/item/1", [.held])
            async let one = larder.get("/v1/hackernews/top")
            async let two = larder.get("/v1/hackernews/top")
            async let three = larder.get("/v1/hackernews/best")
            await origin.arrival(of: 1, to: "/hackernews/v0/item/1")
            try await larder.eventually("both others wait") {
                try await larder.counter("larder_joined_total") >= 2
            }
            origin.release()
            let answers = try await [one, two, three]
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(try ids(answers[2]) == [2, 1])
            #expect(origin.requests(to: "/hackernews") == 4, "two lists, two items")
        }
    }

    @Test func noMoreItemsAreAskedForAtOnceThanTheSettingsSay() async throws {
        let news = hackerNews(lists: ["topstories": Array(1...12)])
        try await withNews(news, rest: "fetch: { sideBySide: 3 }") { larder, origin async throws in
            origin.script("/hackernews/v0/item", Array(repeating: .held, count: 3))
            async let answer = larder.get("/v1/hackernews/top")
            await origin.arrival(of: 3, to: "/hackernews/v0/item")
            #expect(try await larder.counter("larder_parts_under_way") == 3)
            #expect(origin.requests(to: "/hackernews/v0/item") == 3)
            origin.release()
            #expect(try await ids(answer) == Array(1...12))
        }
    }

    @Test func anItemThatFailsLeavesTheOthersAndIsAskedForAgain() async throws {
        let time = ManualTime()
        let news = hackerNews(lists: ["topstories": [1, 2, 3]])
        try await withNews(news, rest: "fetch: { failurePause: 5s }", time: time) { larder, origin async throws in
            origin.script("/hackernews/v0/item/2", [.html(status: 200)])
            let partial = try await larder.get("/v1/hackernews/top")
            #expect(partial.status == 200, "\(partial)")
            #expect(try ids(partial) == [1, 3])
            #expect(try partial.json()["state"]?.string == "partial")
            #expect(try source(partial)["state"]?.string == "partial")
            #expect(try source(partial)["missing"]?.integer == 1)
            #expect(try source(partial)["error"]?["class"]?.string == "broken")
            #expect(partial["Cache-Control"] == "no-cache", "what is partial is not kept")
            let again = try await larder.get("/v1/hackernews/top")
            #expect(again.body == partial.body, "\(again)")
            #expect(again["Cache-Control"] == "no-cache")
            #expect(origin.requests(to: "/hackernews") == 4)
            #expect(try await larder.counter("larder_memory_hits_total", #"provider="hackernews""#) == 0)
            time.advance(by: .seconds(6))
            let whole = try await larder.get("/v1/hackernews/top")
            #expect(try ids(whole) == [1, 2, 3], "\(whole)")
            #expect(try whole.json()["state"]?.string == "results")
            #expect(origin.requests(to: "/hackernews") == 5)
        }
    }

    @Test func anItemThatAloneCannotBeRefreshedIsGivenAsItWas() async throws {
        let time = ManualTime()
        let news = hackerNews(lists: ["topstories": [1, 2, 3]])
        try await withNews(news, ", ttl: 60s", rest: "fetch: { failurePause: 5s }", time: time) {
            larder, origin async throws in
            #expect(try await ids(larder.get("/v1/hackernews/top")).count == 3)
            time.advance(by: .seconds(600))
            origin.script("/hackernews/v0/item/2", [.html(status: 200)])
            // The list is made in the background. The next request finds it.
            #expect(try await larder.get("/v1/hackernews/top")["Cache-Status"]?.contains("ttl=-") == true)
            try await larder.eventually("the list is new but for one item") {
                try await source(larder.get("/v1/hackernews/top"))["stale"]?.bool == false
            }
            let answer = try await larder.get("/v1/hackernews/top")
            #expect(try ids(answer) == [1, 2, 3])
            #expect(try answer.json()["state"]?.string == "results")
            #expect(try source(answer)["error"]?["class"]?.string == "broken")
            #expect(answer["Cache-Control"] == "no-cache")
            #expect(origin.requests(to: "/hackernews") == 8)
        }
    }

    @Test func aListWhoseIdsFailIsThatFailure() async throws {
        try await withNews(hackerNews(lists: [:])) { larder, origin async throws in
            origin.script("/hackernews/v0/topstories", [.status(500)])
            let answer = try await larder.get("/v1/hackernews/top")
            #expect(answer.status == 502, "\(answer)")
            #expect(try answer.json()["class"]?.string == "broken")
            #expect(origin.requests(to: "/hackernews") == 1)
        }
    }

    @Test func aSpentBudgetLeavesAPartialListAndThenAnOlderWholeOne() async throws {
        let time = ManualTime()
        let news = hackerNews(lists: ["topstories": [1, 2, 3], "newstories": [4, 5, 6, 7]])
        try await withNews(news, ", quota: 7/h, ttl: { top: 60s, item: 60s }", time: time) {
            larder, origin async throws in
            #expect(try await ids(larder.get("/v1/hackernews/top")).count == 3)
            let partial = try await larder.get("/v1/hackernews/new")
            #expect(partial.status == 200, "\(partial)")
            #expect(try ids(partial).count == 2)
            #expect(try source(partial)["missing"]?.integer == 2)
            #expect(try source(partial)["error"]?["class"]?.string == "limited")
            #expect(try source(partial)["error"]?["retryAt"] != nil)
            #expect(origin.requests(to: "/hackernews") == 7, "never more than the quota")
            // No call is permitted now. A stale and complete answer is preferred to a fresh and partial one.
            time.advance(by: .seconds(600))
            let stale = try await larder.get("/v1/hackernews/top", ("Cache-Control", "no-cache"))
            #expect(stale.status == 200, "\(stale)")
            #expect(try ids(stale) == [1, 2, 3])
            #expect(try source(stale)["stale"]?.bool == true)
            #expect(try source(stale)["error"]?["class"]?.string == "limited")
            #expect(origin.requests(to: "/hackernews") == 7)
        }
    }

    @Test func aRestingProviderIsNotCalledItemByItem() async throws {
        let news = hackerNews(lists: ["topstories": Array(1...30)])
        try await withNews(news, rest: "fetch: { sideBySide: 1 }", time: ManualTime()) { larder, origin async throws in
            origin.script("/hackernews/v0/item/2", [.status(429)])
            let partial = try await larder.get("/v1/hackernews/top")
            #expect(try ids(partial) == [1])
            #expect(try source(partial)["missing"]?.integer == 29)
            #expect(try source(partial)["error"]?["class"]?.string == "limited")
            #expect(origin.requests(to: "/hackernews") == 3, "the list, one item, and the one that was refused")
        }
    }

    @Test func itemsThatAreNotThereInTimeAreMissing() async throws {
        let news = hackerNews(lists: ["topstories": [1, 2, 3]])
        let time = ManualTime()
        try await withNews(news, rest: "fetch: { deadline: 20s, failurePause: 0s }", time: time) {
            larder, origin async throws in
            origin.script("/hackernews/v0/item/3", [.silent])
            let asked = Task { try await larder.get("/v1/hackernews/top") }
            try await larder.eventually("only the list and its last item are under way") {
                guard origin.requests(to: "/hackernews") == 4 else { return false }
                return try await larder.counter("larder_flights_under_way") == 2
            }
            // The deadline counts by the system's clock. The test sets the daemon's clock accordingly.
            time.advance(by: .seconds(20))
            let partial = try await asked.value
            #expect(partial.status == 200, "\(partial)")
            #expect(try ids(partial) == [1, 2])
            #expect(try source(partial)["error"]?["class"]?.string == "timedOut")
            // The item's own fetch may end a moment later than the wait for it.
            try await larder.eventually("the late item is there") {
                try await ids(larder.get("/v1/hackernews/top")) == [1, 2, 3]
            }
            #expect(origin.requests(to: "/hackernews") == 5, "only what was missing was asked for again")
        }
    }

    @Test func anAnswerTakesNoMoreCallsThanTheSettingsSay() async throws {
        let news = hackerNews(lists: ["topstories": Array(1...9)])
        try await withNews(news, rest: "fetch: { callsPerAnswer: 5 }") { larder, origin async throws in
            let partial = try await larder.get("/v1/hackernews/top")
            #expect(try ids(partial) == [1, 2, 3, 4])
            #expect(try source(partial)["missing"]?.integer == 5)
            #expect(try source(partial)["error"]?["detail"]?.string?.contains("fetch.callsPerAnswer") == true)
            #expect(origin.requests(to: "/hackernews") == 5)
            #expect(try await larder.counter(parts, label("refused")) == 5)
        }
    }

    @Test func onlyIfCachedGivesWhatIsThereAndStoresNoneOfItsGaps() async throws {
        let news = hackerNews(lists: ["topstories": [1, 2]])
        try await withNews(news) { larder, origin async throws in
            let nothing = try await larder.get("/v1/hackernews/top", ("Cache-Control", "only-if-cached"))
            #expect(nothing.status == 504, "\(nothing)")
            #expect(try await larder.get("/raw/hackernews/v0/topstories.json").status == 200)
            #expect(try await larder.get("/raw/hackernews/v0/item/2.json").status == 200)
            let some = try await larder.get("/v1/hackernews/top", ("Cache-Control", "only-if-cached"))
            #expect(some.status == 200, "\(some)")
            #expect(try some.json()["state"]?.string == "partial")
            #expect(try ids(some) == [2])
            #expect(origin.requests(to: "/hackernews") == 2)
            #expect(try await ids(larder.get("/v1/hackernews/top")) == [1, 2])
            #expect(origin.requests(to: "/hackernews") == 3)
        }
    }

    @Test func aFreshListIsAsOldAsItsOldestItem() async throws {
        let time = ManualTime()
        let news = hackerNews(lists: ["topstories": [1, 2]])
        let lives = ", ttl: { top: 60s, item: 5min }"
        try await withNews(news, lives, rest: "cache: { jitter: 0 }", time: time) { larder, origin async throws in
            _ = try await larder.get("/raw/hackernews/v0/item/1.json")
            time.advance(by: .seconds(250))
            let list = try await larder.get("/v1/hackernews/top")
            #expect(list["Age"] == "250", "\(list)")
            #expect(list["Cache-Status"]?.contains("fwd=uri-miss") == true)
            #expect(list["Cache-Control"] == "private, max-age=300")
            time.advance(by: .seconds(49))
            #expect(try await larder.get("/v1/hackernews/top")["Cache-Status"]?.contains("ttl=1") == true)
            #expect(origin.requests(to: "/hackernews") == 3)
        }
    }

    @Test func aListLeavesWhenOneOfItsItemsIsPurged() async throws {
        let token = "open-sesame-0123456789"
        let news = hackerNews(lists: ["topstories": [1, 2]])
        try await withNews(news, rest: "admin: { token: \"\(token)\" }") { larder, origin async throws in
            _ = try await larder.get("/v1/hackernews/top")
            let url = PercentCoding.encode("\(origin.baseURL(for: "hackernews"))/v0/item/2.json")
            let purged = try await larder.send(
                "DELETE", "/v1/cache?url=\(url)", fields: [("Authorization", "Bearer \(token)")])
            #expect(purged.status == 200, "\(purged)")
            let again = try await larder.get("/v1/hackernews/top")
            #expect(again["Cache-Status"]?.contains("fwd=") == true, "\(again)")
            #expect(origin.requests(to: "/hackernews/v0/item/2") == 2)
            #expect(origin.requests(to: "/hackernews") == 4)
        }
    }

    // MARK: The samples

    @Test func theSixListsHaveTheirStories() async throws {
        try await withNews { larder, _ async throws in
            let expected = [
                "top": [1, 2, 5, 3, 9, 4], "new": [9, 5, 4, 3, 2, 1], "best": [1, 5, 2], "ask": [3], "show": [2],
                "job": [4],
            ]
            for (list, posts) in expected {
                let answer = try await larder.get("/v1/hackernews/\(list)")
                #expect(try ids(answer) == posts.map { 1_000_000 + $0 }, "\(list): \(answer)")
                #expect(try source(answer)["dropped"]?.integer == (["top", "new"].contains(list) ? 3 : nil))
            }
        }
    }

    @Test func anItemComesWithItsCommentsToADepth() async throws {
        try await withNews { larder, origin async throws in
            let shallow = try await larder.get("/v1/hackernews/item/1000001")
            #expect(try ids(shallow) == [1_000_001, 1_000_011, 1_000_012])
            #expect(try source(shallow)["dropped"]?.integer == 1, "the deleted comment")
            let deep = try await larder.get("/v1/hackernews/item/1000001?depth=5")
            #expect(try ids(deep) == [1_000_001, 1_000_011, 1_000_014, 1_000_012, 1_000_015])
            #expect(origin.requests(to: "/hackernews") == 6, "the deeper one asked for what was new")
            let comment = try #require(try deep.json()["results"]?.elements.dropFirst().first { _ in true })
            #expect(comment["summary"]?.string?.hasPrefix("It's the stale copy that I'd thank") == true)
            #expect(comment["collection"]?.string == "A cache that survives the night")
            for round in 1...2 {
                let none = try await larder.get("/v1/hackernews/item/1000008")
                #expect(none.status == 404, "\(none)")
                #expect(none["Cache-Status"]?.contains(round == 1 ? "fwd=uri-miss" : "hit") == true, "\(none)")
            }
            #expect(origin.requests(to: "/hackernews") == 7, "an absence is remembered")
        }
    }

    @Test func usersAreKnownByTheExactCaseOfTheirNames() async throws {
        try await withNews { larder, _ async throws in
            let user = try #require(
                try await larder.get("/v1/hackernews/user/ada").json()["results"]?.elements.first { _ in true })
            #expect(user["id"]?.string == "hackernews:user:ada")
            #expect(user["summary"]?.string == "Writes about caches & looms.")
            #expect(user["attributes"]?["karma"]?.integer == 4217)
            #expect(user["attributes"]?["submissions"]?.integer == 2)
            #expect(try await larder.get("/v1/hackernews/user/Ada").status == 404)
        }
    }

    @Test func aSearchHasTagsFiltersAndPagesUnderEitherName() async throws {
        try await withNews { larder, origin async throws in
            #expect(try await ids(larder.get("/v1/hackernews/search?q=octopus")) == [1_000_005, 1_000_017])
            #expect(try await ids(larder.get("/v1/hackernews/search?q=octopus&tags=comment")) == [1_000_017])
            #expect(
                try await ids(larder.get("/v1/hackernews/search?tags=(ask_hn,show_hn)")) == [1_000_002, 1_000_003])
            let pages = try await larder.get("/v1/hackernews/search?tags=story&limit=2&page=2")
            #expect(try ids(pages) == [1_000_002, 1_000_003])
            #expect(try source(pages)["total"]?.integer == 4)
            let filters = "numericFilters=points%3E=97,created_at_i%3C1795175000"
            #expect(try await ids(larder.get("/v1/hackernews/search?tags=story&\(filters)")) == [1_000_001, 1_000_002])
            #expect(try await ids(larder.get("/v1/hackernews/recent?tags=story&limit=1")) == [1_000_005])
            let calls = origin.requests(to: "/hackernews")
            let shared = try await larder.get("/v1/search?q=octopus&source=hn")
            #expect(try ids(shared) == [1_000_005], "stories unless told otherwise")
            #expect(try await larder.get("/v1/search?q=octopus&source=hackernews").body == shared.body)
            #expect(origin.requests(to: "/hackernews") == calls + 1)
            #expect(origin.log(of: "/hackernews/api").allSatisfy { $0.query?.contains("points") != true })
            let comments = try await larder.get("/v1/search?q=octopus&source=hn&category=comments")
            #expect(try ids(comments) == [1_000_017])
        }
    }

    @Test func eachHostIsASettingAndAPathSaysWhichIsMeant() async throws {
        let search = try OriginServer(source: .samples)
        try search.start()
        defer { search.stop() }
        let items = try OriginServer(source: .samples)
        try items.start()
        defer { items.stop() }
        let settings = """
            providers: { hackernews: { baseURL: "\(items.root)/hackernews/v0", searchURL: "\(search.root)" } }
            """
        try await withLarder(settings) { larder async throws in
            #expect(try await larder.get("/v1/hackernews/ask").status == 200)
            #expect(try await larder.get("/v1/search?q=cache&source=hn").status == 200)
            #expect(try await larder.get("/raw/hackernews/api/v1/search?query=x").status == 200)
            #expect(try await larder.get("/raw/hackernews/v0/maxitem.json").text == "1000022")
            #expect(items.requests(to: "/") == 3 && items.requests(to: "/hackernews/v0/") == 3)
            #expect(search.requests(to: "/") == 2 && search.requests(to: "/api/v1/search") == 2)
        }
    }
}
