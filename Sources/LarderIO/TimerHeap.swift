// The deadlines of a loop in order, as a value. The loop asks which timer is due and when to wake next. Timers with
// equal deadlines fire in the order in which they were set.
import LarderCore

/// Identifies a timer that was set.
public struct TimerToken: Sendable, Hashable {
    let slot: UInt32
    /// How often the slot had been used before.
    let generation: UInt32
}

/// A binary heap of deadlines. A cancelled timer keeps its place until it comes up, or until cancelled places are the
/// greater part of the heap. Memory thus stays within a small multiple of the timers in force.
///
/// The first place is always in force, because a timer cancelled there leaves at once. A loop asks for the earliest
/// deadline twice in each turn, so the answer must not cost a look into the table.
struct TimerHeap {
    private struct Entry {
        var deadline: MonotonicTime
        /// The order in which timers were set.
        var number: UInt64
        var token: TimerToken

        static func < (left: Entry, right: Entry) -> Bool {
            left.deadline == right.deadline ? left.number < right.number : left.deadline < right.deadline
        }
    }

    private struct Slot {
        var generation: UInt32 = 0
        /// Nil if no timer in force has the slot.
        var body: (() -> Void)?
    }

    private var heap: [Entry] = []
    private var slots: [Slot] = []
    private var vacant: [UInt32] = []
    private var next: UInt64 = 0

    /// The number of timers in force.
    var count: Int { slots.count - vacant.count }
    /// The number of places, including cancelled timers.
    var places: Int { heap.count }

    mutating func insert(at deadline: MonotonicTime, _ body: @escaping () -> Void) -> TimerToken {
        let slot: UInt32
        if let free = vacant.popLast() {
            slot = free
        } else {
            slot = UInt32(slots.count)
            slots.append(Slot())
        }
        slots[Int(slot)].body = body
        let token = TimerToken(slot: slot, generation: slots[Int(slot)].generation)
        heap.append(Entry(deadline: deadline, number: next, token: token))
        next += 1
        siftUp(from: heap.count - 1)
        return token
    }

    /// A token of a heap that was thrown away may name a slot that there is not.
    private func isInForce(_ token: TimerToken) -> Bool {
        token.slot < slots.count && slots[Int(token.slot)].generation == token.generation
    }

    /// Frees the slot of a timer in force, and returns the timer's body.
    private mutating func take(_ token: TimerToken) -> (() -> Void)? {
        let body = slots[Int(token.slot)].body.take()
        slots[Int(token.slot)].generation &+= 1
        vacant.append(token.slot)
        return body
    }

    /// Cancels a timer.
    /// - Returns: its body, for the caller to release when the heap is whole again; nil if it was no longer in force.
    @discardableResult
    mutating func cancel(_ token: TimerToken) -> (() -> Void)? {
        guard isInForce(token) else { return nil }
        let body = take(token)
        if heap.first?.token == token {
            removeFirst()
            dropCancelled()
        }
        if heap.count > 64, heap.count > 2 * count {
            heap = heap.filter { isInForce($0.token) }
            // A sorted array is a heap.
            heap.sort(by: <)
        }
        return body
    }

    /// The earliest deadline in force; nil if there is none.
    var earliest: MonotonicTime? { heap.first?.deadline }

    /// Removes the earliest timer if it is due, and returns its body.
    mutating func popDue(at now: MonotonicTime) -> (() -> Void)? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        removeFirst()
        let body = take(first.token)
        dropCancelled()
        return body
    }

    /// Removes cancelled timers from the front.
    private mutating func dropCancelled() {
        while let first = heap.first, !isInForce(first.token) { removeFirst() }
    }

    private mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        heap.withUnsafeMutableBufferPointer { heap in
            let entry = heap[start]
            var place = start
            while place > 0, entry < heap[(place - 1) / 2] {
                heap[place] = heap[(place - 1) / 2]
                place = (place - 1) / 2
            }
            heap[place] = entry
        }
    }

    private mutating func siftDown() {
        heap.withUnsafeMutableBufferPointer { heap in
            let entry = heap[0]
            var place = 0
            while 2 * place + 1 < heap.count {
                var child = 2 * place + 1
                if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
                guard heap[child] < entry else { break }
                heap[place] = heap[child]
                place = child
            }
            heap[place] = entry
        }
    }
}
