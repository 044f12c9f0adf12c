// A thousand flipped bits in a filled database. Each read returns exactly the stored bytes and times, or nothing.
import Glibc
import LarderCore
import Testing

@testable import LarderStore

@Suite struct BitFlipTests {
    /// The bits flipped in one copy, and the copies for each seed. Ten seeds make a thousand bits.
    static let bitsPerCopy = 4
    static let copies = 25

    private func fill(_ bench: Bench) async throws -> [StoredResponse] {
        var entries: [StoredResponse] = []
        for number in 0..<40 { entries.append(bench.entry("small \(number)", size: number * number * 3)) }
        for (number, size) in [40_000, 65_536, 65_537, 90_000, 200_000, 270_000, 340_000].enumerated() {
            entries.append(bench.entry("large \(number)", size: size, provider: "hn"))
        }
        for number in 0..<6 {
            let deep = #","deep":{"a":[{}]}"#
            let results = (0..<5).map { resultJSON("\(number)-\($0)", "Common word \($0)", more: deep) }
            entries.append(bench.results("results \(number)", results))
        }
        var negative = bench.entry("negative", size: 0)
        negative.isNegative = true
        negative.status = 404
        entries.append(negative)
        let store = try bench.open()
        for entry in entries { #expect(await store.write(entry) == .stored) }
        // These removals leave some free pages. The search below builds the index.
        for number in 0..<4 { #expect(await store.write(bench.entry("gone \(number)", size: 50_000)) == .stored) }
        _ = try await store.purge(.term("gone", provider: nil), soft: false)
        _ = try await store.titles("common")
        await store.close()
        return entries
    }

    /// The result of one entry's look-ups.
    private enum Answer { case stored, missed, different }

    private func look(_ store: SQLiteStore, _ entry: StoredResponse) async -> Answer {
        guard let found = try? await store.open(entry.key) else { return .missed }
        guard let large = found.large else { return sameEntry(found, entry) ? .stored : .different }
        var whole = found
        whole.large = nil
        while Int64(whole.body.count) < large.length {
            // A truncated body must not count as a whole body.
            guard let piece = try? await large.read(at: Int64(whole.body.count), atMost: 100_000) else {
                return entry.body.starts(with: whole.body) ? .missed : .different
            }
            whole.body += piece
        }
        return sameEntry(whole, entry) ? .stored : .different
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func noAnswerIsEverDifferent(seed: UInt64) async throws {
        try await withBench { (bench) async throws in
            let entries = try await fill(bench)
            var results: Set<Bytes> = []
            for entry in entries where entry.layer == .normalised {
                for element in try JSON.parse(entry.body).elements { results.insert(Bytes(entry.body[element.range])) }
            }
            let original = try readFile(bench.path)
            let mark = try readFile(bench.directory + "/cache.mark")
            var random = RoomTests.Seeded(state: seed)
            var (stored, missed) = (0, 0)
            for copy in 0..<Self.copies {
                var bytes = original
                var bits: [Int] = []
                for _ in 0..<Self.bitsPerCopy {
                    let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
                    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                    bits.append(bit)
                }
                unlink(bench.path)
                for suffix in ["-wal", "-shm"] { unlink(bench.path + suffix) }
                try writeFile(bench.path, bytes)
                try writeFile(bench.directory + "/cache.mark", mark)
                let store = try bench.open()
                for entry in entries {
                    switch await look(store, entry) {
                    case .stored: stored += 1
                    case .missed: missed += 1
                    case .different: Issue.record("\(entry.label) differs after bits \(bits)")
                    }
                }
                let question = FullTextQuestion(terms: [FullTextTerm("common", isPrefix: false)], limit: 50)
                for match in (try? await store.search(question))?.matches ?? [] {
                    let isTrue =
                        results.contains(match.json) && match.provider == "itunes"
                        && match.freshUntil == entries[0].freshUntil && match.storedAt == entries[0].responseTime
                    #expect(isTrue, "\(match.json.lossyText) after bits \(bits)")
                }
                // The removals must not leave wrong entries either.
                if copy % 5 == 0 {
                    await store.maintain()
                    for entry in entries { #expect(await look(store, entry) != .different, "after bits \(bits)") }
                }
                await store.close()
            }
            // Most entries are still served. A flipped bit costs its entry, and seldom the whole database.
            #expect(stored > missed)
            #expect(missed > 0)
        }
    }
}
