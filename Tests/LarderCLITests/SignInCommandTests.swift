// `larder imgur login`, `logout` and `status` against a scripted daemon.
import LarderCore
import Testing

@testable import LarderCLI

@Suite struct SignInCommandTests {
    private static let begun = """
        {"url":"https://api.example/oauth2/authorize?client_id=a&response_type=token&state=s","expiresAt":"2999-01-01T00:00:00Z",
        "startedAt":"2026-01-01T12:00:00Z","callback":"http://localhost:8787/v1/imgur/oauth/callback","renewable":true}
        """
    private static let signedIn = """
        {"provider":"imgur","signedIn":true,"account":"pan\\u001btry","signedInAt":"2026-01-01T12:00:07Z",
        "expiresAt":"2026-02-01T12:00:00Z","renewable":true,"pending":0}
        """

    private func daemon(begun: String = begun, account: String) throws -> ScriptedDaemon {
        try ScriptedDaemon { head in
            head.hasPrefix("GET /v1/imgur/oauth/start") ? answer(200, begun) : answer(200, account)
        }
    }

    @Test func loginShowsThePageAndWaitsForTheBrowser() async throws {
        let daemon = try daemon(account: Self.signedIn)
        let shown = await larder("imgur", "login", "--url", daemon.url, "--token", "t0", isTerminal: true)
        #expect(shown.status == .done, "\(shown)")
        #expect(
            shown.text.contains("\n  https://api.example/oauth2/authorize?client_id=a&response_type=token&state=s\n"))
        #expect(shown.text.hasSuffix("Signed in as pan try.\n"), "\(shown.text)")
        #expect(shown.err.contains("http://localhost:8787/v1/imgur/oauth/callback"))
        #expect(daemon.heads.count == 2)
        #expect(daemon.heads[0].contains("\r\nAuthorization: Bearer t0\r\n"), "a sign-in needs authority")
        #expect(!daemon.heads[1].contains("Authorization"), "to look needs none")
    }

    @Test func withoutWaitingOnlyThePageIsPrinted() async throws {
        let daemon = try daemon(account: "{}")
        let shown = await larder("imgur", "login", "--no-wait", "--code", "--url", daemon.url)
        #expect(shown.status == .done && shown.text == Self.begun + "\n" && shown.err.isEmpty)
        #expect(daemon.heads.count == 1 && daemon.heads[0].hasPrefix("GET /v1/imgur/oauth/start?response_type=code "))
    }

    @Test(arguments: [
        (
            #"{"signedIn":false,"pending":0,"lastFailure":{"at":"2026-01-01T12:00:05Z","detail":"The sign-in was declined at imgur."}}"#,
            "declined"
        ),
        // A failure from before this sign-in does not count. That no sign-in is under way any more does count.
        (
            #"{"signedIn":false,"pending":0,"lastFailure":{"at":"2026-01-01T11:00:05Z","detail":"The sign-in was declined."}}"#,
            "nobody came back"
        ),
        // A sign-in from before this one does not count either.
        (#"{"signedIn":true,"signedInAt":"2026-01-01T11:59:59Z","pending":0}"#, "nobody came back"),
    ])
    func aSignInThatComesToNothingIsSaid(_ account: String, _ words: String) async throws {
        let daemon = try daemon(account: account)
        let shown = await larder("imgur", "login", "--url", daemon.url, isTerminal: true)
        #expect(shown.status == .refused && shown.err.contains(words), "\(shown)")
    }

    @Test func statusTellsWhoAndUntilWhen() async throws {
        let daemon = try daemon(account: Self.signedIn)
        let shown = await larder("imgur", "status", "--url", daemon.url, isTerminal: true)
        #expect(shown.status == .done)
        #expect(
            shown.text == "Signed in as pan try, until 2026-02-01 12:00:00 UTC and renewed before.\n", "\(shown.text)")
        let nobody = try self.daemon(account: #"{"signedIn":false,"reason":"The sign-in could not be renewed: 400"}"#)
        let none = await larder("imgur", "status", "--url", nobody.url, isTerminal: true)
        #expect(none.status == .noResults)
        #expect(none.text == "Nobody is signed in: larder imgur login\nThe sign-in could not be renewed: 400\n")
    }

    @Test func logoutSignsOut() async throws {
        let daemon = try daemon(account: #"{"signedIn":false,"wasSignedIn":true}"#)
        let shown = await larder("imgur", "logout", "--url", daemon.url, isTerminal: true)
        #expect(shown.status == .done && shown.text == "Signed out.\n")
        #expect(daemon.heads.first?.hasPrefix("DELETE /v1/imgur/account HTTP/1.1\r\n") == true)
    }
}
