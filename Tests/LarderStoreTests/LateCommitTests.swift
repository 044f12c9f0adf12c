// Accepted answers whose commit is late: a kill does not bring back what they replace.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct LateCommitTests {
    private static let late = StoreSettings(minFree: 0, commitWithin: .milliseconds(20))

    /// Accepts successors of the entries while commits stand still, and waits until that is noticed.
    private func replace(_ entries: [StoredResponse], _ store: SQLiteStore, _ bench: Bench) async throws {
        store.shared.faults.hold(true)
        for entry in entries {
            var next = entry
            next.body = Bytes(text: "new")
            #expect(await store.write(next) == .accepted)
        }
        try await bench.eventually("commits are late", in: store) { store.shared.waits.isLate }
    }

    @Test func whatALateAnswerReplacesDoesNotComeBackAfterAKill() async throws {
        try await withStore(Self.late) { (store, bench) async throws in
            let old = (0..<12).map { bench.entry("\($0)") }
            let kept = bench.entry("kept")
            for entry in old + [kept] { #expect(await store.write(entry) == .accepted) }
            await store.commit()
            await store.maintain()
            defer { store.shared.faults.hold(false) }
            try await replace(old, store, bench)
            try await bench.eventually("the mark says so", in: store) {
                try bench.isPending() && store.shared.removals.count == old.count
            }
            for entry in old { #expect(try await store.read(entry.key)?.body == Bytes(text: "new")) }
            try await bench.afterAKill { (second, copy) async throws in
                for entry in old { #expect(try await second.read(entry.key) == nil) }
                #expect(try await second.read(kept.key) == nil)
                #expect(copy.count(StoreCounters.setAside, "cache") == 1)
            }
        }
    }

    @Test func theTraceGoesWithTheCommit() async throws {
        try await withStore(Self.late) { (store, bench) async throws in
            let old = bench.entry("a")
            #expect(await store.write(old) == .accepted)
            await store.commit()
            try await replace([old], store, bench)
            try await bench.eventually("it is traced", in: store) { store.shared.removals.count == 1 }
            store.shared.faults.hold(false)
            try await bench.eventually("it is committed", in: store) {
                store.shared.overlay.isEmpty && store.shared.removals.count == 0
            }
            try await bench.eventually("the mark says so", in: store) { try !bench.isPending() }
            try await bench.afterAKill { (second, _) async throws in
                #expect(try await second.read(old.key)?.body == Bytes(text: "new"))
            }
        }
    }

    /// The writer takes a moment, as in a healthy store.
    @Test func whatIsHiddenCostsOnlyItselfIfTheStoreIsKilledInThatMoment() async throws {
        try await withStore { (store, bench) async throws in
            let (hidden, kept) = (bench.entry("a"), bench.entry("b"))
            for entry in [hidden, kept] { #expect(await store.write(entry) == .stored) }
            store.shared.faults.hold(true)
            store.hide(hidden)
            #expect(try await store.read(hidden.key) == nil)
            try await bench.afterAKill { (second, copy) async throws in
                #expect(try await second.read(kept.key) != nil)
                #expect(copy.count(StoreCounters.setAside, "cache") == 0)
            }
            store.shared.faults.hold(false)
        }
    }
}
