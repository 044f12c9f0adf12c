// What a stopped daemon leaves behind in its process.
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderDaemon

@Suite struct DaemonEndTests {
    private struct Weakly {
        weak var loop: EventLoop?
    }

    @Test func aStoppedDaemonKeepsNoLoopAndSoNoDescriptor() async throws {
        var left: [Weakly] = []
        let origin = ScriptedOrigin { _ in [.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")] }
        defer { origin.stop() }
        let providers = "providers:\n  itunes:\n    baseURL: \"\(origin.base)\""
        try await withLarder(providers) { larder in
            _ = try await larder.get("/v1/search?q=song&source=itunes")
            _ = try await larder.get("/v1/status")
            left = (larder.daemon.loops + [larder.daemon.controlLoop]).map { Weakly(loop: $0) }
        }
        #expect(left.count > 1)
        #expect(left.compactMap(\.loop?.name) == [])
    }
}
