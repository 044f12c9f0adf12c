// The settings of an API of one's own whose tokens come from a token server (keyIn: oauth2).
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

@Suite struct TokenServerSettingsTests {
    private func own(_ keyIn: String, key: String = "app:secret", more: String = "") -> String {
        """
        providers:
          mine: { kind: passthrough, baseURL: "https://a", key: "\(key)", keyIn: "\(keyIn)" \(more) }

        """
    }

    @Test func aTokenServerIsRead() throws {
        let mine = try load(own("oauth2 https://login.example/token/?t=1 read write")).providers["mine"]
        #expect(
            mine?.tokenClient
                == TokenClient(
                    TokenServer(url: "https://login.example/token/?t=1", scopes: ["read", "write"]), key: "app:secret"))
    }

    @Test(arguments: [
        ("oauth2", "oauth2 needs the URL of a token server"),
        ("oauth2 login.example/token", "the token server: \"login.example/token\" is not a base URL"),
        ("oauth2 ftp://a/token", "the token server"), ("oauth2 https://u:p@a/token", "the token server"),
        ("oauth2 https://a/token#x", "no fragment"), ("oauth2 https://a/token?x#y", "no fragment"),
        ("oauth2 http://login.example/token", "plain http beyond this machine"),
        ("oauth2 HTTP://login.example/token", "plain http beyond this machine"),
        ("oauth2 http://login.example:80?a=b:c", "plain http beyond this machine"),
        ("oauth2 https://a/token re\\\\ad", "is not a scope"),
    ])
    func aMistakeIsNamed(_ keyIn: String, _ message: String) {
        let found = findings(own(keyIn))
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
        #expect(found.first?.contains("providers.mine.keyIn") == true && !"\(found)".contains("u:p"), "\(found)")
    }

    @Test(arguments: ["secret", ":secret"])
    func aKeyIsAnIDAndASecret(_ key: String) {
        let found = findings(own("oauth2 https://a/token", key: key))
        #expect(found.count == 1 && found.first?.contains("is not client_id:client_secret") == true, "\(found)")
        #expect(!"\(found)".contains("\"secret"), "\(found)")
    }

    @Test(arguments: [
        ("http://127.0.0.1:9/token", ""), ("http://localhost/token", ""), ("http://[::1]:9/token", ""),
        ("http://login.example/token", ", plainHTTP: true"),
    ])
    func plainHTTPIsForThisMachineOrAllowed(_ url: String, _ more: String) throws {
        let settings = try load(own("oauth2 \(url)", more: more))
        #expect(settings.providers["mine"]?.tokenClient?.server.url == url)
        #expect(settings.notes.contains { $0.contains("unencrypted to its token server") } == !more.isEmpty)
    }

    @Test(arguments: [
        ("HTTPS://Login.Example/Token", "https://login.example/Token"), ("https://a?x=Y", "https://a/?x=Y"),
        ("https://a/b/?x", "https://a/b/?x"),
    ])
    func theURLHasOneSpelling(_ url: String, _ read: String) throws {
        #expect(try load(own("oauth2 \(url)")).providers["mine"]?.tokenClient?.server.url == read)
    }

    @Test func authoritiesCountForATokenServerToo() throws {
        let text = """
            providers:
              mine: { kind: passthrough, baseURL: "http://127.0.0.1", key: "a:b", keyIn: "oauth2 https://a/token",
                ca: /nowhere.pem }

            """
        #expect(!"\(findings(text))".contains("has no effect here"))
    }
}
