// How a request is answered from stored parts, and which responses are stored as parts.
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct PartRequestTests {
    private static let now = WallTime(seconds: 1_767_225_600)
    private static let tag = StrongValidator.tag(EntityTag(opaque: "v"))
    private static let fields: HeaderFields = ["ETag": "\"v\""]

    private static func content(_ ranges: Range<Int64>...) -> PartialContent {
        var content = PartialContent(.validator(tag), length: 100, keptUntil: now)
        for range in ranges { _ = content.add(range) }
        return content
    }

    private static func decide(
        _ fields: HeaderFields, _ content: PartialContent?, method: Method = .get
    ) -> PartDecision {
        PartRequest.decide(
            method: method, requestFields: fields, content: content, fields: Self.fields, now: now)
    }

    @Test(
        arguments: [
            ("bytes=10-19", .covered([10..<20])), ("bytes=12-14", .covered([12..<15])),
            ("bytes=-10", .covered([90..<100])),
            ("bytes=95-", .covered([95..<100])), ("bytes=90-500", .covered([90..<100])),
            ("bytes=10-11,95-96", .covered([10..<12, 95..<97])), ("bytes=5-24", .ask([5..<10, 20..<25])),
            ("bytes=80-", .ask([80..<90])), ("bytes=-11", .ask([89..<90])), ("bytes=30-39", .ask([30..<40])),
            ("bytes=10-11,30-31", .forward(.severalRanges)), ("bytes=100-", .askAsWritten(.rangeUnsatisfiable)),
            ("items=0-1", .forward(.rangeUnit)), ("bytes=9-8", .ask([0..<10, 20..<90])),
        ] as [(String, PartDecision)])
    func aRangeIsHeldAgainstTheStoredParts(_ range: String, _ decision: PartDecision) {
        #expect(Self.decide(["Range": range], Self.content(10..<20, 90..<100)) == decision)
    }

    @Test(
        arguments: [
            ("bytes=0-", .whole), ("bytes=0-1", .whole), ("bytes=1048575-", .whole),
            ("bytes=1048576-", .askAsWritten(nil)),
            ("bytes=5000000-5000009", .askAsWritten(nil)), ("bytes=-5", .askAsWritten(nil)), ("bytes=-0", .whole),
            ("bytes=0-1,5000000-", .whole), ("bytes=9-8", .whole), ("items=0-1", .forward(.rangeUnit)),
        ] as [(String, PartDecision)])
    func aRangeOfWhatIsUnknownIsAskedForWhereTheWholeWouldBeWaste(_ range: String, _ decision: PartDecision) {
        #expect(Self.decide(["Range": range], nil) == decision)
    }

    @Test func aWholeAnswerIsMadeOfPartsThatHoldAllOfIt() {
        #expect(Self.decide([:], Self.content(0..<60, 50..<100)) == .covered([0..<100]))
        #expect(Self.decide([:], Self.content(0..<60, 50..<100), method: .head) == .covered([]))
        #expect(Self.decide([:], Self.content(0..<60), method: .head) == .whole)
    }

    @Test func aWholeAnswerIsCompletedWhereLittleHasToBeAskedFor() {
        #expect(Self.decide([:], Self.content(0..<60)) == .ask([60..<100]))
        let scattered = Self.content(10..<11, 20..<21, 30..<31, 40..<41, 50..<51)
        #expect(Self.decide([:], scattered) == .whole)
        #expect(Self.decide(["Range": "bytes=5-55"], scattered) == .ask([5..<56]))
    }

    @Test func whatIsTooLargeToBeStoredIsNotCompleted() {
        func decide(_ fields: HeaderFields, largest: Int64) -> PartDecision {
            PartRequest.decide(
                method: .get, requestFields: fields, content: Self.content(0..<60), fields: Self.fields,
                largest: largest, now: Self.now)
        }
        #expect(decide([:], largest: 99) == .whole)
        #expect(decide([:], largest: 100) == .ask([60..<100]))
        #expect(decide(["Range": "bytes=50-69"], largest: 99) == .ask([60..<70]))
    }

    @Test func ifRangeOfAnotherVersionWantsTheWhole() {
        let parts = Self.content(10..<20)
        #expect(Self.decide(["Range": "bytes=10-19", "If-Range": "\"v\""], parts) == .covered([10..<20]))
        #expect(Self.decide(["Range": "bytes=10-19", "If-Range": "\"w\""], parts) == .ask([0..<10, 20..<100]))
        #expect(Self.decide(["Range": "bytes=10-19", "If-Range": "W/\"v\""], parts) == .ask([0..<10, 20..<100]))
    }

    // MARK: Answers

    private static func head(_ fields: HeaderFields, status: Int = 206, length: Int64? = nil) -> UpstreamHead {
        var head = UpstreamHead(status: status, fields: fields, requestTime: now, responseTime: now)
        head.length = length
        return head
    }

    private static func judged(
        _ fields: HeaderFields, _ asked: ByteRange.Spec, known: PartialContent? = nil, length: Int64? = nil
    ) -> Result<PartAnswer, PartRefusal> {
        PartRequest.judge(head(fields, length: length), asked: asked, known: known)
    }

    @Test func aPartThatIsWhatWasAskedForIsStored() {
        let fields: HeaderFields = ["Content-Range": "bytes 90-99/100", "ETag": "\"v\""]
        let part = PartAnswer(range: 90..<100, length: 100, validator: Self.tag)
        for asked in [ByteRange.Spec.suffix(10), .from(90, last: nil), .from(90, last: 99), .from(90, last: 500)] {
            #expect(Self.judged(fields, asked, length: 10) == .success(part))
        }
        // The sender may send less than was requested.
        #expect(
            Self.judged(["Content-Range": "bytes 90-94/100", "ETag": "\"v\""], .suffix(10))
                == .success(PartAnswer(range: 90..<95, length: 100, validator: Self.tag)))
    }

    @Test(
        arguments: [
            ("bytes 0-9/100", .suffix(10)), ("bytes 91-99/100", .suffix(10)), ("bytes 10-20/100", .from(10, last: 19)),
            ("bytes 11-19/100", .from(10, last: 19)), ("bytes 19-10/100", .from(10, last: 19)),
            ("bytes 10-19/15", .from(10, last: 19)), ("10-19/100", .from(10, last: 19)),
        ] as [(String, ByteRange.Spec)])
    func aPartThatIsNotWhatWasAskedForIsNotStored(_ range: String, _ asked: ByteRange.Spec) {
        #expect(
            Self.judged(["Content-Range": range, "ETag": "\"v\""], asked) == .failure(PartRefusal(rule: .partInvalid)))
    }

    @Test func aPartOfAnotherLengthThanItSaysIsNotStored() {
        let fields: HeaderFields = ["Content-Range": "bytes 90-99/100", "ETag": "\"v\""]
        #expect(Self.judged(fields, .suffix(10), length: 9) == .failure(PartRefusal(rule: .partInvalid)))
    }

    @Test(
        arguments: [
            [:], ["ETag": "W/\"v\""], ["ETag": "v"],
            [
                "ETag": "W/\"v\"", "Last-Modified": "Thu, 01 Jan 2025 00:00:00 GMT",
                "Date": "Thu, 01 Jan 2026 00:00:00 GMT",
            ],
            ["Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "Date": "Thu, 01 Jan 2026 00:00:00 GMT"],
            ["Last-Modified": "Wed, 01 Jan 2025 00:00:00 GMT"],
        ] as [HeaderFields])
    func aPartWithoutAStrongValidatorStandsAlone(_ fields: HeaderFields) {
        var fields = fields
        fields.add("Content-Range", "bytes 90-99/100")
        #expect(
            Self.judged(fields, .suffix(10)) == .success(PartAnswer(range: 90..<100, length: 100, validator: nil)))
    }

    @Test(
        arguments: [
            ("bytes=12-14", .covered([12..<15])), ("bytes=10-11,15-16", .covered([10..<12, 15..<17])),
            ("bytes=15-24", .whole), ("bytes=-10", .askAsWritten(nil)),
        ] as [(String, PartDecision)])
    func nothingIsPutTogetherWithAPartThatStandsAlone(_ range: String, _ decision: PartDecision) {
        var content = PartialContent(.alone(7), length: 100, keptUntil: Self.now)
        _ = content.add(10..<20)
        #expect(Self.decide(["Range": range], content) == decision)
        #expect(Self.decide([:], content) == .whole)
    }

    @Test func aPartThatStandsAloneIsOfTheSameRepresentationAsNoOther() {
        #expect(!PartialContent(.alone(7), length: 100, keptUntil: Self.now).isSame(as: nil, length: 100))
    }

    @Test func aDateASecondBeforeTheAnswersOwnIsStrong() {
        let fields: HeaderFields = [
            "Content-Range": "bytes 90-99/100", "Last-Modified": "Wed, 31 Dec 2025 23:59:59 GMT",
            "Date": "Thu, 01 Jan 2026 00:00:00 GMT",
        ]
        #expect(
            Self.judged(fields, .suffix(10))
                == .success(
                    PartAnswer(
                        range: 90..<100, length: 100, validator: .date("Wed, 31 Dec 2025 23:59:59 GMT"))))
    }

    @Test func anUnknownLengthIsThatOfTheStoredParts() {
        let fields: HeaderFields = ["Content-Range": "bytes 10-19/*", "ETag": "\"v\""]
        let asked = ByteRange.Spec.from(10, last: 19)
        #expect(Self.judged(fields, asked) == .failure(PartRefusal(rule: .partOfUnknownLength)))
        #expect(
            Self.judged(fields, asked, known: Self.content(0..<10))
                == .success(PartAnswer(range: 10..<20, length: 100, validator: Self.tag)))
    }

    @Test func severalPartsInOneAnswerAreNotStored() {
        #expect(
            Self.judged(["Content-Type": "Multipart/ByteRanges; boundary=x", "ETag": "\"v\""], .suffix(10))
                == .failure(PartRefusal(rule: .partialContent)))
    }

    @Test func theHeadOfAllHasNothingThatDescribesAPart() {
        let head = PartRequest.wholeHead(
            Self.head([
                "Content-Range": "bytes 0-1/10", "Content-Length": "2", "Content-Digest": "sha-256=:x:",
                "ETag": "\"v\"",
            ]))
        #expect(head.status == 200)
        #expect(head.fields == ["ETag": "\"v\""])
    }
}
