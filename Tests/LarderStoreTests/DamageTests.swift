// Damaged entries are reported, removed and never served. Regular changes are not mistaken for damage.
import CSQLite
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct DamageTests {
    /// Changes the closed database behind the store's back, as a flipped bit would.
    private func damage(_ bench: Bench, _ sql: String) throws {
        let connection = try DatabaseConnection(path: bench.path)
        defer { connection.close() }
        try connection.execute(sql)
    }

    private static let damages: [(String, String)] = [
        ("UPDATE entry SET body = CAST('x' || substr(body, 2) AS BLOB) WHERE id = 2", "body"),
        ("UPDATE entry SET head = CAST(substr(head, 1, 60) || 'x' || substr(head, 62) AS BLOB) WHERE id = 2", "row"),
        ("UPDATE entry SET label = label || ' ' WHERE id = 2", "row"),
        ("UPDATE entry SET size = size + 1 WHERE id = 2", "row"),
        ("UPDATE entry SET provider = 7 WHERE id = 2", "row"),
        ("UPDATE life SET freshUntil = freshUntil + 4294967296 WHERE id = 2", "life"),
        ("UPDATE life SET staleUntil = staleUntil - 1 WHERE id = 2", "life"),
        ("UPDATE life SET sum = sum + 1 WHERE id = 2", "life"),
        ("UPDATE life SET sums = sums + 1 WHERE id = 2", "body"),
        ("UPDATE life SET sums = 0, sum = 0 WHERE id = 2", "row"),
    ]

    @Test(arguments: damages)
    func aRowThatIsNotWhatWasWrittenIsAMissIsToldAndGoes(_ sql: String, _ part: String) async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entries = (0..<3).map { bench.entry("\($0)", size: 700) }
            for entry in entries { #expect(await first.write(entry) == .stored) }
            await first.close()
            try damage(bench, sql)
            let store = try bench.open()
            #expect(try await store.read(entries[1].key) == nil)
            #expect(bench.count(StoreCounters.checksumErrors, part) == 1)
            for number in [0, 2] { #expect(try await sameEntry(store.read(entries[number].key), entries[number])) }
            await store.maintain()
            #expect(try await store.statistics().entries == 2)
            #expect(bench.log.messages == ["store.row.damaged"])
            #expect(bench.count(StoreCounters.setAside, "cache") == 0)
            // The entry is fetched anew, and found then.
            #expect(await store.write(entries[1]) == .stored)
            #expect(try await sameEntry(store.read(entries[1].key), entries[1]))
            await store.close()
        }
    }

    @Test func aLargeBodyWithADamagedPieceIsCutThereAndGoes() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a", size: 600_000)
            #expect(await first.write(entry) == .stored)
            await first.close()
            try Bench.flip(bench.bodyFile(), at: 5 * 65_536 + 77)
            let store = try bench.open()
            let large = try #require(try await store.open(entry.key)?.large)
            #expect(try await large.read(at: 0, atMost: 5 * 65_536) == Bytes(entry.body[..<262_144]))
            await #expect(throws: BodyFailure.self) { try await large.read(at: 5 * 65_536, atMost: 100) }
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 1)
            await store.maintain()
            #expect(try await store.open(entry.key) == nil)
            await store.close()
        }
    }

    @Test func whatChangesByTheBookKeepsItsChecksums() async throws {
        try await withStore { (store, bench) async throws in
            let entries = [500, 90_000, 400_000].map { bench.entry("\($0)", size: $0) }
            for entry in entries { #expect(await store.write(entry) == .stored) }
            let later = bench.time.wall() + .seconds(7000)
            bench.time.advance(by: .seconds(100))
            for entry in entries {
                store.touch(entry.key.digest)
                await store.updateFreshness(entry.key.digest, freshUntil: later, staleUntil: later + .seconds(9))
                var found = try #require(try await store.read(entry.key))
                #expect(found.freshUntil == later && found.staleUntil == later + .seconds(9))
                found.status = 298
                found.label = "another"
                #expect(await store.rewriteHead(found, inPlaceOf: entry))
                #expect(try await sameEntry(store.read(entry.key), found))
            }
            #expect(try await store.purge(.all, soft: true) == 3)
            for entry in entries {
                let found = try #require(try await store.read(entry.key))
                #expect(found.freshUntil == bench.time.wall() && found.body == entry.body)
            }
            for kind in DamageKind.allCases { #expect(bench.count(StoreCounters.checksumErrors, kind.rawValue) == 0) }
        }
    }

    @Test func aChangeDoesNotBlessWhatIsDamaged() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entries = (0..<3).map { bench.entry("\($0)") }
            for entry in entries { #expect(await first.write(entry) == .stored) }
            await first.close()
            try damage(bench, "UPDATE life SET version = 4, staleUntil = staleUntil + 1")
            let store = try bench.open()
            await store.updateFreshness(
                entries[0].key.digest, freshUntil: entries[0].freshUntil, staleUntil: entries[0].staleUntil)
            #expect(await !store.rewriteHead(entries[1], inPlaceOf: entries[1]))
            _ = try await store.purge(.digest(entries[2].key.digest), soft: true)
            for entry in entries { #expect(try await store.read(entry.key) == nil) }
            await store.close()
        }
    }

    @Test func aPurgeByWordsTakesWhatHasLostItsName() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let entry = bench.entry("a")
            #expect(await first.write(entry) == .stored)
            await first.close()
            try damage(bench, "UPDATE entry SET label = 'itunes search term=b'")
            let store = try bench.open()
            _ = try await store.purge(.term("term=a", provider: nil), soft: false)
            await store.maintain()
            #expect(try await store.statistics().entries == 0)
            await store.close()
        }
    }

    @Test func aSearchShowsNoOtherJSONAndTheRowIsMendedFromTheBody() async throws {
        try await withBench { (bench) async throws in
            let first = try bench.open()
            let one = resultJSON("1", "Better Together", more: #","price":{"amount":1.29}"#)
            #expect(await first.write(bench.results("x", [one, resultJSON("2", "Better Days")])) == .stored)
            #expect(try await first.titles("better").count == 2)
            await first.close()
            let place = 1 + one.utf8.count - #"{"amount":1.29}}"#.utf8.count
            try damage(bench, "UPDATE result SET place = \(place), length = 15 WHERE title = 'Better Together'")
            let store = try bench.open()
            #expect(try await store.titles("better") == ["Better Days"])
            #expect(bench.count(StoreCounters.checksumErrors, "result") == 1)
            await store.maintain()
            #expect(try await Set(store.titles("better")) == ["Better Together", "Better Days"])
            await store.close()
        }
    }
}
