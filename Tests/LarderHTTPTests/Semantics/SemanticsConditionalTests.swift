// Entity tags and conditional requests: comparison (RFC 9110 §8.8.3.2) and precedence (§13.2.2).
import LarderCore
import LarderHTTP
import Testing

@Suite struct SemanticsEntityTagTests {
    @Test(
        arguments: [
            ("\"a\"", false, "a"), ("W/\"a\"", true, "a"), ("\"\"", false, ""), ("\"a,b\"", false, "a,b"),
            ("\"a\\b\"", false, "a\\b"), ("\"\u{E9}\"", false, "\u{E9}"), ("\"!#~\"", false, "!#~"),
        ] as [(String, Bool, String)])
    func tagIsRead(_ text: String, _ isWeak: Bool, _ opaque: String) throws {
        let tag = try #require(EntityTag.parse(text))
        #expect(tag == EntityTag(isWeak: isWeak, opaque: opaque))
        #expect(tag.description == text)
    }

    @Test(arguments: [
        "", "a", "\"", "\"a", "a\"", "w/\"a\"", "W/a", "W/", "\"a\"b", "\"a b\"", "\"a\"b\"", "\"a\u{7F}\"", "*",
    ])
    func textThatIsNoTagIsNil(_ text: String) {
        #expect(EntityTag.parse(text) == nil)
    }

    /// The table of RFC 9110 §8.8.3.2.
    @Test(
        arguments: [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true),
            ("\"1\"", "\"1\"", true, true),
        ] as [(String, String, Bool, Bool)])
    func comparisonFollowsTheTable(_ one: String, _ other: String, _ strong: Bool, _ weak: Bool) throws {
        let one = try #require(EntityTag.parse(one))
        let other = try #require(EntityTag.parse(other))
        #expect(one.stronglyEquals(other) == strong)
        #expect(one.weaklyEquals(other) == weak)
    }

    @Test(arguments: ["a", "W/a", "5-x", "\u{E9}"])
    func aTextWithoutQuotesMatchesItselfAlone(_ text: String) throws {
        let tag = try #require(EntityTag.asGiven(text))
        #expect(tag.description == text)
        #expect(EntityTag.asGiven(text).map(tag.stronglyEquals) == true)
        #expect(!tag.weaklyEquals(EntityTag(opaque: text)) && tag != EntityTag(opaque: text))
    }

    @Test(arguments: ["", "*", "a b", "a\"", "\"a", "a,b", "Sun, 06 Nov 1994 08:49:36 GMT"])
    func aTextThatCannotStandInAListIsNoTagEither(_ text: String) {
        #expect(EntityTag.asGiven(text) == nil)
    }

    @Test func listLeavesOutWhatCanMatchNothing() {
        #expect(EntityTagList.parse([]) == nil)
        #expect(EntityTagList.parse(["*"]) == .any)
        #expect(EntityTagList.parse([" * "]) == .any)
        #expect(EntityTagList.parse(["*, \"a\""]) == .tags([EntityTag(opaque: "a")]))
        #expect(EntityTagList.parse(["", ",,", "x y"]) == .tags([]))
        let unquoted = EntityTag.asGiven("x")
        #expect(EntityTagList.parse(["\"a\", x"]) == .tags([EntityTag(opaque: "a")] + [unquoted].compactMap { $0 }))
        #expect(
            EntityTagList.parse(["\"a,b\\\", W/\"c\"", "\"d\""])
                == .tags([EntityTag(opaque: "a,b\\"), EntityTag(isWeak: true, opaque: "c"), EntityTag(opaque: "d")]))
    }

    @Test func tagOfBytesIsStrongAndTellsThemApart() {
        #expect(EntityTag(of: Bytes(text: "a")) == EntityTag(of: Bytes(text: "a")))
        #expect(EntityTag(of: Bytes(text: "a")) != EntityTag(of: Bytes(text: "b")))
        #expect(EntityTag.parse(EntityTag(of: []).description) == EntityTag(of: []))
    }
}

@Suite struct SemanticsConditionalTests {
    static let now = WallTime(seconds: 1_795_176_000)
    static let changed = WallTime(seconds: 784_111_777)
    static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    func outcome(
        _ fields: HeaderFields, method: Method = .get, status: Int = 200, etag: String? = "\"x\"",
        changed: WallTime? = changed, role: Conditional.Role = .origin
    ) -> ConditionalOutcome {
        Conditional.evaluate(
            method: method, requestFields: fields, status: status, etag: etag.flatMap { EntityTag.parse($0) },
            lastModified: changed, now: Self.now, role: role)
    }

    @Test func noConditionProceeds() {
        #expect(outcome([:]) == .proceed)
    }

    @Test func ifNoneMatchComparesWeakly() {
        for tag in ["\"x\"", "W/\"x\"", "\"a\", W/\"x\"", "*"] {
            #expect(outcome(["If-None-Match": tag]) == .notModified)
            #expect(outcome(["If-None-Match": tag], method: .head) == .notModified)
            #expect(outcome(["If-None-Match": tag], method: .put) == .preconditionFailed)
            #expect(outcome(["If-None-Match": tag], etag: "W/\"x\"") == .notModified)
        }
        for tag in ["\"y\"", "x", "", "\"X\""] { #expect(outcome(["If-None-Match": tag]) == .proceed) }
        #expect(outcome(["If-None-Match": "\"x\""], etag: nil) == .proceed)
    }

    @Test func ifNoneMatchOverridesIfModifiedSince() {
        #expect(outcome(["If-None-Match": "\"y\"", "If-Modified-Since": Self.after]) == .proceed)
        #expect(outcome(["If-None-Match": "\"x\"", "If-Modified-Since": Self.before]) == .notModified)
    }

    @Test func ifModifiedSinceComparesSeconds() {
        #expect(outcome(["If-Modified-Since": Self.before]) == .proceed)
        #expect(outcome(["If-Modified-Since": Self.same]) == .notModified)
        #expect(outcome(["If-Modified-Since": Self.after]) == .notModified)
        let fraction = Self.changed + .milliseconds(900)
        #expect(outcome(["If-Modified-Since": Self.same], changed: fraction) == .notModified)
    }

    @Test func ifModifiedSinceCountsOnlyForReadingAndOnlyWhenReadable() {
        #expect(outcome(["If-Modified-Since": Self.same], method: .post) == .proceed)
        #expect(outcome(["If-Modified-Since": "yesterday"]) == .proceed)
        #expect(outcome(["If-Modified-Since": Self.same, "if-modified-since": Self.same]) == .proceed)
        #expect(outcome(["If-Modified-Since": Self.same], changed: nil) == .proceed)
    }

    @Test func ifMatchComparesStrongly() {
        #expect(outcome(["If-Match": "\"x\""]) == .proceed)
        #expect(outcome(["If-Match": "*"]) == .proceed)
        #expect(outcome(["If-Match": "W/\"x\""]) == .preconditionFailed)
        #expect(outcome(["If-Match": "\"x\""], etag: "W/\"x\"") == .preconditionFailed)
        #expect(outcome(["If-Match": "\"y\""]) == .preconditionFailed)
        #expect(outcome(["If-Match": "\"x\""], etag: nil) == .preconditionFailed)
    }

    @Test func ifMatchComesBeforeAllOthers() {
        #expect(outcome(["If-Match": "\"y\"", "If-None-Match": "\"x\""]) == .preconditionFailed)
        #expect(outcome(["If-Match": "\"x\"", "If-None-Match": "\"x\""]) == .notModified)
        #expect(outcome(["If-Match": "\"x\"", "If-Unmodified-Since": Self.before]) == .proceed)
    }

    @Test func ifUnmodifiedSinceFailsForAChange() {
        #expect(outcome(["If-Unmodified-Since": Self.before]) == .preconditionFailed)
        #expect(outcome(["If-Unmodified-Since": Self.same]) == .proceed)
        #expect(outcome(["If-Unmodified-Since": "x"]) == .proceed)
    }

    @Test func cacheLeavesTheOriginsConditionsToIt() {
        #expect(outcome(["If-Match": "\"y\""], role: .cache) == .proceed)
        #expect(outcome(["If-Unmodified-Since": Self.before], role: .cache) == .proceed)
        #expect(outcome(["If-None-Match": "\"x\""], role: .cache) == .notModified)
    }

    @Test(arguments: [404, 301, 500, 304])
    func conditionsCountForSuccessOnly(_ status: Int) {
        #expect(outcome(["If-None-Match": "\"x\"", "If-Match": "\"y\""], status: status) == .proceed)
    }
}
