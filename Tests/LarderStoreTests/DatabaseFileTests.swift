// The files of the databases are readable by one user only, even if another program made them.
import Glibc
import LarderCore
import Testing

@testable import LarderStore

struct DatabaseFileTests {
    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func aDatabaseThatIsThereBecomesItsOwnersAlone() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/state.db"
            // A copy, or a killed process, leaves such files.
            let first = try bench.openState()
            try await first.setValue("a", [1])
            await first.close()
            for suffix in ["-wal", "-shm"] where mode(path + suffix) == nil { try writeFile(path + suffix, []) }
            for suffix in ["", "-wal", "-shm"] { #expect(chmod(path + suffix, 0o644) == 0) }
            let store = try bench.openState()
            for suffix in ["", "-wal", "-shm"] { #expect(mode(path + suffix) == 0o600, "state.db\(suffix)") }
            #expect(try await store.value("a") == [1])
            await store.close()
        }
    }

    @Test(arguments: ["state.db", "state.db-wal", "state.db-shm", "cache.db", "cache.db-wal", "cache.db-shm"])
    func aDatabaseBehindALinkIsRefused(_ name: String) async throws {
        try await withBench { (bench) async throws in
            let target = bench.directory + "/elsewhere"
            try writeFile(target, [])
            #expect(chmod(target, 0o644) == 0)
            #expect(symlink(target, "\(bench.directory)/\(name)") == 0)
            do {
                if name.hasPrefix("state") {
                    await (try bench.openState()).close()
                } else {
                    await (try bench.open()).close()
                }
                Issue.record("\(name) was opened")
            } catch {
                #expect("\(error)".contains("symbolic link"), "\(error)")
            }
            #expect(mode(target) == 0o644, "what the link leads to was left alone")
        }
    }

    @Test func theCacheToo() async throws {
        try await withBench { (bench) async throws in
            let path = bench.directory + "/cache.db"
            await (try bench.open()).close()
            #expect(chmod(path, 0o666) == 0)
            let store = try bench.open()
            #expect(mode(path) == 0o600)
            await store.close()
        }
    }
}
