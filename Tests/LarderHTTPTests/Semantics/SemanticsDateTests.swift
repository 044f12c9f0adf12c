// HTTP dates: the examples of RFC 9110 §5.6.7, the rule for two-digit years, and invalid dates.
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsDateTests {
    static let now = WallTime(seconds: 1_795_176_000)  // 2026-11-20

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Sun Nov 06 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("sun, 06 nOV 1994 08:49:37 gmt", 784_111_777),
            // A weekday that contradicts the date is ignored.
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            // A leap second is the first second of the next minute.
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("  Sun, 06 Nov 1994 08:49:37 GMT ", 784_111_777),
        ] as [(String, Int64)])
    func dateIsRead(_ text: String, _ seconds: Int64) {
        #expect(HTTPDate.parse(text, now: Self.now) == WallTime(seconds: seconds))
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 +0100",
        "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sunday, 06-Nov-94 08:49:37 utc",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Mon, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMTx", "Sun, 06 Nov 1994 08:49:37\u{0}GMT",
    ])
    func textThatIsNoDateIsNil(_ text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }

    /// RFC 9110 §5.6.7: a year more than 50 years ahead is in the past.
    @Test(
        arguments: [
            ("Friday, 20-Nov-26 12:00:00 GMT", 2026), ("Friday, 20-Nov-75 12:00:00 GMT", 2075),
            ("Friday, 20-Nov-76 00:00:00 GMT", 2076), ("Friday, 21-Nov-76 12:00:00 GMT", 1976),
            ("Friday, 20-Nov-77 12:00:00 GMT", 1977), ("Friday, 20-Nov-00 12:00:00 GMT", 2000),
        ] as [(String, Int64)])
    func twoDigitYearIsAtMostFiftyYearsAhead(_ text: String, _ year: Int64) throws {
        let date = try #require(HTTPDate.parse(text, now: Self.now))
        #expect(date.rfc3339.hasPrefix("\(year)-11-2"))
    }

    @Test func whatIsWrittenIsReadAsTheSameInstant() {
        var seconds: Int64 = -62_167_219_200
        while seconds <= 253_402_300_799 {
            let time = WallTime(seconds: seconds)
            let text = HTTPDate.format(time)
            #expect(text.utf8.count == 29)
            #expect(HTTPDate.parse(text, now: Self.now) == time, "\(text)")
            seconds += 86_399 * 997
        }
        #expect(HTTPDate.format(WallTime(seconds: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(WallTime(milliseconds: 784_111_777_999)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func instantsOutsideTheCalendarAreWrittenAsItsEnds() {
        #expect(HTTPDate.format(.distantFuture) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(.distantPast) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }
}
