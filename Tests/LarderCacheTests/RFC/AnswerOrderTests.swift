// Which responses for one URL that are still under way are overtaken by a newer one.
import LarderCache
import LarderCore
import LarderHTTP
import LarderTestSupport
import Testing

@Suite struct AnswerOrderTests {
    private typealias Selection = AnswerOrder.Selection
    private static let plain = Selection(vary: .names([]), fields: ["X-A": "1"])
    private static let star = Selection(vary: .any, fields: ["X-A": "1"])

    private static func byA(_ value: String) -> Selection {
        Selection(vary: .names(["x-a"]), fields: ["X-A": value, "X-B": "1"])
    }
    private static let byB = Selection(vary: .names(["x-b"]), fields: ["X-A": "2", "X-B": "1"])

    /// Whether the second of two responses overtakes the first.
    private func isOvertaken(_ older: Selection, by newer: Selection, _ reach: AnswerOrder.Reach) -> Bool {
        var order = AnswerOrder()
        order.enter(1, older, key: Sample.key("a"))
        order.enter(2, newer, key: Sample.key("b"))
        _ = order.overtake(by: 2, reach, withdraws: true)
        return order.isOvertaken(1)
    }

    @Test func aStoredAnswerOvertakesThoseThatTheSameFieldsSelect() {
        #expect(isOvertaken(Self.byA("1"), by: Self.byA("1"), .answered))
    }

    @Test func aStoredAnswerLeavesThoseThatOtherFieldsSelect() {
        #expect(!isOvertaken(Self.byA("1"), by: Self.byA("2"), .answered))
    }

    @Test func aStoredAnswerThatNoFieldSelectsOvertakesAll() {
        #expect(isOvertaken(Self.byA("2"), by: Self.plain, .answered))
    }

    @Test func anAnswerThatNoFieldSelectsIsOvertakenByAVariant() {
        #expect(isOvertaken(Self.plain, by: Self.byA("2"), .answered))
    }

    @Test func anAnswerThatIsNotStoredOvertakesWhatItsRequestSelects() {
        #expect(isOvertaken(Self.byA("1"), by: Self.star, .selected))
    }

    @Test func anAnswerThatIsNotStoredLeavesWhatItsRequestDoesNotSelect() {
        #expect(!isOvertaken(Self.byA("2"), by: Self.plain, .selected))
    }

    @Test func namesMayDifferWhereOneOfTheTwoRequestsSelectsBoth() {
        // The request of the older response has the same value of X-B as that of the newer one.
        #expect(isOvertaken(Self.byA("1"), by: Self.byB, .answered))
        #expect(!isOvertaken(Self.byA("1"), by: Self.byB, .selected))
    }

    @Test func anAbsenceOvertakesEverything() {
        #expect(isOvertaken(Self.byA("2"), by: Self.byB, .all))
    }

    @Test func anOlderAnswerOvertakesNoNewerOne() {
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"))
        order.enter(2, Self.plain, key: Sample.key("a"))
        _ = order.overtake(by: 1, .all, withdraws: true)
        #expect(!order.isOvertaken(2))
    }

    /// Whether a newer part overtakes a response.
    private func isOvertaken(_ tag: String, _ length: Int64?, byPart newer: String) -> Bool {
        func representation(_ tag: String, _ length: Int64?) -> AnswerOrder.Representation {
            .init(fields: ["ETag": tag], length: length, receivedAt: WallTime(seconds: 1))
        }
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"), representation(tag, length))
        order.enter(2, Self.plain, key: Sample.key("b"), representation(newer, 10))
        order.spareSame(2)
        _ = order.overtake(by: 2, .answered, withdraws: true)
        return order.isOvertaken(1)
    }

    @Test func aPartLeavesAnOlderAnswerOfTheSameRepresentation() {
        #expect(!isOvertaken("\"v\"", 10, byPart: "\"v\""))
    }

    @Test(arguments: [("\"u\"", 10), ("\"v\"", 11), ("\"v\"", nil), ("W/\"v\"", 10)] as [(String, Int64?)])
    func aPartOvertakesAnOlderAnswerThatIsNotKnownToBeOfTheSame(_ tag: String, _ length: Int64?) {
        #expect(isOvertaken(tag, length, byPart: "\"v\""))
    }

    @Test func aWholeAnswerOvertakesAnOlderOneOfTheSameRepresentation() {
        var order = AnswerOrder()
        let same = AnswerOrder.Representation(fields: ["ETag": "\"v\""], length: 10, receivedAt: WallTime(seconds: 1))
        order.enter(1, Self.plain, key: Sample.key("a"), same)
        order.enter(2, Self.plain, key: Sample.key("b"), same)
        _ = order.overtake(by: 2, .answered, withdraws: true)
        #expect(order.isOvertaken(1))
    }

    @Test func whatIsOvertakenIsNotWritten() {
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"))
        order.enter(2, Self.plain, key: Sample.key("a"))
        _ = order.overtake(by: 2, .answered, withdraws: true)
        let isWritten = order.beginWriting(1, overtaking: .answered)
        #expect(!isWritten)
    }

    @Test func theKeysOfWhatIsBeingWrittenAreTold() {
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"))
        order.enter(2, Self.plain, key: Sample.key("b"))
        order.enter(3, Self.plain, key: Sample.key("c"))
        _ = order.beginWriting(2, overtaking: nil)
        let told = order.overtake(by: 3, .answered, withdraws: true)
        #expect(told == [Sample.key("b")])
    }

    @Test func whatLeftIsHeldNoMore() {
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"))
        order.leave(1)
        #expect(order.isEmpty)
    }

    @Test func whatIsWrittenOvertakesWhatIsOlder() {
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"))
        order.enter(2, Self.plain, key: Sample.key("a"))
        _ = order.beginWriting(2, overtaking: .answered)
        #expect(order.isOvertaken(1))
    }

    @Test func anAnswerMayBeJoinedWhereTheNewerOneIsStored() {
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"))
        order.enter(2, Self.byA("1"), key: Sample.key("b"))
        _ = order.beginWriting(2, overtaking: .answered)
        #expect(!order.isWithdrawn(1))
    }

    @Test func anAnswerIsJoinedNoMoreWhereTheNewerOneIsNotStored() {
        var order = AnswerOrder()
        order.enter(1, Self.plain, key: Sample.key("a"))
        order.enter(2, Self.plain, key: Sample.key("a"))
        _ = order.overtake(by: 2, .selected, withdraws: true)
        #expect(order.isWithdrawn(1))
    }
}
