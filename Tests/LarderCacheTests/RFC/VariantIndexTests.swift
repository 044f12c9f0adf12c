// Variants of one URL: which requests select the same variant, and which variant is chosen.
import LarderCache
import LarderCore
import LarderHTTP
import Testing

@Suite struct VariantIndexTests {
    func select(_ names: [String], _ fields: HeaderFields) -> Digest {
        VariantIndex.selection(names: names, requestFields: fields)
    }

    @Test(
        arguments: [
            (["X"], ["X": "a, b"], ["x": "a,b"]), (["X"], ["X": "a", "x": "b"], ["X": " a ,\tb"]),
            (["Accept-Language"], ["Accept-Language": "de-DE, en"], ["accept-language": "DE-de,EN"]),
            (["Accept-Encoding"], ["Accept-Encoding": "GZIP"], ["Accept-Encoding": "gzip"]),
            (["X"], ["Y": "1"], ["Y": "2"]), ([], ["X": "1"], [:]),
        ] as [([String], HeaderFields, HeaderFields)])
    func equivalentRequestsSelectTheSame(_ names: [String], _ one: HeaderFields, _ other: HeaderFields) {
        #expect(select(names, one) == select(names, other))
    }

    @Test func orderAndCaseOfNamesDoNotMatter() {
        #expect(select(["B", "a", "A"], ["A": "1", "B": "2"]) == select(["a", "b"], ["b": "2", "a": "1"]))
    }

    @Test func differentRequestsSelectDifferently() {
        let values: [HeaderFields] = [
            [:], ["X": ""], ["X": "a"], ["X": "A"], ["X": "a,b"], ["X": "b,a"], ["X": "\"a,b\""], ["X": "ab"],
            ["X": "a", "Y": "b"], ["Y": "a"], ["Y": "a,b"], ["X": "a,b", "Y": ""], ["X": "", "Y": "a"],
        ]
        #expect(Set(values.map { select(["x", "y"], $0) }).count == values.count)
        #expect(select(["x"], [:]) != select(["y"], [:]))
        #expect(select(["ab", "c"], [:]) != select(["a", "bc"], [:]))
    }

    private let request: HeaderFields = ["A": "1", "B": "2", "C": "3"]

    @Test func newestMatchComesFirstEachByItsOwnNames() {
        let url = Variants()
            .with("first", ["A"], request).with("second", ["A", "B"], request).with("other", ["A"], ["A": "9"])
        #expect(url.candidates(request) == ["second", "first"])
        #expect(url.candidates(["A": "1"]) == ["first"])
        #expect(url.candidates(["A": "9", "B": "2"]) == ["other"])
        #expect(url.candidates([:]) == [])
        #expect(url.with("third", ["a"], request).candidates(request) == ["third", "second"])
    }

    @Test func ofTwoMatchesTheOneWithTheLaterDateComesFirst() {
        let url = Variants().with("late", ["A"], request, ago: 5).with("early", ["B"], request, ago: 500)
        #expect(url.candidates(request) == ["late", "early"])
        #expect(!url.isChosen("early", by: ["b"]) && url.isChosen("late", by: ["a"]))
    }

    @Test func aDateAheadOfTheReceiptCountsAsTheReceipt() {
        let url = Variants().with("ahead", ["A"], request, ago: -900).with("later", ["B"], request, ago: -1)
        #expect(url.candidates(request) == ["later", "ahead"])
    }

    @Test func aValidatedVariantGoesBeforeThoseReceivedEarlierOnly() throws {
        var url = Variants().with("first", ["A"], request, ago: 5).with("validated", ["B"], request, ago: 500)
        let index = try #require(url.index)
        let validated = try #require(url.entries.last)
        url.entries[1].variant = index.leading(validated)
        #expect(url.candidates(request) == ["validated", "first"])
        #expect(url.with("later", ["C"], request, ago: 4).candidates(request) == ["later", "validated", "first"])
    }

    @Test func variantsBeforeAnAbsenceAreInDoubt() {
        let url = Variants().with("older", ["A"], ["A": "1"]).with("none", ["A"], ["A": "2"], status: 404)
            .with("newer", ["A"], ["A": "3"])
        #expect(url.doubted == ["older"])
    }

    @Test func variantsBeforeOneThatIsGoneAreInDoubt() {
        var url = Variants().with("older", ["A"], ["A": "1"]).with("gone", ["A"], ["A": "2"])
            .with("newer", ["A"], ["A": "3"])
        url.missing = url.entries.remove(at: 1).arrival
        #expect(url.doubted == ["older"])
    }

    @Test func anUnverifiedVariantIsInDoubt() {
        var url = Variants().with("one", ["A"], ["A": "1"]).with("other", ["A"], ["A": "2"])
        url.entries[1].freshUntil = StoredResponse.unverified
        #expect(url.doubted == ["other"])
    }

    @Test func aVariantIsChosenByTheFieldsOfNewerOnesToo() {
        let older = Variants().with("older", ["accept-encoding"], ["X-B": "1"])
        #expect(older.isChosen("older", by: ["accept-encoding"]))
        let both = older.with("newer", ["x-b"], ["X-B": "2"])
        #expect(!both.isChosen("older", by: ["accept-encoding"]))
        #expect(both.isChosen("newer", by: ["accept-encoding", "x-b"]))
    }

    @Test func aVariantIsNotChosenByTheFieldsOfOlderOnes() {
        let url = Variants().with("older", ["x-b"], ["X-B": "2"]).with("newer", ["accept-encoding"], [:])
        #expect(url.isChosen("newer", by: ["accept-encoding"]))
    }

    @Test func aVariantThatIsNotAmongThemYetIsComparedWithThem() throws {
        let url = Variants().with("older", ["x-b"], ["X-B": "2"])
        let next = try #require(url.with("newer", ["accept-encoding"], [:]).entries.last)
        #expect(url.index?.isChosen(next, byOnly: ["accept-encoding"]) == true)
    }
}

/// The variants of a URL under test. Each is received one second after the one before it.
struct Variants {
    var entries: [StoredResponse] = []
    var missing: UInt64 = 0

    var index: VariantIndex? { VariantIndex(StoredLook(variants: entries, missing: missing)) }

    /// The same with one more, which replaces one with the same selection.
    // More than six parameters: the parts of an exchange.
    func with(
        _ name: String, _ vary: [String], _ request: HeaderFields, ago: Int64? = nil, status: Int = 200,
        language: String? = nil
    ) -> Variants {
        let number = (entries.last?.arrival ?? 0) + 1
        let received = Sample.now + .seconds(Int64(number))
        var fields: HeaderFields = ["Vary": vary.joined(separator: ", ")]
        if let ago { fields.add("Date", HTTPDate.format(Sample.now + .seconds(-ago))) }
        if let language { fields.add("Content-Language", language) }
        var entry = StoredResponse(
            key: CacheKey(layer: .raw, provider: "p", endpoint: name, parameters: []), layer: .raw, provider: "p",
            endpoint: "e", status: status, fields: fields, requestTime: received, responseTime: received,
            freshUntil: received + .seconds(60), staleUntil: received + .seconds(60), label: name)
        entry.arrival = number
        let variant = VariantIndex.variant(of: entry, vary: vary, requestFields: request, url: Digest(of: [1]))
        entry.variant = variant
        var next = self
        next.entries.removeAll { $0.variant?.selection == variant.selection }
        next.entries.append(entry)
        return next
    }

    func candidates(_ request: HeaderFields) -> [String] {
        index?.candidates(for: request).map(\.entry.label) ?? []
    }

    func inBestLanguage(_ request: HeaderFields) -> [String] {
        index?.inBestLanguage(for: request).map(\.entry.label) ?? []
    }

    func isChosen(_ name: String, by names: Set<String>) -> Bool {
        guard let entry = entries.first(where: { $0.label == name }) else { return false }
        return index?.isChosen(entry, byOnly: names) ?? false
    }

    var doubted: [String] { index?.variants.filter(\.isInDoubt).map(\.entry.label) ?? [] }
}
