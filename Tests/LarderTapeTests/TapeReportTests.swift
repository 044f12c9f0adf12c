// What is told of a tape.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderTape

struct TapeReportTests {
    private func findings(_ ground: Ground, _ literals: [String] = []) throws -> [TapeFault] {
        let tape = try ground.tape(literals)
        return TapeReport.findings(try tape.load(), files: try tape.files(), rules: tape.rules, secrets: tape.secrets)
    }

    @Test func aLineTellsOfAnExchange() throws {
        let ground = try Ground()
        for _ in 0..<2 { try ground.tape().keep(exchange()) }
        #expect(
            try ground.tape().load().recordings.map { TapeLine($0).description } == [
                "GET https://api.example.test/v1/search?q=a → 200 application/json, 15 B",
                "GET https://api.example.test/v1/search?q=a (2) → 200 application/json, 15 B",
            ])
    }

    @Test func aGoodTapeHasNoFindings() throws {
        let ground = try Ground()
        let tape = try ground.tape(["literal-key-4711"])
        var binary = try exchange("https://a.test/b?password=x&k=literal-key-4711", ["Accept": "a/b"])
        binary.answer.body = [0]
        try tape.keep(binary)
        try tape.keep(exchange(body: #"{"secret":"x"}"#))
        #expect(try findings(ground, ["literal-key-4711"]).isEmpty)
    }

    @Test func tornAndUnknownFilesAreFound() throws {
        let ground = try Ground()
        try ground.write("a-00000000-01.http", "GET")
        try ground.write("notes\u{1B}.txt", "x")
        try ground.write(".unfinished-00", "x")
        let found = try findings(ground)
        #expect(found.map(\.kind) == [.torn, .unknown, .unknown])
        #expect(!found.map(\.description).joined().contains("\u{1B}"))
    }

    @Test func aBodyOfNoExchangeIsUnknown() throws {
        let ground = try Ground()
        let name = try ground.tape().keep(exchange())
        try ground.write("\(name).body", "x")
        #expect(try findings(ground).map(\.file) == ["\(name).body"])
    }

    @Test(arguments: ["https://a.test/?q=literal-key-4711", "https://a.test/?pin=1"])
    func aSecretInAURLIsFound(_ text: String) throws {
        let ground = try Ground()
        try ground.tape().keep(exchange(text))
        try ground.write("tape.yaml", "version: 1\nsecrets: [pin]\n")
        let found = try findings(ground, ["literal-key-4711"])
        #expect(found.map(\.kind) == [.secret])
        #expect(found.map(\.message) == ["a secret stands in the URL"])
    }

    @Test func secretsInFieldsContentAndBodyAreFound() throws {
        let ground = try Ground()
        try ground.tape().keep(
            exchange(
                "https://a.test/", ["Accept": "literal-key-4711"], method: .post, content: "literal-key-4711",
                answer: ["X-Pin": "1"], body: #"{"x_pin":"1"}"#))
        try ground.write("tape.yaml", "version: 1\nsecrets: [x-pin]\n")
        let found = try findings(ground, ["literal-key-4711"])
        #expect(found.allSatisfy { $0.kind == .secret })
        #expect(found.count == 4)
        #expect(!found.map(\.description).joined().contains("4711"))
    }

    @Test func aParameterThatLooksLikeASecretIsSuspect() throws {
        let ground = try Ground()
        try ground.tape().keep(exchange("https://a.test/?key=abc&page_token=2&q=1"))
        let found = try findings(ground)
        #expect(found.map(\.kind) == [.suspect])
        #expect(found.first?.message.contains("parameter key ") == true)
    }

    @Test func equalAnswersInASeriesAreDuplicates() throws {
        let ground = try Ground()
        for body in ["1", "1", "2", "1"] { try ground.tape().keep(exchange(answer: ["Date": "x"], body: body)) }
        #expect(try findings(ground).count == 1)
        #expect(try findings(ground).first?.file.hasSuffix("-02.http") == true)
    }

    @Test func whatNoRunPlaysIsUnused() throws {
        let ground = try Ground()
        let tape = try ground.tape()
        let unused = try tape.keep(exchange("https://a.test/unused"))
        try tape.keep(exchange("https://a.test/used"))
        var state = TapeReplay.State()
        _ = try tape.replay().answer(asked("https://a.test/used"), &state)
        #expect(TapeReport.unused(try tape.load(), played: state.played) == [unused])
    }

    // MARK: Comparing with a fresh answer

    private func differences(_ recorded: TapeAnswer, _ fresh: TapeAnswer, _ rules: TapeRules = TapeRules()) -> [String]
    {
        TapeDifference.between(recorded: recorded, fresh: fresh, rules: rules, secrets: TapeSecrets()).map(\.lines)
    }

    private func answer(_ body: String, status: Int = 200, _ fields: HeaderFields = [:]) -> TapeAnswer {
        var all: HeaderFields = ["Content-Type": "application/json"]
        all.add(fields)
        return TapeAnswer(status: status, fields: all, body: Bytes(text: body))
    }

    @Test func jsonIsComparedByPath() {
        #expect(
            differences(answer(#"{"a":[1,2],"b":"x"}"#), answer(#"{"b":"x", "a":[1,3],"c":null}"#)) == [
                "- $.a[1]: 2\n+ $.a[1]: 3\n", "+ $.c: null\n",
            ])
    }

    @Test func statusAndFieldsAreCompared() {
        #expect(
            differences(answer("{}", ["X-A": "1"]), answer("{}", status: 404, ["X-A": "2"])) == [
                "- field x-a: 1\n+ field x-a: 2\n", "- status: 200\n+ status: 404\n",
            ])
    }

    @Test func volatileFieldsAndSecretsAreNotCompared() {
        let old = answer(#"{"access_token":"a"}"#, ["Date": "a", "Age": "1", "Set-Cookie": "x"])
        #expect(differences(old, answer(#"{"access_token":"b"}"#, ["Date": "b", "Set-Cookie": "y"])).isEmpty)
    }

    @Test func ignoredPathsAreNotCompared() {
        var rules = TapeRules()
        rules.ignoredJSON = [TapeJSONPath("$.at")].compactMap(\.self)
        #expect(differences(answer(#"{"at":1}"#), answer(#"{"at":2}"#), rules).isEmpty)
    }

    @Test func otherBodiesAreComparedBySizeAndDigest() {
        let (old, new) = (TapeAnswer(status: 200, body: [1, 2]), TapeAnswer(status: 200, body: [1, 2, 3]))
        #expect(differences(old, new).first?.hasPrefix("- body: 2 bytes") == true)
        #expect(differences(old, old).isEmpty)
    }
}
