// What becomes of parts and their list while a part that has ended waits for the list, or for the disk.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct PartTurnTests {
    private static let length = 10_000_000
    private static let all: Bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }

    /// The bytes of a body whose byte follows from its place.
    private static func bytes(_ range: Range<Int>) -> Bytes { Bytes(range.map { all[$0 % all.count] }) }

    private static func head(_ range: Range<Int>, _ control: String) -> Act {
        .send(
            "HTTP/1.1 206 Partial Content\r\nCache-Control: \(control)\r\nETag: \"v\"\r\n"
                + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)\r\n"
                + "Content-Length: \(range.count)\r\n\r\n")
    }

    private static func part(_ range: Range<Int>, _ control: String = "max-age=3600") -> [Act] {
        [head(range, control), .sendBytes(bytes(range))]
    }

    private static func range(_ request: LarderTestSupport.SeenRequest) -> Range<Int> {
        let ends = (request.field("Range") ?? "").dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 ? ends[0]..<ends[1] + 1 : 0..<length
    }

    private static func configuration(_ origin: ScriptedOrigin) -> String {
        """
        providers: { api: { kind: passthrough, baseURL: "\(origin.base)" } }
        cache: { commitWithin: 0, patience: 30s }
        """
    }

    private static func ask(_ range: Range<Int>) -> String {
        "GET /raw/api/film HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)\r\n\r\n"
    }

    private static func get(_ range: Range<Int>, _ larder: RunningLarder) async throws -> WireResponse {
        try await larder.talk { client in
            try client.send(ask(range))
            return try client.receive()
        }
    }

    private static func settled(_ larder: RunningLarder) async throws {
        try await larder.eventually("nothing is under way") {
            try await larder.counter("larder_flights_under_way") == 0
        }
    }

    /// The row that other stored rows name as their parent.
    private static func list(_ larder: RunningLarder) throws -> Digest {
        let connection = try DatabaseConnection(path: larder.daemon.engine.cache.store.shared.files.path)
        defer { connection.close() }
        let statement = try connection.statement("SELECT digest FROM parent WHERE digest IN (SELECT digest FROM entry)")
        defer { statement.reset() }
        #expect(try statement.step())
        return try #require(Digest(bytes: statement.bytes(0)))
    }

    @Test func aPartWhoseTransferHasFailedIsGivenToNobodyWhoComesThen() async throws {
        let breaks = Gate()
        let wanted = 5_000_000..<5_900_000
        let origin = ScriptedOrigin { request in
            let range = Self.range(request)
            // Only the first is asked for as what lacks.
            guard range == wanted, request.field("If-Range") != nil else { return Self.part(range) }
            let half = Self.bytes(range.lowerBound..<range.lowerBound + 400_000)
            return [Self.head(range, "max-age=3600"), .sendBytes(half), .await(breaks), .close]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin)) { larder in
            _ = try await Self.get(9_000_000..<9_000_100, larder)
            try await Self.settled(larder)
            let list = try Self.list(larder)
            let turns = larder.daemon.engine.cache.turns
            #expect(await turns.enter(list))
            let address = larder.address
            let first = try await onOwnThread {
                let client = try WireClient(address)
                try client.send(Self.ask(wanted))
                _ = try client.receiveHead()
                _ = try client.take(100_000)
                return client
            }
            breaks.open()
            try await larder.eventually("what came of it waits to be listed") { turns.waiting(for: list) == 1 }
            let second = try? await Self.get(wanted, larder)
            turns.leave(list)
            #expect(second?.status == 206)
            #expect(second?.body == Self.bytes(wanted), "\(second?.body.count ?? 0) bytes")
            withExtendedLifetime(first) {}
        }
    }
}
