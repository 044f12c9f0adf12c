// Which files of bodies are open, and by how many: a bounded number stays open after its last use, so that a loop need not open
// a file for each hit. What was removed meanwhile, or just written, is closed by the writer's thread and not by a loop: closing
// the last descriptor of a file without a name frees its blocks, which may wait for the disk.
//
// Beyond a number that is open in all, one that nobody uses is closed for a new one, and else the new one is refused: bodies
// must not take the descriptors that others need. Not refused is one that is open for one read only, on a thread of the
// store: there are as many of these as threads.
//
// It also counts the bytes of files that no row counts: of bodies under way, and of removed ones that are still read.
import Glibc
import LarderCore
import Synchronization

final class OpenBodies: Sendable {
    /// Descriptors that stay open without a user at most.
    static let kept = 128
    /// A search for a slot to take looks at no more.
    private static let slotsExamined = 64

    private struct Entry {
        var descriptor: Int32
        var users: Int
        var blocks: Int64
        /// Its index in `State.slots`, where it stays open without a user; else nil.
        var slot: Int?
        var wasUsed = false
        var isUnderWay = false
        /// It was written by this descriptor: closing it gives back what was reserved for more.
        var isWritten = false
        var isRemoved = false
        /// It was opened beyond the limit, for one read.
        var isBeyond = false
    }

    private struct State {
        var entries: [Int64: Entry] = [:]
        /// The ids of files that stay open without a user.
        var slots: [Int64] = []
        /// Where the next search for a slot begins.
        var nextSlot = 0
        /// No more files are open.
        var limit = Int.max
        /// Bodies under way that nobody writes or reads any more.
        var abandoned: [Int64] = []
        /// Descriptors for the writer to close: of files without a name, and of new ones.
        var closable: [Int32] = []

        /// How many are open: what waits to be closed is, too.
        var open: Int { entries.count + closable.count }
        var isFull: Bool { open >= limit }

        /// One more user of a file that is open. Nil where it is not, or where it is to be held and there are too many.
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
    }

    private let state = Lock(State())
    private let bytes = Atomic<Int64>(0)
    /// Called where the writer has something to close or to remove.
    let onWriterWork = Lock<(@Sendable () -> Void)?>(nil)

    /// Bytes on the disk that no row counts.
    var uncounted: Int64 { bytes.load(ordering: .relaxed) }
    /// Files that are being read or written: for tests.
    var used: Int { state.withLock { $0.entries.values.count { $0.users > 0 } } }
    /// All that are open.
    var count: Int { state.withLock { $0.open } }

    /// No more than so many are open from now on; those that are stay.
    func permit(_ limit: Int) { state.withLock { $0.limit = max(1, limit) } }

    /// Whether a body may be opened and held now.
    var hasRoom: Bool {
        state.withLock { state in
            guard state.isFull else { return true }
            return state.slots.contains { state.entries[$0].map { $0.users == 0 && $0.slot != nil } ?? false }
        }
    }

    /// One more user of a file that is open.
    /// - Parameter holds: false where it is for one read, on a thread of the store.
    func take(_ id: Int64, holds: Bool = true) -> Int32? { state.withLock { $0.take(id, holds: holds) } }

    /// A file that was opened, and its first user. Where another was quicker its descriptor counts. Nil where as many are in use
    /// as may be open.
    /// - Parameters:
    ///   - keeps: it stays open afterwards, where there is a place for it.
    ///   - holds: false where it is for one read, on a thread of the store, and must not be refused.
    func add(
        _ id: Int64, _ descriptor: Int32, _ blocks: Int64, keeps: Bool, isUnderWay: Bool = false, holds: Bool = true
    ) -> (descriptor: Int32, isOurs: Bool)? {
        var evicted: [Int32] = []
        let known = state.withLock { state -> (Int32, Bool)? in
            if state.entries[id] != nil { return state.take(id, holds: holds).map { ($0, false) } }
            while state.isFull, let idle = Self.takeIdle(&state) { evicted.append(idle) }
            let isBeyond = state.isFull
            if isBeyond, holds { return nil }
            var entry = Entry(
                descriptor: descriptor, users: 1, blocks: blocks, isUnderWay: isUnderWay, isWritten: isUnderWay,
                isBeyond: isBeyond)
            if keeps, !isBeyond { entry.slot = Self.takeSlot(for: id, &state, &evicted) }
            state.entries[id] = entry
            return (descriptor, true)
        }
        // They have their names: only the descriptors go.
        for descriptor in evicted { Glibc.close(descriptor) }
        return known
    }

    /// One that stays open and is used by nobody, taken out.
    private static func takeIdle(_ state: inout State) -> Int32? {
        // The second time around, all that nobody uses count as not used since.
        for _ in 0..<(state.slots.count * 2) {
            if case .idle(_, let descriptor) = nextSlot(&state) { return descriptor }
        }
        return nil
    }

    /// A free slot, or that of a file that was not used since the last search looked at it.
    private static func takeSlot(for id: Int64, _ state: inout State, _ evicted: inout [Int32]) -> Int? {
        if state.slots.count < kept {
            state.slots.append(id)
            return state.slots.count - 1
        }
        for _ in 0..<slotsExamined {
            let taken: Int
            switch nextSlot(&state) {
            case .inUse: continue
            case .free(let slot): taken = slot
            case .idle(let slot, let descriptor):
                evicted.append(descriptor)
                taken = slot
            }
            state.slots[taken] = id
            return taken
        }
        return nil
    }

    private enum Slot {
        case inUse
        case free(Int)
        /// Its file was not used since the last look, and is taken out.
        case idle(Int, Int32)
    }

    /// One step of the clock algorithm. There is a slot.
    private static func nextSlot(_ state: inout State) -> Slot {
        let slot = state.nextSlot % state.slots.count
        state.nextSlot = slot + 1
        let id = state.slots[slot]
        guard let entry = state.entries[id], entry.slot == slot else { return .free(slot) }
        state.entries[id]?.wasUsed = false
        if entry.wasUsed || entry.users > 0 { return .inUse }
        state.entries[id] = nil
        return .idle(slot, entry.descriptor)
    }

    /// One user less. What is given back is to be closed by the caller.
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
            } else if entry.slot == nil {
                state.entries[id] = nil
                return entry.descriptor
            }
            return nil
        }
        if isForWriter { onWriterWork.withLock { $0 }?() }
        return idle
    }

    // MARK: The writer's side

    /// The file loses its name. What is given back is used by nobody and to be closed.
    func remove(_ id: Int64) -> Int32? {
        state.withLock { state in
            guard var entry = state.entries[id], !entry.isRemoved else { return nil }
            if entry.users == 0 {
                if entry.isUnderWay { bytes.subtract(entry.blocks, ordering: .relaxed) }
                state.entries[id] = nil
                return entry.descriptor
            }
            if !entry.isUnderWay { bytes.add(entry.blocks, ordering: .relaxed) }
            entry.isRemoved = true
            entry.isUnderWay = false
            state.entries[id] = entry
            return nil
        }
    }

    /// A body under way takes so many bytes now.
    func grew(_ id: Int64, to blocks: Int64) {
        state.withLock { state in
            guard let entry = state.entries[id] else { return }
            bytes.add(blocks - entry.blocks, ordering: .relaxed)
            state.entries[id]?.blocks = blocks
        }
    }

    /// The row of a body under way is committed, and counts it.
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

    /// One at a time: the disk may hold the writer for each.
    func takeClosable() -> Int32? { state.withLock { $0.closable.popLast() } }

    /// The store is closed, and nobody reads.
    func closeAll() {
        let open = state.withLock { state -> [Int32] in
            defer { state = State() }
            return state.entries.values.map(\.descriptor) + state.closable
        }
        for descriptor in open { Glibc.close(descriptor) }
    }
}
