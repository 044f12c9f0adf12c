// How an API announces its own end.
import LarderCore
import LarderHTTP
import Testing

@Suite struct DeprecationTests {
    private static let now = WallTime(seconds: 1_767_225_600)

    @Test func bothDatesAreRead() {
        let told = Deprecation(
            ["Deprecation": "@1688169599", "Sunset": "Sun, 30 Jun 2024 23:59:59 GMT"], now: Self.now)
        #expect(told?.deprecatedAt?.rfc3339 == "2023-06-30T23:59:59Z")
        #expect(told?.sunsetAt?.rfc3339 == "2024-06-30T23:59:59Z")
    }

    @Test(arguments: ["@1688169599;x=1", " @1688169599 "])
    func parametersAndSpacesSayNothing(_ value: String) {
        #expect(Deprecation(["Deprecation": value], now: Self.now)?.deprecatedAt == WallTime(seconds: 1_688_169_599))
    }

    @Test(arguments: [
        "true", "1688169599", "@", "@1.5", "@-", "@12345678901234567", "Sun, 30 Jun 2024 23:59:59 GMT", "",
    ])
    func whatIsNoDateSaysNothing(_ value: String) {
        #expect(Deprecation(["Deprecation": value], now: Self.now) == nil)
    }

    @Test func anAnswerWithoutThemSaysNothing() {
        #expect(Deprecation(["Date": "Sun, 30 Jun 2024 23:59:59 GMT"], now: Self.now) == nil)
    }
}
