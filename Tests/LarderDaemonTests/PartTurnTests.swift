// What happens to parts and their list while a finished part waits for the list or for the disk.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine
@testable import LarderStore

@Suite struct PartTurnTests {
    private static let length = 10_000_000
    private static let pattern: Bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
    /// The bytes are made once and copied whole. A sanitized build takes seconds to make so many bytes one by one, and
    /// that time would count as silence of the origin.
    private static let all: Bytes = {
        var all = Bytes()
        all.reserveCapacity(length)
        for _ in 0..<length / pattern.count { all += pattern }
        return all
    }()

    /// The bytes of a range. Each byte of the body follows from its place.
    private static func bytes(_ range: Range<Int>) -> Bytes { Bytes(all[range]) }

    private static func head(_ range: Range<Int>, _ control: String) -> Act {
        .send(
            "HTTP/1.1 206 Partial Content\r\nCache-Control: \(control)\r\nETag: \"v\"\r\n"
                + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)\r\n"
                + "Content-Length: \(range.count)\r\n\r\n")
    }

    private static func part(_ range: Range<Int>, _ control: String = "max-age=3600") -> [Act] {
        [head(range, control), .sendBytes(bytes(range))]
    }

    private static let notModified: [Act] = [
        .send("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=10\r\nETag: \"v\"\r\n\r\n")
    ]

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

    private static func isHit(_ response: WireResponse) -> Bool {
        response["Cache-Status"]?.hasPrefix("larder; hit") ?? false
    }

    private static func settled(_ larder: RunningLarder) async throws {
        try await larder.eventually("nothing is under way") {
            try await larder.counter("larder_flights_under_way") == 0
        }
    }

    private static func figure(_ larder: RunningLarder, _ question: String) throws -> Int64? {
        let connection = try DatabaseConnection(path: larder.daemon.engine.cache.store.shared.files.path)
        defer { connection.close() }
        return try connection.number(question)
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
            // Only the first request asks for the missing bytes with If-Range.
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

    @Test func aHeadThatWasConfirmedIsNotWrittenOverByAPartThatEndsThen() async throws {
        let ends = Gate()
        let time = ManualTime()
        let slow = 5_000_000..<5_900_000
        let origin = ScriptedOrigin { request in
            if request.field("If-None-Match") != nil { return Self.notModified }
            let range = Self.range(request)
            guard range == slow else { return Self.part(range, "max-age=10") }
            let half = Self.bytes(range)
            return [
                Self.head(range, "max-age=10"), .sendBytes(Bytes(half[..<400_000])), .await(ends),
                .sendBytes(Bytes(half[400_000...])),
            ]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin), time: time) { larder in
            let stored = 9_000_000..<9_000_100
            _ = try await Self.get(stored, larder)
            try await Self.settled(larder)
            time.advance(by: .seconds(1))
            async let coming = Self.get(slow, larder)
            try await larder.eventually("its head has come") { larder.daemon.engine.cache.answers.count == 1 }
            time.advance(by: .seconds(12))
            // The ended part has read the list. It writes its own row before it writes the list.
            let (list, turns) = (try Self.list(larder), larder.daemon.engine.cache.turns)
            #expect(await turns.enter(list))
            ends.open()
            try await larder.eventually("the part has ended") { turns.waiting(for: list) == 1 }
            let faults = larder.daemon.engine.cache.store.shared.faults
            faults.hold(true)
            turns.leave(list)
            try await larder.eventually("its row waits for the disk") { faults.isHolding }
            async let confirmed = Self.get(stored, larder)
            try await larder.eventually("the list was asked about") { origin.requests.count == 3 }
            faults.hold(false)
            #expect(try await confirmed.body == Self.bytes(stored))
            #expect(try await coming.body == Self.bytes(slow))
            try await Self.settled(larder)
            for range in [stored, slow] {
                let again = try await Self.get(range, larder)
                #expect(Self.isHit(again), "\(range): \(again["Cache-Status"] ?? "")")
                #expect(again.body == Self.bytes(range))
            }
            #expect(origin.requests.count == 3)
        }
    }

    @Test func aHEADThatConfirmsPartsProlongsTheirRows() async throws {
        let time = ManualTime()
        let middle = Self.length / 2
        let origin = ScriptedOrigin { request in
            guard request.method == "HEAD" else { return Self.part(Self.range(request), "max-age=10") }
            return [
                .send(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=100000\r\nETag: \"v\"\r\n"
                        + "Content-Length: \(Self.length)\r\n\r\n")
            ]
        }
        defer { origin.stop() }
        try await withLarder(Self.configuration(origin), time: time) { larder in
            // The last range comes first. While nothing is known of the film, an earlier range is cut from the whole.
            for range in [middle..<Self.length, 0..<middle] {
                #expect(try await Self.get(range, larder).status == 206)
                try await Self.settled(larder)
            }
            time.advance(by: .seconds(60))
            let head = try await larder.send("HEAD", "/raw/api/film")
            #expect(head.status == 200)
            let question =
                "SELECT count(*) FROM life WHERE freshUntil > \((time.wall() + .seconds(50_000)).milliseconds)"
            // The list and both parts.
            try await larder.eventually("all rows live as long") { try Self.figure(larder, question) == 3 }
            let whole = try await larder.get("/raw/api/film")
            #expect(Self.isHit(whole), "\(whole["Cache-Status"] ?? "")")
        }
    }
}
