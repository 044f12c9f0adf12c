// An error page that an intermediary in front of an API sends, with 404 or 200. It replaces nothing, and the stored
// answer is served in its place.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct ErrorPageScenarios {
    private static let page =
        "<html><head><title>404 Not Found</title></head><body><center>nginx</center></body></html>"

    private static func html(_ status: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)"
    }

    private static func json(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let monster = #"{"index":"aboleth","name":"Aboleth","url":"/api/2014/monsters/aboleth"}"#

    @Test(arguments: [
        "404 Not Found", "410 Gone", "null", "42", "[]", "{}", #"{"city":"Ulm"}"#,
        #"{"index":"goblin","name":"Goblin","url":"/api/2014/monsters/goblin"}"#,
    ])
    func anErrorPageIsCoveredByWhatIsStored(_ what: String) async throws {
        let time = ManualTime()
        let isWell = Lock(true)
        let origin = ScriptedOrigin { _ in
            if isWell.withLock({ $0 }) { return [.send(Self.json(Self.monster))] }
            return [.send(what.first?.isNumber == true && what.contains(" ") ? Self.html(what) : Self.json(what))]
        }
        defer { origin.stop() }
        let configuration = """
            fetch: { failurePause: 0 }
            providers:
              dnd5e: { baseURL: "\(origin.base)", rate: off, quota: off, ttl: 10s, staleFor: 1d, staleWhileRefresh: 0s }
            """
        try await withLarder(configuration, time: time) { larder async throws in
            let good = try await larder.get("/v1/dnd/monsters/aboleth")
            #expect(good.status == 200, "\(good)")
            isWell.withLock { $0 = false }
            time.advance(by: .seconds(60))
            for _ in 0..<2 {
                let stale = try await larder.get("/v1/dnd/monsters/aboleth")
                #expect(stale.status == 200, "\(stale)")
                #expect(try stale.json()["results"]?.elements.first { _ in true }?["title"]?.string == "Aboleth")
                #expect(try stale.json()["sources"]?.elements.first { _ in true }?["stale"]?.bool == true, "\(stale)")
            }
            // The raw row is still the good one.
            let raw = try await larder.get(
                "/raw/dnd5e/api/2014/monsters/aboleth", ("Cache-Control", "only-if-cached, max-stale"))
            #expect(raw.text == Self.monster, "\(raw)")
        }
    }

    private static let missing =
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nNot Found"

    @Test func aListThatIsSuddenlyMissingIsCoveredByWhatIsStored() async throws {
        let time = ManualTime()
        let isWell = Lock(true)
        let list = #"{"count":1,"results":[{"index":"aboleth","name":"Aboleth","url":"/api/2014/monsters/aboleth"}]}"#
        let origin = ScriptedOrigin { _ in [.send(isWell.withLock { $0 } ? Self.json(list) : Self.missing)] }
        defer { origin.stop() }
        let configuration = """
            fetch: { failurePause: 0 }
            providers:
              dnd5e: { baseURL: "\(origin.base)", rate: off, quota: off, ttl: 10s, staleFor: 1d, staleWhileRefresh: 0s }
            """
        try await withLarder(configuration, time: time) { larder async throws in
            #expect(try await larder.get("/v1/dnd/monsters").status == 200)
            isWell.withLock { $0 = false }
            time.advance(by: .seconds(60))
            for _ in 0..<2 {
                let stale = try await larder.get("/v1/dnd/monsters")
                #expect(stale.status == 200, "\(stale)")
                #expect(try stale.json()["count"]?.integer == 1, "\(stale)")
                #expect(try stale.json()["sources"]?.elements.first { _ in true }?["stale"]?.bool == true, "\(stale)")
            }
        }
    }

    @Test func anotherRecordUnder200IsNotStored() async throws {
        let origin = ScriptedOrigin { _ in [.send(Self.json(Self.monster))] }
        defer { origin.stop() }
        let configuration = """
            fetch: { failurePause: 0 }
            providers:
              dnd5e: { baseURL: "\(origin.base)", rate: off, quota: off }
            """
        try await withLarder(configuration, time: ManualTime()) { larder async throws in
            let wrong = try await larder.get("/v1/dnd/monsters/goblin")
            #expect(wrong.status == 502, "\(wrong)")
            #expect(try wrong.json()["class"]?.string == "broken", "\(wrong)")
            let raw = try await larder.get("/raw/dnd5e/api/2014/monsters/goblin", ("Cache-Control", "only-if-cached"))
            #expect(raw.status == 504, "\(raw)")
        }
    }

    @Test func theAPIsOwnWordIsAnAbsenceStill() async throws {
        let origin = ScriptedOrigin { _ in [.send(Self.missing)] }
        defer { origin.stop() }
        let configuration = """
            providers:
              dnd5e: { baseURL: "\(origin.base)", rate: off, quota: off }
            """
        try await withLarder(configuration) { larder async throws in
            for _ in 0..<3 {
                let answer = try await larder.get("/v1/dnd/monsters/nobody")
                #expect(answer.status == 404, "\(answer)")
                #expect(try answer.json()["code"]?.string == "notFound")
            }
            #expect(origin.requests.count == 1, "the absence is remembered")
        }
    }
}
