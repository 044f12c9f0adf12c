import LarderCore
import LarderServer
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

/// Clients do not take the descriptors that the rest of the daemon needs.
@Suite struct DescriptorBudgetTests {
    @Test(arguments: [
        (65_536, 4096, 4096), (1024, 4096, 625), (1024, 100, 100), (200, 4096, 100), (3, 4096, 1), (1, 1, 1),
        (Int.max, 1_000_000, 1_000_000),
    ])
    func clientsHaveWhatNothingElseMayNeed(openFiles: Int, wanted: Int, inForce: Int) {
        let budget = DescriptorBudget(openFiles: openFiles, loops: 2, listeners: 3)
        #expect(budget.kept(transfers: 64, idle: 128) == 399)
        #expect(budget.connections(wanted: wanted, transfers: 64, idle: 128) == inForce)
    }

    @Test func whereTheLimitIsNotKnownTheSettingHolds() {
        let budget = DescriptorBudget(openFiles: nil, loops: 1, listeners: 1)
        #expect(budget.connections(wanted: 9, transfers: 1, idle: 1) == 9)
    }

    /// 64, 128 for files of bodies, 6 for each of 5 loops and a listener, 192 calls under way, 192 idle at home and 192 with the four loops of clients.
    @Test func idleConnectionsOfAllLoopsCountBesideThoseInUse() throws {
        let descriptors = DescriptorBudget(openFiles: 1700, loops: 5, listeners: 1)
        let server = Daemon.serverSettings(try load(""), descriptors, .silent)
        #expect(server.limits.maxConnections == 1700 - (64 + 128 + 30 + 1) - 192 - 192 - 192)
    }

    /// However few calls there may be, each loop keeps up to 16.
    @Test func whatEachLoopKeepsInAnyCaseCounts() throws {
        let descriptors = DescriptorBudget(openFiles: 800, loops: 9, listeners: 1)
        let settings = try load("fetch: { maxTransfers: 2, maxStreams: 2 }")
        let server = Daemon.serverSettings(settings, descriptors, .silent)
        #expect(server.limits.maxConnections == 800 - (64 + 128 + 54 + 1) - 4 - 9 * 16)
    }

    private final class Warnings: LogSink {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func write(_ line: LogLine) {
            guard line.level == .warning else { return }
            lines.withLock { $0.append(line.values.map { "\($0.name)=\($0.value)" }.joined(separator: " ")) }
        }
    }

    @Test func fewOpenFilesPermitFewerConnectionsAndTheLogSaysSo() async throws {
        let warnings = Warnings()
        let time = SystemTime()
        let log = Logger(label: "larder", sink: warnings, time: time)
        try await withLarder(log: log, openFiles: 200) { larder async throws in
            #expect(try await larder.counter("larder_server_connections_limit") == 100)
            let line = "server.maxConnections=4096 inForce=100 openFiles=200"
            #expect(warnings.all.filter { $0 == line }.count == 1, "\(warnings.all)")
            await larder.daemon.reload()
            #expect(try await larder.counter("larder_server_connections_limit") == 100)
        }
    }
}
