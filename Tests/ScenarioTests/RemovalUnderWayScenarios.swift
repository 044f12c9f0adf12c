// What a purge or an unsafe request ends: a fetch that was under way then stores nothing that stays, and no later
// request gets its answer (RFC 9111 §4.4).
import LarderCore
import LarderTestSupport
import Testing

@Suite struct RemovalUnderWayScenarios {
    enum Removal: String, CaseIterable, Sendable {
        case purge, condition, post, group
    }

    private func configuration(_ origin: ScriptedOrigin) -> String {
        "providers: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }\nadmin: { token: \(PurgeScenarios.token) }"
    }

    private func remove(_ removal: Removal, _ larder: RunningLarder) async throws {
        let answer =
            switch removal {
            case .purge:
                try await larder.send(
                    "DELETE", "/v1/cache?all=1", fields: [("Authorization", "Bearer \(PurgeScenarios.token)")])
            case .condition:
                try await larder.send(
                    "DELETE", "/v1/cache?kind=raw&prefix=%2Fraw%2Fapi%2F",
                    fields: [("Authorization", "Bearer \(PurgeScenarios.token)")])
            case .post: try await larder.send("POST", "/raw/api/a", body: "x")
            case .group: try await larder.send("POST", "/raw/api/elsewhere", body: "x")
            }
        #expect(answer.status == 200, "\(answer)")
    }

    /// The first GET waits for the gate, before its head or in the middle of its body. Later requests do not wait.
    private func origin(_ gate: Gate, isLong: Bool) -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { request in
            if request.method == "POST" {
                let fields = request.target.hasSuffix("elsewhere") ? "Cache-Group-Invalidation: \"g\"\r\n" : ""
                return [.send(ok("changed", fields: fields))]
            }
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            let answer = ok(
                "answer \(number)" + String(repeating: "x", count: isLong ? 600_000 : 0),
                fields: "Cache-Control: max-age=600\r\nCache-Groups: \"g\"\r\n")
            if number > 1 { return [.send(answer)] }
            let begun = isLong ? 300_000 : 0
            return [.send(String(answer.prefix(begun))), .await(gate), .send(String(answer.dropFirst(begun)))]
        }
    }

    @Test(arguments: Removal.allCases, [false, true])
    func whatIsUnderWayIsNotKept(_ removal: Removal, _ isLong: Bool) async throws {
        let gate = Gate()
        let origin = origin(gate, isLong: isLong)
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            async let old = larder.get("/raw/api/a")
            try await larder.eventually("it is under way") { origin.requests.count == 1 }
            try await remove(removal, larder)
            gate.open()
            #expect(try await old.text.hasPrefix("answer 1"), "who asked before gets what was")
            for _ in 0..<2 {
                let held = try await larder.get("/raw/api/a", ("Cache-Control", "only-if-cached"))
                #expect(held.status == 504, "it was kept")
            }
            #expect(try await larder.get("/raw/api/a").text.hasPrefix("answer 2"))
            #expect(try await larder.get("/raw/api/a").text.hasPrefix("answer 2"))
        }
    }

    /// No origin keeps answers of other providers, or of other groups, from being stored.
    @Test(arguments: ["api/a", "other/g"], [false, true])
    func aRemovalOfAGroupLeavesWhatDoesNotBelongToIt(_ path: String, _ isLong: Bool) async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            let name = request.target.suffix(1)
            let fields = "Cache-Control: max-age=600\r\nCache-Group"
            if request.method == "POST" { return [.send(ok("changed", fields: fields + "-Invalidation: \"g\"\r\n"))] }
            let answer = ok(String(repeating: "x", count: isLong ? 600_000 : 9), fields: fields + "s: \"\(name)\"\r\n")
            let begun = isLong ? 300_000 : 0
            return [.send(String(answer.prefix(begun))), .await(gate), .send(String(answer.dropFirst(begun)))]
        }
        defer { origin.stop() }
        let configuration = configuration(origin).replacing(
            "providers: {", with: "providers: { other: { kind: passthrough, baseURL: \"\(origin.base)\" },")
        try await withLarder(configuration) { larder in
            async let answer = larder.get("/raw/\(path)")
            try await larder.eventually("it is under way") { origin.requests.count == 1 }
            for _ in 0..<3 { _ = try await larder.send("POST", "/raw/api/elsewhere", body: "x") }
            gate.open()
            #expect(try await answer.status == 200)
            try await larder.eventually("it is stored") {
                try await larder.get("/raw/\(path)", ("Cache-Control", "only-if-cached")).status == 200
            }
        }
    }

    // MARK: The root of a provider

    /// Everything is storable. What "under way" names waits for the gate.
    private static func twoProviders(
        _ gate: Gate = Gate(), _ body: (RunningLarder, ScriptedOrigin) async throws -> Void
    ) async throws {
        let origin = ScriptedOrigin { request in
            let answer = Act.send(ok("answer", fields: "Cache-Control: max-age=600\r\n"))
            return request.target.hasSuffix("underway") ? [.await(gate), answer] : [answer]
        }
        defer { origin.stop() }
        let settings = ["api", "other"].map { "\($0): { kind: passthrough, baseURL: \"\(origin.base)/\($0)\" }" }
        try await withLarder("providers: { \(settings.joined(separator: ", ")) }") { larder in
            try await body(larder, origin)
        }
    }

    @Test(arguments: ["/raw/api", "/raw/api/"])
    func aRemovedRootTakesEverythingOfItsProvider(_ root: String) async throws {
        try await Self.twoProviders { larder, _ in
            let stored = ["/raw/api/", "/raw/api/a", "/raw/api/a/b?c", "/raw/api/?d"]
            for path in stored { _ = try await larder.get(path) }
            #expect(try await larder.send("DELETE", root).status == 200)
            for path in stored {
                let held = try await larder.get(path, ("Cache-Control", "only-if-cached"))
                #expect(held.status == 504, "\(path): \(held)")
            }
        }
    }

    @Test func aRemovedRootLeavesOtherProvidersInMemory() async throws {
        try await Self.twoProviders { larder, _ in
            let name = #"provider="other""#
            for path in ["/raw/api/a", "/raw/other/a"] { _ = try await larder.get(path) }
            try await larder.eventually("memory has it") {
                _ = try await larder.get("/raw/other/a")
                return try await larder.counter("larder_memory_hits_total", name) > 0
            }
            let before = try await larder.counter("larder_memory_hits_total", name)
            #expect(try await larder.send("DELETE", "/raw/api/").status == 200)
            _ = try await larder.get("/raw/other/a")
            #expect(try await larder.counter("larder_memory_hits_total", name) == before + 1)
        }
    }

    @Test func aRemovedRootLetsOtherProvidersStore() async throws {
        let gate = Gate()
        try await Self.twoProviders(gate) { larder, origin in
            async let answer = larder.get("/raw/other/underway")
            try await larder.eventually("it is under way") { origin.requests.count == 1 }
            #expect(try await larder.send("DELETE", "/raw/api/").status == 200)
            gate.open()
            #expect(try await answer.status == 200)
            try await larder.eventually("it is stored") {
                try await larder.get("/raw/other/underway", ("Cache-Control", "only-if-cached")).status == 200
            }
        }
    }

    @Test(arguments: Removal.allCases, [false, true])
    func whoAsksAfterwardsIsNotGivenIt(_ removal: Removal, _ isLong: Bool) async throws {
        let gate = Gate()
        let origin = origin(gate, isLong: isLong)
        defer { origin.stop() }
        try await withLarder(configuration(origin)) { larder in
            async let old = larder.get("/raw/api/a")
            try await larder.eventually("it is under way") { origin.requests.count == 1 }
            try await remove(removal, larder)
            // The gate is still closed. This request must not wait for the earlier fetch.
            let new = try await larder.get("/raw/api/a")
            #expect(new.text.hasPrefix("answer 2"), "it was given what was asked for before")
            gate.open()
            #expect(try await old.text.hasPrefix("answer 1"))
            #expect(try await larder.get("/raw/api/a").text.hasPrefix("answer 1") == false)
        }
    }

    /// The films were fetched before the purge. The table that is fetched with them comes after it.
    @Test func whatWasMadeOfSeveralCallsIsNotKept() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            if request.target.hasPrefix("/3/configuration") { return [.await(gate), .send(ok("{\"images\":{}}"))] }
            return [
                .send(
                    ok(
                        "{\"page\":1,\"results\":[{\"id\":1,\"media_type\":\"movie\",\"title\":\"Old\"}],"
                            + "\"total_pages\":1,\"total_results\":1}"))
            ]
        }
        defer { origin.stop() }
        let settings = """
            providers: { tmdb: { baseURL: "\(origin.base)", key: "0123456789abcdef0123456789abcdef" } }
            fetch: { softDeadline: 20s }
            admin: { token: \(PurgeScenarios.token) }
            """
        try await withLarder(settings) { larder in
            async let old = larder.get("/v1/tmdb/search?q=old")
            try await larder.eventually("the films are stored, the table is not") {
                let films = try await larder.get(
                    "/raw/tmdb/3/search/multi?query=old", ("Cache-Control", "only-if-cached"))
                return films.status == 200 && origin.requests.count == 2
            }
            try await remove(.purge, larder)
            gate.open()
            #expect(try await old.text.contains("Old"), "who asked before gets what was")
            let held = try await larder.get("/v1/tmdb/search?q=old", ("Cache-Control", "only-if-cached"))
            #expect(held.status == 504, "it was kept: \(held)")
        }
    }
}
