// Paths of RFC 9535: what they select, in which order, and what is not a path here.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct JSONPathTests {
    private static let store = #"""
        {"books":[{"t":"A","p":8.95,"on":true},{"t":"B","p":12,"tags":["x","y"]},{"t":"C","p":null}],
        "o":{"k v":1,"z":[[1,2],[3]]},"it's":{"\"":5},"empty":[]}
        """#

    private func selected(_ path: String, _ json: String = store) throws -> [String] {
        let root = try JSON.parse(Bytes(text: json))
        var found: [String] = []
        try JSONPath(path).forEach(in: root) { value in
            found.append(value.raw.lossyText)
            return true
        }
        return found
    }

    @Test(arguments: [
        ("$.books[*].t", #""A" "B" "C""#), ("$.books[0].t", #""A""#), ("$.books[-1].t", #""C""#),
        ("$['o']['k v']", "1"), ("$[\"o\"].z[*][*]", "1 2 3"), ("$.o.z[1][0]", "3"), ("$['it\\'s']['\"']", "5"),
        ("$.o.*", "1 [[1,2],[3]]"), ("$.books[1].tags[*]", #""x" "y""#), ("$.empty[*]", ""), ("$.none.t", ""),
        ("$.books[9]", ""), ("$.books[-9]", ""), ("$.books.t", ""), ("$.o[0]", ""),
        ("$.books[?@.p > 10].t", #""B""#), ("$.books[?@.p <= 8.95].t", #""A""#), ("$.books[?@.t == 'C'].t", #""C""#),
        ("$.books[?@.t != \"C\"].t", #""A" "B""#), ("$.books[?@.on].t", #""A""#), ("$.books[?!@.on].t", #""B" "C""#),
        ("$.books[?@.on == true && @.p < 9].t", #""A""#), ("$.books[?@.t == 'A' || @.tags[1] == 'y'].t", #""A" "B""#),
        ("$.books[?@.p == null].t", #""C""#), ("$.books[?@.p < 'x'].t", ""),
        ("$.books[?@.on < true].t", ""), ("$.books[?@.on != false].t", #""A" "B" "C""#),
        ("$.books[?@.none != 1].t", #""A" "B" "C""#),
        ("$.books[?@.tags[?@ == 'x']].t", #""B""#),
    ])
    func aPathSelectsInTheOrderOfTheText(_ path: String, _ values: String) throws {
        #expect(try selected(path).joined(separator: " ") == values)
    }

    @Test func theRootIsAPath() throws {
        #expect(try selected("$", "7") == ["7"])
    }

    @Test(arguments: [
        ("", 0), ("books", 0), ("$books", 1), ("$.", 2), ("$..t", 3), ("$.a[", 4), ("$.a[x]", 4), ("$.a[1", 5),
        ("$['a", 4), ("$[?x]", 3), ("$[?@.a ==]", 9), ("$[?@.a == x]", 11), ("$[?!@.a == 1]", 10), ("$.a b", 3),
        ("$[1:2]", 3), (#"$['a\n']"#, 4), ("$[?@.a == 1 &&]", 14), ("$[99999999999999999999]", 22),
    ])
    func whatIsNoPathIsToldWithItsPlace(_ text: String, _ place: Int) throws {
        let error = try #require(throws: JSONPathError.self) { try JSONPath(text) }
        #expect(error.place == place, "\(error)")
        #expect(!error.message.isEmpty)
    }

    @Test func lengthAndStepsAreBounded() {
        #expect(throws: JSONPathError.self) { try JSONPath("$" + String(repeating: ".a", count: 33)) }
        #expect(throws: JSONPathError.self) { try JSONPath("$." + String(repeating: "a", count: 1000)) }
        let tests = Array(repeating: "@.a", count: 33).joined(separator: "||")
        #expect(throws: JSONPathError.self) { try JSONPath("$[?\(tests)]") }
    }

    /// Each value of an answer is visited at most once for each step, so that the most hostile pair ends at once.
    @Test func theWidestPathOverTheWidestAnswerEnds() throws {
        let inner = "[" + Array(repeating: "[1]", count: 300).joined(separator: ",") + "]"
        let json = "[" + Array(repeating: inner, count: 100).joined(separator: ",") + "]"
        #expect(try selected("$[*][*][*]", json).count == 30_000)
        #expect(try selected("$[?@[?@[?@ == 1]]][*]", json).count == 30_000)
    }

    @Test func anyBytesAreAPathOrAnError() {
        let signs = Array("$@.[]*?'\"!=<>&|-0a \\")
        for _ in 0..<3000 {
            let text = "$" + String((0..<Int.random(in: 0...20)).map { _ in signs.randomElement() ?? "$" })
            _ = try? JSONPath(text)
        }
    }
}
