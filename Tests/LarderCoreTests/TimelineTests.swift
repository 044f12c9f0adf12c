// The timeline of a request: its events, their order, and its limit.
import LarderCore
import Testing

@Suite struct TimelineTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds)
    }

    @Test func stagesAreToldInTheOrderInWhichTheyBegan() {
        let timeline = Timeline(began: at(0))
        timeline.note(.commit, "a", from: at(9), to: at(12))
        timeline.note(.lookUp, "a", from: at(1), to: at(2))
        timeline.note(.answer, "a", from: at(3), to: at(8))
        #expect(timeline.told().spans.map(\.stage) == [.lookUp, .answer, .commit])
    }

    @Test func theFirstOnesAreKeptAndTheOthersCounted() {
        let timeline = Timeline(began: at(0))
        for place in 0..<(Timeline.limit + 3) { timeline.note(.lookUp, nil, from: at(Int64(place)), to: at(1000)) }
        let told = timeline.told()
        #expect(told.spans.map(\.began) == (0..<Timeline.limit).map { at(Int64($0)) })
        #expect(told.leftOut == 3)
    }

    @Test func aStageDoesNotEndBeforeItBegan() {
        let timeline = Timeline(began: at(0))
        timeline.note(.name, nil, from: at(5), to: at(4))
        #expect(timeline.told().spans == [Timeline.Span(stage: .name, provider: nil, began: at(5), ended: at(5))])
    }
}
