// The encoding of heads: decoding returns what was encoded, and damage causes nothing worse than nil.
import LarderCore
import Testing

@testable import LarderStore

@Suite struct CodecTests {
    private func decode(_ head: Bytes, _ entry: StoredResponse) -> StoredResponse? {
        head.withUnsafeBytes {
            EntryCodec.decode(
                $0, key: entry.key, body: entry.body, freshUntil: entry.freshUntil.milliseconds,
                staleUntil: entry.staleUntil.milliseconds, label: entry.label)
        }
    }

    private func odd() -> StoredResponse {
        var entry = Bench(directory: "").entry(
            "ü", parents: [Digest(of: [1]), Digest(of: [2])], label: String(repeating: "long ", count: 1000))
        entry.isNegative = true
        entry.status = 999
        entry.reason = ""
        entry.initialAge = .max
        entry.requestTime = .distantPast
        entry.responseTime = .distantFuture
        entry.fields = HeaderFields(
            (0..<300).map { HeaderField("X-\($0)", String(repeating: "\u{80}\u{ff}", count: $0)) })
        return entry
    }

    @Test func everyFigureAtItsBoundsComesBack() {
        let entry = odd()
        #expect(sameEntry(decode(EntryCodec.encode(entry), entry), entry))
    }

    @Test func everyTruncationAndAnyAppendedByteIsRefused() {
        var entry = odd()
        entry.fields = ["A": "b", "C": "d"]
        let head = EntryCodec.encode(entry)
        for length in 0..<head.count { #expect(decode(Bytes(head.prefix(length)), entry) == nil) }
        #expect(decode(head + [0], entry) == nil)
    }

    @Test func noChangedByteTraps() {
        var entry = odd()
        entry.fields = ["Content-Type": "text/html", "C": "d"]
        let head = EntryCodec.encode(entry)
        var understood = 0
        for place in head.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
                var changed = head
                changed[place] = value
                if decode(changed, entry) != nil { understood += 1 }
            }
        }
        #expect(understood < head.count * 6)
    }

    @Test func anotherVersionIsRefused() {
        let entry = odd()
        var head = EntryCodec.encode(entry)
        head[0] = EntryCodec.version + 1
        #expect(decode(head, entry) == nil)
    }
}
