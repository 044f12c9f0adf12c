// The order of answers is the order of their heads. An answer with a slow body is therefore older than one that came
// whole in the meantime, although it ends later.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct SlowBodyTests {
    private static let kept = "Cache-Control: max-age=600\r\n"
    private static let byA = kept + "Vary: X-A\r\n"
    private static let byB = kept + "Vary: X-B\r\n"
    private static let notKept = "Cache-Control: no-store\r\n"

    /// What the test saw after a slow answer and a quick answer had both ended.
    private struct Seen {
        /// The text that the quick answer's client gets when it asks again.
        var text = ""
        /// The number of upstream calls until then.
        var calls = 0
    }

    /// Sends the second half of the first answer when the gate opens. All other calls get the second answer at once.
    private func origin(_ first: [Act], _ second: [Act], _ gate: Gate, _ count: Lock<Int>) -> ScriptedOrigin {
        ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return number == 1 ? [first[0], .await(gate)] + first.dropFirst() : second
        }
    }

    /// Runs a test in which the first answer's body ends after the second answer has come.
    private func afterwards(
        _ first: [Act], _ second: [Act], cache: String = "memorySize: 0"
    ) async throws -> Seen {
        let gate = Gate()
        let count = Lock(0)
        let origin = origin(first, second, gate, count)
        defer { origin.stop() }
        let seen = Lock(Seen())
        let configuration = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            cache: { \(cache) }
            """
        try await withLarder(configuration) { (larder) async throws in
            let answers = larder.daemon.engine.cache.answers
            async let slow = larder.get("/raw/api/a", ("X-A", "1"), ("X-B", "1"), ("Accept-Encoding", "gzip"))
            try await larder.eventually("its body is begun") { answers.count == 1 }
            _ = try await larder.get("/raw/api/a", ("X-A", "1"), ("X-B", "1"))
            gate.open()
            _ = try? await slow
            try await larder.eventually("both have ended") { answers.count == 0 }
            let again = try await larder.get("/raw/api/a", ("X-A", "1"), ("X-B", "1")).text
            seen.withLock { $0 = Seen(text: again, calls: count.withLock { $0 }) }
        }
        return seen.withLock { $0 }
    }

    private func slow(_ fields: String) -> [Act] {
        [.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 3\r\n\r\no"), .send("ld")]
    }

    @Test(arguments: [kept, byA, byB], [kept, byA, byB])
    func aSlowOlderAnswerIsNotStoredOverANewerOne(first: String, second: String) async throws {
        let seen = try await afterwards(slow(first), [.send(ok("new", fields: second))])
        #expect(seen.text == "new")
        #expect(seen.calls == 2)
    }

    @Test(
        arguments: [kept, byA],
        [
            "Cache-Control: no-store\r\n", "Cache-Control: private\r\n", "Cache-Control: max-age=1\r\n",
            "Cache-Control: max-age=600\r\nVary: *\r\n",
        ])
    func aSlowOlderAnswerIsNotStoredAfterANewerOneOfWhateverLife(first: String, second: String) async throws {
        #expect(try await afterwards(slow(first), [.send(ok("new", fields: second))]).text == "new")
    }

    @Test(arguments: [kept, byA], [kept, notKept, byB])
    func aSlowAnswerIsNotStoredAfterItsURLWasGone(first: String, second: String) async throws {
        let gone = ok("new", status: "410 Gone", fields: second)
        #expect(try await afterwards(slow(first), [.send(gone)]).text == "new")
    }

    @Test(arguments: [kept, byA], [kept, byA, byB])
    func aSlowAnswerIsNotStoredAfterANewerOneThatIsTooLarge(first: String, second: String) async throws {
        let large = ok(String(repeating: "n", count: 70_000), fields: second)
        let seen = try await afterwards(slow(first), [.send(large)], cache: "memorySize: 0, maxObject: 64KiB")
        #expect(seen.text.hasPrefix("n"))
    }

    @Test(arguments: [kept, byA])
    func aSlowAnswerIsStoredAfterAnErrorOfTheUpstream(fields: String) async throws {
        let error = ok("new", status: "500 Internal Server Error", fields: Self.notKept)
        #expect(try await afterwards(slow(fields), [.send(error)]).text == "old")
    }

    /// The failure of the older answer says nothing about the newer one.
    @Test(arguments: [kept, byA], [kept, byA])
    func aSlowAnswerThatTurnsOutTooLargeLeavesTheNewerOne(first: String, second: String) async throws {
        let half = String(repeating: "o", count: 40_000)
        let slow: [Act] = [.send("HTTP/1.1 200 OK\r\n\(first)\r\n" + half), .send(half), .close]
        let seen = try await afterwards(
            slow, [.send(ok("new", fields: second))], cache: "memorySize: 0, maxObject: 64KiB")
        #expect(seen.text == "new")
        #expect(seen.calls == 2)
    }

    @Test func aSlowAnswerThatBreaksOffLeavesTheNewerOne() async throws {
        let slow: [Act] = [.send("HTTP/1.1 200 OK\r\n\(Self.kept)Content-Length: 9\r\n\r\no"), .send("ld"), .close]
        let seen = try await afterwards(slow, [.send(ok("new", fields: Self.kept))])
        #expect(seen.text == "new")
        #expect(seen.calls == 2)
    }

    /// No request joins the flight of an answer that a newer one has overtaken.
    @Test func aSlowAnswerIsGivenToNobodyElseOnceANewerOneWasGivenOut() async throws {
        let gate = Gate()
        let count = Lock(0)
        let origin = origin(slow(Self.kept), [.send(ok("new", fields: Self.notKept))], gate, count)
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { (larder) async throws in
            let answers = larder.daemon.engine.cache.answers
            async let slow = larder.get("/raw/api/a", ("Accept-Encoding", "gzip"))
            try await larder.eventually("its body is begun") { answers.count == 1 }
            #expect(try await larder.get("/raw/api/a").text == "new")
            #expect(try await larder.get("/raw/api/a", ("Accept-Encoding", "gzip")).text == "new")
            gate.open()
            #expect(try await slow.text == "old")
        }
    }

    /// The newer answer's request looked in the store before the older answer was stored, and found nothing.
    @Test(arguments: [kept, byA])
    func anOlderAnswerThatWasStoredMeanwhileIsHiddenByANewerOneThatIsNot(fields: String) async throws {
        let gate = Gate()
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            switch number {
            case 1: return [.await(gate), .send(ok("new", fields: Self.notKept))]
            case 2: return [.send(ok("old", fields: fields))]
            default: return [.send(ok("newest", fields: Self.notKept))]
            }
        }
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { (larder) async throws in
            async let new = larder.get("/raw/api/a", ("X-A", "1"))
            try await larder.eventually("it is asked for") { count.withLock { $0 } == 1 }
            #expect(try await larder.get("/raw/api/a", ("X-A", "1"), ("Accept-Encoding", "gzip")).text == "old")
            gate.open()
            #expect(try await new.text == "new")
            #expect(try await larder.get("/raw/api/a", ("X-A", "1")).text == "newest")
        }
    }

    @Test func aSlowAnswerIsNotStoredAfterWhatIsStoredWasFoundToBeRight() async throws {
        let gate = Gate()
        let count = Lock(0)
        let validator = Self.kept + "ETag: \"a\"\r\n"
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            switch number {
            case 1: return [.send(ok("right", fields: validator))]
            case 2: return [slow(Self.kept)[0], .await(gate), slow(Self.kept)[1]]
            default: return [.send("HTTP/1.1 304 Not Modified\r\n\(validator)\r\n")]
            }
        }
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { (larder) async throws in
            let answers = larder.daemon.engine.cache.answers
            _ = try await larder.get("/raw/api/a")
            try await larder.eventually("it is stored") { answers.count == 0 }
            async let slow = larder.get("/raw/api/a", ("Cache-Control", "no-cache"), ("Accept-Encoding", "gzip"))
            try await larder.eventually("its body is begun") { answers.count == 1 }
            #expect(try await larder.get("/raw/api/a", ("Cache-Control", "no-cache")).text == "right")
            gate.open()
            _ = try await slow
            try await larder.eventually("both have ended") { answers.count == 0 }
            #expect(try await larder.get("/raw/api/a").text == "right")
        }
    }

    /// A newer answer might not suit every request that an older one suits.
    @Test func whatASlowAnswerMadeUnsuitableIsNotGivenThoughANewerOneTookItsPlace() async throws {
        let gate = Gate()
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            switch number {
            case 1: return [.send(ok("oldest", fields: Self.byA))]
            case 2: return [slow(Self.kept)[0], .await(gate), slow(Self.kept)[1]]
            default: return [.send(ok("new", fields: Self.byA))]
            }
        }
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { (larder) async throws in
            let answers = larder.daemon.engine.cache.answers
            #expect(try await larder.get("/raw/api/a", ("X-A", "2")).text == "oldest")
            try await larder.eventually("it is stored") { answers.count == 0 }
            async let slow = larder.get("/raw/api/a", ("X-A", "2"), ("Cache-Control", "no-cache"))
            try await larder.eventually("its body is begun") { answers.count == 1 }
            #expect(try await larder.get("/raw/api/a", ("X-A", "1")).text == "new")
            gate.open()
            #expect(try await slow.text == "old")
            try await larder.eventually("both have ended") { answers.count == 0 }
            #expect(try await larder.get("/raw/api/a", ("X-A", "2")).text != "oldest")
        }
    }

    @Test func aSlowAnswerIsStoredAfterAnErrorThatIsTooLarge() async throws {
        let error = ok(
            String(repeating: "n", count: 70_000), status: "500 Internal Server Error", fields: Self.kept)
        let seen = try await afterwards(
            slow(Self.kept), [.send(error)], cache: "memorySize: 0, maxObject: 64KiB")
        #expect(seen.text == "old")
    }

    @Test func anAnswerOfBeforeAPurgeHidesNothingThatCameAfterIt() async throws {
        let gate = Gate()
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return number == 1
                ? [.await(gate), .send(ok("before", fields: Self.kept))]
                : [.send(ok("after", fields: Self.kept))]
        }
        defer { origin.stop() }
        let configuration = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            cache: { memorySize: 0 }
            """
        try await withLarder(configuration) { (larder) async throws in
            let answers = larder.daemon.engine.cache.answers
            async let slow = larder.get("/raw/api/a")
            try await larder.eventually("it is asked for") { count.withLock { $0 } == 1 }
            _ = await larder.daemon.engine.cache.purge([.all], soft: false)
            #expect(try await larder.get("/raw/api/a").text == "after")
            try await larder.eventually("it is stored") { answers.count == 0 }
            gate.open()
            #expect(try await slow.text == "before")
            #expect(try await larder.get("/raw/api/a").text == "after")
            #expect(count.withLock { $0 } == 2)
        }
    }

    /// Two flights are under way, and the answer of each would serve requests for the other. No request starts a third.
    @Test func slowAnswersOfOneURLAreJoinedByAllWhoAskMeanwhile() async throws {
        let gate = Gate()
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            count.withLock { $0 += 1 }
            return [slow(Self.kept)[0], .await(gate), slow(Self.kept)[1]]
        }
        defer { origin.stop() }
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration) { (larder) async throws in
            let answers = larder.daemon.engine.cache.answers
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<8 {
                    let coding = number % 2 == 0 ? "gzip" : "identity"
                    group.addTask { try await larder.get("/raw/api/a", ("Accept-Encoding", coding)).text }
                    try await larder.eventually("its body is begun, or it has joined one") {
                        let joined = try await larder.counter("larder_joined_total")
                        return answers.count == 1 && count.withLock { $0 } == min(number + 1, 2)
                            && joined == max(0, number - 1)
                    }
                }
                gate.open()
                for try await text in group { #expect(text == "old") }
            }
            #expect(count.withLock { $0 } == 2)
        }
    }

    /// The call was sent before the later client asked. It does not show what the origin would say to that client.
    @Test func anAnswerThatMustBeValidatedIsNotGivenToWhoComesWhileItsBodyComes() async throws {
        let gate = Gate()
        let count = Lock(0)
        let fields = "Cache-Control: no-cache\r\nETag: \"a\"\r\n"
        let origin = origin(slow(fields), [.send(ok("new", fields: fields))], gate, count)
        defer { origin.stop() }
        let time = ManualTime()
        let configuration = "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }"
        try await withLarder(configuration, time: time) { (larder) async throws in
            let answers = larder.daemon.engine.cache.answers
            async let slow = larder.get("/raw/api/a")
            try await larder.eventually("its body is begun") { answers.count == 1 }
            time.advance(by: .seconds(1))
            #expect(try await larder.get("/raw/api/a").text == "new")
            gate.open()
            #expect(try await slow.text == "old")
        }
    }
}
