// What is left of the variants of a URL when a commit is late or fails.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct VariantCommitTests {
    private static let vary = "Cache-Control: max-age=600\r\nVary: X-Who\r\n"

    private func configuration(_ origin: ScriptedOrigin, _ cache: String) -> String {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
        cache: { memorySize: 0, \(cache) }
        """
    }

    /// Answers each request with its own variant of the given size.
    private func origin(_ size: Int) -> ScriptedOrigin {
        ScriptedOrigin { _ in [.send(ok(String(repeating: "a", count: size), fields: Self.vary))] }
    }

    private func held(_ larder: RunningLarder, _ who: String) async throws -> Int {
        try await larder.get("/raw/api/a", ("Cache-Control", "only-if-cached"), ("X-Who", who)).status
    }

    private func store(_ larder: RunningLarder) -> SQLiteStore { larder.daemon.engine.cache.store }

    private func number(_ larder: RunningLarder, _ question: String) throws -> Int64? {
        let connection = try DatabaseConnection(path: store(larder).shared.files.path)
        defer { connection.close() }
        return try connection.number(question)
    }

    /// The origin sends two variants, then a 404 for the first of them, which puts the other in doubt, then `then`.
    private func absent(_ then: [Act]) -> ScriptedOrigin {
        let answers = Lock<[[Act]]>([
            [.send(ok("a", fields: Self.vary))], [.send(ok("b", fields: Self.vary))],
            [.send(ok("none", status: "404 Not Found", fields: Self.vary))], then,
        ])
        return ScriptedOrigin { _ in answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] } }
    }

    /// Until the 404, whose commit is held: otherwise the writer could begin before the test is ready for it.
    private func reachAbsence(_ larder: RunningLarder) async throws {
        for who in ["a", "b"] {
            #expect(try await larder.get("/raw/api/a", ("X-Who", who)).text == who)
            #expect(try await held(larder, who) == 200)
        }
        await store(larder).commit()
        store(larder).shared.faults.hold(true)
        let absent = try await larder.get("/raw/api/a", ("X-Who", "a"), ("Cache-Control", "no-cache"))
        #expect(absent.status == 404)
    }

    @Test func anAbsenceWhoseCommitFailsLeavesNoVariantThatItPutInDoubt() async throws {
        let origin = absent([])
        defer { origin.stop() }
        try await withLarder(configuration(origin, "commitWithin: 10s, patience: 30s")) { larder in
            try await reachAbsence(larder)
            store(larder).shared.faults.fail(with: 13)
            store(larder).shared.faults.hold(false)
            await store(larder).commit()
            for who in ["a", "b"] { #expect(try await held(larder, who) == 504) }
            store(larder).shared.faults.fail(with: nil)
            try await larder.eventually("the removals are written") { store(larder).pendingRemovals == 0 }
            for who in ["a", "b"] { #expect(try await held(larder, who) == 504) }
        }
    }

    /// Stores two answers of one URL that different fields select. A request that both answers suit gets the newer one.
    /// - Parameter isHeld: whether the commit of the newer answer is held until the body ends that.
    private func withTwoNames(
        _ cache: String, isHeld: Bool = false, _ work: @escaping @Sendable (RunningLarder) async throws -> Void
    ) async throws {
        let count = Lock(0)
        let origin = ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            let name = number == 1 ? "X-Who" : "X-How"
            return [.send(ok("\(number)", fields: "Cache-Control: max-age=600\r\nVary: \(name)\r\n"))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin, cache)) { larder in
            #expect(try await larder.get("/raw/api/a", ("X-Who", "a"), ("X-How", "x")).text == "1")
            await store(larder).commit()
            store(larder).shared.faults.hold(isHeld)
            // This request does not select the first answer. The origin answers it.
            #expect(try await larder.get("/raw/api/a", ("X-Who", "b"), ("X-How", "y")).text == "2")
            #expect(try await larder.get("/raw/api/a", ("X-Who", "a"), ("X-How", "y")).text == "2")
            try await work(larder)
        }
    }

    @Test func anOlderAnswerOfOtherNamesIsNotGivenWhereTheNewerOneIsGone() async throws {
        try await withTwoNames("commitWithin: 0, patience: 30s") { (larder) async throws in
            let connection = try DatabaseConnection(path: store(larder).shared.files.path)
            defer { connection.close() }
            let newest = try connection.statement("SELECT digest FROM entry ORDER BY id DESC LIMIT 1")
            #expect(try newest.step())
            let digest = try #require(Digest(bytes: newest.bytes(0)))
            newest.reset()
            #expect(await store(larder).remove(.digest(digest), soft: false, provider: nil).count == 1)
            #expect(try await larder.get("/raw/api/a", ("X-Who", "a"), ("X-How", "y")).text == "3")
        }
    }

    @Test func anOlderAnswerOfOtherNamesIsNotGivenWhereTheNewerOneCouldNotBeCommitted() async throws {
        try await withTwoNames("commitWithin: 10s, patience: 30s", isHeld: true) { (larder) async throws in
            store(larder).shared.faults.fail(with: 13)
            store(larder).shared.faults.hold(false)
            await store(larder).commit()
            store(larder).shared.faults.fail(with: nil)
            #expect(try await larder.get("/raw/api/a", ("X-Who", "a"), ("X-How", "y")).text == "3")
        }
    }

    @Test func theDoubtStaysThoughTheAnswerThatPutItIsHiddenBeforeItsCommit() async throws {
        let origin = absent([.send(ok("not kept", fields: "Cache-Control: no-store\r\n"))])
        defer { origin.stop() }
        try await withLarder(configuration(origin, "commitWithin: 10s, patience: 30s")) { larder in
            try await reachAbsence(larder)
            let next = try await larder.get("/raw/api/a", ("X-Who", "a"), ("Cache-Control", "no-cache"))
            #expect(next.text == "not kept")
            store(larder).shared.faults.hold(false)
            await store(larder).commit()
            try await larder.eventually("the removals are written") { store(larder).pendingRemovals == 0 }
            #expect(try await held(larder, "a") == 504)
            #expect(try await held(larder, "b") == 504)
            // It is validated before it is used.
            #expect(try number(larder, "SELECT count(*) FROM entry") == 1)
        }
    }

    @Test func aVariantThatIsLateIsFoundInPlaceOfThePlainAnswerWhenTheDiskGoesOn() async throws {
        let answers = Lock(["Cache-Control: max-age=600\r\n", Self.vary])
        let origin = ScriptedOrigin { _ in
            let fields = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? "" }
            return [.send(ok(fields == Self.vary ? "two" : "one", fields: fields))]
        }
        defer { origin.stop() }
        try await withLarder(configuration(origin, "commitWithin: 0, patience: 500ms")) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            try await larder.eventually("it is stored") { try await held(larder, "") == 200 }
            store(larder).shared.faults.hold(true)
            #expect(try await larder.get("/raw/api/a", ("Cache-Control", "no-cache")).text == "two")
            #expect(try await held(larder, "") == 504)
            store(larder).shared.faults.hold(false)
            try await larder.eventually("the variant is found") {
                try await larder.get("/raw/api/a", ("Cache-Control", "only-if-cached")).text == "two"
            }
        }
    }
}
