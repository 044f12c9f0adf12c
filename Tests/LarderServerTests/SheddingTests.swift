import LarderCore
import Testing

@testable import LarderServer

/// Which connections are closed to make room for others.
@Suite struct SheddingTests {
    private static func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private func choose(_ part: Int, of uses: [ConnectionUse], somebodyWaits: Bool = true) -> [Int] {
        Shedding.choose(part, of: uses, somebodyWaits: somebodyWaits, at: Self.at(100))
    }

    @Test func theIdlestGoFirst() {
        let uses: [ConnectionUse] = [.idle(since: Self.at(50)), .idle(since: Self.at(10)), .idle(since: Self.at(90))]
        #expect(choose(2, of: uses) == [1, 0])
        #expect(choose(9, of: uses, somebodyWaits: false) == [1, 0, 2])
        #expect(choose(0, of: uses) == [])
    }

    @Test func incompleteRequestsGoWhenNoIdleConnectionIsLeft() {
        let uses: [ConnectionUse] = [
            .incomplete(since: Self.at(20)), .idle(since: Self.at(98)), .incomplete(since: Self.at(10)),
        ]
        #expect(choose(1, of: uses) == [1])
        #expect(choose(2, of: uses) == [1, 2])
        #expect(choose(9, of: uses) == [1, 2, 0])
    }

    @Test func incompleteRequestsStayWhereNobodyWaits() {
        #expect(choose(9, of: [.incomplete(since: Self.at(10))], somebodyWaits: false) == [])
    }

    @Test func whatBeganJustNowStays() {
        #expect(choose(9, of: [.idle(since: Self.at(100)), .idle(since: Self.at(99))]) == [1])
        #expect(choose(9, of: [.incomplete(since: Self.at(99)), .incomplete(since: Self.at(98))]) == [1])
    }

    @Test func aRequestWithItsHandlerStays() {
        #expect(choose(9, of: [.busy, .busy]) == [])
    }
}
