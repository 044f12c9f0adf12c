// The cache rules as scenarios: what is kept, for how long, and what is served in place of a failed upstream call.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct CacheScenarios {
    static let search = "/v1/itunes/search?q=jack+johnson"
    static let song = ok(BasicScenarios.song, fields: "Content-Type: text/javascript; charset=utf-8\r\n")
    static let empty = ok("\n\n{\"resultCount\":0, \"results\":[]}\n")

    /// An origin whose answers the test can change while the origin runs.
    final class Moods: Sendable {
        let current = Lock<[Act]>([.send(CacheScenarios.song)])
        func set(_ acts: [Act]) { current.withLock { $0 = acts } }
        func set(_ text: String) { set([.send(text)]) }
    }

    private func origin(_ moods: Moods) -> ScriptedOrigin {
        ScriptedOrigin { _ in moods.current.withLock { $0 } }
    }

    @Test func aHitSurvivesARestart() async throws {
        let origin = ScriptedOrigin(answering: Self.song)
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let configuration = BasicScenarios.itunes(origin)
        var first: WireResponse?
        try await withLarder(configuration, directory: directory) { larder in
            first = try await larder.get(Self.search)
            try await larder.awaitCommits()
        }
        try await withLarder(configuration, directory: directory) { larder in
            let second = try await larder.get(Self.search)
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit") == true, "\(second)")
            #expect(second.body == first?.body)
            #expect(second["ETag"] == first?["ETag"])
        }
        #expect(origin.requests.count == 1)
    }

    @Test func everySpellingOfOneQuestionIsOneEntry() async throws {
        let origin = ScriptedOrigin(answering: Self.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            for target in [
                "/v1/itunes/search?q=jack+johnson", "/v1/itunes/search?q=%20jack%20%20johnson",
                "/v1/itunes/search?limit=50&q=jack%20johnson", "/v1/itunes/search?country=us&q=jack+johnson",
                "/v1/search?q=jack+johnson&source=itunes",
            ] {
                let answer = try await larder.get(target)
                #expect(answer.status == 200, "\(answer)")
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func staleEntryIsServedWhileOneRefreshRuns() async throws {
        let moods = Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        let time = ManualTime()
        let ttl = "    ttl: 60s"
        try await withLarder(BasicScenarios.itunes(origin, ttl), time: time) { larder in
            _ = try await larder.get(Self.search)
            let gate = Gate()
            moods.set([.await(gate), .send(Self.empty)])
            time.advance(by: .seconds(100))
            for _ in 0..<5 {
                let stale = try await larder.get(Self.search)
                #expect(stale["Cache-Status"]?.hasPrefix("larder; hit; ttl=-") == true, "\(stale)")
                #expect(try stale.json()["sources"]?.elements.first { _ in true }?["stale"]?.bool == true)
                #expect(stale["Age"] == "100")
            }
            gate.open()
            try await larder.eventually("the refresh is stored") {
                try await larder.get(Self.search).json()["state"]?.string == "noResults"
            }
            #expect(origin.requests.count == 2, "one refresh, however many asked")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>",
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"resultCount\":1",
        "nonsense\r\n\r\n",
    ])
    func anErrorNeverReplacesAGoodEntry(_ fault: String) async throws {
        let moods = Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        let time = ManualTime()
        try await withLarder(BasicScenarios.itunes(origin, "    ttl: 60s"), time: time) { larder in
            let good = try await larder.get(Self.search)
            moods.set([.send(fault), .close])
            time.advance(by: .seconds(3 * 86_400))
            let covered = try await larder.get(Self.search)
            #expect(covered.status == 200, "\(covered)")
            #expect(covered["Cache-Status"]?.hasPrefix("larder; hit; ttl=-") == true, "\(covered)")
            let source = try covered.json()["sources"]?.elements.first { _ in true }
            #expect(source?["stale"]?.bool == true)
            #expect(source?["error"]?["class"]?.string != nil)
            #expect(try covered.json()["results"]?.raw == good.json()["results"]?.raw)
        }
    }

    @Test func stalenessHasAHardBound() async throws {
        let moods = Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        let time = ManualTime()
        let settings = "    ttl: 60s\n    staleFor: 1h"
        try await withLarder(BasicScenarios.itunes(origin, settings), time: time) { larder in
            _ = try await larder.get(Self.search)
            moods.set("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")
            time.advance(by: .seconds(2 * 3600))
            let late = try await larder.get(Self.search)
            #expect(late.status == 502, "\(late)")
            #expect(late["Content-Type"] == "application/problem+json")
            #expect(try late.json()["class"]?.string == "broken")
        }
    }

    @Test func aThousandIdenticalMissesAreOneCall() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(Self.song)] }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin) + "\nfetch: { deadline: 120s }") { larder in
            let address = larder.address
            let answers = try await onOwnThread { () -> [WireResponse] in
                let clients = try (0..<1000).map { _ in try WireClient(address) }
                for client in clients { try client.send("GET \(Self.search) HTTP/1.1\r\nHost: localhost\r\n\r\n") }
                // Before that, an answer from the cache could stand in for a flight that all share.
                try blockUntil("all wait for one flight") {
                    try LarderProcess.get("/metrics", at: address).text.contains("\nlarder_joined_total 999\n")
                }
                gate.open()
                return try clients.map { try $0.receive() }
            }
            let other = answers.first { $0.status != 200 }
            #expect(other == nil, "\(answers.count { $0.status != 200 }) such: \(String(describing: other))")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func theFirstClientLeavingHarmsNobody() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in [.await(gate), .send(Self.song)] }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin) + "\nfetch: { deadline: 120s }") { larder in
            let head = "GET \(Self.search) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            var first: WireClient? = try WireClient(larder.address)
            try first?.send(head)
            try await larder.eventually("the first one leads") { origin.requests.count == 1 }
            let second = try WireClient(larder.address)
            try second.send(head)
            try await larder.eventually("the second one has joined") {
                try await larder.counter("larder_joined_total") >= 1
            }
            first?.resetAtEnd()
            first = nil
            try await larder.eventually("the first one has left") {
                try await larder.counter("larder_server_clients_left_total") == 1
            }
            #expect(try await larder.counter("larder_flights_under_way") >= 1)
            gate.open()
            let answer = try await onOwnThread { [second] in try second.receive() }
            #expect(answer.status == 200)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func theLastClientLeavingCancelsTheFetch() async throws {
        let origin = ScriptedOrigin { _ in [.hold] }
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            var client: WireClient? = try WireClient(larder.address)
            try client?.send("GET \(Self.search) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await larder.eventually("the fetch is under way") { origin.requests.count == 1 }
            client?.resetAtEnd()
            client = nil
            try await larder.eventually("the fetch is cancelled") {
                try await larder.counter("larder_flights_under_way") == 0
            }
            #expect(try await larder.counter("larder_flights_abandoned_total") >= 1)
        }
    }

    @Test func emptyIsASuccessAndFailedIsNot() async throws {
        let moods = Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            moods.set(Self.empty)
            let empty = try await larder.get(Self.search)
            #expect(empty.status == 200)
            #expect(try empty.json()["state"]?.string == "noResults")
            moods.set("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            let limited = try await larder.get("/v1/itunes/search?q=other")
            #expect(limited.status == 429, "\(limited)")
            #expect(limited["Retry-After"] != nil)
            #expect(try limited.json()["class"]?.string == "limited")
            #expect(try limited.json()["provider"]?.string == "itunes")
        }
    }

    @Test func onlyIfCachedAnswersFromTheStoreOrNotAtAll() async throws {
        let origin = ScriptedOrigin(answering: Self.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let none = try await larder.get(Self.search, ("Cache-Control", "only-if-cached"))
            #expect(none.status == 504, "\(none)")
            #expect(origin.requests.isEmpty)
            _ = try await larder.get(Self.search)
            let some = try await larder.get(Self.search, ("Cache-Control", "only-if-cached"))
            #expect(some.status == 200)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func noCacheFetchesAgainAndStoresForOthers() async throws {
        let moods = Moods()
        let origin = origin(moods)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            _ = try await larder.get(Self.search)
            moods.set(Self.empty)
            let forced = try await larder.get(Self.search, ("Cache-Control", "no-cache"))
            #expect(forced["Cache-Status"]?.contains("fwd=request") == true, "\(forced)")
            let next = try await larder.get(Self.search)
            #expect(try next.json()["state"]?.string == "noResults", "memory still held the older answer")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func validatorsSaveTheBody() async throws {
        let origin = ScriptedOrigin(answering: Self.song)
        defer { origin.stop() }
        try await withLarder(BasicScenarios.itunes(origin)) { larder in
            let first = try await larder.get(Self.search)
            let tag = try #require(first["ETag"])
            let second = try await larder.get(Self.search, ("If-None-Match", tag))
            #expect(second.status == 304)
            #expect(second.body.isEmpty)
            #expect(second["ETag"] == tag)
            let head = try await larder.send("HEAD", Self.search)
            #expect(head.status == 200)
            #expect(head["Content-Length"] == String(first.body.count))
            #expect(head.body.isEmpty)
        }
    }
}
