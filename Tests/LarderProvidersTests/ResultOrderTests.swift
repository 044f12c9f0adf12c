// Result orders as people expect them, and merging of several sources.
import LarderCore
import LarderProviders
import Testing

@Suite struct ResultOrderTests {
    private func names(_ names: [String?], language: String? = nil) -> [String?] {
        ResultOrder.order(names.map { ResultKey(name: $0) }, by: .name, language: language).map { names[$0] }
    }

    @Test func namesIgnoreCaseAndKnowAccentsAndNumbers() {
        #expect(
            names(["zebra", "Éclair", "apple", nil, "Banana", "eclipse", "Track 10", "track 2", "Apple"])
                == ["apple", "Apple", "Banana", "Éclair", "eclipse", "track 2", "Track 10", "zebra", nil])
    }

    @Test func namesFollowTheLanguage() {
        #expect(names(["Zorn", "Ärger", "Apfel"], language: "de") == ["Apfel", "Ärger", "Zorn"])
        #expect(names(["Zorn", "Ärger", "Apfel"], language: "sv") == ["Apfel", "Zorn", "Ärger"])
    }

    @Test func equalNamesKeepTheirOrder() {
        let keys = ["b", "A", "a", "B", "a"].map { ResultKey(name: $0) }
        #expect(ResultOrder.order(keys, by: .name) == [1, 2, 4, 0, 3])
    }

    @Test func cheapFirstByCurrencyAndWithoutAPriceLast() {
        let keys = [
            ResultKey(), ResultKey(price: 3, currency: "USD"), ResultKey(price: 1, currency: "EUR"),
            ResultKey(price: 0, currency: "USD"), ResultKey(price: 3, currency: "USD"),
        ]
        #expect(ResultOrder.order(keys, by: .price) == [3, 1, 4, 2, 0])
    }

    @Test func newFirstAndWithoutADateLast() {
        let keys = ([nil, 5, 9, 5] as [Int64?]).map { ResultKey(date: $0.map { WallTime(seconds: $0) }) }
        #expect(ResultOrder.order(keys, by: .date) == [2, 1, 3, 0])
        #expect(ResultOrder.order(keys, by: .relevance) == [0, 1, 2, 3])
    }

    @Test func relevanceInterleavesByRankAndOtherOrdersSortTheWhole() throws {
        let arrays = [#"[{"title":"c"},{"title":"a"},{"title":"e"}]"#, "[]", #"[{"title":"d"},{"title":"B"}]"#]
            .map { Bytes(text: $0) }
        func titles(_ sort: SortOrder) throws -> [String?] {
            try JSON.parse(ResultOrder.merge(arrays, by: sort)).elements.map { $0["title"]?.string }
        }
        #expect(try titles(.relevance) == ["c", "d", "a", "B", "e"])
        #expect(try titles(.name) == ["a", "B", "c", "d", "e"])
        #expect(try ResultOrder.merge([], by: .name) == Bytes(text: "[]"))
        #expect(throws: JSONError.self) {
            try ResultOrder.merge([Bytes(text: "{}"), Bytes(text: "[]")], by: .relevance)
        }
    }
}
