// Which queries of a path are remembered, and how few.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderCache

@Suite struct SearchVarianceTableTests {
    private let path = Digest(of: [1])

    private func variance(_ line: String) -> SearchVariance { SearchVariance(["No-Vary-Search": line]) }

    @Test func anEquivalentQueryIsFoundAndNothingCrossesThePath() {
        var table = SearchVarianceTable()
        #expect(table.note("a=1&utm=x", at: path, variance("params=(\"utm\")")) == 0)
        #expect(table.equivalents(of: "a=1&utm=y", at: path) == ["a=1&utm=x"])
        #expect(table.equivalents(of: "a=1", at: path) == ["a=1&utm=x"])
        #expect(table.equivalents(of: "a=2", at: path) == [])
        #expect(table.equivalents(of: "a=1&utm=x", at: path) == [])
        #expect(table.equivalents(of: "a=1", at: Digest(of: [2])) == [])
    }

    @Test func theLatestOfEquivalentOnesIsNamedAndTheLatestRuleFirst() {
        var table = SearchVarianceTable()
        _ = table.note("a=1&b=2", at: path, variance("key-order"))
        _ = table.note("b=2&a=1", at: path, variance("key-order"))
        #expect(table.count == 1)
        _ = table.note(nil, at: path, variance("params"))
        #expect(table.equivalents(of: "b=2&a=1&", at: path) == [nil, "b=2&a=1"])
    }

    @Test func whatSaysNothingIsNotNoted() {
        var table = SearchVarianceTable()
        #expect(table.note("a=1", at: path, .standard) == 0 && table.count == 0)
        let long = String(repeating: "a", count: SearchVarianceTable.longestQuery + 1)
        #expect(table.note(long, at: path, variance("params")) == 0 && table.count == 0)
    }

    @Test func whatIsForgottenIsNotNamed() {
        var table = SearchVarianceTable()
        _ = table.note("a=1", at: path, variance("params"))
        table.forget("a=2", at: path)
        #expect(table.equivalents(of: "a=3", at: path) == ["a=1"])
        table.forget("a=1", at: path)
        #expect(table.equivalents(of: "a=3", at: path) == [] && table.count == 0)
    }

    @Test func aHostileOriginFillsABoundedTable() {
        var table = SearchVarianceTable()
        var dropped = 0
        for number in 0..<20_000 {
            let path = Digest(of: [UInt8(number % 100)])
            dropped += table.note("n=\(number)", at: path, variance("params=(\"p\(number % 7)\")"))
        }
        let most = SearchVarianceTable.mostPaths * SearchVarianceTable.mostQueries
        #expect(table.count <= most && table.count + dropped == 20_000)
    }

    @Test func ofOnePathTheOldestQueriesAndRulesLeave() {
        var table = SearchVarianceTable()
        for number in 0...SearchVarianceTable.mostQueries {
            _ = table.note("n=\(number)", at: path, variance("key-order"))
        }
        #expect(table.count == SearchVarianceTable.mostQueries)
        #expect(table.equivalents(of: "n=0&", at: path) == [] && table.equivalents(of: "n=1&", at: path) == ["n=1"])
        for number in 0..<SearchVarianceTable.mostRules {
            _ = table.note("x", at: path, variance("params=(\"p\(number)\")"))
        }
        #expect(table.equivalents(of: "n=1&", at: path) == [])
    }
}
