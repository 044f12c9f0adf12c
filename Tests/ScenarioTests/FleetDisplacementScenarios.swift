// After a configured provider's newer answer was given out, no older answer follows from the shared tier, in whatever
// way the older one became unsuitable. An answer that concerns only one request leaves the tier unchanged.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FleetDisplacementScenarios {
    private static let path = "/raw/api/thing"
    private static let forced = [("Cache-Control", "no-cache")]

    private func settings(_ origin: ScriptedOrigin, _ engine: SharedEngine, key: String = "") -> String {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)", shared: yes\(key) } }
        shared: { url: "\(engine.url)", key: "\(Fleet.key)", timeout: 10s }
        """
    }

    /// The first answer may be stored. The script gives the later answers, by their number.
    private func origin(
        _ first: String = "Cache-Control: max-age=60\r\nETag: \"a\"\r\n",
        _ script: @escaping @Sendable (Int, SeenRequest) -> String
    ) -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { request in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return [.send(number == 1 ? ok("answer 1", fields: first) : script(number, request))]
        }
    }

    private func kept(_ number: Int) -> String {
        ok("answer \(number)", fields: "Cache-Control: max-age=60\r\n")
    }

    /// One host publishes the first answer. The other host forces a second answer, and then asks again.
    private func afterASecondAnswer(
        of origin: ScriptedOrigin, method: String = "GET", _ check: (WireResponse) -> Void
    ) async throws {
        let engine = try SharedEngine()
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            _ = try await two.get(Self.path)
            _ = try await two.send(method, Self.path, fields: Self.forced)
            check(try await two.get(Self.path))
        }
    }

    @Test func a304ThatForbidsTheStoredAnswerForbidsTheSharedOne() async throws {
        let origin = origin { number, _ in
            number == 2 ? "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nCache-Control: no-store\r\n\r\n" : kept(number)
        }
        try await afterASecondAnswer(of: origin) { #expect($0.text == "answer 3", "\($0)") }
    }

    @Test func aHEADThatTellsOfAnotherAnswerTakesTheSharedOne() async throws {
        let origin = origin { number, request in
            guard request.method == "HEAD" else { return kept(number) }
            return "HTTP/1.1 200 OK\r\nETag: \"b\"\r\nCache-Control: max-age=60\r\nContent-Length: 9\r\n\r\n"
        }
        try await afterASecondAnswer(of: origin, method: "HEAD") { #expect($0.text == "answer 3", "\($0)") }
    }

    @Test func anAnswerThatIsDamagedTakesTheSharedOne() async throws {
        let origin = origin { number, _ in
            guard number == 2 else { return kept(number) }
            let digest = "Repr-Digest: sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:\r\n"
            return ok("answer 2", fields: "Cache-Control: max-age=60\r\n" + digest)
        }
        try await afterASecondAnswer(of: origin) { #expect($0.text == "answer 3", "\($0)") }
    }

    @Test(arguments: ["403 Forbidden", "406 Not Acceptable", "429 Too Many Requests"])
    func aRefusalOfOneRequestLeavesTheSharedAnswer(_ status: String) async throws {
        let engine = try SharedEngine()
        let origin = origin { number, _ in
            number == 2 ? ok("no", status: status, fields: "Cache-Control: no-store\r\n") : kept(number)
        }
        defer { origin.stop() }
        try await withLarder(settings(origin, engine)) { three in
            try await Fleet.two(settings(origin, engine)) { one, two in
                _ = try await one.get(Self.path)
                try await Fleet.published(one, 1)
                _ = try await two.send("GET", Self.path, fields: Self.forced)
                #expect(try await three.get(Self.path).text == "answer 1")
            }
        }
    }

    @Test func whoForbidsStoringAndIsToldThatThereIsNothingTakesTheSharedAnswer() async throws {
        let engine = try SharedEngine()
        let origin = origin { number, _ in number == 2 ? ok("gone", status: "404 Not Found") : kept(number) }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            _ = try await two.send("GET", Self.path, fields: [("Cache-Control", "no-store")])
            let next = try await two.get(Self.path)
            #expect(next.text == "answer 3", "\(next)")
        }
    }

    @Test(arguments: [true, false])
    func aStaleAnswerOfTheTierStandsInForAFailure(_ isReset: Bool) async throws {
        let engine = try SharedEngine()
        let isDown = Lock(false)
        let origin = ScriptedOrigin { _ in
            guard isDown.withLock({ $0 }) else {
                return [.send(ok("whole", fields: "Cache-Control: max-age=0, stale-if-error=600\r\n"))]
            }
            return isReset ? [.reset] : [.send(ok("down", status: "503 Service Unavailable"))]
        }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            isDown.withLock { $0 = true }
            let answer = try await two.get(Self.path)
            #expect(answer.status == 200 && answer.text == "whole", "\(answer)")
        }
    }

    @Test func callersWithOtherKeysShareNothing() async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { request in
            [.send(ok(request.field("Authorization") ?? "", fields: "Cache-Control: public, max-age=60\r\n"))]
        }
        defer { origin.stop() }
        let (first, second) = (", key: a-first-secret-key", ", key: a-second-secret-key")
        try await Fleet.two(settings(origin, engine, key: first), settings(origin, engine, key: second)) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            _ = try await two.get(Self.path)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func aChangeOnAnotherHostEndsTheAnswersToEquivalentQueries() async throws {
        let engine = try SharedEngine()
        let fields = "Cache-Control: max-age=60\r\nNo-Vary-Search: params=(\"u\")\r\n"
        let origin = origin(fields) { number, _ in ok("answer \(number)", fields: fields) }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path + "?u=1")
            #expect(try await one.get(Self.path + "?u=2").text == "answer 1")
            _ = try await two.send("PUT", Self.path + "?u=2", body: "new")
            try await one.eventually("it has heard") {
                try await one.counter("larder_shared_removals_heard_total", "result=\"order\"") >= 1
            }
            let answer = try await one.get(Self.path + "?u=2")
            #expect(answer.text == "answer 3", "\(answer)")
        }
    }

    @Test func anOlderAnswerToAnEquivalentQueryDoesNotFollowANewerOne() async throws {
        let fields = "Cache-Control: max-age=60\r\nNo-Vary-Search: params=(\"u\")\r\n"
        let origin = origin(fields) { number, _ in ok("answer \(number)", fields: "Cache-Control: no-store\r\n") }
        defer { origin.stop() }
        try await withLarder("providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }") { larder in
            _ = try await larder.get(Self.path + "?u=1")
            #expect(try await larder.get(Self.path + "?u=2").text == "answer 1")
            _ = try await larder.send("GET", Self.path + "?u=2", fields: Self.forced)
            let answer = try await larder.get(Self.path + "?u=2")
            #expect(answer.text == "answer 3", "\(answer)")
        }
    }

    /// A client gets its part before the tier knows of it. What is fetched until the tier knows is not published.
    private func displaced(_ host: RunningLarder) async throws {
        try await host.eventually("the tier knows that the part displaces older answers") {
            try await host.counter("larder_shared_removals_total", #"result="done""#) >= 1
        }
    }

    private func whole(_ version: Int) -> String {
        ok("answer \(version)", fields: "Cache-Control: max-age=60\r\nETag: \"\(version)\"\r\n")
    }

    @Test func aRangeIsAnsweredByASharedWhole() async throws {
        let engine = try SharedEngine()
        let origin = origin { number, _ in kept(number) }
        defer { origin.stop() }
        try await Fleet.two(settings(origin, engine)) { one, two in
            _ = try await one.get(Self.path)
            try await Fleet.published(one, 1)
            let part = try await two.get(Self.path, ("Range", "bytes=-3"))
            #expect(part.text == "r 1", "\(part)")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func aWholeThatComesForAStretchOfStoredPartsTakesTheSharedAnswer() async throws {
        let engine = try SharedEngine()
        let count = Lock(0)
        let origin = ScriptedOrigin { request in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            guard number == 1 else { return [.send(whole(number))] }
            let fields = "Cache-Control: max-age=60\r\nETag: \"1\"\r\nContent-Range: bytes 6-7/8\r\n"
            return [.send(ok(" 1", status: "206 Partial Content", fields: fields))]
        }
        defer { origin.stop() }
        try await withLarder(settings(origin, engine)) { three in
            try await Fleet.two(settings(origin, engine)) { one, two in
                // The second host has a part of the first version. Then the first host publishes the second version.
                _ = try await two.get(Self.path, ("Range", "bytes=-2"))
                try await displaced(two)
                _ = try await one.get(Self.path)
                try await Fleet.published(one, 1)
                // The third answer comes when the second host fetches the missing bytes of the first version.
                #expect(try await two.get(Self.path, ("Range", "bytes=-3")).text == "r 3")
                let next = try await three.get(Self.path)
                #expect(next.text != "answer 2", "\(next)")
            }
        }
    }

    @Test(arguments: ["429 Too Many Requests", "403 Forbidden"])
    func aRefusalOfAStretchLeavesTheSharedAnswer(_ status: String) async throws {
        let engine = try SharedEngine()
        let origin = ScriptedOrigin { request in
            switch request.field("Range") {
            case "bytes=-2":
                let fields = "Cache-Control: max-age=60\r\nETag: \"1\"\r\nContent-Range: bytes 6-7/8\r\n"
                return [.send(ok(" 1", status: "206 Partial Content", fields: fields))]
            case nil: return [.send(whole(1))]
            default: return [.send(ok("no", status: status))]
            }
        }
        defer { origin.stop() }
        try await withLarder(settings(origin, engine)) { three in
            try await Fleet.two(settings(origin, engine)) { one, two in
                _ = try await two.get(Self.path, ("Range", "bytes=-2"))
                try await displaced(two)
                _ = try await one.get(Self.path)
                try await Fleet.published(one, 1)
                _ = try await two.get(Self.path, ("Range", "bytes=-3"))
                let calls = origin.requests.count
                #expect(try await three.get(Self.path).text == "answer 1")
                #expect(origin.requests.count == calls)
            }
        }
    }
}
