// An answer is kept ready for a target and a coding. An answer that other fields helped to select is not kept ready,
// because other requests must get a newer variant.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct ReadyVariantTests {
    private static let kept = "Cache-Control: max-age=600\r\n"

    /// The first answer varies by coding, the second by X-B.
    private func origin() -> ScriptedOrigin {
        let count = Lock(0)
        return ScriptedOrigin { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return number == 1
                ? [.send(ok("older", fields: Self.kept + "Vary: Accept-Encoding\r\n"))]
                : [.send(ok("newer", fields: Self.kept + "Vary: X-B\r\n"))]
        }
    }

    @Test(arguments: ["0", "64MiB"])
    func anOlderVariantThatIsAHitIsNotKeptReadyForWhomANewerOneAnswers(memory: String) async throws {
        let origin = origin()
        defer { origin.stop() }
        let configuration = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
            cache: { memorySize: \(memory) }
            """
        try await withLarder(configuration) { larder in
            #expect(try await larder.get("/raw/api/a", ("X-B", "1")).text == "older")
            let reload = try await larder.get("/raw/api/a", ("X-B", "2"), ("Cache-Control", "no-cache"))
            #expect(reload.text == "newer")
            for _ in 0..<3 {
                #expect(try await larder.get("/raw/api/a", ("X-B", "1")).text == "older")
                await larder.daemon.engine.cache.store.commit()
                #expect(try await larder.get("/raw/api/a", ("X-B", "2")).text == "newer")
            }
        }
    }
}
