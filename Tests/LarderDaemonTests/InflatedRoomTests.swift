// A body whose coding the daemon removes counts by its plain size.
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct InflatedRoomTests {
    private static let size = 512 << 10
    private let now = WallTime(seconds: 1_767_225_600)

    private func answer() throws -> Answer {
        Answer(
            fields: ["Content-Encoding": "gzip"],
            body: .bytes(try ContentCoding.gzip(Bytes(repeating: 0x61, count: Self.size))),
            bornAt: now, freshUntil: now, provenance: Provenance(outcome: .miss))
    }

    @Test func aBodyThatIsReadCountsByItsPlainSizeForAsLongAsItIsInUse() throws {
        let memory = BodyMemory(limit: 1 << 30)
        let coded = UpstreamResponse(
            status: 200, fields: ["Content-Encoding": "gzip"], body: try #require(try answer().body.whole),
            requestTime: now, responseTime: now)
        var plain = coded.decoded(limit: 1 << 20, in: memory)
        #expect(plain?.body.count == Self.size)
        #expect(memory.held == Self.size)
        withExtendedLifetime(plain) {}
        plain = nil
        #expect(memory.held == 0)
    }

    @Test func thePlainFormForAClientCountsUntilItIsWritten() async throws {
        try await withLarder { larder in
            let engine = larder.daemon.engine
            var plain: Answer? = await larder.daemon.parts.responder.plain(try answer(), "gzip")
            #expect(plain?.body.whole?.count == Self.size)
            #expect(engine.bodies.held == Self.size)
            plain = nil
            // The task that made the plain form may hold its result a moment longer.
            try await larder.eventually("its room is given back") { engine.bodies.held == 0 }
        }
    }

    @Test func withoutRoomThePlainFormIsMadePieceByPiece() async throws {
        try await withLarder("fetch: { maxMemory: 1 MiB }") { larder in
            let engine = larder.daemon.engine
            let other = engine.bodies.claim(900 << 10)
            let plain = await larder.daemon.parts.responder.plain(try answer(), "gzip")
            #expect(plain.body.whole == nil && plain.body.length == Int64(Self.size))
            #expect(engine.bodies.held == 900 << 10)
            withExtendedLifetime(other) {}
        }
    }
}
