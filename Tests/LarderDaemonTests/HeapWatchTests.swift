// When free memory is given back to the system, tested with given values.
import LarderCore
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct HeapWatchTests {
    private static let mega = 1 << 20
    /// At the start 30 MiB are resident, of which 10 MiB are heap in use.
    private final class Watched {
        var watch = HeapWatch(resident: 30 * mega, used: 10 * mega)

        /// Whether the heap is measured when this many megabytes are resident at this second.
        func isDue(_ megabytes: Int, at second: Int) -> Bool {
            watch.isDue(
                resident: megabytes * mega, now: MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000))
        }

        func hasSlack(_ megabytes: Int, used: Int) -> Bool {
            watch.hasSlack(resident: megabytes * mega, used: used * mega)
        }
    }

    @Test func aProcessThatMovesIsLeftAlone() {
        let process = Watched()
        for (step, size) in [100, 300, 200, 313].enumerated() { #expect(!process.isDue(size, at: 10 * step)) }
        #expect(process.isDue(313, at: 40), "and measured when it stands still")
    }

    @Test func aSmallProcessIsNotMeasured() {
        let process = Watched()
        for step in 0..<100 { #expect(!process.isDue(45, at: 10 * step)) }
    }

    @Test func whatIsInUseIsMeasuredOnceAMinute() {
        let process = Watched()
        _ = process.isDue(300, at: 0)
        #expect(process.isDue(300, at: 10))
        #expect(!process.hasSlack(300, used: 270))
        for second in stride(from: 20, to: 70, by: 10) { #expect(!process.isDue(300, at: second)) }
        #expect(process.isDue(300, at: 70))
        #expect(process.hasSlack(300, used: 90), "what was in use is free now")
    }

    @Test func moreIsGivenBackThanTheHeapKeepsByItself() {
        let process = Watched()
        #expect(!process.hasSlack(115, used: 80))
        #expect(process.hasSlack(116, used: 80))
    }

    @Test func whatCannotBeGivenBackIsNotTriedAgain() {
        let process = Watched()
        _ = process.isDue(300, at: 0)
        #expect(process.isDue(300, at: 10) && process.hasSlack(300, used: 100))
        process.watch.trimmed(resident: 200 << 20, used: 100 << 20)
        #expect(process.isDue(200, at: 70) && !process.hasSlack(200, used: 100))
        #expect(process.hasSlack(240, used: 100), "but what comes on top is")
    }
}
