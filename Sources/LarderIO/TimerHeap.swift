// The deadlines of a loop in order, as a value. The loop asks which timer is due and when to wake next. Timers with
// equal deadlines fire in the order in which they were set.
import LarderCore

/// Identifies a timer that was set.
public struct TimerToken: Sendable, Hashable {
    let number: UInt64
}

/// A binary heap of deadlines. A cancelled timer keeps its place until it comes up, or until cancelled places are the
/// greater part of the heap. Memory thus stays within a small multiple of the timers in force.
///
/// The first place is always in force, because a timer cancelled there leaves at once. A loop asks for the earliest
/// deadline twice in each turn, so the answer must not cost a look into the table.
struct TimerHeap {
    private struct Entry {
        var deadline: MonotonicTime
        var number: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            left.deadline == right.deadline ? left.number < right.number : left.deadline < right.deadline
        }
    }

    private var heap: [Entry] = []
    private var bodies: [UInt64: () -> Void] = [:]
    private var next: UInt64 = 0

    /// The number of timers in force.
    var count: Int { bodies.count }
    /// The number of places, including cancelled timers.
    var places: Int { heap.count }

    mutating func insert(at deadline: MonotonicTime, _ body: @escaping () -> Void) -> TimerToken {
        let number = next
        next += 1
        bodies[number] = body
        heap.append(Entry(deadline: deadline, number: number))
        siftUp(from: heap.count - 1)
        return TimerToken(number: number)
    }

    /// Cancels a timer. Returns whether it was still in force.
    @discardableResult
    mutating func cancel(_ token: TimerToken) -> Bool {
        guard bodies.removeValue(forKey: token.number) != nil else { return false }
        if heap.first?.number == token.number {
            removeFirst()
            dropCancelled()
        }
        if heap.count > 64, heap.count > 2 * bodies.count {
            heap.removeAll { bodies[$0.number] == nil }
            // A sorted array is a heap.
            heap.sort(by: <)
        }
        return true
    }

    /// The earliest deadline in force; nil if there is none.
    var earliest: MonotonicTime? { heap.first?.deadline }

    /// Removes the earliest timer if it is due, and returns its body.
    mutating func popDue(at now: MonotonicTime) -> (() -> Void)? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        removeFirst()
        let body = bodies.removeValue(forKey: first.number)
        dropCancelled()
        return body
    }

    /// Removes cancelled timers from the front.
    private mutating func dropCancelled() {
        while let first = heap.first, bodies[first.number] == nil { removeFirst() }
    }

    private mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
