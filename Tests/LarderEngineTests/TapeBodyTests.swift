// A body that others may still want keeps its beginning, even after all its readers have read on.
import LarderCore
import Testing

@testable import LarderEngine

@Suite struct TapeBodyTests {
    private static func read(_ reader: BodyTapeReader, _ count: Int) async throws -> Bytes {
        var got = Bytes()
        while got.count < count, let piece = try await reader.next() { got += piece }
        return got
    }

    private static func append(_ bytes: Bytes, to tape: BodyTape) {
        _ = bytes.withUnsafeBytes { tape.append($0) }
    }

    @Test func aLatecomerReadsFromTheFirstByteForAsLongAsTheBodyIsKept() async throws {
        let tape = BodyTape(window: 1024)
        var body: TapeBody? = TapeBody(tape, length: nil)
        let sent = Bytes((0..<4096).map { UInt8(truncatingIfNeeded: $0 / 16) })
        let first = try #require(body?.reader())
        Self.append(sent, to: tape)
        #expect(try await Self.read(first, sent.count) == sent)

        let second = try #require(body?.reader(), "its beginning is gone")
        #expect(try await Self.read(second, sent.count) == sent)

        // No further reader can come. Memory need not hold what all readers have read.
        body = nil
        Self.append(sent, to: tape)
        #expect(try await Self.read(first, sent.count) == sent)
        #expect(try await Self.read(second, sent.count) == sent)
        #expect(tape.reader() == nil)
        #expect(tape.held < sent.count)
    }
}
