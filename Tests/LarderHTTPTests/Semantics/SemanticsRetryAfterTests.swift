// `Retry-After`: which values are accepted, limited or ignored.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsRetryAfterTests {
    private let now = WallTime(seconds: 1_795_176_000)

    private func read(_ text: String) -> RetryAfter? { RetryAfter.read(["Retry-After": text], at: now) }

    @Test(arguments: [("0", 0), ("7", 7), ("007", 7), ("86400", 86_400)] as [(String, Int64)])
    func secondsUpToADayAreBelieved(_ text: String, _ seconds: Int64) {
        #expect(read(text)?.until == now + .seconds(seconds))
        #expect(read(text)?.isBeyondReason == false)
    }

    @Test func aDateUpToADayAheadIsBelievedAndOneThatIsOverIsNow() {
        #expect(read(HTTPDate.format(now + .seconds(90)))?.until == now + .seconds(90))
        #expect(read(HTTPDate.format(now + .seconds(-90)))?.until == now)
    }

    @Test(arguments: [
        "86401", "999999999999999999999999999999", "18446744073709551616", "Thu, 01 Jan 2099 00:00:00 GMT",
    ])
    func whatIsBeyondReasonCountsAsAnHour(_ text: String) {
        #expect(read(text)?.until == now + .seconds(3600))
        #expect(read(text)?.isBeyondReason == true)
    }

    @Test(arguments: ["", "-1", "+5", "1.5", "soon", "5 s", "0x10", "Thu, 99 Jan 2099 00:00:00 GMT"])
    func whatSaysNothingIsIgnored(_ text: String) {
        #expect(read(text) == nil)
    }
}
