// A body that is gathered whole. Memory is claimed before it is allocated: all of it if the head declares a length,
// else in steps that double as the body grows. Doubling keeps the memory in use within the claim, even while the body
// is copied to a larger allocation.
import LarderCore

struct WholeBody {
    private var bytes = Bytes()
    private var hold: BodyHold?
    /// The size up to which the body grows without being copied.
    private var room = 0
    private var promised: Int?

    /// The largest declared length that is allocated at once. The rest is allocated only when this much has come.
    private static let believed = 1 << 20

    /// Claims memory for the length that the head declares.
    /// - Returns: false if there is no room for it.
    mutating func expect(_ length: Int, _ memory: BodyMemory) -> Bool {
        guard claim(length, memory) else { return false }
        promised = length
        grow(to: min(length, Self.believed))
        return true
    }

    /// - Parameter limit: the largest size of the body.
    /// - Returns: false if there is no room for the piece.
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

    /// Returns the body and its claim, reduced to the body's size, and leaves this value empty.
    mutating func take() -> (Bytes, BodyHold?) {
        // A reduction is always granted.
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
