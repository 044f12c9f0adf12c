// Look-ups alone, without a socket: among few and among many entries, and of a file that is not in the page cache.
import CLinux
import Glibc
import LarderCore
import LarderIO
import LarderStore

enum TrialLook {
    private static func nanoseconds() -> Int64 { SystemTime().monotonic().nanoseconds }

    /// The same numbers in every run, far from each other.
    private static func place(_ index: Int, _ among: Int) -> Int {
        Int(truncatingIfNeeded: (UInt64(index) &* 0x9E37_79B9_7F4A_7C15) >> 33) % max(1, among)
    }

    private static func look(_ reader: TrialReader, _ number: Int) -> TrialFound {
        let key = Bytes(text: "/fill/\(number)")
        return withRawDigest(Digest(of: key)) { digest in key.withUnsafeBytes { reader.look(digest, key: $0) } }
    }

    /// So many entries, spread evenly over all of them, in an order that has nothing to do with where they lie.
    static func time(_ directory: String, among: Int, _ settings: TrialSettings) throws(TrialError) {
        let reader = try TrialReader(directory, settings)
        let rounds = 5
        let looks = settings.looks
        let entries = reader.entries
        reader.reads?.waits = false
        let step = max(1, entries / max(1, among))
        var best = Int64.max
        var waited = 0
        for _ in 0..<rounds {
            let start = nanoseconds()
            for index in 0..<looks {
                if settings.transactions == .turn, index % 16 == 0 { reader.beginTurn() }
                let number = place(index, among) * step + 1
                switch look(reader, number) {
                case .row: break
                case .wouldWait: waited += 1
                case .absent, .failed: throw TrialError(description: "/fill/\(number) was not found")
                }
                reader.release()
                if settings.transactions == .turn, index % 16 == 15 || index == looks - 1 { reader.endTurn() }
            }
            best = min(best, nanoseconds() - start)
        }
        print(
            "\(among) of \(entries): \(best / Int64(looks)) ns a look-up, best of \(rounds) rounds of \(looks); "
                + "\(waited) would have waited")
    }

    /// Each look-up without waiting, and where it would have waited, at once again with waiting.
    static func cold(_ directory: String, looks: Int) throws(TrialError) {
        var settings = TrialSettings(name: "LarderTrial,vfs=nowait")
        settings.directory = directory
        let reader = try TrialReader(directory, settings)
        guard let reads = reader.reads else { throw TrialError(description: "the VFS is not in use") }
        let file = open("\(directory)/cache.db", O_RDONLY | O_CLOEXEC)
        var status = stat()
        fstat(file, &status)
        fsync(file)
        let dropped = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        reads.waits = true
        let entries = reader.entries
        reads.waits = false
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        var tries: [Int64] = []
        var waits: [Int64] = []
        var failed = 0
        for index in 0..<looks {
            let number = place(index + 1, entries) + 1
            var start = nanoseconds()
            var found = look(reader, number)
            reader.release()
            guard case .wouldWait = found else {
                if case .row = found {} else { failed += 1 }
                continue
            }
            tries.append(nanoseconds() - start)
            reads.waits = true
            start = nanoseconds()
            found = look(reader, number)
            reader.release()
            waits.append(nanoseconds() - start)
            reads.waits = false
            if case .row = found {} else { failed += 1 }
        }
        // Warm now: every one of them without waiting.
        var warm = 0
        for index in 0..<looks {
            let number = place(index + 1, entries) + 1
            if case .row = look(reader, number) { warm += 1 }
            reader.release()
        }
        tries.sort()
        waits.sort()
        func text(_ list: [Int64]) -> String {
            guard !list.isEmpty else { return "none" }
            return "median \(list[list.count / 2] / 1000) µs, p99 \(list[list.count * 99 / 100] / 1000) µs, slowest "
                + "\(list[list.count - 1] / 1000) µs"
        }
        print("file of \(status.st_size >> 20) MiB, dropped: \(dropped == 0), supported: \(reads.isSupported)")
        print("\(looks) look-ups among \(entries): \(tries.count) would have waited (\(text(tries)))")
        print("repeated with waiting: \(text(waits)); failed: \(failed); warm: \(warm) of \(looks) at once")
        close(file)
    }
}
