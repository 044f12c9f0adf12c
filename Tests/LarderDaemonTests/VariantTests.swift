// The variants of a URL: none is lost, and none comes back.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct VariantTests {
    private func configuration(_ origin: ScriptedOrigin, _ cache: String = "memorySize: 0") -> String {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
        cache: { \(cache) }
        """
    }

    /// Answers the requests in order. The last answer repeats.
    private func origin(_ answers: [[Act]]) -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                defer { count += 1 }
                return count
            }
            return answers[min(number, answers.count - 1)]
        }
    }

    private func held(_ larder: RunningLarder, _ fields: (String, String)...) async throws -> Int {
        var all = [("Cache-Control", "only-if-cached")]
        all += fields
        return try await larder.send("GET", "/raw/api/a", fields: all).status
    }

    @Test func variantsThatAreStoredAtTheSameTimeAreAllListed() async throws {
        let origin = ScriptedOrigin { request in
            let fields = "Cache-Control: max-age=600\r\nVary: X-Who\r\n"
            return [.send(ok(request.field("X-Who") ?? "nobody", fields: fields))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            _ = try await larder.get("/raw/api/a")
            try await larder.eventually("the first is listed") { try await held(larder) == 200 }
            let faults = larder.daemon.engine.cache.store.shared.faults
            // All their rows are in one commit.
            faults.hold(true)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { _ = try await larder.get("/raw/api/a", ("X-Who", "\(number)")) }
                }
                // The daemon's health would wait for the commit.
                try await eventually("all are on their way") { origin.requests.count == 9 }
                faults.hold(false)
                try await group.waitForAll()
            }
            try await larder.eventually("all are listed") {
                for number in 0..<8 where try await held(larder, ("X-Who", "\(number)")) != 200 { return false }
                return true
            }
        }
    }

    @Test func anAbsenceWhoseListIsRefusedLeavesNoListThatCameMeanwhile() async throws {
        let gate = Gate()
        // A list of two variants exceeds the size that may be stored.
        let vary = "Cache-Control: max-age=600\r\nVary: X-Who, X-\(String(repeating: "a", count: 600))\r\n"
        let origin = ScriptedOrigin { request in
            if request.field("X-Who") == "b" { return [.send(ok("b", fields: vary))] }
            return [.await(gate), .send(ok("none", status: "404 Not Found", fields: vary))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin, "memorySize: 0, maxObject: 1KiB")) { larder in
            async let absent = larder.get("/raw/api/a", ("X-Who", "a"), ("Accept-Encoding", "gzip"))
            try await larder.eventually("it is under way") { origin.requests.count == 1 }
            #expect(try await larder.get("/raw/api/a", ("X-Who", "b")).text == "b")
            try await larder.eventually("b is listed") { try await held(larder, ("X-Who", "b")) == 200 }
            gate.open()
            #expect(try await absent.status == 404)
            try await larder.eventually("b is gone") { try await held(larder, ("X-Who", "b")) == 504 }
        }
    }

    /// Checks that a variant is read from the store and then answered from memory.
    private func remembered(_ larder: RunningLarder) async throws {
        #expect(try await larder.get("/raw/api/a").text == "one")
        try await larder.eventually("it is listed") { try await held(larder) == 200 }
        larder.daemon.engine.cache.settingsChanged()
        #expect(try await larder.get("/raw/api/a").text == "one")
        #expect(larder.daemon.engine.cache.memory.statistics().entries > 0)
    }

    private let variant = "Cache-Control: max-age=600\r\nVary: Accept-Encoding\r\nETag: \"one\"\r\n"

    @Test func aVariantThatAValidationRemovesIsNotAnsweredFromMemory() async throws {
        let origin = origin([
            [.send(ok("one", fields: variant))],
            [.send("HTTP/1.1 304 Not Modified\r\nETag: \"one\"\r\nCache-Control: no-store\r\n\r\n")],
            [.send(ok("two"))],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin, "patience: 30s")) { larder in
            try await remembered(larder)
            #expect(try await larder.get("/raw/api/a", ("Cache-Control", "no-cache")).text == "one")
            #expect(try await larder.get("/raw/api/a").text == "two")
        }
    }

    @Test func aVariantOfWhichAHeadTellsAnotherVersionIsNotAnsweredFromMemory() async throws {
        let origin = origin([
            [.send(ok("one", fields: variant))],
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nVary: Accept-Encoding\r\nETag: \"two\"\r\n\r\n")],
            [.send(ok("two"))],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin, "patience: 30s")) { larder in
            try await remembered(larder)
            _ = try await larder.send("HEAD", "/raw/api/a", fields: [("Cache-Control", "no-cache")])
            #expect(try await larder.get("/raw/api/a").text == "two")
        }
    }

    @Test func anAnswerThatASettingsReloadKeptOutLeavesNoOlderOneOfTheURL() async throws {
        let gate = Gate()
        let origin = origin([
            [.send(ok("one", fields: "Cache-Control: max-age=600\r\n"))],
            [.await(gate), .send(ok("two", fields: "Cache-Control: max-age=600\r\nVary: X-Who\r\n"))],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            try await larder.eventually("it is stored") { try await held(larder) == 200 }
            async let newer = larder.get("/raw/api/a", ("Cache-Control", "no-cache"))
            try await larder.eventually("it is under way") { origin.requests.count == 2 }
            larder.daemon.engine.cache.settingsChanged()
            gate.open()
            #expect(try await newer.text == "two")
            try await larder.eventually("the older one is gone") { try await held(larder) == 504 }
        }
    }
}

@Suite struct KeyTurnsTests {
    private let key = Digest(of: [1])

    @Test func whoComesBeyondTheLimitIsSentAway() async {
        let turns = KeyTurns(limit: 0)
        #expect(await turns.enter(key))
        #expect(await !turns.enter(key))
        turns.leave(key)
        #expect(turns.count == 0)
    }

    @Test func oneIsAtAKeyAtATime() async {
        let turns = KeyTurns(limit: 100)
        let here = Lock((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    guard await turns.enter(key) else { return }
                    here.withLock {
                        $0.now += 1
                        $0.most = max($0.most, $0.now)
                    }
                    await Task.yield()
                    here.withLock { $0.now -= 1 }
                    turns.leave(key)
                }
            }
        }
        #expect(here.withLock { $0.most } == 1)
        #expect(turns.count == 0)
    }
}
