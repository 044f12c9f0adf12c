// Cache-Control: tolerant parsing, and the restrictive reading of ambiguous values (RFC 9111 §4.2.1, §5.2).
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsCacheControlTests {
    @Test(
        arguments: [
            ("max-age=3600", 3600), ("MAX-AGE=3600", 3600), ("max-age=\"3600\"", 3600), ("max-age=0", 0),
            ("max-age=00060", 60), ("  max-age=60  ,", 60), (",,max-age=60", 60), ("public, max-age=60, foo", 60),
            ("foo=\"a, max-age=1\", max-age=60", 60), ("foo=\"a\\\", max-age=1\", max-age=60", 60),
            ("max-age=2147483648", 1 << 31), ("max-age=2147483649", 1 << 31),
            ("max-age=99999999999999999999999999999999", 1 << 31),
            // A value that is not a number of seconds counts as expired (RFC 9111 §4.2.1).
            ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=+60", 0), ("max-age=60.5", 0),
            ("max-age=1e3", 0),
            ("max-age=0x10", 0), ("max-age=60s", 0), ("max-age='60'", 0), ("max-age=\"60", 0), ("max-age = 60", 0),
            ("max-age= 60", 0), ("max-age=60 70", 0), ("max-age=\"60\"x", 0), ("max-age=١", 0),
            // The first of two values counts.
            ("max-age=60, max-age=3600", 60), ("max-age=3600, max-age=60", 3600), ("max-age=x, max-age=60", 0),
        ] as [(String, Int64)])
    func maxAgeIsReadOrOver(_ text: String, _ seconds: Int64) {
        #expect(CacheControl([text]).maxAge == seconds)
    }

    @Test(arguments: ["", "max-agee=60", "xmax-age=60", "\"max-age=60\"", "s-maxage=60", "=60", "max_age=60", ";"])
    func whatIsNotMaxAgeGivesNone(_ text: String) {
        #expect(CacheControl([text]).maxAge == nil)
    }

    @Test func linesAreOneList() {
        let control = CacheControl(["max-age=60", "no-store, s-maxage=10"])
        #expect(control.maxAge == 60)
        #expect(control.sMaxAge == 10)
        #expect(control.noStore)
    }

    @Test(arguments: [
        "no-store", "No-Store", "no-store=x", "no-store=\"", "no-store foo", "x y z, no-store", "\u{FF}, no-store",
    ])
    func whatForbidsCountsEvenMalformed(_ text: String) {
        #expect(CacheControl([text]).noStore)
    }

    @Test func whatPermitsCountsOnlyWellFormed() {
        #expect(CacheControl(["public, immutable, must-understand"]).isPublic)
        #expect(CacheControl(["public, immutable, must-understand"]).immutable)
        #expect(CacheControl(["public, immutable, must-understand"]).mustUnderstand)
        #expect(!CacheControl(["public x"]).isPublic)
        #expect(!CacheControl(["immutable ="]).immutable)
        #expect(!CacheControl(["must-understand=\""]).mustUnderstand)
    }

    @Test(
        arguments: [
            ("no-cache", []), ("no-cache=\"Set-Cookie\"", ["set-cookie"]), ("no-cache=Set-Cookie", ["set-cookie"]),
            ("no-cache=\"a, B ,a c,,d\"", ["a", "b", "d"]), ("no-cache=\"\"", []), ("no-cache=\"a", []),
            ("no-cache=\"a\", no-cache", []), ("no-cache, no-cache=\"a\"", []),
            ("no-cache=\"a\", no-cache=\"b\"", ["a", "b"]),
        ] as [(String, [String])])
    func qualifiedNoCacheListsItsNames(_ text: String, _ names: [String]) {
        let control = CacheControl([text])
        #expect(control.noCache)
        #expect(control.noCacheFields == names)
        let own = CacheControl([text.replacing("no-cache", with: "private")])
        #expect(own.isPrivate)
        #expect(own.privateFields == names)
    }

    @Test func requestDirectivesAreRead() {
        let control = CacheControl(["max-stale=60, min-fresh=5, only-if-cached, no-transform, stale-if-error=9"])
        #expect(control.maxStale == .seconds(60))
        #expect(control.minFresh == 5)
        #expect(control.onlyIfCached)
        #expect(control.noTransform)
        #expect(control.staleIfError == 9)
        #expect(CacheControl(["max-stale"]).maxStale == .any)
        #expect(CacheControl(["max-stale="]).maxStale == .seconds(0))
        #expect(CacheControl(["max-stale=x"]).maxStale == .seconds(0))
        #expect(CacheControl(["max-stale x"]).maxStale == .seconds(0))
        #expect(CacheControl([]).maxStale == .none)
    }

    @Test func responseDirectivesAreRead() {
        let control = CacheControl(["must-revalidate, proxy-revalidate, stale-while-revalidate=30, stale-if-error=60"])
        #expect(control.mustRevalidate)
        #expect(control.proxyRevalidate)
        #expect(control.staleWhileRevalidate == 30)
        #expect(control.staleIfError == 60)
    }

    /// For any bytes, the sums stay in bounds, and a forbidding directive after the noise is found.
    @Test func noiseBeforeADirectiveHidesNothing() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array(" \t,;=abcmax-age0123456789'()/*\u{FF}")
        for _ in 0..<2000 {
            let noise = String(
                (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in alphabet.randomElement() })
            let control = CacheControl([noise, "no-store"])
            #expect(control.noStore, "\(noise)")
            for figure in [control.maxAge, control.sMaxAge, control.minFresh].compactMap({ $0 }) {
                #expect((0...DeltaSeconds.limit).contains(figure))
            }
        }
    }
}

@Suite struct SemanticsFieldListTests {
    @Test(
        arguments: [
            ("a, b", ["a", "b"]), ("", []), (" , ,\t,", []), ("a=\"x,y\",b", ["a=\"x,y\"", "b"]),
            ("a=\"x\\\",y\",b", ["a=\"x\\\",y\"", "b"]), ("a=\"open, b", ["a=\"open, b"]),
        ] as [(String, [String])])
    func membersAreSplitOutsideQuotes(_ text: String, _ members: [String]) {
        #expect(FieldList.members([text]).map(String.init) == members)
    }

    @Test func quotedTextLosesQuotesAndEscapes() {
        #expect(FieldList.unquoted("\"a\\\"b\\\\c\"") == "a\"b\\c")
        for text in ["", "\"", "a", "\"a", "a\"", "\"a\"b", "\"a\\\""] { #expect(FieldList.unquoted(text) == nil) }
    }
}
