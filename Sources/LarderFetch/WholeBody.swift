// A body that is gathered whole. Its room in memory is asked for before it is taken: all of it where the head tells a length,
// else as it grows, in steps that double. So what it holds is what it has asked for, also while it is moved to a larger
// piece of memory.
import LarderCore

struct WholeBody {
    private var bytes = Bytes()
    private var hold: BodyHold?
    /// Up to this size it grows without being moved.
    private var room = 0
    private var promised: Int?

    /// A promise of the far side is believed up to this; the rest of the memory is touched when that has come.
    private static let believed = 1 << 20

    /// The head tells how long it will be.
    /// - Returns: false where there is no room for it.
    mutating func expect(_ length: Int, _ memory: BodyMemory) -> Bool {
        guard claim(length, memory) else { return false }
        promised = length
        grow(to: min(length, Self.believed))
        return true
    }

    /// - Parameter limit: more than this never comes.
    /// - Returns: false where there is no room for it.
    mutating func append(_ piece: UnsafeRawBufferPointer, limit: Int, _ memory: BodyMemory) -> Bool {
        let needed = bytes.count + piece.count
        if needed > room {
            let next = max(needed, promised ?? min(limit, max(2 * room, 16 << 10)))
            guard claim(next, memory) else { return false }
            grow(to: next)
        }
        bytes.append(contentsOf: piece)
        return true
    }

    /// The body, and its room as large as it is. Nothing stays here.
    mutating func take() -> (Bytes, BodyHold?) {
        // Smaller is always granted.
        _ = hold?.resize(to: bytes.count)
        let taken = (bytes, hold)
        self = WholeBody()
        return taken
    }

    private mutating func grow(to size: Int) {
        bytes.reserveCapacity(size)
        room = size
    }

    private mutating func claim(_ size: Int, _ memory: BodyMemory) -> Bool {
        guard size > BodyMemory.uncounted else { return true }
        let hold = self.hold ?? memory.hold()
        self.hold = hold
        return hold.resize(to: size)
    }
}
