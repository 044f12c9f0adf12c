// The share of the file descriptors that large bodies have: what is found and what is stored when the share is used up.
import Glibc
import LarderCore
import Testing

@testable import LarderStore

private let roomy = StoreSettings(maxObject: 512 << 20, minFree: 0)

@Suite struct BodyShareTests {
    private func whole(_ entry: StoredResponse) async throws -> Bytes {
        guard let large = entry.large else { return entry.body }
        var body = Bytes()
        while body.count < large.length {
            body += try await large.read(at: Int64(body.count), atMost: 200_000)
        }
        return body
    }

    /// A body found beyond the bound is opened anew for each read. It is not a miss and costs no upstream call.
    @Test func aBodyIsFoundHoweverManyAreInUse() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let entries = (0..<6).map { bench.entry("\($0)", size: $0 == 5 ? 100_000 : 700_000) }
            for entry in entries { #expect(await store.write(entry) == .stored) }
            store.permitOpenBodies(3)
            let table = try #require(store.shared.bodies.withLock { $0 }).table
            var held: [StoredResponse] = []
            for entry in entries[..<3] { held.append(try #require(try await store.open(entry.key))) }
            let beyond = try #require(try await store.open(entries[3].key))
            #expect(bench.count(StoreCounters.refusedBodies) == 1)
            #expect(try await whole(beyond) == entries[3].body && table.count == 3)
            for entry in entries[4...] {
                let found = try #require(try await store.open(entry.key))
                #expect(try await whole(found) == entry.body && table.count == 3)
            }
            for entry in entries { #expect(try await sameEntry(store.read(entry.key), entry)) }
            #expect(table.count == 3 && table.used == 3)
            held = []
            #expect(try await whole(try #require(try await store.open(entries[4].key))) == entries[4].body)
            #expect(try await store.statistics().entries == 6 && bench.count(StoreCounters.refusedBodies) == 2)
        }
    }

    @Test func aBodyThatIsNotHeldIsCutWhereItIsRemoved() async throws {
        try await withStore(roomy) { (store, bench) async throws in
            let entries = (0..<2).map { bench.entry("\($0)", size: 700_000) }
            for entry in entries { #expect(await store.write(entry) == .stored) }
            store.permitOpenBodies(1)
            let held = try #require(try await store.open(entries[0].key))
            let beyond = try #require(try await store.open(entries[1].key))
            #expect(try await store.purge(.all, soft: false) == 2)
            await #expect(throws: BodyFailure.self) { try await whole(beyond) }
            #expect(try await whole(held) == entries[0].body)
            #expect(bench.count(StoreCounters.checksumErrors, "piece") == 0)
        }
    }

    /// The body is refused before room is made: nothing is evicted for a body that is not stored.
    @Test func aBodyIsRefusedBeforeRoomIsMadeForIt() async throws {
        try await withStore(StoreSettings(maxSize: 8 << 20, minFree: 0)) { (store, bench) async throws in
            for number in 0..<7 { #expect(await store.write(bench.entry("\(number)", size: 900_000)) == .stored) }
            store.permitOpenBodies(1)
            let held = try #require(try await store.open(bench.entry("6").key))
            guard case .failure(let refusal) = await store.begin(expecting: 5 << 20) else {
                Issue.record("it was begun")
                return
            }
            #expect(refusal == .overloaded)
            let writer = try await store.begin(expecting: nil).get()
            #expect(await writer.append(Bench.body("x", 2 << 20, 1)) == .refused(.overloaded))
            writer.abandon()
            #expect(await store.write(bench.entry("large", size: 4 << 20)) == .refused(.overloaded))
            #expect(try await store.statistics().entries == 7 && bench.bodyFiles().count == 7)
            // A small body needs no file.
            let small = try await store.begin(expecting: 1000).get()
            #expect(await small.append(Bench.body("y", 1000, 1)) == .stored)
            #expect(await small.complete(bench.entry("small")) == .stored)
            withExtendedLifetime(held) {}
        }
    }

    /// A caller that takes a file another caller opened for one read would hold the file beyond the bound.
    @Test func whatIsOpenForOneReadIsNotHeldBeyondTheBound() {
        let table = OpenBodies()
        table.permit(1)
        #expect(table.add(1, 1000, 4096, keeps: false)?.isOurs == true)
        #expect(table.add(2, 1001, 4096, keeps: true) == nil)
        #expect(table.add(2, 1001, 4096, keeps: true, holds: false)?.isOurs == true)
        #expect(table.take(2) == nil && table.add(2, 1002, 4096, keeps: false) == nil)
        #expect(table.take(2, holds: false) == 1001)
        #expect(table.leave(2) == nil && table.leave(2) == 1001)
        #expect(table.leave(1) == 1000 && table.count == 0)
    }

    @Test func aBodyThatNobodyUsesGivesItsPlaceToANewOne() {
        let table = OpenBodies()
        table.permit(2)
        var files: [Int32] = []
        for id in 1...4 as ClosedRange<Int64> {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            files.append(file)
            #expect(table.add(id, file, 4096, keeps: true)?.isOurs == true)
            #expect(table.count == min(Int(id), 2))
            #expect(table.leave(id) == nil)
        }
        #expect(table.take(4) == files[3] && table.take(3) == files[2] && table.take(2) == nil)
        #expect(table.add(5, 1000, 4096, keeps: true) == nil && table.count == 2)
        table.closeAll()
    }

    /// Descriptors that wait to be closed count. The writer closes them, and the disk may hold the writer.
    @Test func whatWaitsToBeClosedCounts() {
        let table = OpenBodies()
        table.permit(2)
        for id in 1...2 as ClosedRange<Int64> {
            #expect(table.add(id, Int32(1000 + id), 4096, keeps: false, isUnderWay: true) != nil)
            table.completed(id)
            #expect(table.leave(id) == nil)
        }
        #expect(table.count == 2 && !table.hasRoom)
        #expect(table.add(3, 1003, 4096, keeps: false) == nil)
        #expect(table.takeClosable() == 1002 && table.hasRoom)
        #expect(table.add(3, 1003, 4096, keeps: false) != nil)
        #expect(table.takeClosable() == 1001 && table.takeClosable() == nil && table.count == 1)
    }

    @Test func oneThatWasUsedSinceTheLastLookStays() {
        let table = OpenBodies()
        table.permit(3)
        let files = (0..<6).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for id in 1...3 {
            #expect(table.add(Int64(id), files[id], 4096, keeps: true) != nil)
            #expect(table.leave(Int64(id)) == nil)
        }
        #expect(table.take(1) == files[1] && table.leave(1) == nil)
        #expect(table.add(4, files[4], 4096, keeps: true) != nil)
        #expect(table.take(2) == nil && table.take(1) == files[1] && table.take(3) == files[3])
        // All other bodies are in use.
        #expect(table.add(5, files[5], 4096, keeps: true) == nil && !table.hasRoom)
        #expect(table.leave(4) == nil && table.hasRoom)
        #expect(table.add(5, files[5], 4096, keeps: true) != nil && table.take(4) == nil)
        table.closeAll()
    }
}
