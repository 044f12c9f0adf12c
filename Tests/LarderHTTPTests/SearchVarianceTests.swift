// No-Vary-Search: the meaning of a field, and which queries are equivalent under it.
import LarderCore
import LarderHTTP
import Testing

private func variance(_ lines: String...) -> SearchVariance {
    var fields: HeaderFields = [:]
    for line in lines { fields.add("No-Vary-Search", line) }
    return SearchVariance(fields)
}

@Suite struct SearchVarianceTests {
    @Test(arguments: [
        "", "unknown-key", "key-order=\"not a boolean\"", "params=\"neither\"", "params=(not-a-string)",
        "params=(\"a\" 1)",
        "params=(\"a\"), except=(\"x\")", "params=(), except=()", "params=?0, except=(\"x\")",
        "params, except=(not-a-string)",
        "params, except=\"no list\"", "params, except=?1", "except=x", "except", "params=?0", "params=()",
        "key-order=?0", "params=1", "key-order=1", "params=(\"a\"", "params=(\"\u{E9}\")", "params,,key-order",
        "key-order=",
        "params=(\"a\"), key-order=x",
    ])
    func whatIsNotAsTheDraftSaysMeansThatEveryDifferenceCounts(_ line: String) {
        #expect(variance(line).isStandard, "\(line)")
        #expect(!variance(line).areEquivalent("a=1", "a=2") && variance(line).areEquivalent("a=1", "a=1"))
    }

    @Test(arguments: [
        ("params=?1", "params"), ("key-order=?1", "key-order"),
        ("except=(\"x\")", "params, except=(\"x\")"), ("except=()", "params"),
        ("params, key-order, except=(\"x\")", "key-order, params, except=(\"x\")"),
        ("key-order;q=1, params=(\"a\";x=y);z", "key-order, params=(\"a\")"),
        ("params=(\"a\"), future=(1 2)", "params=(\"a\")"),
        ("params=(\"a\" \"a\" \"%61\")", "params=(\"a\")"), ("params=(\"a+b\")", "params=(\"a%20b\")"),
        ("params=\"x\", params=(\"a\")", "params=(\"a\")"),
    ])
    func theseMeanTheSame(_ one: String, _ other: String) {
        #expect(variance(one) == variance(other) && !variance(one).isStandard)
    }

    @Test func linesOfOneFieldAreOneDictionary() {
        #expect(variance("key-order", "params=(\"a\")") == variance("key-order, params=(\"a\")"))
    }

    @Test func namesThatAreIgnoredMayDiffer() {
        let some = variance("params=(\"utm\" \"ref\")")
        #expect(some.areEquivalent("a=1&utm=x", "utm=y&a=1") && some.areEquivalent("a=1&ref=1&ref=2", "a=1"))
        #expect(!some.areEquivalent("a=1&utm=x", "a=2&utm=x") && !some.areEquivalent("a=1&b=2", "b=2&a=1"))
        #expect(!some.areEquivalent("a=1", "UTM=1&a=1") && some.areEquivalent("utm=1", nil))
    }

    @Test func allMayDifferButForTheExceptions() {
        let all = variance("params")
        #expect(all.areEquivalent("a=1", "b=2") && all.areEquivalent(nil, "x") && all.areEquivalent("", nil))
        let but = variance("params, except=(\"id\")")
        #expect(but.areEquivalent("id=1&a=2", "b=3&id=1") && !but.areEquivalent("id=1", "id=2"))
        #expect(!but.areEquivalent("id=1", nil) && !but.areEquivalent("id=1&id=2", "id=2&id=1"))
    }

    @Test func theOrderOfNamesMayDifferAndThatOfValuesNot() {
        let order = variance("key-order")
        #expect(order.areEquivalent("a=1&b=2", "b=2&a=1") && order.areEquivalent("a=1&b=2&a=3", "b=2&a=1&a=3"))
        #expect(!order.areEquivalent("a=1&a=2", "a=2&a=1") && !order.areEquivalent("a=1", "a=1&a=1"))
        let except = variance("params, except=(\"a\" \"b\"), key-order")
        #expect(except.areEquivalent("x&b=2&a=1", "a=1&y&b=2"))
    }

    @Test(
        arguments: [
            (nil, ""), ("a=x", "%61=%78"), ("a=\u{E9}", "a=%C3%A9"), ("a=%f6", "a=%ef%bf%bd"), ("a=x&&&&", "a=x"),
            ("a=", "a"),
            ("a=%20", "a=+"), ("a=%zz", "a=%25zz"), ("a=%", "a=%25"), ("a=%4", "a=%254"), ("a=1=2", "a=1%3D2"),
            ("=x", "=%78"),
        ] as [(String?, String)])
    func parametersAreDecodedAsAFormIs(_ one: String?, _ other: String) {
        #expect(variance("key-order").areEquivalent(one, other))
        #expect(!SearchVariance.standard.areEquivalent(one, other))
    }

    @Test(arguments: [
        ("a=x", "a=X"), ("a", "b"), ("a", "a=1"), ("a=+", "a=%2B"), ("e\u{301}=1", "\u{E9}=1"), ("a=1;b=2", "a=1&b=2"),
    ])
    func theseStayDifferent(_ one: String, _ other: String) {
        #expect(!variance("key-order").areEquivalent(one, other))
    }

    @Test func encodedNamesInTheFieldAreThoseOfTheQuery() {
        let names = variance("params=(\"%C3%A9+%E6%B0%97\")")
        for query in ["\u{E9}+\u{6C17}=2", "%C3%A9%20\u{6C17}=3", "%C3%A9+%E6%B0%97=4"] {
            #expect(names.areEquivalent(nil, query), "\(query)")
        }
        #expect(!names.areEquivalent(nil, "%C3%A9=1"))
    }

    @Test func longFieldsAndQueriesAreBeyondTheBounds() {
        let many = (0..<65).map { "\"n\($0)\"" }
        #expect(variance("params=(\(many.joined(separator: " ")))").isStandard)
        #expect(!variance("params=(\(many.dropLast().joined(separator: " ")))").isStandard)
        let long = "params=(\"" + String(repeating: "a", count: 4096) + "\")"
        #expect(variance(long).isStandard && SearchVariance.isBeyondBounds(["No-Vary-Search": long]))
        let order = variance("key-order")
        let wide = (0..<257).map { "\($0)" }.joined(separator: "&")
        #expect(!order.areEquivalent(wide, "x&" + wide) && order.areEquivalent(wide, wide))
        #expect(
            !order.areEquivalent(
                "a=" + String(repeating: "b", count: 9000), "%61=" + String(repeating: "b", count: 9000)))
    }

    /// The relation is an equivalence: reflexive, symmetric and transitive.
    @Test func whatIsEquivalentIsSoInEveryDirection() {
        var random = SystemRandomNumberGenerator()
        let lines = [
            "params", "key-order", "params=(\"a\")", "params, except=(\"a\")", "key-order, params=(\"b\")", "x",
        ]
        let pieces = ["a", "b", "=", "&", "1", "2", "%61", "+", "%20", "%", "\u{E9}"]
        func query() -> String {
            (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        for _ in 0..<3000 {
            let rule = variance(lines.randomElement(using: &random) ?? "")
            let (a, b, c) = (query(), query(), query())
            #expect(rule.areEquivalent(a, a))
            #expect(rule.areEquivalent(a, b) == rule.areEquivalent(b, a), "\(a) \(b)")
            if rule.areEquivalent(a, b), rule.areEquivalent(b, c) {
                #expect(rule.areEquivalent(a, c), "\(a) \(b) \(c)")
            }
        }
    }
}
