// The rests of callers: who rests, for how long, and how many are remembered.
import LarderCache
import LarderCore
import Testing

@Suite struct CallerRestsTests {
    private let now = Sample.moment.monotonic

    private func rests(_ caller: Bytes = [], seconds: Int64 = 60, status: Int = 429) -> CallerRests {
        var rests = CallerRests()
        _ = rests.begin(CallerRests.Rest(until: now + .seconds(seconds), status: status), of: caller, now: now)
        return rests
    }

    @Test(arguments: [[], [1]] as [Bytes])
    func onlyTheCallerThatWasToldRestsUntilThatTime(_ caller: Bytes) {
        let rests = rests(caller, status: 503)
        #expect(rests.rest(of: caller, now: now + .seconds(59))?.status == 503)
        #expect(rests.rest(of: caller, now: now + .seconds(60)) == nil)
        #expect(rests.rest(of: [2], now: now) == nil)
    }

    @Test func aRestLastsAnHourAtMostAndATimePastIsNone() {
        #expect(rests(seconds: 7200).rest(of: [], now: now)?.until == now + .seconds(3600))
        #expect(rests(seconds: 0).count == 0)
    }

    @Test func aLaterEndStays() {
        var rests = rests(seconds: 60)
        _ = rests.begin(CallerRests.Rest(until: now + .seconds(5), status: 429), of: [], now: now)
        #expect(rests.rest(of: [], now: now)?.until == now + .seconds(60))
        _ = rests.begin(CallerRests.Rest(until: now + .seconds(90), status: 429), of: [], now: now)
        #expect(rests.rest(of: [], now: now)?.until == now + .seconds(90))
    }

    @Test func aFullTableDropsTheRestThatEndsFirst() {
        var rests = CallerRests()
        func begin(_ number: Int, at time: MonotonicTime) -> Bool {
            let rest = CallerRests.Rest(until: now + .seconds(60 + Int64(number)), status: 429)
            return rests.begin(rest, of: Bytes(text: "\(number)"), now: time)
        }
        for number in 0..<CallerRests.most {
            let hasDropped = begin(number, at: now)
            #expect(!hasDropped)
        }
        let hasDropped = begin(5000, at: now)
        #expect(hasDropped && rests.count == CallerRests.most)
        #expect(rests.rest(of: Bytes(text: "0"), now: now) == nil && rests.rest(of: Bytes(text: "1"), now: now) != nil)
        // Rests that are over make room first.
        let hasDroppedLater = begin(6000, at: now + .seconds(100))
        #expect(!hasDroppedLater && rests.count < CallerRests.most)
    }
}
