import LarderCore
import LarderProviders
import Testing

@Suite struct RateLimitFieldsTests {
    private static let now = WallTime(seconds: 1_795_000_000)

    private static func read(_ limit: String, policy: String? = nil) -> [Credits.Allowance]? {
        var fields: HeaderFields = ["RateLimit": limit]
        if let policy { fields.add("RateLimit-Policy", policy) }
        return Credits(rateLimit: fields, now: now)?.allowances
    }

    @Test func whatIsLeftAndItsResetAreRead() {
        #expect(
            Self.read(#""hour";r=12;t=300"#)
                == [Credits.Allowance(name: "hour", remaining: 12, resetsAt: Self.now + .seconds(300))])
    }

    @Test func thePolicyOfTheSameNameTellsTheLimit() {
        let read = Self.read(#""hour";r=0;t=30, "day";r=7;t=60"#, policy: #""day";q=500;w=86400, "hour";q=100;w=3600"#)
        #expect(read?.map(\.limit) == [100, 500])
        #expect(read?.map(\.remaining) == [0, 7])
    }

    @Test func withoutAResetTheWindowOfThePolicyIsTheLongestThatItCanTake() {
        #expect(Self.read(#""a";r=1"#, policy: #""a";q=9;w=60"#)?.first?.resetsAt == Self.now + .seconds(60))
    }

    @Test func aResetIsBelievedForADay() {
        #expect(Self.read(#""a";r=1;t=999999999999"#)?.first?.resetsAt == Self.now + .seconds(86_400))
    }

    @Test(arguments: [
        "", "a;r=1;t=2", #""a""#, #""a";r=1"#, #""a";r=-1;t=2"#, #""a";r=1.5;t=2"#, #""a";r="1";t=2"#, #""a";r=1;t=2,"#,
        #""a b";r=1;t=2"#, #""";r=1;t=2"#, "limit=10, remaining=5, reset=3",
    ])
    func whatSaysNothingThatCanBeReliedOnIsNothing(limit: String) {
        #expect(Self.read(limit) == nil)
    }

    @Test func onlyAFewPoliciesOfAnAnswerAreKept() {
        let many = (0..<50).map { #""p\#($0)";r=1;t=2"# }.joined(separator: ", ")
        #expect(Self.read(many)?.count == 4)
    }
}
