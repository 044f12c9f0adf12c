// What an answer does to other answers of its URL, if it is older than one given out since, or if it arrived in another
// way than by being stored.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct OvertakenAnswerTests {
    private static let kept = "Cache-Control: max-age=600\r\n"
    private static let notKept = "Cache-Control: no-store\r\n"

    private struct Stage {
        let larder: RunningLarder
        let gate: Gate
        let count: Lock<Int>

        /// The number of bodies that are arriving or being written, by URL.
        var underWay: Int { larder.daemon.engine.cache.answers.count }
        var calls: Int { count.withLock { $0 } }

        func text(_ fields: (String, String)...) async throws -> String {
            var all = fields
            if !all.contains(where: { $0.0 == "Accept-Encoding" }) { all.append(("Accept-Encoding", "identity")) }
            return try await larder.send("GET", "/raw/api/a", fields: all).text
        }
    }

    /// Answers the calls in order. The last answer repeats.
    private func stage(
        _ answers: (Gate) -> [[Act]], _ body: (Stage) async throws -> Void
    ) async throws {
        let gate = Gate()
        let count = Lock(0)
        let answers = answers(gate)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                defer { count += 1 }
                return count
            }
            return answers[min(number, answers.count - 1)]
        }
        defer { origin.stop() }
        let configuration = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            cache: { memorySize: 0 }
            """
        try await withLarder(configuration) { larder in
            try await body(Stage(larder: larder, gate: gate, count: count))
        }
    }

    private func slow(_ fields: String, _ gate: Gate, status: String = "200 OK") -> [Act] {
        [.send("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 3\r\n\r\no"), .await(gate), .send("ld")]
    }

    @Test func anAnswerOfBeforeAPurgeLeavesTheListThatCameAfterIt() async throws {
        let byCoding = Self.kept + "Vary: Accept-Encoding\r\n"
        try await stage { gate in
            [slow(byCoding, gate), [.send(ok("after", fields: byCoding))]]
        } _: { (stage) async throws in
            async let before = stage.text(("Accept-Encoding", "gzip"))
            try await stage.larder.eventually("its body is begun") { stage.underWay == 1 }
            _ = await stage.larder.daemon.engine.cache.purge([.all], soft: false)
            #expect(try await stage.text() == "after")
            stage.gate.open()
            #expect(try await before == "old")
            try await stage.larder.eventually("both have ended") { stage.underWay == 0 }
            #expect(try await stage.text() == "after")
            #expect(stage.calls == 2)
        }
    }

    @Test func anAbsenceThatEndsLateLeavesTheNewerAnswer() async throws {
        try await stage { gate in
            [slow(Self.kept, gate, status: "404 Not Found"), [.send(ok("new", fields: Self.kept))]]
        } _: { (stage) async throws in
            async let absence = stage.text()
            try await stage.larder.eventually("its body is begun") { stage.underWay == 1 }
            #expect(try await stage.text(("Accept-Encoding", "gzip")) == "new")
            stage.gate.open()
            #expect(try await absence == "old")
            try await stage.larder.eventually("both have ended") { stage.underWay == 0 }
            #expect(try await stage.text() == "new")
            #expect(stage.calls == 2)
        }
    }

    @Test func anAbsenceThatEndsLatePutsOlderVariantsInDoubt() async throws {
        try await stage { gate in
            [
                [.send(ok("variant", fields: Self.kept + "Vary: X-A\r\n"))],
                slow(Self.kept + "Vary: X-B\r\n", gate, status: "404 Not Found"),
                [.send(ok("new", fields: Self.kept + "Vary: X-B\r\n"))], [.send(ok("validated", fields: Self.kept))],
            ]
        } _: { (stage) async throws in
            #expect(try await stage.text(("X-A", "1")) == "variant")
            try await stage.larder.eventually("it is stored") { stage.underWay == 0 }
            async let absence = stage.text(("X-A", "2"), ("X-B", "1"))
            try await stage.larder.eventually("its body is begun") { stage.underWay == 1 }
            #expect(try await stage.text(("X-A", "3"), ("X-B", "1"), ("Accept-Encoding", "gzip")) == "new")
            stage.gate.open()
            #expect(try await absence == "old")
            try await stage.larder.eventually("both have ended") { stage.underWay == 0 }
            #expect(try await stage.text(("X-A", "1")) == "validated")
        }
    }

    @Test func theNewestAnswerIsStoredThoughTheURLWasGoneMeanwhile() async throws {
        try await stage { gate in
            [
                [.send(ok("first", fields: Self.kept))], [.await(gate), .send(ok("newest", fields: Self.kept))],
                [.send(ok("gone", status: "410 Gone", fields: Self.notKept))],
            ]
        } _: { (stage) async throws in
            #expect(try await stage.text() == "first")
            async let newest = stage.text(("Cache-Control", "no-cache"))
            try await stage.larder.eventually("it is asked for") { stage.calls == 2 }
            #expect(try await stage.text(("Accept-Encoding", "gzip"), ("Cache-Control", "no-cache")) == "gone")
            stage.gate.open()
            #expect(try await newest == "newest")
            #expect(try await stage.text() == "newest")
        }
    }

    @Test func nobodyJoinsAnOlderAnswerWhoseClientHasSeenANewerOne() async throws {
        try await stage { gate in
            [slow(Self.kept, gate), [.send(ok("new", fields: Self.kept))], [.send(ok("newest", fields: Self.kept))]]
        } _: { (stage) async throws in
            async let older = stage.text()
            try await stage.larder.eventually("its body is begun") { stage.underWay == 1 }
            #expect(try await stage.text(("Accept-Encoding", "gzip")) == "new")
            #expect(try await stage.text() == "new")
            #expect(try await stage.text(("Cache-Control", "no-cache")) == "newest")
            stage.gate.open()
            #expect(try await older == "old")
        }
    }

    @Test func aVariantThatWasFoundToBeRightIsTheMostRecentOne() async throws {
        let byA = Self.kept + "Vary: X-A\r\nETag: \"a\"\r\n"
        try await stage { _ in
            [
                [.send(ok("A", fields: byA))], [.send(ok("B", fields: Self.kept + "Vary: X-B\r\n"))],
                [.send("HTTP/1.1 304 Not Modified\r\n\(byA)\r\n")],
            ]
        } _: { (stage) async throws in
            #expect(try await stage.text(("X-A", "1")) == "A")
            #expect(try await stage.text(("X-A", "2"), ("X-B", "1")) == "B")
            #expect(try await stage.text(("X-A", "1"), ("Cache-Control", "no-cache")) == "A")
            try await stage.larder.eventually("it is stored") { stage.underWay == 0 }
            #expect(try await stage.text(("X-A", "1"), ("X-B", "1")) == "A")
            #expect(stage.calls == 3)
        }
    }

    @Test func anAnswerThatIsNotStoredHidesEveryOlderOneThatItsRequestSelects() async throws {
        try await stage { _ in
            ["X-A", "X-B", "X-C"].map { [.send(ok($0, fields: Self.kept + "Vary: \($0)\r\n"))] }
                + [[.send(ok("new", fields: Self.notKept))]]
        } _: { (stage) async throws in
            #expect(try await stage.text(("X-A", "1"), ("X-B", "2"), ("X-C", "2")) == "X-A")
            #expect(try await stage.text(("X-A", "2"), ("X-B", "1"), ("X-C", "3")) == "X-B")
            #expect(try await stage.text(("X-A", "3"), ("X-B", "3"), ("X-C", "1")) == "X-C")
            let all = [("X-A", "1"), ("X-B", "1"), ("X-C", "1")]
            #expect(try await stage.text(all[0], all[1], all[2], ("Cache-Control", "no-cache")) == "new")
            #expect(try await stage.text(all[0], all[1], all[2]) == "new")
            #expect(stage.calls == 5)
        }
    }

    /// The flight of the older answer admits no further requests. Later requests share the next flight.
    @Test func whoAsksAfterANewerAnswerThatIsNotStoredSharesANewFlight() async throws {
        try await stage { gate in
            [slow(Self.kept, gate), [.send(ok("new", fields: Self.notKept))], slow(Self.kept, gate)]
        } _: { (stage) async throws in
            let gzip = ("Accept-Encoding", "gzip")
            let writers = stage.larder.daemon.engine.cache.store.shared.bodyWriters
            async let older = stage.text(gzip)
            // The flight is announced now. An earlier request waits for it, and fetches alone if it is withdrawn.
            try await stage.larder.eventually("its body is written as it comes") { writers.withLock { $0 } == 1 }
            #expect(try await stage.text() == "new")
            async let one = stage.text(gzip)
            try await stage.larder.eventually("it is asked for") { stage.calls == 3 }
            async let other = stage.text(gzip)
            try await stage.larder.eventually("it has joined") {
                try await stage.larder.counter("larder_joined_total") == 1
            }
            stage.gate.open()
            #expect(try await [older, one, other] == ["old", "old", "old"])
            #expect(stage.calls == 3)
        }
    }
}
