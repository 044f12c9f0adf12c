// Which body files are open, and how many users each has. A bounded number stays open after its last use, so that a
// loop need not open a file for each hit. The writer's thread closes files that were removed meanwhile or just written:
// closing the last descriptor of a file without a name frees its blocks, which may wait for the disk. At the limit an
// unused file is closed for a new one; without one the new one is refused. A file that is open for one read on a thread
// of the store is never refused: there are only as many as threads. The table also counts the bytes of files that no
// row counts: of bodies under way, and of removed ones that are still read.
import Glibc
import LarderCore
import Synchronization

final class OpenBodies: Sendable {
    /// The most descriptors that stay open without a user.
    static let kept = 128
    /// The most files that the search for one to close looks at.
    private static let filesExamined = 64

    private struct Entry {
        var descriptor: Int32
        var users: Int
        var blocks: Int64
        /// Whether it may stay open without a user.
        var isKept = false
        var wasUsed = false
        var isUnderWay = false
        /// Whether the body was written by this descriptor: closing it gives back the room that was reserved for more.
        var isWritten = false
        var isRemoved = false
        /// Whether it was opened beyond the limit, for one read.
        var isBeyond = false
        /// Until when the whole file counts as checked.
        var checkedUntil = MonotonicTime.distantPast
    }

    private struct State {
        var entries: [Int64: Entry] = [:]
        /// The ids of files that may stay open without a user, in the order in which one is looked for to be closed.
        var kept: [Int64] = []
        /// The most files that may be open.
        var limit = Int.max
        /// Bodies under way that nobody writes or reads any more.
        var abandoned: [Int64] = []
        /// Descriptors for the writer to close: of removed files, and of files just written.
        var closable: [Int32] = []

        /// How many files are open. Descriptors that wait to be closed count too.
        var open: Int { entries.count + closable.count }
        var isFull: Bool { open >= limit }

        /// Adds a user to an open file. Nil if the file is not open, or if it is to be held and too many are open.
        mutating func take(_ id: Int64, holds: Bool) -> Int32? {
            guard var entry = entries[id] else { return nil }
            if holds, entry.isBeyond {
                guard open <= limit else { return nil }
                entry.isBeyond = false
            }
            entry.users += 1
            entry.wasUsed = true
            entries[id] = entry
            return entry.descriptor
        }

        /// Takes out a file that is kept open, is not in use, and was not used since the last search looked at it.
        /// - Parameter most: how many files are looked at.
        /// - Returns: its descriptor.
        mutating func takeIdle(atMost most: Int) -> Int32? {
            for _ in 0..<(kept.isEmpty ? 0 : most) {
                let id = kept.removeFirst()
                if let entry = entries[id], !entry.wasUsed, entry.users == 0 {
                    entries[id] = nil
                    return entry.descriptor
                }
                entries[id]?.wasUsed = false
                kept.append(id)
            }
            return nil
        }
    }

    private let state = Lock(State())
    private let bytes = Atomic<Int64>(0)
    /// Called when the writer has something to close or to remove.
    let onWriterWork = Hook<(@Sendable () -> Void)?>(nil)

    /// Bytes on the disk that no row counts.
    var uncounted: Int64 { bytes.load(ordering: .relaxed) }
    /// Number of files that are being read or written. For tests.
    var used: Int { state.withLock { $0.entries.values.count { $0.users > 0 } } }
    /// Number of all open files.
    var count: Int { state.withLock { $0.open } }

    /// Limits the number of open files from now on. Files that are open stay open.
    func permit(_ limit: Int) { state.withLock { $0.limit = max(1, limit) } }

    /// Whether a body may be opened and held now.
    var hasRoom: Bool {
        state.withLock { state in
            guard state.isFull else { return true }
            return state.kept.contains { state.entries[$0]?.users == 0 }
        }
    }

    /// Adds a user to an open file.
    /// - Parameter holds: false for one read, on a thread of the store.
    func take(_ id: Int64, holds: Bool = true) -> Int32? { state.withLock { $0.take(id, holds: holds) } }

    /// Whether the whole file was compared with its checksum a moment ago.
    func isChecked(_ id: Int64, at now: MonotonicTime) -> Bool {
        state.withLock { $0.entries[id].map { now < $0.checkedUntil } ?? false }
    }

    /// Notes until when the whole file counts as checked.
    func checked(_ id: Int64, until end: MonotonicTime) {
        state.withLock { $0.entries[id]?.checkedUntil = end }
    }

    /// Adds a file that was opened, with its first user. If another thread was quicker, its descriptor counts. Nil if
    /// as many files are in use as may be open.
    /// - Parameters:
    ///   - keeps: whether the file stays open afterwards, if there is room for it among those.
    ///   - holds: false for one read, on a thread of the store, which must not be refused.
    func add(
        _ id: Int64, _ descriptor: Int32, _ blocks: Int64, keeps: Bool, isUnderWay: Bool = false, holds: Bool = true
    ) -> (descriptor: Int32, isOurs: Bool)? {
        var evicted: [Int32] = []
        let known = state.withLock { state -> (Int32, Bool)? in
            if state.entries[id] != nil { return state.take(id, holds: holds).map { ($0, false) } }
            // The second time around, all unused files count as not used since.
            while state.isFull, let idle = state.takeIdle(atMost: state.kept.count * 2) { evicted.append(idle) }
            let isBeyond = state.isFull
            if isBeyond, holds { return nil }
            var entry = Entry(
                descriptor: descriptor, users: 1, blocks: blocks, isUnderWay: isUnderWay, isWritten: isUnderWay,
                isBeyond: isBeyond)
            if keeps, !isBeyond {
                if state.kept.count >= Self.kept, let idle = state.takeIdle(atMost: Self.filesExamined) {
                    evicted.append(idle)
                }
                entry.isKept = state.kept.count < Self.kept
                if entry.isKept { state.kept.append(id) }
            }
            state.entries[id] = entry
            return (descriptor, true)
        }
        // These files have their names, so closing them does not wait for the disk.
        for descriptor in evicted { Glibc.close(descriptor) }
        return known
    }

    /// Removes one user. The caller must close a descriptor that is returned.
    func leave(_ id: Int64) -> Int32? {
        var isForWriter = false
        let idle = state.withLock { state -> Int32? in
            guard var entry = state.entries[id] else { return nil }
            entry.users -= 1
            state.entries[id] = entry
            guard entry.users == 0 else { return nil }
            if entry.isUnderWay {
                state.abandoned.append(id)
                isForWriter = true
            } else if entry.isRemoved || entry.isWritten {
                state.entries[id] = nil
                state.closable.append(entry.descriptor)
                if entry.isRemoved { bytes.subtract(entry.blocks, ordering: .relaxed) }
                isForWriter = true
            } else if !entry.isKept {
                state.entries[id] = nil
                return entry.descriptor
            }
            return nil
        }
        if isForWriter { onWriterWork.get()?() }
        return idle
    }

    // MARK: The writer's side

    /// Notes that the file loses its name. A descriptor that is returned has no user; the caller must close it.
    func remove(_ id: Int64) -> Int32? {
        state.withLock { state in
            guard var entry = state.entries[id], !entry.isRemoved else { return nil }
            if entry.isKept { state.kept.removeAll { $0 == id } }
            if entry.users == 0 {
                if entry.isUnderWay { bytes.subtract(entry.blocks, ordering: .relaxed) }
                state.entries[id] = nil
                return entry.descriptor
            }
            if !entry.isUnderWay { bytes.add(entry.blocks, ordering: .relaxed) }
            entry.isRemoved = true
            entry.isKept = false
            entry.isUnderWay = false
            state.entries[id] = entry
            return nil
        }
    }

    /// Notes how many bytes a body under way takes now.
    func grew(_ id: Int64, to blocks: Int64) {
        state.withLock { state in
            guard let entry = state.entries[id] else { return }
            bytes.add(blocks - entry.blocks, ordering: .relaxed)
            state.entries[id]?.blocks = blocks
        }
    }

    /// Notes that the row of a body under way is committed, and counts its bytes from now on.
    func completed(_ id: Int64) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.isUnderWay else { return }
            bytes.subtract(entry.blocks, ordering: .relaxed)
            state.entries[id]?.isUnderWay = false
        }
    }

    func isUnderWay(_ id: Int64) -> Bool { state.withLock { $0.entries[id]?.isUnderWay ?? false } }

    func takeAbandoned() -> [Int64] {
        state.withLock { state in
            defer { state.abandoned = [] }
            return state.abandoned
        }
    }

    /// One descriptor at a time: the disk may hold up the writer for each.
    func takeClosable() -> Int32? { state.withLock { $0.closable.popLast() } }

    /// Closes all files when the store is closed and nobody reads.
    func closeAll() {
        let open = state.withLock { state -> [Int32] in
            defer { state = State() }
            return state.entries.values.map(\.descriptor) + state.closable
        }
        for descriptor in open { Glibc.close(descriptor) }
    }
}
