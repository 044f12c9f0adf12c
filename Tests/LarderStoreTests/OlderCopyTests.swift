// An older copy of the whole cache directory, as of a backup, does not bring back what was removed since.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct OlderCopyTests {
    /// Copies the directory of a store that holds `a`, then makes the change. The body gets the copy, opened as the
    /// directory of the same daemon.
    private func withAnOlderCopy(
        change: (SQLiteStore, Bench, String) async throws -> Void,
        _ body: (SQLiteStore, Bench) async throws -> Void
    ) async throws {
        let state = TemporaryDirectory()
        try await withBench { (bench) async throws in
            let store = try bench.open(notes: state.path)
            #expect(await store.write(bench.entry("a")) == .stored)
            try await withBench { (copy) async throws in
                try bench.copyAsKilled(to: copy)
                try await change(store, bench, state.path + "/cache.removed")
                await store.close()
                let second = try copy.open(notes: state.path)
                try await body(second, copy)
                await second.close()
            }
        }
    }

    private func remove(_ name: String, _ store: SQLiteStore, _ bench: Bench) async throws {
        let key = bench.entry(name).key
        guard case .done = await store.remove(.digest(key.digest), soft: false, provider: "itunes") else {
            throw CancellationError()
        }
    }

    @Test func anOlderCopyIsSetAside() async throws {
        try await withAnOlderCopy { (store, bench, _) async throws in
            try await remove("a", store, bench)
        } _: { (second, copy) async throws in
            #expect(try await second.read(copy.entry("a").key) == nil)
            #expect(copy.count(StoreCounters.setAside, "cache") == 1)
            #expect(try await second.statistics().setAside?.contains("older copy") == true)
            #expect(await second.write(copy.entry("a")) == .stored)
        }
    }

    @Test func whatIsRememberedIsWrittenWhenARemovalIsFlushed() async throws {
        try await withAnOlderCopy { (store, bench, note) async throws in
            #expect(access(note, F_OK) != 0)
            try await remove("a", store, bench)
            try await eventually("it is remembered") { access(note, F_OK) == 0 }
        } _: { _, _ in
        }
    }

    @Test func anOlderCopyThatLacksNoRemovalStays() async throws {
        try await withAnOlderCopy { (store, bench, _) async throws in
            for name in ["b", "c"] { #expect(await store.write(bench.entry(name)) == .stored) }
        } _: { (second, copy) async throws in
            #expect(try await sameEntry(second.read(copy.entry("a").key), copy.entry("a")))
            #expect(copy.count(StoreCounters.setAside, "cache") == 0)
        }
    }

    /// The kill may come before the note, or the note may be lost or torn.
    @Test(arguments: ["", "torn", "absent"])
    func withoutANoteNoCacheIsLost(_ state: String) async throws {
        try await withAnOlderCopy { (store, bench, note) async throws in
            try await remove("a", store, bench)
            try await eventually("it is remembered") { access(note, F_OK) == 0 }
            await store.close()
            switch state {
            case "": #expect(truncate(note, 0) == 0)
            case "torn": try Bench.flip(note, at: 17)
            default: #expect(unlink(note) == 0)
            }
        } _: { (second, copy) async throws in
            #expect(try await sameEntry(second.read(copy.entry("a").key), copy.entry("a")))
        }
    }

    @Test func anotherCacheIsNotJudgedByIt() async throws {
        let state = TemporaryDirectory()
        for name in ["one", "two"] {
            try await withBench { (bench) async throws in
                let first = try bench.open(notes: name == "one" ? state.path : nil)
                #expect(await first.write(bench.entry("a")) == .stored)
                for _ in 0..<(name == "one" ? 9 : 0) {
                    #expect(await first.write(bench.entry("b")) == .stored)
                    try await remove("b", first, bench)
                }
                await first.close()
                let second = try bench.open(notes: state.path)
                #expect(try await sameEntry(second.read(bench.entry("a").key), bench.entry("a")))
                await second.close()
            }
        }
    }
}
