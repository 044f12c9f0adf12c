// After a newer answer was given out, no older one follows, even if the newer answer is not stored.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct NewerAnswerTests {
    /// SQLITE_FULL.
    private static let full: Int32 = 13
    private static let token = "0123456789abcdef0123456789abcdef"

    private func configuration(_ origin: ScriptedOrigin, _ cache: String = "memorySize: 0") -> String {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
        cache: { \(cache) }
        admin: { token: \(Self.token) }
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

    private func reload(_ larder: RunningLarder) async throws -> WireResponse {
        try await larder.get("/raw/api/a", ("Cache-Control", "no-cache"))
    }

    private func held(_ larder: RunningLarder) async throws -> WireResponse {
        try await larder.get("/raw/api/a", ("Cache-Control", "only-if-cached"))
    }

    private func written(_ larder: RunningLarder) async throws {
        try await larder.eventually("the removals are written") {
            larder.daemon.engine.cache.store.pendingRemovals == 0
        }
    }

    /// All files that bodies may open are in use for a while. Stored bodies stay, and are found later without a call.
    @Test func aLargeAnswerIsAHitHoweverManyOthersAreBeingSent() async throws {
        let text = String(repeating: "larder", count: 80_000)
        let origin = origin([[.send(ok(text, fields: "Cache-Control: max-age=600\r\n"))]])
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            let store = larder.daemon.engine.cache.store
            for path in ["/raw/api/a", "/raw/api/b"] { #expect(try await larder.get(path).text == text) }
            await store.commit()
            store.permitOpenBodies(1)
            // This entry stands for a body that is being sent to a slow client.
            let files = try #require(store.shared.bodies.withLock { $0 })
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            // The answers before may still be giving their file back.
            try await larder.eventually("a place among the open files is free") {
                files.table.add(4711, descriptor, 0, keeps: false) != nil
            }
            for path in ["/raw/api/a", "/raw/api/b", "/raw/api/a"] {
                #expect(try await larder.get(path).text == text)
            }
            #expect(origin.requests.count == 2)
            files.leave(4711)
            #expect(try await held(larder).text == text)
            #expect(origin.requests.count == 2)
            #expect(try await larder.counter("larder_store_refused_bodies_total") > 0)
        }
    }

    /// The answer was accepted, is in memory, and its commit failed.
    @Test func anAnswerThatOnlyMemoryHoldsMakesRoomForANewerOneThatIsNotStored() async throws {
        let origin = origin([
            [.send(ok("one", fields: "Cache-Control: max-age=600\r\n"))],
            [.send(ok("two", fields: "Cache-Control: no-store\r\n"))], [.send(ok("three"))],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin, "memorySize: 8MiB")) { larder async throws in
            let store = larder.daemon.engine.cache.store
            store.shared.faults.fail(with: Self.full)
            #expect(try await larder.get("/raw/api/a").text == "one")
            #expect(try await larder.get("/raw/api/a").text == "one")
            await store.commit()
            #expect(try await larder.get("/raw/api/a").text == "one")
            #expect(try await reload(larder).text == "two")
            #expect(try await larder.get("/raw/api/a").text == "three")
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func anAnswerThatOnlyMemoryHoldsMakesRoomForAPartOfANewerOne() async throws {
        let part = "Content-Range: bytes 0-2/9\r\nCache-Control: max-age=600\r\nETag: \"2\"\r\n"
        let origin = origin([
            [.send(ok("one", fields: "Cache-Control: max-age=600\r\nETag: \"1\"\r\n"))],
            [.send(ok("two", status: "206 Partial Content", fields: part))], [.send(ok("three"))],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin, "memorySize: 8MiB")) { larder async throws in
            let store = larder.daemon.engine.cache.store
            store.shared.faults.fail(with: Self.full)
            #expect(try await larder.get("/raw/api/a").text == "one")
            #expect(try await larder.get("/raw/api/a").text == "one")
            await store.commit()
            let range = try await larder.get("/raw/api/a", ("Range", "bytes=0-2"), ("Cache-Control", "no-cache"))
            #expect(range.text == "two", "\(range)")
            #expect(try await larder.get("/raw/api/a").text == "three")
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func aVariantThatIsNotStoredLeavesNoPlainAnswerBehind() async throws {
        let origin = origin([
            [.send(ok("one", fields: "Cache-Control: max-age=600\r\n"))],
            [.send(ok("two", fields: "Cache-Control: max-age=600\r\nVary: X-Who\r\n"))],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            #expect(try await held(larder).text == "one")
            await larder.daemon.engine.cache.store.commit()
            larder.daemon.engine.cache.store.shared.faults.fail(with: Self.full)
            #expect(try await reload(larder).text == "two")
            #expect(try await held(larder).text != "one")
            // The answer counts as stored until its commit fails.
            await larder.daemon.engine.cache.store.commit()
            #expect(try await held(larder).status == 504)
            larder.daemon.engine.cache.store.shared.faults.fail(with: nil)
            try await written(larder)
            #expect(try await held(larder).status == 504)
        }
    }

    @Test func aVariantThatIsNotStoredLeavesNoOlderVariantBehindThatA304DidNotConfirm() async throws {
        let fields = "Cache-Control: max-age=600\r\n"
        let origin = origin([
            [.send(ok("one", fields: fields + "ETag: \"one\"\r\nVary: X-Who\r\n"))],
            [.send("HTTP/1.1 304 Not Modified\r\nETag: \"two\"\r\n\r\n")],
            [.send(ok("two", fields: fields + "ETag: \"two\"\r\nVary: X-Other\r\n"))],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            #expect(try await held(larder).text == "one")
            await larder.daemon.engine.cache.store.commit()
            larder.daemon.engine.cache.store.shared.faults.fail(with: Self.full)
            #expect(try await reload(larder).text == "two")
            #expect(try await held(larder).text != "one")
            // The answer counts as stored until its commit fails.
            await larder.daemon.engine.cache.store.commit()
            #expect(try await held(larder).status == 504)
            larder.daemon.engine.cache.store.shared.faults.fail(with: nil)
            try await written(larder)
            #expect(try await held(larder).status == 504)
        }
    }

    @Test func anExplanationTellsWhatBecameOfTheCommit() async throws {
        let origin = origin([[.send(ok("one", fields: "Cache-Control: max-age=600\r\n"))]])
        defer { origin.stop() }
        try await withLarder(configuration(origin, "memorySize: 0, commitWithin: 10s")) { larder in
            let store = larder.daemon.engine.cache.store
            func commit(of answer: WireResponse) async throws -> String? {
                let id = try #require(answer["X-Request-Id"])
                let sources = try await larder.get("/v1/explain/\(id)").json()["sources"]?.elements.map { $0 }
                return sources?.first?["commit"]?.string
            }
            // Without the hold the writer could commit before the test looks, if the machine is slow.
            store.shared.faults.hold(true)
            let first = try await larder.get("/raw/api/a")
            #expect(first["Cache-Status"]?.hasSuffix("; stored") == true)
            #expect(try await commit(of: first) == "accepted")
            store.shared.faults.hold(false)
            await store.commit()
            #expect(try await commit(of: first) == "committed")
            store.shared.faults.hold(true)
            let second = try await reload(larder)
            store.shared.faults.fail(with: Self.full)
            store.shared.faults.hold(false)
            await store.commit()
            #expect(try await commit(of: second) == "failed")
            store.shared.faults.fail(with: nil)
        }
    }

    @Test func anAnswerThatCannotBeReadIsHiddenWhereItsShorterLifetimeCannotBeWritten() async throws {
        // By the API's rules a record without a title is data, but it gives no result.
        let origin = ScriptedOrigin { request in
            [.send(ok(request.target.hasPrefix("/3/configuration") ? #"{"images":{}}"# : #"{"id":5}"#))]
        }
        defer { origin.stop() }
        let configuration = """
            providers: { tmdb: { baseURL: "\(origin.base)", key: k0123456789, rate: off, quota: off } }
            cache: { memorySize: 0 }
            """
        try await withLarder(configuration) { larder in
            func stored() async throws -> Int {
                try await larder.get("/raw/tmdb/3/movie/5", ("Cache-Control", "only-if-cached")).status
            }
            #expect(try await larder.get("/raw/tmdb/3/movie/5").status == 200)
            #expect(try await stored() == 200)
            await larder.daemon.engine.cache.store.commit()
            larder.daemon.engine.cache.store.shared.faults.fail(with: Self.full)
            #expect(try await larder.get("/v1/tmdb/movie/5").status == 502)
            #expect(try await stored() == 504)
            larder.daemon.engine.cache.store.shared.faults.fail(with: nil)
            try await written(larder)
            #expect(try await stored() == 504)
        }
    }

    @Test func aLifetimeThatIsCutShortHoldsThoughItCouldNotBeWritten() async throws {
        let tag = "ETag: \"one\"\r\n"
        let origin = origin([
            [.send(ok("one", fields: tag + "Cache-Control: max-age=86400\r\n"))],
            // Half the lifetime. It does not end during the test, so only a removal hides the answer.
            [.send("HTTP/1.1 304 Not Modified\r\n\(tag)Cache-Control: max-age=43200\r\n\r\n")],
        ])
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            await larder.daemon.engine.cache.store.commit()
            #expect(try await held(larder).text == "one")
            larder.daemon.engine.cache.store.shared.faults.fail(with: Self.full)
            #expect(try await reload(larder).text == "one")
            larder.daemon.engine.cache.store.shared.faults.fail(with: nil)
            try await written(larder)
            #expect(try await held(larder).status == 504)
        }
    }

    @Test func aSoftPurgeHoldsAgainstAValidationUnderWay() async throws {
        let gate = Gate()
        let fields = "ETag: \"one\"\r\nCache-Control: max-age=600\r\n"
        let notModified = Act.send("HTTP/1.1 304 Not Modified\r\n\(fields)\r\n")
        let origin = origin([[.send(ok("one", fields: fields))], [.await(gate), notModified], [notModified]])
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            async let validated = reload(larder)
            try await larder.eventually("it is under way") { origin.requests.count == 2 }
            let purge = try await larder.send(
                "DELETE", "/v1/cache?all=1&soft=1", fields: [("Authorization", "Bearer \(Self.token)")])
            #expect(purge.status == 200, "\(purge)")
            gate.open()
            #expect(try await validated.text == "one")
            #expect(try await larder.get("/raw/api/a").text == "one")
            #expect(origin.requests.count == 3, "what was expired was fresh again")
        }
    }

    @Test func aLateAnswerIsNotStoredAfterANewerOneThatIsTooLarge() async throws {
        let fields = "Cache-Control: max-age=600\r\n"
        let large = String(repeating: "x", count: 2 << 20)
        let origin = origin([
            [.send(ok("one", fields: fields))], [.send(ok("two", fields: fields))],
            [.send(ok(large, fields: fields))],
        ])
        defer { origin.stop() }
        let cache = "memorySize: 0, patience: 100ms, maxObject: 1MiB"
        try await withLarder(configuration(origin, cache)) { larder in
            #expect(try await larder.get("/raw/api/a").text == "one")
            try await larder.eventually("it is stored") { try await held(larder).status == 200 }
            let store = larder.daemon.engine.cache.store
            store.shared.faults.hold(true)
            #expect(try await reload(larder).text == "two")
            #expect(try await reload(larder).text.count == large.count)
            store.shared.faults.hold(false)
            try await written(larder)
            #expect(try await held(larder).status == 504)
        }
    }
}
