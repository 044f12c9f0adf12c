// Which responses a shared cache may store (RFC 9111 §3), one row per rule. A row states the reason of the refusal or
// the seconds of freshness, and the rule that decided.
import LarderCache
import LarderCore
import Testing

@Suite struct SharedStorageTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var fields: HeaderFields
        var request: HeaderFields = [:]
        var status = 200
        var method = Method.get
        /// Seconds of freshness; nil for a refusal.
        var fresh: Int64?
        var rule: CacheRule

        init(
            _ fields: HeaderFields, request: HeaderFields = [:], status: Int = 200, method: Method = .get,
            _ fresh: Int64?,
            _ rule: CacheRule
        ) {
            self.fields = fields
            self.request = request
            self.status = status
            self.method = method
            self.fresh = fresh
            self.rule = rule
        }

        var testDescription: String { "\(rule) \(status) \(fields.map { "\($0.name): \($0.value)" })" }
    }

    static func verdict(_ row: Row, stale: Duration = .seconds(3600), retention: Duration? = nil) -> StoreVerdict {
        RFCStorage.decide(
            method: row.method, requestFields: row.request, head: Sample.head(status: row.status, row.fields),
            rule: Sample.rule(.rfc, stale: stale, retention: retention), targets: [ResponseControl.ownTarget])
    }

    static let aged: HeaderFields = ["Cache-Control": "max-age=60"]
    static let tag: HeaderFields = ["ETag": "\"a\""]

    static let whole: [Row] = [
        Row(aged, 60, .maxAge),
        Row(aged, method: .head, nil, .method), Row(aged, method: .post, nil, .method),
        Row(aged, status: 103, nil, .notFinal), Row(aged, status: 600, nil, .notFinal),
        Row(aged, status: 299, 60, .maxAge), Row(aged, status: 599, 60, .maxAge),
        Row(aged, status: 206, nil, .partialContent), Row(aged, status: 226, nil, .deltaAnswer),
        Row(aged, status: 304, nil, .notModifiedAnswer),
        Row(["Cache-Control": "max-age=60", "Content-Range": "bytes 0-1/2"], 60, .maxAge),
        Row(aged, status: 416, nil, .preconditionAnswer), Row(aged, status: 412, nil, .preconditionAnswer),
        Row(aged, status: 429, nil, .statusNeverStored), Row(aged, status: 511, nil, .statusNeverStored),
        Row(aged, status: 302, 60, .maxAge), Row(aged, status: 503, 60, .maxAge),
        Row(["Vary": "*", "Cache-Control": "max-age=60"], nil, .varyAny),
        Row(["Vary": "Accept-Language, X", "Cache-Control": "max-age=60"], 60, .maxAge),
        Row(["Connection": "cache-control", "Cache-Control": "max-age=60"], nil, .connectionOption),
        Row(["Connection": "X", "X": "1", "Cache-Control": "max-age=60"], 60, .maxAge),
    ]

    static let directives: [Row] = [
        Row(["Cache-Control": "no-store, max-age=60"], nil, .responseNoStore),
        Row(["Cache-Control": "no-store, must-understand, max-age=60"], 60, .maxAge),
        Row(["Cache-Control": "must-understand, max-age=60"], status: 299, nil, .statusNotUnderstood),
        Row(aged, request: ["Cache-Control": "no-store"], nil, .requestNoStore),
        Row(["Cache-Control": "private, max-age=60"], nil, .responsePrivate),
        Row(["Cache-Control": "private=\"x\", max-age=60"], 60, .maxAge),
        Row(["Cache-Control": "private=\"\", max-age=60"], nil, .responsePrivate),
        Row(["Cache-Control": "no-cache, max-age=60", "ETag": "\"a\""], 0, .noCacheAnswer),
        Row(["Cache-Control": "no-cache=\"x\", max-age=60"], 60, .maxAge),
        Row(["Cache-Control": "max-age=60, s-maxage=9"], 9, .sharedMaxAge),
        Row(["Cache-Control": "max-age=60", "Expires": "0"], 60, .maxAge),
        Row(["Date": Sample.nowText, "Expires": Sample.inAnHourText], 3600, .expires),
        Row(["Date": Sample.nowText, "Expires": "0", "ETag": "\"a\""], 0, .expires),
        Row(["Pragma": "no-cache", "Cache-Control": "max-age=60"], 60, .maxAge),
        Row(["Date": Sample.nowText, "Last-Modified": Sample.tenHoursAgoText], 3600, .heuristic),
        Row(["Last-Modified": Sample.tenHoursAgoText], status: 302, nil, .notCacheable),
        Row(["Cache-Control": "public", "Last-Modified": Sample.tenHoursAgoText], status: 302, 3600, .heuristic),
        Row(tag, 0, .validationOnly), Row(tag, status: 302, nil, .notCacheable), Row([:], nil, .noLifetime),
        Row(["ETag": "a"], nil, .noLifetime), Row(["Last-Modified": "x"], nil, .noLifetime),
        Row(["Cache-Control": "max-age=0, must-revalidate"], nil, .noUse),
        Row(["Cache-Control": "max-age=0, must-revalidate", "ETag": "\"a\""], 0, .maxAge),
        Row(["Cache-Control": "max-age=60", "Age": "20"], 40, .maxAge),
    ]

    static let persons: [Row] =
        ["Authorization", "Cookie"].flatMap { name in
            let request = HeaderFields([HeaderField(name, "x")])
            let refusal: CacheRule = name == "Cookie" ? .cookie : .authorization
            return [
                Row(aged, request: request, nil, refusal),
                Row(["Cache-Control": "public, max-age=60"], request: request, 60, .maxAge),
                Row(["Cache-Control": "must-revalidate, max-age=60"], request: request, 60, .maxAge),
                Row(["Cache-Control": "s-maxage=60"], request: request, 60, .sharedMaxAge),
                Row(["Cache-Control": "proxy-revalidate, max-age=60"], request: request, nil, refusal),
            ]
        } + [
            Row(["Set-Cookie": "a=b", "Cache-Control": "max-age=60"], nil, .setCookie),
            Row(["Set-Cookie": "a=b", "Cache-Control": "public, max-age=60"], 60, .maxAge),
        ]

    @Test(arguments: [("max-age=60", nil), ("x", CacheRule.cookieWithoutLifetime)])
    func withDropACookieNeedsALifetime(_ control: String, _ refusal: CacheRule?) {
        let head = Sample.head(["Set-Cookie": "a=b", "Cache-Control": control, "ETag": "\"a\""])
        var rule = Sample.rule(.rfc, stale: .zero)
        rule.cookies = .drop
        let verdict = RFCStorage.decide(method: .get, requestFields: [:], head: head, rule: rule, targets: [])
        #expect(verdict.rule == refusal ?? .maxAge)
    }

    @Test(arguments: [
        Row([:], 90, .fallbackTTL), Row(["Last-Modified": Sample.tenHoursAgoText], 90, .fallbackTTL),
        Row([:], status: 404, 90, .fallbackTTL), Row([:], status: 302, nil, .notCacheable),
        Row(["Cache-Control": "public"], status: 302, 90, .fallbackTTL), Row(aged, 60, .maxAge),
        Row(["Expires": "x", "ETag": "\"a\""], 0, .expires),
        Row(["Larder-Cache-Control": "x", "Expires": "0"], 90, .fallbackTTL),
        Row(["Cache-Control": "no-cache", "ETag": "\"a\""], 0, .noCacheAnswer),
        Row(["Cache-Control": "private"], nil, .responsePrivate),
        Row(["Cache-Control": "no-store"], nil, .responseNoStore), Row(["Set-Cookie": "a=b"], nil, .setCookie),
    ])
    func aConfiguredLifetimeIsForWhatStatesNone(_ row: Row) {
        var rule = Sample.rule(.rfc)
        rule.fallbackTTL = .seconds(90)
        let verdict = RFCStorage.decide(
            method: .get, requestFields: [:], head: Sample.head(status: row.status, row.fields), rule: rule,
            targets: [ResponseControl.ownTarget])
        #expect(verdict.rule == row.rule)
        guard case .store(let lifetimes) = verdict.decision else {
            #expect(row.fresh == nil)
            return
        }
        #expect((lifetimes.freshUntil - Sample.now).wholeSeconds == row.fresh)
    }

    static let targeted: [Row] = [
        Row(["Larder-Cache-Control": "max-age=9", "Cache-Control": "no-store", "Expires": "0"], 9, .maxAge),
        Row(["larder-cache-control": "max-age=9;x=1", "Cache-Control": "max-age=60"], 9, .maxAge),
        Row(["Larder-Cache-Control": "no-store", "Cache-Control": "max-age=60"], nil, .responseNoStore),
        Row(["Larder-Cache-Control": "", "Cache-Control": "max-age=60"], 60, .maxAge),
        Row(["Larder-Cache-Control": "max-age=9,", "Cache-Control": "max-age=60"], 60, .maxAge),
        Row(["Larder-Cache-Control": "MAX-AGE=9", "Cache-Control": "max-age=60"], 60, .maxAge),
        Row(["CDN-Cache-Control": "max-age=9", "Cache-Control": "max-age=60"], 60, .maxAge),
        Row(["Larder-Cache-Control": "max-age=\"9\"", "ETag": "\"a\""], 0, .maxAge),
        Row(["Larder-Cache-Control": "no-store=?0, max-age=9"], 9, .maxAge),
        Row(["Larder-Cache-Control": "x", "Date": Sample.nowText, "Expires": Sample.inAnHourText], nil, .noLifetime),
    ]

    @Test(arguments: whole + directives + persons + targeted)
    func answerIsStoredAsTheRuleSays(_ row: Row) {
        let verdict = Self.verdict(row)
        #expect(verdict.rule == row.rule)
        switch verdict.decision {
        case .store(let lifetimes): #expect((lifetimes.freshUntil - Sample.now).wholeSeconds == row.fresh)
        case .refuse: #expect(row.fresh == nil)
        }
    }

    /// Seconds from receipt until the row is no longer useful. The stale window and the validator decide.
    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 7200, 7260), (["Cache-Control": "s-maxage=60"], 7200, 60),
            (["Cache-Control": "s-maxage=60", "ETag": "\"a\""], 7200, 7260),
            (["Cache-Control": "max-age=60", "ETag": "\"a\""], 0, 3660), (["Cache-Control": "max-age=60"], 0, 60),
        ] as [(HeaderFields, Int64, Int64)])
    func rowIsKeptWhileItCanBeOfUse(_ fields: HeaderFields, _ window: Int64, _ expected: Int64) {
        let decision = Self.verdict(Row(fields, 0, .maxAge), stale: .seconds(window)).decision
        guard case .store(let lifetimes) = decision else {
            Issue.record("stored")
            return
        }
        #expect((lifetimes.staleUntil - Sample.now).wholeSeconds == expected)
    }

    @Test func retentionEndsEverything() {
        let verdict = Self.verdict(Row(Self.aged, 0, .maxAge), retention: .seconds(10))
        guard case .store(let lifetimes) = verdict.decision else {
            Issue.record("stored")
            return
        }
        #expect(lifetimes.freshUntil == Sample.now + .seconds(10))
        #expect(lifetimes.staleUntil == Sample.now + .seconds(10))
        #expect(Self.verdict(Row(Self.aged, 0, .maxAge), retention: .zero).rule == .retention)
    }

    @Test func storedFieldsKeepOrderAndSpelling() {
        let head = Sample.head([
            "x-One": "1", "Connection": "close, X-Gone", "X-Gone": "1", "Set-Cookie": "a", "Content-Length": "5",
            "Trailer": "X", "Proxy-Authenticate": "Basic", "Cache-Control": "private=\"x-p\", no-cache=\"X-N\"",
            "X-P": "1", "X-n": "1", "ETAG": "\"a\"", "x-One": "2", "Warning": "199 - x",
        ])
        #expect(
            RFCStorage.storedFields(of: head, targets: []) == [
                "x-One": "1", "Cache-Control": "private=\"x-p\", no-cache=\"X-N\"", "ETAG": "\"a\"", "x-One": "2",
                "Warning": "199 - x", "Date": Sample.nowText,
            ])
    }

    @Test func everyRuleNamesItsSectionAndSaysASentence() {
        for rule in CacheRule.allCases {
            #expect(
                (rule.section.hasPrefix("RFC ") || rule.section.hasPrefix("draft-ietf-")) && rule.section.contains("§")
                    || rule.section == "Larder")
            #expect(rule.sentence.hasSuffix(".") && rule.sentence.count > 20, "\(rule)")
        }
        #expect(Set(CacheRule.allCases.map(\.sentence)).count == CacheRule.allCases.count)
    }

    /// corrected_initial_age in milliseconds (RFC 9111 §4.2.3, §5.1).
    @Test(
        arguments: [
            ([:], 0), (["Age": "5"], 5000), (["Age": "5", "age": "9"], 5000), (["Age": "5, 9"], 5000),
            (["Age": "-5"], 0), (["Age": "5.5"], 0), (["Age": "\"5\""], 0), (["Age": ""], 0), (["Age": "x, 5"], 0),
            (["Age": "99999999999999999999"], 2_147_483_648_000), (["Date": "x", "Age": "5"], 5000),
            (["Date": Sample.hourAgoText], 3_600_000), (["Date": Sample.inAnHourText, "Age": "5"], 5000),
        ] as [(HeaderFields, Int64)])
    func ageOnArrivalIsReadTolerantly(_ fields: HeaderFields, _ expected: Int64) {
        #expect(Age.initial(fields: fields, requestTime: Sample.now, responseTime: Sample.now) == expected)
    }
}
