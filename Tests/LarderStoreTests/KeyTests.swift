// The set of stored keys that answers without the database. It never lacks a stored key.
import LarderCore
import Testing

@testable import LarderStore

@Suite struct KeyBloomFilterTests {
    private func digest(_ number: Int) -> Digest { Digest(of: Bytes(text: "key \(number)")) }

    @Test func aNotedKeyIsNeverLackingAndOthersMostlyAre() {
        let keys = KeyBloomFilter()
        keys.begin(capacity: 0)
        keys.end()
        for number in 0..<KeyBloomFilter.leastCapacity { keys.note(digest(number)) }
        let forgotten = (0..<KeyBloomFilter.leastCapacity).filter { keys.lacks(digest($0)) }
        #expect(forgotten.isEmpty)
        let known = (0..<10_000).filter { !keys.lacks(digest(-1 - $0)) }
        #expect(known.count < 200)
    }

    private func place(_ number: Int) -> ReadyPlace {
        Bytes(text: "/raw/api/\(number)").withUnsafeBufferPointer { ReadyPlace($0, scope: 0) }
    }

    @Test func aNotedPlaceIsNeverLackingAndOthersMostlyAre() {
        let keys = KeyBloomFilter()
        keys.begin(capacity: 0)
        keys.end()
        let some = KeyBloomFilter.leastCapacity
        for number in 0..<some { keys.note(place(number)) }
        #expect((0..<some).allSatisfy { !keys.lacks(place($0)) })
        #expect((0..<some).allSatisfy { !keys.lacks(ReadyPlace(id: place($0).id(.takesGzip))) })
        #expect((some..<some + 10_000).filter { !keys.lacks(place($0)) }.count < 200)
    }

    @Test func aKeyDoesNotStandForItsListOfParts() {
        let keys = KeyBloomFilter()
        keys.begin(capacity: 0)
        keys.end()
        let wholes = (0..<100).map { CacheKey(bytes: [CacheKey.version, 1, UInt8($0)]) }
        for whole in wholes { keys.note(whole.digest) }
        #expect(wholes.filter { !keys.lacks($0.ofParts.digest) }.count < 10)
    }

    @Test func moreKeysThanWereExpectedAreNotReadAgainAtOnce() {
        let keys = KeyBloomFilter()
        keys.begin(capacity: 0)
        let many = 3 * KeyBloomFilter.leastCapacity
        keys.add((0..<many).map(digest))
        keys.end()
        #expect(!keys.wantsReading)
        for number in many...2 * many { keys.note(digest(number)) }
        #expect(keys.wantsReading)
    }

    @Test func everyKeyMayBeStoredUntilAllHaveBeenRead() {
        let keys = KeyBloomFilter()
        #expect(keys.wantsReading && !keys.lacks(digest(1)))
        keys.begin(capacity: 10)
        // A key stored during the reading belongs to the set.
        keys.note(digest(1))
        keys.add([digest(2)])
        #expect(keys.wantsReading && !keys.lacks(digest(3)))
        keys.end()
        #expect(!keys.wantsReading && !keys.lacks(digest(1)) && !keys.lacks(digest(2)))
        #expect(keys.lacks(digest(3)))
        keys.forget()
        #expect(!keys.lacks(digest(3)))
    }

    @Test func theKeysAreReadAgainWhenFarMoreHaveComeThanWereExpected() {
        let keys = KeyBloomFilter()
        keys.begin(capacity: 0)
        keys.end()
        for number in 0...KeyBloomFilter.leastCapacity { keys.note(digest(number)) }
        #expect(keys.wantsReading)
        // The old set serves until the reading ends.
        #expect(!keys.lacks(digest(0)))
    }

    @Test func aStoreOpenedAgainFindsWhatAnEarlierOneStored() async throws {
        try await withBench { (bench) async throws in
            let entries = (0..<StoreWriter.keysPerSlice + 100).map { bench.entry("\($0)", size: 10) }
            let first = try bench.open()
            for entry in entries { #expect(await first.write(entry) == .stored) }
            await first.close()
            let second = try bench.open()
            #expect(try await sameEntry(second.read(entries[0].key), entries[0]))
            await second.maintain()
            #expect(!second.shared.keys.wantsReading)
            #expect(second.shared.keys.lacks(bench.entry("none").key.digest))
            for entry in entries { #expect(try await sameEntry(second.read(entry.key), entry)) }
            await second.close()
        }
    }

    @Test func whatIsRemovedAndStoredAgainIsFound() async throws {
        try await withStore { (store, bench) async throws in
            await store.maintain()
            let entry = bench.entry("a")
            for _ in 0..<2 {
                #expect(await store.write(entry) == .stored)
                #expect(try await sameEntry(store.read(entry.key), entry))
                #expect(try await store.purge(.digest(entry.key.digest), soft: false) == 1)
                #expect(try await store.read(entry.key) == nil)
            }
        }
    }

    @Test func whatNobodyStoredIsMissedWithoutAReader() async throws {
        try await withStore { (store, bench) async throws in
            await store.maintain()
            for number in 0..<100 { #expect(try await store.read(bench.entry("\(number)").key) == nil) }
            #expect(bench.count(StoreCounters.reads, "absent") == 100)
            // No reader has opened the database.
            #expect(store.shared.gate.isUnused)
        }
    }

    @Test func aKeyIsLackingOnlyIfItIsNeitherStoredNorAccepted() async throws {
        try await withStore { (store, bench) async throws in
            let (entry, other) = (bench.entry("a"), bench.entry("b"))
            await store.maintain()
            #expect(store.lacks(entry.key.digest))
            #expect(await store.write(entry) == .stored)
            #expect(!store.lacks(entry.key.digest) && store.lacks(other.key.digest))
        }
    }
}
