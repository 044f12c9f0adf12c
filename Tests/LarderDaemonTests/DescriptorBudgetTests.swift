import LarderCore
import LarderFetch
import LarderServer
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

/// Clients never take the descriptors that the rest of the daemon needs.
@Suite struct DescriptorBudgetTests {
    @Test(arguments: [
        (65_536, 4096, 4096), (1024, 4096, 516), (1024, 100, 100), (200, 4096, 59), (3, 4096, 1), (1, 1, 1),
        (Int.max, 1_000_000, 1_000_000),
    ])
    func clientsHaveWhatNothingElseMayNeed(openFiles: Int, wanted: Int, inForce: Int) {
        let budget = DescriptorBudget(openFiles: openFiles, loops: 2, listeners: 3)
        // Fixed: 64, 7 for each of 2 loops, and 3 listeners. A quarter of the rest is for bodies.
        #expect(budget.kept(transfers: 64, idle: 128) == 81 + max(1, (openFiles - 81) / 4) + 192)
        #expect(budget.connections(wanted: wanted, transfers: 64, idle: 128) == inForce)
    }

    @Test func whereTheLimitIsNotKnownTheSettingHolds() {
        let budget = DescriptorBudget(openFiles: nil, loops: 1, listeners: 1)
        #expect(budget.connections(wanted: 9, transfers: 1, idle: 1) == 9)
    }

    /// Fixed: 64, 7 for each of 5 loops, and one listener. A quarter of the rest is for files of bodies. Then come 192
    /// calls under way, 98 idle connections on the home loop and 192 on the four client loops. One idle connection of
    /// each loop is in the 7.
    @Test func idleConnectionsOfAllLoopsCountBesideThoseInUse() throws {
        let descriptors = DescriptorBudget(openFiles: 4000, loops: 5, listeners: 1)
        let server = Daemon.serverSettings(try load(""), descriptors, .silent)
        #expect(server.limits.maxConnections == 4000 - (64 + 35 + 1) - 3900 / 4 - 192 - (98 + 192 - 5))
    }

    /// Even with few calls, each loop keeps up to 16 connections if there are files for them: an eighth of the rest.
    @Test func whatEachLoopKeepsInAnyCaseCounts() throws {
        let descriptors = DescriptorBudget(openFiles: 800, loops: 9, listeners: 1)
        let settings = try load("fetch: { maxTransfers: 2, maxStreams: 2 }")
        let server = Daemon.serverSettings(settings, descriptors, .silent)
        #expect(server.limits.maxConnections == 800 - (64 + 63 + 1) - 672 / 4 - 4 - 9 * 9)
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
        try await withLarder("server: { loops: 1 }", log: log, openFiles: 200) { larder async throws in
            #expect(try await larder.counter("larder_server_connections_limit") == 60)
            let line = "server.maxConnections=4096 inForce=60 openFiles=200"
            #expect(warnings.all.filter { $0 == line }.count == 1, "\(warnings.all)")
            await larder.daemon.reload()
            #expect(try await larder.counter("larder_server_connections_limit") == 60)
        }
    }

    /// Even close to the minimum, clients, bodies and idle connections together leave some descriptors to calls.
    @Test(arguments: [1, 2, 9, 129])
    func clientsBodiesAndIdleConnectionsLeaveAnEighth(loops: Int) throws {
        let minimum = DescriptorBudget(openFiles: nil, loops: loops, listeners: 2).minimum
        #expect(!DescriptorBudget(openFiles: minimum - 1, loops: loops, listeners: 2).isEnough)
        for openFiles in [minimum, minimum + 1, minimum + 100, 2000, 65_536] {
            let budget = DescriptorBudget(openFiles: openFiles, loops: loops, listeners: 2)
            let free = openFiles - (64 + 7 * loops + 2)
            let fetch = Daemon.fetchSettings(try load(""), keptByLoop: budget.keptByLoop)
            let idle = fetch.mostKept(clientLoops: loops - 1) - loops
            let clients = budget.connections(wanted: 1_000_000, transfers: 64, idle: idle)
            #expect(budget.isEnough && clients > 0 && budget.bodies > 0)
            #expect(clients + budget.bodies + idle <= max(free * 7 / 8, free - 64))
        }
    }

    /// With a hard limit of 1,024 files, as in a container, and many cores, the default settings must start.
    @Test func whereTheNumberOfLoopsIsNotSetThereAreAsManyAsFit() throws {
        let warnings = Warnings()
        let log = Logger(label: "larder", sink: warnings, time: SystemTime())
        func loops(_ configuration: String, _ openFiles: Int, _ cores: Int) throws -> Int {
            let settings = try load(configuration)
            return try Daemon.descriptors(settings, openFiles: openFiles, listeners: 2, cores: cores, log).loops - 1
        }
        #expect(try loops("", 1024, 8) == 8 && loops("", 65_536, 192) == 192 && loops("", 0, 192) == 192)
        #expect(warnings.all == [])
        let fitting = try loops("", 1024, 192)
        #expect(warnings.all == ["cores=192 inForce=\(fitting) openFiles=1024"])
        #expect(DescriptorBudget(openFiles: 1024, loops: fitting + 1, listeners: 2).isEnough)
        #expect(!DescriptorBudget(openFiles: 1024, loops: fitting + 2, listeners: 2).isEnough)
        let least = DescriptorBudget(openFiles: nil, loops: 2, listeners: 2).minimum
        #expect(try loops("", least, 192) == 1)
        #expect(throws: DaemonError.self) { try loops("", least - 1, 192) }
        // An explicit setting is not lowered.
        #expect(throws: DaemonError.self) { try loops("server: { loops: 192 }", 1024, 192) }
    }

    @Test func withTooFewOpenFilesTheDaemonDoesNotStart() async throws {
        let needed = DescriptorBudget(openFiles: nil, loops: 2, listeners: 1).minimum
        try await withLarder("server: { loops: 1 }", openFiles: needed) { larder async throws in
            #expect(try await larder.counter("larder_server_connections_limit") == 8)
        }
        let error = await #expect(throws: DaemonError.self) {
            try await withLarder("server: { loops: 1 }", openFiles: needed - 1) { _ in }
        }
        let said = "open files: this process may open \(needed - 1) files and needs \(needed) at least."
        #expect(error?.description.hasPrefix(said) == true)
    }
}
