// Random histories of one URL, judged by the rule of `OrderRecord`. `LARDER_HISTORIES=n` runs n of them, and
// `LARDER_SEED=n` the one with this seed.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon

@Suite struct OrderHistoryTests {
    private static func variable(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private static var seeds: ClosedRange<UInt64> {
        if let seed = variable("LARDER_SEED") { return seed...seed }
        return 1...max(1, variable("LARDER_HISTORIES") ?? 24)
    }

    private static func run(_ history: OrderHistory, seed: UInt64, _ time: ManualTime) async throws {
        let origin = ScriptedOrigin { request in history.acts(request) }
        defer { origin.stop() }
        let directory = TemporaryDirectory()
        let cache = seed % 2 == 0 ? "memorySize: 0" : "memorySize: 8MiB"
        let configuration = """
            providers: { api: { kind: passthrough, baseURL: "\(origin.base)", idleTimeout: 0s } }
            cache: { \(cache) }
            admin: { token: \(OrderHistory.token) }
            """
        for _ in 0..<2 {
            try await withLarder(configuration, time: time, directory: directory) { larder in
                try await history.run(larder, steps: 40)
            }
        }
    }

    @Test(arguments: seeds)
    func nothingOlderThanTheFloorIsAnswered(_ seed: UInt64) async throws {
        let time = ManualTime()
        let history = OrderHistory(seed: seed, time: time)
        do {
            try await Self.run(history, seed: seed, time)
        } catch {
            Issue.record("seed \(seed): \(error)\n\(history.events)")
        }
        let faults = history.faults
        #expect(faults.isEmpty, "seed \(seed): \(faults.joined(separator: "\n"))\n\(history.events)")
    }
}
