// A variant and the list that names it are stored together, whether the commit succeeds or fails.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct VariantPairTests {
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

    /// Counts variants without a list and lists without a variant. Folders are parents too, and have no entry.
    private static let alone = """
        SELECT count(*) FROM entry WHERE digest NOT IN (SELECT digest FROM parent)
        AND id NOT IN (SELECT p.child FROM parent p JOIN entry list ON list.digest = p.digest)
        """

    /// The two sizes stand for bodies that are collected first and bodies that are stored while they are passed on.
    @Test(arguments: [100, 400_000])
    func noInstantHasAVariantWithoutItsListOrAListWithoutItsVariant(_ size: Int) async throws {
        let origin = origin(size)
        defer { origin.stop() }
        try await withLarder(configuration(origin, "commitWithin: 0, patience: 30s")) { larder in
            let isOver = Lock(false)
            async let alone = {
                let connection = try DatabaseConnection(path: store(larder).shared.files.path)
                defer { connection.close() }
                var alone: Int64 = 0
                while !isOver.withLock({ $0 }) {
                    alone += try connection.number(Self.alone) ?? 0
                    await Task.yield()
                }
                return alone
            }()
            for path in 0..<40 { #expect(try await larder.get("/raw/api/\(path)").status == 200) }
            try await larder.eventually("all are stored") {
                try number(larder, "SELECT count(*) FROM entry") == 80
            }
            isOver.withLock { $0 = true }
            #expect(try await alone == 0)
        }
    }

    private func transactions(_ larder: RunningLarder) -> Int {
        store(larder).shared.meters.transactions.current
    }

    @Test func aVariantAndItsListShareATransaction() async throws {
        let origin = origin(100)
        defer { origin.stop() }
        let configuration = configuration(origin, "commitWithin: 0, patience: 30s")
        try await withLarder(configuration) { (larder: RunningLarder) async throws in
            let before = transactions(larder)
            #expect(try await larder.get("/raw/api/a").status == 200)
            #expect(transactions(larder) == before + 1)
            #expect(try number(larder, "SELECT count(*) FROM entry") == 2)
        }
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
            try connection.execute("DELETE FROM entry WHERE id = (SELECT max(child) FROM parent)")
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
            #expect(try number(larder, "SELECT count(*) FROM entry") == 2)
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

    @Test func whoFindsTooManyAtTheListIsAnsweredAtOnceAndNotListed() async throws {
        let origin = origin(100)
        defer { origin.stop() }
        try await withLarder(configuration(origin, "commitWithin: 0, patience: 30s")) { larder in
            #expect(try await larder.get("/raw/api/a", ("X-Who", "a")).status == 200)
            let connection = try DatabaseConnection(path: store(larder).shared.files.path)
            defer { connection.close() }
            let statement = try connection.statement(
                "SELECT digest FROM parent WHERE digest IN (SELECT digest FROM entry)")
            #expect(try statement.step())
            let list = try #require(Digest(bytes: statement.bytes(0)))
            statement.reset()
            let turns = larder.daemon.engine.cache.turns
            #expect(await turns.enter(list))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<VariantIndex.limit {
                    group.addTask { if await turns.enter(list) { turns.leave(list) } }
                }
                while turns.waiting(for: list) < VariantIndex.limit { await Task.yield() }
                let answer = try? await larder.get("/raw/api/a", ("X-Who", "b"))
                #expect(answer?.status == 200)
                turns.leave(list)
            }
            #expect(try await held(larder, "a") == 200)
            #expect(try await held(larder, "b") == 504)
        }
    }
}
