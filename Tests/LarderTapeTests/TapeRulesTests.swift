// `tape.yaml`: written once, then its user's.
import LarderCore
import Testing

@testable import LarderTape

struct TapeRulesTests {
    private func fault(_ text: String) -> TapeFault? {
        do throws(TapeFault) {
            _ = try TapeRules(reading: Bytes(text: text))
            return nil
        } catch {
            return error
        }
    }

    @Test func theFirstRecordingWritesRulesThatCanBeRead() throws {
        let ground = try Ground()
        try ground.tape().keep(exchange())
        #expect(try ground.tape().rules == TapeRules())
        #expect(try ground.read("tape.yaml").lossyText.contains("hosts: ['api.example.test']\n"))
    }

    @Test(arguments: [
        "https://[::1]:80/", "https://a'b/", "https://a\"b/", "https://a\\b/", "https://{a/", "https://a:/",
    ])
    func noHostMakesRulesThatCannotBeRead(_ text: String) throws {
        let ground = try Ground()
        try ground.tape().keep(exchange(text))
        #expect(try ground.tape().rules == TapeRules())
    }

    @Test func theUsersRulesAreKept() throws {
        let ground = try Ground()
        let text = "version: 1\nrepeat: no # mine\n"
        try ground.write("tape.yaml", text)
        try ground.tape().keep(exchange())
        #expect(try ground.read("tape.yaml").lossyText == text)
    }

    @Test func allRulesAreRead() throws {
        let rules = try TapeRules(
            reading: Bytes(
                text: """
                    version: 1
                    hosts: [a.test]
                    ignore:
                      parameters: [nonce]
                      fields: [X-Request-ID]
                      json: [$.at, "$.items[*].id"]
                    secrets: [pin]
                    repeat: no
                    errors: keep
                    """))
        #expect(rules.ignoredParameters == ["nonce"])
        #expect(rules.ignoredFields == ["x-request-id"])
        #expect(rules.ignoredJSON.map(\.description) == ["$.at", "$.items[*].id"])
        #expect(rules.secrets == ["pin"])
        #expect(!rules.repeats && rules.keepsErrors)
    }

    @Test func anUnknownKeyIsNamedWithItsLine() {
        #expect(
            fault("version: 1\nsecret: []\n")?.description
                == "tape.yaml:2: \"secret\" is not known here; did you mean \"secrets\"?")
    }

    @Test func anUnknownKeyBelowIgnoreIsNamedWithItsLine() {
        #expect(fault("version: 1\nignore:\n  params: [a]\n")?.line == 3)
    }

    @Test(arguments: [
        "repeat: no\n", "version: 2\n", "version: 1\nrepeat: perhaps\n", "version: 1\nerrors: yes\n", "- a\n", "{", "",
        "version: 1\nsecrets: pin\n", "version: 1\nignore:\n  json: [items]\n", "version: 1\nversion: 1\n",
    ])
    func whatIsNoRuleIsRefused(_ text: String) {
        #expect(fault(text) != nil)
    }

    @Test(arguments: ["", "$", "$.", "a", "$.a.", "$.a[", "$.a[x]", "$a", "$.[", "$..a"])
    func whatIsNoPathIsRefused(_ text: String) {
        #expect(TapeJSONPath(text) == nil)
    }

    @Test(arguments: ["$.a", "$[0]", "$.a[0].b", "$.a[*][1].b c"])
    func aPathIsWrittenAsItIsRead(_ text: String) {
        #expect(TapeJSONPath(text)?.description == text)
    }

    @Test func anUnreadableFileOfRulesStopsTheTape() throws {
        let ground = try Ground()
        try ground.write("tape.yaml", "version: 1\nx: 1\n")
        #expect(throws: TapeFault.self) { try ground.tape() }
    }
}
