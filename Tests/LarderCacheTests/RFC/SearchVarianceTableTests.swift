// Which queries of a path are remembered, and how many at most.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderCache

@Suite struct SearchVarianceTableTests {
    private let path = Digest(of: [1])

    private func variance(_ line: String) -> SearchVariance { SearchVariance(["No-Vary-Search": line]) }

    private func form(_ query: String?, _ line: String) throws -> SearchVarianceTable.Form {
        try #require(SearchVarianceTable.Form(query, by: variance(line)))
    }

    @Test func anEquivalentQueryIsFoundAndNothingCrossesThePath() throws {
        var table = SearchVarianceTable()
        try #expect(table.note("a=1&utm=x", at: path, form("a=1&utm=x", "params=(\"utm\")")) == 0)
        #expect(table.found("a=1&utm=y", at: path) == ["a=1&utm=x"])
        #expect(table.found("a=1", at: path) == ["a=1&utm=x"])
        #expect(table.found("a=2", at: path) == [])
        #expect(table.found("a=1&utm=x", at: path) == [])
        #expect(table.found("a=1", at: Digest(of: [2])) == [])
    }

    @Test func theLatestOfEquivalentOnesIsNamedAndTheLatestRuleFirst() throws {
        var table = SearchVarianceTable()
        _ = table.note("a=1&b=2", at: path, try form("a=1&b=2", "key-order"))
        _ = table.note("b=2&a=1", at: path, try form("b=2&a=1", "key-order"))
        #expect(table.count == 1)
        _ = table.note(nil, at: path, try form(nil, "params"))
        #expect(table.found("b=2&a=1&", at: path) == [nil, "b=2&a=1"])
    }

    @Test func whatSaysNothingIsNotNoted() throws {
        var table = SearchVarianceTable()
        #expect(SearchVarianceTable.Form("a=1", by: .standard) == nil)
        let long = String(repeating: "a", count: SearchVarianceTable.longestQuery + 1)
        try #expect(table.note(long, at: path, form(long, "params")) == 0 && table.count == 0)
    }

    @Test func whatIsForgottenIsNotNamed() throws {
        var table = SearchVarianceTable()
        _ = table.note("a=1", at: path, try form("a=1", "params"))
        table.forget("a=2", at: path)
        #expect(table.found("a=3", at: path) == ["a=1"])
        table.forget("a=1", at: path)
        #expect(table.found("a=3", at: path) == [] && table.count == 0)
    }

    @Test func aHostileOriginFillsABoundedTable() throws {
        var table = SearchVarianceTable()
        var dropped = 0
        for number in 0..<20_000 {
            let path = Digest(of: [UInt8(number % 100)])
            dropped += table.note("n=\(number)", at: path, try form("n=\(number)", "params=(\"p\(number % 7)\")"))
        }
        let most = SearchVarianceTable.mostPaths * SearchVarianceTable.mostQueries
        #expect(table.count <= most && table.count + dropped == 20_000)
    }

    @Test func ofOnePathTheOldestQueriesAndRulesLeave() throws {
        var table = SearchVarianceTable()
        for number in 0...SearchVarianceTable.mostQueries {
            _ = table.note("n=\(number)", at: path, try form("n=\(number)", "key-order"))
        }
        #expect(table.count == SearchVarianceTable.mostQueries)
        #expect(table.found("n=0&", at: path) == [] && table.found("n=1&", at: path) == ["n=1"])
        for number in 0..<SearchVarianceTable.mostRules {
            _ = table.note("x", at: path, try form("x", "params=(\"p\(number)\")"))
        }
        #expect(table.found("n=1&", at: path) == [])
    }
}

extension SearchVarianceTable {
    fileprivate mutating func found(_ query: String?, at path: Digest) -> [String?] {
        equivalents(of: query, at: path, rules(at: path).compactMap { Form(query, by: $0) })
    }
}
