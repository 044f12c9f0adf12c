// Coded bodies that are decoded while they are read, and their lengths after decoding.
import LarderCore
import LarderHTTP
import LarderServer
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct InflatingReaderTests {
    /// Hands out the given pieces, and counts how often it is asked.
    private final class Pieces: BodyReader {
        private let rest: Lock<[Bytes]>
        let asked = Lock(0)

        init(_ pieces: [Bytes]) { rest = Lock(pieces.reversed()) }

        func next() async throws(BodyFailure) -> Bytes? {
            asked.withLock { $0 += 1 }
            return rest.withLock { $0.popLast() }
        }

        func abandon() {}
    }

    private static func pieces(_ bytes: Bytes, of size: Int) -> [Bytes] {
        stride(from: 0, to: bytes.count, by: size).map { Bytes(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    private static func read(_ reader: any BodyReader) async throws -> Bytes {
        var out = Bytes()
        while let piece = try await reader.next() { out += piece }
        return out
    }

    @Test(arguments: [1, 7, 1000, 1 << 20])
    func thePlainBytesAreTheSameHoweverTheCodedOnesCome(_ size: Int) async throws {
        let plain = Bytes((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
        let coded = try ContentCoding.gzip(plain)
        let reader = try #require(InflatingReader(Pieces(Self.pieces(coded, of: size)), coding: "gzip"))
        #expect(try await Self.read(reader) == plain)
        #expect(try await reader.next() == nil)
    }

    @Test func littleIsMadeAtATimeAndNothingBeforeItIsAskedFor() async throws {
        let coded = try ContentCoding.gzip(Bytes(repeating: 0, count: 32 << 20))
        let base = Pieces([coded])
        let reader = try #require(InflatingReader(base, coding: "gzip"))
        #expect(base.asked.withLock { $0 } == 0)
        var largest = 0
        var count = 0
        while let piece = try await reader.next() {
            largest = max(largest, piece.count)
            count += piece.count
        }
        #expect(count == 32 << 20)
        #expect(largest <= ContentInflater.pieceSize)
    }

    @Test func aBodyThatGrowsPastItsLimitIsCut() async throws {
        let coded = try ContentCoding.gzip(Bytes(repeating: 0, count: 4 << 20))
        let limit = InflationLimit(floor: 1 << 20, ratio: 100)
        let reader = try #require(InflatingReader(WholeBodyReader(coded), coding: "gzip", limit: limit))
        var count = 0
        await #expect(throws: BodyFailure.self) {
            while let piece = try await reader.next() { count += piece.count }
        }
        #expect(count <= 1 << 20)
        // A body that is large when coded may become large.
        let noise = Bytes((0..<2 << 20).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) })
        let large = try #require(
            InflatingReader(WholeBodyReader(try ContentCoding.gzip(noise)), coding: "gzip", limit: limit))
        #expect(try await Self.read(large) == noise)
    }

    @Test func aCutOrDamagedBodyFails() async throws {
        let coded = try ContentCoding.gzip(Bytes(repeating: 1, count: 100_000))
        var damaged = coded
        damaged[coded.count - 6] ^= 0xFF
        for bytes in [Bytes(coded.dropLast()), Bytes(coded.prefix(20)), damaged, coded + [0]] {
            let reader = try #require(InflatingReader(WholeBodyReader(bytes), coding: "gzip"))
            await #expect(throws: BodyFailure.self) { _ = try await Self.read(reader) }
        }
    }

    @Test func membersBehindEachOtherAreOneBody() async throws {
        let coded = try ContentCoding.gzip(Bytes(text: "one ")) + ContentCoding.gzip(Bytes(text: "two"))
        for size in [1, 1 << 20] {
            let reader = try #require(InflatingReader(Pieces(Self.pieces(coded, of: size)), coding: "x-gzip"))
            #expect(try await Self.read(reader) == Bytes(text: "one two"))
        }
    }

    @Test func aRangeOfThePlainBodyIsThatOfTheWhole() async throws {
        let plain = Bytes((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let source = BodySource.plain(.bytes(try ContentCoding.gzip(plain)), coding: "gzip", length: 200_000)
        guard case .stream(let reader, let length) = source.part(150_000..<150_010) else {
            Issue.record("no stream")
            return
        }
        #expect(length == 10)
        #expect(try await Self.read(reader) == Bytes(plain[150_000..<150_010]))
        #expect(source.length == 200_000)
        #expect(source.response(isRead: false).count == 200_000)
    }

    @Test func lengthsAreCountedOnceAndForgottenInTheirOrder() throws {
        let lengths = PlainLengths(capacity: 2)
        let bodies = try (1...3).map { try ContentCoding.gzip(Bytes(repeating: 0, count: $0 * 1000)) }
        for (number, body) in bodies.enumerated() {
            #expect(lengths.length(of: body, coding: "gzip") == Int64(number + 1) * 1000)
            #expect(lengths.length(of: body, coding: "gzip") == Int64(number + 1) * 1000)
        }
        #expect(lengths.count == 2)
        #expect(lengths.length(of: bodies[0], coding: "gzip") == 1000)
        #expect(lengths.length(of: Bytes(bodies[0].dropLast()), coding: "gzip") == nil)
        let bomb = try ContentCoding.gzip(Bytes(repeating: 0, count: 9999))
        #expect(lengths.length(of: bomb, coding: "gzip", limit: InflationLimit(floor: 10, ratio: 1)) == nil)
    }

    @Test func deflateIsUndoneInBothOfItsForms() throws {
        // "aaaaaaaaaa" with zlib's header and without it (RFC 1950, RFC 1951).
        let bare: Bytes = [0x4B, 0x4C, 0x84, 0x01, 0x00]
        let zlib: Bytes = [0x78, 0x9C] + bare + [0x14, 0xE1, 0x03, 0xCB]
        for coded in [bare, zlib] {
            #expect(try ContentCoding.plainLength(of: coded, coding: "deflate") == 10)
            #expect(try ContentCoding.inflate(coded, coding: "deflate", limit: 100) == Bytes(text: "aaaaaaaaaa"))
        }
    }
}
