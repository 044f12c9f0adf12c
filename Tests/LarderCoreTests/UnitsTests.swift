import LarderCore
import Testing

@Suite struct UnitsTests {
    @Test(
        arguments: [
            ("512", 512), ("2 GiB", 2_147_483_648), ("1.5 KiB", 1536), ("64MiB", 67_108_864), ("3 kB", 3000),
        ] as [(String, Int64)])
    func sizesAreReadAsPeopleWriteThem(text: String, bytes: Int64) throws {
        #expect(try Units.size(text) == bytes)
    }

    @Test(arguments: ["", "GiB", "-1", "1 XiB", "1e3", ".5 KiB", "5. KiB", "99999999 TiB", "1 2"])
    func whatIsNoSizeIsRefused(text: String) {
        #expect(throws: UnitError.self) { try Units.size(text) }
    }

    @Test(arguments: [
        ("15min", Duration.seconds(900)), ("500ms", .milliseconds(500)), ("1 h", .seconds(3600)),
        ("7d", .seconds(604_800)),
        ("0", .zero), ("1.5h", .seconds(5400)), ("2 weeks", .seconds(1_209_600)),
    ])
    func durationsAreReadAsPeopleWriteThem(text: String, duration: Duration) throws {
        #expect(try Units.duration(text) == duration)
    }

    @Test(arguments: ["15", "min", "1 month", "-5s"])
    func whatIsNoDurationIsRefused(text: String) {
        #expect(throws: UnitError.self) { try Units.duration(text) }
    }

    @Test func writtenSizesAndDurationsReadBackAsThemselves() throws {
        for size in [0, 1, 1023, 1024, 1 << 20, 3 << 30] as [Int64] {
            #expect(try Units.size(Units.format(size: size)) == size)
        }
        for seconds in [0, 1, 59, 60, 3600, 5400, 86_400] {
            #expect(try Units.duration(Units.format(duration: .seconds(seconds))) == .seconds(seconds))
        }
    }

    @Test func ratesAreReadAndWritten() throws {
        #expect(try CallRate.parse("20/min") == CallRate(calls: 20, per: .seconds(60)))
        #expect(try CallRate.parse("100/day")?.description == "100/day")
        #expect(try CallRate.parse("20/10s") == CallRate(calls: 20, per: .seconds(10)))
        #expect(try CallRate.parse("20/10 s")?.description == "20/10s")
        #expect(try CallRate.parse("20/60s")?.description == "20/min")
        #expect(try CallRate.parse("20/24h")?.description == "20/day")
        #expect(try CallRate.parse("off") == nil)
        for text in [
            "20", "0/min", "-1/min", "20/fortnight", "/min", "20/", "20/0s", "20/2d", "20/99999999999999999999s",
            "20/25h", "20/500ms", "20/5",
        ] {
            #expect(throws: UnitError.self) { try CallRate.parse(text) }
        }
    }
}
