// Where a key goes: the setting's text, and what it makes of a key.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct KeyPlacementTests {
    @Test(arguments: [
        ("bearer", "Authorization: Bearer k:v"), ("Basic", "Authorization: Basic azp2"),
        ("header X-Api-Key", "X-Api-Key: k:v"), ("header  Authorization Token", "Authorization: Token k:v"),
        ("query apikey", "?apikey=k%3Av"),
    ])
    func aKeyGoesWhereTheSettingSays(_ text: String, _ sent: String) throws {
        let placement = try #require(KeyPlacement(text))
        let fields = placement.fields("k:v").map { "\($0.name): \($0.value)" }
        let parameters = placement.parameters("k:v")
        #expect(fields + (parameters.items.isEmpty ? [] : ["?" + parameters.encoded]) == [sent])
        #expect(KeyPlacement(placement.description) == placement)
    }

    @Test func aKeyForTokensIsNotSentToTheAPI() throws {
        let placement = try #require(KeyPlacement("OAuth2  https://login.example/token?a=b read write:all"))
        #expect(
            placement.tokenServer == TokenServer(url: "https://login.example/token?a=b", scopes: ["read", "write:all"]))
        #expect(placement.fieldName == "Authorization")
        #expect(placement.fields("k:v").isEmpty && placement.parameters("k:v").items.isEmpty)
        #expect(placement.description == "oauth2 https://login.example/token?a=b read write:all")
        #expect(KeyPlacement(placement.description) == placement)
    }

    @Test(arguments: [
        "", "header", "query", "query a b", "header A B C", "header X:Y", "query a&b", "cookie", "bearer x", "oauth2",
        #"oauth2 https://a "b""#,
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(KeyPlacement(text) == nil)
    }
}
