// Timers come in the order of their deadlines, whatever was cancelled in between.
import LarderCore
import Testing

@testable import LarderIO

@Suite struct TimerHeapTests {
    private func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    @Test func theEarliestIsNeverACancelledTimer() {
        var heap = TimerHeap()
        let first = heap.insert(at: time(1)) {}
        let second = heap.insert(at: time(2)) {}
        _ = heap.insert(at: time(3)) {}
        // The second timer is removed from the heap only after the first.
        heap.cancel(second)
        #expect(heap.earliest == time(1))
        heap.cancel(first)
        #expect(heap.earliest == time(3))
        #expect(heap.places == 1)
    }

    @Test func whatIsTakenLeavesNoCancelledTimerInFront() {
        var heap = TimerHeap()
        _ = heap.insert(at: time(1)) {}
        let second = heap.insert(at: time(2)) {}
        heap.cancel(second)
        let taken1 = heap.popDue(at: time(1))
        #expect(taken1 != nil)
        #expect(heap.earliest == nil)
        #expect(heap.places == 0)
    }

    @Test func nothingIsTakenBeforeItsTime() {
        var heap = TimerHeap()
        _ = heap.insert(at: time(5)) {}
        let left4 = heap.popDue(at: time(4))
        #expect(left4 == nil)
        let taken5 = heap.popDue(at: time(5))
        #expect(taken5 != nil)
        let left5 = heap.popDue(at: time(5))
        #expect(left5 == nil)
    }

    @Test func aTimerIsCancelledOnce() {
        var heap = TimerHeap()
        let token = heap.insert(at: time(1)) {}
        let isCancelled = heap.cancel(token) != nil
        #expect(isCancelled)
        let isCancelledAgain = heap.cancel(token) != nil
        #expect(!isCancelledAgain)
        #expect(heap.earliest == nil)
    }

    /// Compares the heap with a list that is searched from its beginning each time.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
    func anyMixOfSettingCancellingAndTakingKeepsTheOrder(_ seed: UInt64) {
        var state = seed
        func number(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        var heap = TimerHeap()
        var expected: [(deadline: Int, name: Int, token: TimerToken)] = []
        var taken: [Int] = []
        for step in 0..<3000 {
            switch number(below: 4) {
            case 0, 1:
                let deadline = step + number(below: 50)
                expected.append((deadline, step, heap.insert(at: time(deadline)) { taken.append(step) }))
            case 2:
                guard !expected.isEmpty else { continue }
                let gone = expected.remove(at: number(below: expected.count))
                let isCancelled = heap.cancel(gone.token) != nil
                #expect(isCancelled)
            default:
                let due = expected.indices.filter { expected[$0].deadline <= step }.min {
                    (expected[$0].deadline, expected[$0].name) < (expected[$1].deadline, expected[$1].name)
                }
                let body = heap.popDue(at: time(step))
                #expect((body == nil) == (due == nil))
                body?()
                if let due { #expect(taken.last == expected.remove(at: due).name) }
            }
            #expect(heap.earliest == expected.map(\.deadline).min().map { time($0) })
            #expect(heap.count == expected.count)
        }
    }
}
