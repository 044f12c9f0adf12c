// A database whose commits must wait holds up no answer, and is told.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderStore

@Suite struct LockedStoreTests {
    @Test func aLockedDatabaseHoldsUpNobodyAndIsTold() async throws {
        let origin = ScriptedOrigin { request in
            let more = request.target.hasSuffix("large") ? String(repeating: "x", count: 600_000) : ""
            return [.send(ok("answer \(more)", fields: "Cache-Control: max-age=86400\r\n"))]
        }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        try await withLarder(
            "cache: { patience: 200ms, memorySize: 0 }\nproviders: { api: { kind: passthrough, baseURL: \"\(origin.base)\" } }",
            directory: directory
        ) { larder async throws in
            #expect(try await larder.get("/raw/api/first").status == 200)
            // Another connection of this process: no other process gets in.
            let lock = try LarderStore.DatabaseConnection(path: directory.path + "/cache/cache.db")
            defer { lock.close() }
            try lock.execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
            let clock = SystemTime()
            let begin = clock.monotonic()
            // The daemon also notices late commits that no request waits for.
            var number = 20
            try await eventually("nothing counts as stored any more") {
                number += 1
                return try await larder.get("/raw/api/\(number)")["Cache-Status"]?.contains("stored") == false
            }
            for number in 0..<20 {
                let answer = try await larder.get("/raw/api/\(number)")
                #expect(answer.text.hasPrefix("answer "))
                #expect(answer["Cache-Status"]?.contains("stored") == false, "\(answer)")
            }
            #expect(try await larder.get("/raw/api/large").text.utf8.count > 600_000)
            // If each request waited in turn, each would take five seconds.
            #expect(clock.monotonic() - begin < .seconds(60))
            try await eventually("it is told") { try await larder.get("/healthz").text == "degraded\n" }
            let reason = try await larder.get("/v1/status").json()["store"]?["degraded"]?.string
            #expect(reason?.hasPrefix("commits take longer than") == true, "\(reason ?? "")")
            try lock.execute("ROLLBACK")
            try await eventually("it recovers") { try await larder.get("/healthz").text == "ok\n" }
            try await eventually("storing goes on") {
                _ = try await larder.get("/raw/api/after")
                return try await larder.get("/raw/api/after")["Cache-Status"]?.contains("hit") == true
            }
        }
    }
}
