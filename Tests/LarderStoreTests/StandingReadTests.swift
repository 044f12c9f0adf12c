// A caller does not wait for ever for a read that the disk does not answer.
import CSQLite
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct StandingReadTests {
    @Test func aStretchOfABodyOnADiskThatStandsStillFails() async throws {
        try await withStore { (store, bench) async throws in
            let entry = bench.entry("a", size: 1_000_000)
            #expect(await store.write(entry) == .stored)
            let large = try #require(try await store.open(entry.key)?.large)
            let isHeld = Lock(true)
            store.shared.faults.holdReads { isHeld.withLock { $0 } }
            let failed = try await bench.passing([.stretch], of: store) {
                (try? await large.read(at: 0, atMost: 1000)) == nil
            }
            let begins = try await bench.passing([.read], of: store) { await large.canBegin(at: 0) }
            isHeld.withLock { $0 = false }
            store.shared.faults.holdReads(nil)
            #expect(failed && !begins)
            #expect(bench.count(StoreCounters.late, "body") == 2)
            #expect(try await large.read(at: 0, atMost: 1000) == Bytes(entry.body.prefix(1000)))
        }
    }

    @Test func aSearchOnADiskThatStandsStillFails() async throws {
        try await withStore { (store, bench) async throws in
            #expect(await store.write(bench.results("1", [resultJSON("1", "Umber")])) == .stored)
            #expect(try await store.titles("umber").count == 1)
            let isHeld = Lock(true)
            store.shared.faults.holdReads { isHeld.withLock { $0 } }
            let code = try await bench.passing([.search], of: store) {
                do {
                    _ = try await store.titles("umber")
                    return SQLITE_OK
                } catch {
                    return (error as? StoreError)?.code ?? SQLITE_OK
                }
            }
            isHeld.withLock { $0 = false }
            store.shared.faults.holdReads(nil)
            #expect(code == SQLITE_BUSY)
            #expect(bench.count(StoreCounters.late, "search") == 1)
            #expect(try await store.titles("umber").count == 1)
        }
    }
}
