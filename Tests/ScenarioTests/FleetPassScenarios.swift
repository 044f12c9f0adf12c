// Answers of configured providers in a fleet: the other hosts serve what one host has fetched, selected by its fields,
// until something newer or a change upstream makes it unsuitable.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetPassScenarios {
    private static let path = "/raw/api/thing"

    private func settings(_ origin: ScriptedOrigin, _ engine: SharedEngine, _ more: String = "", shared: String = "")
        -> String
    {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)", shared: yes\(more) } }
        shared: { url: "\(engine.url)", key: "\(Fleet.key)", timeout: 10s\(shared) }
        admin: { token: \(Fleet.token) }
        """
    }

    /// Answers each request with its own number.
    private func counting(_ fields: String) -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(ok("answer \(number)", fields: fields))]
        }
    }

    @Test func theMissOfOneHostIsTheHitOfAnother() async throws {
        let engine = try SharedEngine()
        let origin = counting("Cache-Control: max-age=60\r\nETag: \"a\"\r\n")
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            let first = try await one.get(Self.path)
            #expect(first["Cache-Status"]?.contains("fwd=uri-miss; fwd-status=200; stored") == true, "\(first)")
            try await Fleet.published(one, 1)
            let second = try await two.get(Self.path)
            #expect(second["Cache-Status"]?.hasPrefix("larder; hit; ") == true, "\(second)")
            #expect(second["Cache-Status"]?.contains("detail=shared") == true, "\(second)")
            #expect(second.text == "answer 1" && second["ETag"] == "\"a\"")
            let third = try await two.get(Self.path)
            #expect(third["Cache-Status"]?.contains("shared") == false, "it is stored here by now: \(third)")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func fieldsSelectAmongTheAnswersOfAllHosts() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { request in
            let language = request.field("Accept-Language") ?? "none"
            return [.send(ok(language, fields: "Cache-Control: max-age=60\r\nVary: Accept-Language\r\n"))]
        }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            func get(_ host: RunningLarder, _ language: String) async throws -> WireResponse {
                try await host.send("GET", Self.path, fields: [("Accept-Language", language)])
            }
            #expect(try await get(one, "de").text == "de")
            try await Fleet.published(one, 1)
            #expect(try await get(two, "en").text == "en")
            try await Fleet.published(two, 1)
            let english = try await get(one, "en")
            #expect(english.text == "en" && english["Cache-Status"]?.contains("detail=shared") == true, "\(english)")
            let german = try await get(two, "de")
            #expect(german.text == "de" && german["Cache-Status"]?.contains("detail=shared") == true, "\(german)")
            #expect(origin.requests.count == 2)
        }
    }

    @Test func whatIsStaleIsValidatedByTheHostThatFindsIt() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { request in
            let fields = "Cache-Control: max-age=0\r\nETag: \"a\"\r\n"
            guard request.field("If-None-Match") != nil else { return [.send(ok("whole", fields: fields))] }
            return [.send("HTTP/1.1 304 Not Modified\r\n\(fields)\r\n")]
        }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            let second = try await two.get(Self.path)
            #expect(second.text == "whole", "\(second)")
            #expect(origin.requests.last?.field("If-None-Match") == "\"a\"")
        }
    }

    @Test(arguments: ["POST", "DELETE"])
    func aChangeThroughOneHostRemovesTheAnswerFromAll(_ method: String) async throws {
        let engine = try SharedEngine()
        let origin = counting("Cache-Control: max-age=60\r\n")
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path)
            _ = try await one.get("/raw/api/other")
            try await Fleet.published(one, 2)
            _ = try await two.get(Self.path)
            _ = try await one.send(method, Self.path)
            try await two.eventually("it is removed there") {
                try await two.counter("larder_shared_removals_heard_total", "result=\"order\"") >= 1
            }
            let answer = try await two.get(Self.path)
            #expect(answer.text == "answer 4", "\(answer)")
            let other = try await two.get("/raw/api/other")
            #expect(other["Cache-Status"]?.contains("detail=shared") == true, "that one is as it was: \(other)")
        }
    }

    @Test func anAnswerThatIsNotForStoringTakesTheOlderOneFromTheFleet() async throws {
        let engine = try SharedEngine()
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            let control = number == 1 ? "max-age=60" : "no-store"
            return [.send(ok("answer \(number)", fields: "Cache-Control: \(control)\r\n"))]
        }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            let forced = try await two.send("GET", Self.path, fields: [("Cache-Control", "no-cache")])
            #expect(forced.text == "answer 2", "\(forced)")
            let next = try await two.get(Self.path)
            #expect(next.text == "answer 3", "the older one is not given out after the newer: \(next)")
        }
    }

    @Test func whatIsForOnePersonStaysOnItsHost() async throws {
        let engine = try SharedEngine()
        let origin = counting("Cache-Control: public, max-age=60\r\n")
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.send("GET", Self.path, fields: [("Authorization", "Bearer x")])
            let other = try await two.send("GET", Self.path, fields: [("Authorization", "Bearer x")])
            #expect(other.text == "answer 2", "\(other)")
            // A host publishes after the client has its answer, and in the order of its answers. When a later answer is
            // there, an earlier one would be there too.
            for (host, name) in [(one, "one"), (two, "two")] {
                _ = try await host.get("/raw/api/\(name)")
                try await Fleet.published(host, 1)
            }
            let values = try engine.values()
            #expect(values.count == 2, "the two that are everybody's: \(values)")
        }
    }

    @Test func hostsWaitForTheOneThatFetches() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [.await(gate), .send(ok("whole", fields: "Cache-Control: max-age=600\r\n"))]
        }
        defer { origin.stop() }
        // Neither the fetch nor the wait for it ends by itself while a slow machine takes its time.
        let text = settings(origin, engine) + "\nfetch: { deadline: 120s }"
        try await Fleet.two(text, patience: .seconds(120)) { one, two in
            async let first = one.get(Self.path)
            try await one.eventually("one has asked") { origin.requests.count == 1 }
            async let second = two.get(Self.path)
            try await two.eventually("two waits") {
                try await two.counter("larder_shared_lease_waits_total", "result=\"waited\"") == 1
            }
            gate.open()
            let answers = try await [first, second]
            #expect(answers.map(\.text) == ["whole", "whole"] && origin.requests.count == 1, "\(answers)")
        }
    }

    @Test func nobodyWaitsForAnAnswerThatWillNotBePublished() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 3000000\r\n\r\n"
            return [.send(head + "begin"), .await(gate), .close]
        }
        defer { origin.stop() }
        defer { gate.open() }
        // Whoever waited here would wait longer than the test does.
        let text = settings(origin, engine) + "\nfetch: { deadline: 120s }"
        try await Fleet.two(text, patience: .seconds(120)) { one, two in
            async let first = one.get(Self.path)
            try await one.eventually("one has asked") { origin.requests.count == 1 }
            async let second = two.get(Self.path)
            try await two.eventually("two has asked, too") { origin.requests.count == 2 }
            gate.open()
            _ = try? await (first, second)
        }
    }

    private func unpublished(_ host: RunningLarder, _ result: String) async throws {
        try await host.eventually("what is not published is counted") {
            try await host.counter("larder_shared_published_total", "result=\"\(result)\"") == 1
        }
    }

    @Test func anAnswerThatIsTooLargeForTheTierStaysOnItsHostAndIsCounted() async throws {
        let engine = try SharedEngine()
        let body = String(repeating: "x", count: 4096)
        let origin = ScriptedOrigin { _ in [.send(ok(body, fields: "Cache-Control: max-age=60\r\n"))] }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine, shared: ", maxObject: 2KiB")) { one, two in
            #expect(try await one.get(Self.path).text == body)
            try await unpublished(one, "tooLarge")
            #expect(try await two.get(Self.path).text == body)
            #expect(origin.requests.count == 2)
            #expect(try await one.get(Self.path)["Cache-Status"]?.hasPrefix("larder; hit") == true)
        }
    }

    @Test func anAnswerThatARemovalOvertookIsCounted() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            let answer = ok("old", fields: "Cache-Control: max-age=60\r\n")
            return request.method == "GET" ? [.await(gate), .send(answer)] : [.send(answer)]
        }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, _ in
            async let old = one.get(Self.path)
            try await one.eventually("it is under way") { origin.requests.count == 1 }
            _ = try await one.send("POST", Self.path)
            gate.open()
            #expect(try await old.text == "old")
            try await unpublished(one, "overtaken")
            #expect(try engine.values().isEmpty)
        }
    }

    @Test func aBodyThatComesInPiecesIsSharedWhenItIsWhole() async throws {
        let engine = try SharedEngine()
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n"
            return [.send(head + "5\r\nfirst\r\n"), .await(gate), .send("6\r\nsecond\r\n0\r\n\r\n")]
        }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            async let first = one.get(Self.path)
            try await one.eventually("it is under way") { origin.requests.count == 1 }
            gate.open()
            #expect(try await first.text == "firstsecond")
            try await Fleet.published(one, 1)
            let second = try await two.get(Self.path)
            #expect(second.text == "firstsecond" && origin.requests.count == 1, "\(second)")
        }
    }

    @Test func aProviderOnThisMachineIsNotSharedUnlessItIsSaid() async throws {
        let engine = try SharedEngine()
        let origin = counting("Cache-Control: max-age=60\r\n")
        defer { origin.stop() }
        let text = settings(origin, engine).replacing(", shared: yes", with: "")
        try await Fleet.two(text) { one, two in
            _ = try await one.get(Self.path)
            #expect(try await two.get(Self.path).text == "answer 2")
        }
    }

    @Test func hostsWithOtherRulesShareNothing() async throws {
        let engine = try SharedEngine()
        let origin = counting("Cache-Control: max-age=60\r\n")
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine), settings(origin, engine, ", staleFor: 7s")) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            #expect(try await two.get(Self.path).text == "answer 2")
        }
    }
}
