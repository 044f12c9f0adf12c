// The tools of the settings, their shares, and the reserve.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

@Suite struct ToolSettingsTests {
    @Test func aListOrOneToolIsTaken() throws {
        let text =
            "tools: [{ name: editor, user: 1000, share: 20 % }, { name: batch, token: t0ken-of-the-batch }, "
            + "{ name: notebook }]"
        let tools = try load(text).tools
        #expect(
            tools == [
                ToolSetting("editor", user: 1000, share: 20), ToolSetting("batch", token: "t0ken-of-the-batch"),
                ToolSetting("notebook"),
            ])
        #expect(try load("tools: { name: notebook }").tools == [ToolSetting("notebook")])
        #expect(try load("").tools.isEmpty)
        #expect(try load("tools: [{ name: a, user: root }]").tools.first?.user == 0)
    }

    @Test(arguments: [("10 %", 10), ("10%", 10), ("10", 10), ("0", 0), ("90 %", 90)])
    func aReserveIsAPercentage(_ text: String, _ percent: Int) throws {
        #expect(try load("quota: { reserve: \(text) }").quota.reserve == percent)
    }

    @Test func withoutASettingNothingIsReserved() throws {
        #expect(try load("").quota.reserve == 0)
    }

    @Test(arguments: [
        ("tools: editor", "must be a mapping such as { name: editor, user: alice, share: 20 % }"),
        ("tools: [{ user: root }]", "a tool needs a name"),
        ("tools: [{ name: Editor }]", "1 to 32 lower-case letters"),
        ("tools: [{ name: other }]", "is the name of all other clients"),
        ("tools: [{ name: larder }]", "is the name of Larder's own calls"),
        ("tools: [{ name: a, usr: root }]", "did you mean \"user\""),
        ("tools: [{ name: a, name: b }]", "set twice"),
        ("tools: [{ name: a, user: nobody-here }]", "there is no user"),
        ("tools: [{ name: a, user: 4294967295 }]", "there is no user \"4294967295\""),
        ("admin: { users: [4294967295] }", "there is no user \"4294967295\""),
        ("tools: [{ name: a }, { name: a }]", "there are two tools \"a\""),
        ("tools: [{ name: a, user: 1 }, { name: b, user: 1 }]", "b and a have the same user"),
        ("tools: [{ name: a, token: 0123456789abcdef }, { name: b, token: 0123456789abcdef }]", "have the same token"),
        ("tools: [{ name: a, token: secret-of-the-admin }]\nadmin: { token: secret-of-the-admin }", "is admin.token"),
        (
            "tools: [{ name: a, token: secret-of-the-admin }]\nadmin: { token: \"x,secret-of-the-admin\" }",
            "a word in it"
        ),
        ("tools: [{ name: a, token: Basic }]", "has 5 bytes and needs 16 at least"),
        ("tools: [{ name: a, token: 0123456789abcde }]", "has 15 bytes and needs 16 at least"),
        ("tools: [{ name: a, token: \"0123456789,abcdef\" }]", "may hold letters, digits and"),
        ("tools: [{ name: a, token: \"0123=456789abcdef\" }]", "may hold letters, digits and"),
        ("tools: [{ name: a, token: \"0123456789abcdéf\" }]", "characters that no key has"),
        ("tools: [{ name: a, token: \"================\" }]", "may hold letters, digits and"),
        ("tools: [{ name: a, share: 5 % }]", "a share needs a user or a token"),
        ("tools: [{ name: a, user: 1, share: 95 % }]", "must be between 0 % and 90 %"),
        ("tools: [{ name: a, user: 1, share: much }]", "is not a percentage such as 10 %"),
        ("quota: { reserve: 91 % }", "must be between 0 % and 90 %"),
        ("quota: { reserve: 50 % }\ntools: [{ name: a, user: 1, share: 41 % }]", "are 91 % together"),
    ])
    func aMistakeIsToldWithWhatIsAllowed(_ text: String, _ message: String) {
        let found = findings(text + "\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test(arguments: [
        ("tools:\n  - name: a\n    share: 5 %", ":3:12: tools.a.share"),
        ("tools:\n  - { name: a, user: nobody-here }", ":2:22: tools.a.user"),
        ("tools:\n  - { name: a, user: 1 }\n  - { name: b, user: 1 }", ":3:22: tools.b.user"),
        (
            "tools:\n  - { name: a, token: 0123456789abcdef }\n  - { name: b, token: 0123456789abcdef }",
            ":3:23: tools.b.token"
        ),
        ("tools:\n  - { name: a, user: 1, share: 95 % }", ":2:32: tools.a.share"),
    ])
    func aMistakeIsToldWithItsPathAndPlace(_ text: String, _ place: String) {
        let found = findings(text + "\n")
        #expect(found.count == 1 && found.first?.contains(place) == true, "\(found)")
    }

    @Test func moreThanThirtyTwoToolsAreRefused() {
        let list = (0..<33).map { "{ name: t\($0) }" }.joined(separator: ", ")
        #expect(findings("tools: [\(list)]\n").first?.contains("33 tools; 32 are allowed") == true)
    }

    @Test func aTokenIsReadFromItsFileAndNeverShown() throws {
        try withScratchDirectory { directory in
            try write("a-token-from-the-file\n", to: "\(directory)/token")
            let settings = try load("tools: [{ name: batch, token: \"file:\(directory)/token\" }]")
            #expect(settings.tools.first?.token == "a-token-from-the-file")
            #expect(settings.secretFiles.contains { $0.path == "\(directory)/token" })
        }
        let shown = try load("tools: [{ name: batch, token: never-to-be-visible }]").effective.first {
            $0.path == "tools"
        }
        #expect(shown?.value == "batch")
    }

    @Test(arguments: ["0123456789abcdef", "A-._~+/z01234567=", "abcdefghijklmn=="])
    func aTokenIsAWordOfSixteenBytesOrMore(_ token: String) throws {
        #expect(try load("tools: [{ name: batch, token: \"\(token)\" }]").tools.first?.token == token)
    }

    @Test func aRefusedTokenIsNotShown() {
        for token in ["hidden", "hidden hidden hidden"] {
            #expect(!findings("tools: [{ name: batch, token: \"\(token)\" }]\n").joined().contains("hidden"))
        }
    }

    @Test func aCredentialComesBeforeWhatIsWritten() throws {
        try withScratchDirectory { directory in
            try write("a-token-from-systemd", to: "\(directory)/tools.batch")
            let environment = plainEnvironment.merging(["CREDENTIALS_DIRECTORY": directory]) { $1 }
            let settings = try load("tools: [{ name: batch, token: written-in-the-file }]", environment: environment)
            #expect(settings.tools.first?.token == "a-token-from-systemd")
        }
    }

    @Test func theEnvironmentMayNameTools() throws {
        let environment = plainEnvironment.merging(["LARDER_TOOLS": "[{ name: a }, { name: b }]"]) { $1 }
        #expect(try load("", environment: environment).tools.map(\.name) == ["a", "b"])
    }

    @Test(arguments: ["Priority", "X-Larder-Tool"])
    func whatIsForLarderAloneIsNoKeyField(_ name: String) {
        let found = findings(
            "providers: { api: { kind: passthrough, baseURL: \"https://a\", keyFields: [\(name)] } }\n")
        #expect(found.first?.contains("is for Larder") == true, "\(found)")
    }
}
