// Providers, built in and custom: their lifetimes, limits and keys.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

/// The names of the built-in providers, as an error lists them.
private let builtIn = ProviderRegistry.builtIn.map(\.about.name).joined(separator: ", ")

struct SettingsProviderTests {
    @Test func aBuiltInProviderKeepsItsDefaultsWhereNothingIsWritten() throws {
        let settings = try load("providers:\n  itunes:\n    rate: off\n  newsapi:\n")
        let itunes = try #require(settings.providers["itunes"])
        let defaults = try #require(ProviderRegistry.builtIn.first { $0.about.name == "itunes" }?.about)
        #expect(itunes.rate == nil)
        #expect(itunes.baseURL == defaults.defaultBaseURL)
        #expect(itunes.semantics == .ttl)
        #expect(itunes.enabled && !itunes.isPassthrough)
        for endpoint in defaults.endpoints { #expect(itunes.ttl(of: endpoint.name) == endpoint.ttl) }
        #expect(settings.providers["newsapi"]?.quota == CallRate(calls: 100, per: .seconds(86_400)))
    }

    @Test func lifetimesAreOneForAllOrByEndpoint() throws {
        let one = try load("providers: { itunes: { ttl: 90s } }\n").providers["itunes"]
        #expect(one?.ttl(of: "search") == .seconds(90))
        #expect(one?.ttl(of: "whatever") == .seconds(90))
        let some = try load("providers: { itunes: { ttl: { search: 5min, \"*\": 7min } } }\n").providers["itunes"]
        #expect(some?.ttl(of: "search") == .seconds(300))
        #expect(some?.ttl(of: "lookup") == .seconds(420))
        let kept = try load("providers: { itunes: { ttl: { search: 5min } } }\n").providers["itunes"]
        #expect(kept?.ttl(of: "lookup") == .seconds(86_400))
        let flag = try load("", flags: [("providers.itunes.ttl", "{ search: 1s }")]).providers["itunes"]
        #expect(flag?.ttl(of: "search") == .seconds(1))
    }

    @Test func answeringAtOnceNeverOutlastsAnsweringAtAll() throws {
        let itunes = try load("providers: { itunes: { staleFor: 1h } }\n").providers["itunes"]
        #expect(itunes?.staleFor == .seconds(3600))
        #expect(itunes?.staleWhileRefresh == .seconds(3600))
        let short = try load("providers: { itunes: { staleWhileRefresh: 0 } }\n").providers["itunes"]
        #expect(short?.staleWhileRefresh == .zero)
    }

    @Test func aProviderOfOnesOwnFollowsRFC9111UnlessTold() throws {
        let text = "providers:\n  my-api:\n    kind: passthrough\n    baseURL: HTTP://LocalHost:3000/Path//\n"
        let own = try #require(try load(text).providers["my-api"])
        #expect(own.isPassthrough)
        #expect(own.semantics == .rfc)
        #expect(own.baseURL == "http://localhost:3000/Path")
        #expect(own.rate == nil && own.quota == nil)
        let told = try load(text + "    semantics: ttl\n    ttl: { \"*\": 3s }\n").providers["my-api"]
        #expect(told?.semantics == .ttl)
        #expect(told?.ttl(of: "anything") == .seconds(3))
    }

    @Test func theEnvironmentAloneCanMakeAProvider() throws {
        var environment = plainEnvironment
        environment["LARDER_PROVIDERS_MY_API_KIND"] = "passthrough"
        environment["LARDER_PROVIDERS_MY_API_BASEURL"] = "https://api.example.com"
        environment["LARDER_PROVIDERS_ITUNES_RATE"] = "5/min"
        let settings = try load("", environment: environment)
        #expect(settings.providers["my-api"]?.baseURL == "https://api.example.com")
        #expect(settings.providers["itunes"]?.rate == CallRate(calls: 5, per: .seconds(60)))
    }

    @Test(arguments: [
        (
            "itune: { rate: off }",
            "1:14: providers.itune: is not built in (\(builtIn)); did you mean"
        ),
        ("itunes: { searchURL: \"http://a\" }", "1:35: providers.itunes.searchURL: itunes has one host for everything"),
        ("hackernews: { searchURL: \"ftp://a\" }", "providers.hackernews.searchURL: \"ftp://a\" is not a base URL"),
        ("forge: { ttl: 1h }", "\(builtIn)); one of your own needs a baseURL, and kind: passthrough or questions"),
        ("forge: { kind: passthrough }", "1:14: providers.forge.baseURL: is needed"),
        ("forge: { kind: builtin, baseURL: \"http://a\" }", "must be passthrough"),
        ("itunes: { kind: passthrough }", "is built in"),
        ("Bad_Name: { rate: off }", "a provider's name is"),
        ("itunes: { rate: 20 }", "is not a rate"),
        ("itunes: { rate: 20/fortnight }", "is not a unit of time"),
        ("itunes: { ttl: { serch: 1s } }", "did you mean \"search\"?"),
        ("itunes: { ttl: { search: 1s, search: 2s } }", "set twice"),
        ("itunes: { ttl: { search: 400d } }", "search: must be between 0 and 365d"),
        ("itunes: { ttl: soon }", "is not a duration"),
        ("itunes: { semantics: maybe }", "is not one of ttl, rfc"),
        ("itunes: { baseUrl: \"http://a\" }", "did you mean \"baseURL\"?"),
        ("itunes: { baseURL: itunes.apple.com }", "is not a base URL"),
        ("itunes: { baseURL: \"https://u:p@a\" }", "no user name or password"),
        ("itunes: { baseURL: \"https://a?x=1\" }", "no query"),
        ("itunes: { baseURL: \"https://a:0\" }", "not a port"),
        ("itunes: { baseURL: \"https://a:99999\" }", "not a port"),
        ("itunes: { baseURL: \"https:///path\" }", "not a host name"),
        ("itunes: { baseURL: \"https://a/../b\" }", "no . or .."),
        ("itunes: { imageHosts: [\"a b\"] }", "is not a host"),
        ("itunes: { imageHosts: [\"bücher.example\"] }", "in its ASCII form, xn--"),
        ("itunes: { baseURL: \"https://bücher.example/a\" }", "in its ASCII form, xn--"),
        ("itunes: { baseURL: \"https://b%C3%BCcher.example/a\" }", "in its ASCII form, xn--"),
        ("itunes: { baseURL: \"https://a.example/bü\" }", "encode the rest as %XX"),
        ("itunes: { imageHosts: [\"http://a/path\"] }", "has a path"),
        ("itunes: { imageHosts: [\"http://a=http://b\"] }", "before the = stands"),
        ("itunes: { imageHosts: [\"a=b\"] }", "is not a base URL"),
        ("itunes: { rate: off, rate: off }", "is set twice"),
        ("itunes: { baseURL: \"http://mirror.example\" }", "plain http beyond this machine"),
        ("jokes: { dialect: klingon }", "is not one of chucknorris, icndb"),
        ("itunes: { dialect: icndb }", "only one variant"),
        ("jokes: { dialect: icndb }", "needs a baseURL"),
        ("jokes: { baseURL: \"https://api.icndb.com\", dialect: icndb }", "strangers own the name"),
        ("mine: { kind: passthrough, baseURL: \"https://icndb.com\" }", "strangers own the name"),
        ("mine: { kind: passthrough, baseURL: \"https://a\", keyFields: [\"a b\"] }", "is not the name of a field"),
        ("mine: { kind: passthrough, baseURL: \"https://a\", keyFields: [cookie] }", "has its own rules"),
        (
            "mine: { kind: passthrough, baseURL: \"https://a\", key: abc, keyIn: cookie }",
            "\"cookie\" is not bearer, basic, header NAME, header NAME SCHEME, query NAME or oauth2 TOKEN_URL SCOPE…"
        ),
        ("mine: { kind: passthrough, baseURL: \"https://a\", key: abc, keyIn: header Cookie }", "has its own rules"),
        (
            "mine: { kind: passthrough, baseURL: \"https://a\", key: abc, keyIn: header Proxy-Authorization }",
            "Proxy-Authorization cannot carry a key"
        ),
        ("mine: { kind: passthrough, baseURL: \"https://a\", key: abc, keyIn: basic }", "is not user:password"),
        ("jokes: { imageHosts: [\"*.icndb.com\"] }", "strangers own the name"),
    ])
    func aMistakeIsNamed(_ text: String, _ message: String) {
        let found = findings("providers: { \(text) }\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func plainHTTPLeavesTheMachineOnlyWhereItIsAllowed() throws {
        #expect(try load("").providers["jokes"]?.plainHTTP == false)
        #expect(try load("").providers["jokes"]?.dialect == "chucknorris")
        let local =
            "providers: { jokes: { baseURL: \"http://127.0.0.1:9\" }, dnd5e: { baseURL: \"http://localhost:9\" } }\n"
        #expect(try load(local).providers["jokes"]?.plainHTTP == false)
        let mirror = "providers: { jokes: { baseURL: \"http://mirror.example\", dialect: icndb, plainHTTP: true } }\n"
        let allowed = try #require(try load(mirror).providers["jokes"])
        #expect(allowed.plainHTTP && allowed.dialect == "icndb")
        let own = "providers: { mine: { kind: passthrough, baseURL: \"http://nas.example\" } }\n"
        #expect(try load(own).providers["mine"]?.baseURL == "http://nas.example")
    }

    @Test func aPasswordInABaseURLIsNotRepeated() {
        let found = findings("providers: { itunes: { baseURL: \"https://user:hunter2@a\" } }\n")
        #expect(found.count == 1 && found.first?.contains("hunter2") == false)
    }

    @Test func imageHostsTakeAllTheirForms() throws {
        let hosts =
            "[\"*\", \"*.Example.com\", img.example.com, \"http://127.0.0.1:9000\", \"https://[::1]:1/\", "
            + "\"*.Example.com=http://127.0.0.1:9/A/\"]"
        let settings = try load("providers: { itunes: { imageHosts: \(hosts) } }\n")
        #expect(
            settings.providers["itunes"]?.imageHosts == [
                "*", "*.example.com", "img.example.com", "http://127.0.0.1:9000", "https://[::1]:1",
                "*.example.com=http://127.0.0.1:9/A",
            ])
        #expect(try load("providers: { newsapi: { imageHosts: [] } }\n").providers["newsapi"]?.imageHosts == [])
    }
}

struct SettingsSecretTests {
    private let secret = "0123456789abcdef-secret"

    @Test func aKeyComesFromCredentialThenSettingThenVariable() throws {
        try withScratchDirectory { directory in
            try write("from-credential\n", to: "\(directory)/newsapi.key")
            try write("from-file\r\n", to: "\(directory)/elsewhere")
            var environment = plainEnvironment
            environment["NEWSAPI_KEY"] = "from-variable"
            #expect(try load("", environment: environment).providers["newsapi"]?.key == "from-variable")
            environment["LARDER_NEWSAPI_KEY"] = "from-own-variable"
            #expect(try load("", environment: environment).providers["newsapi"]?.key == "from-own-variable")
            environment["ELSEWHERE"] = "from-named"
            let named = "providers: { newsapi: { key: \"env:ELSEWHERE\" } }\n"
            #expect(try load(named, environment: environment).providers["newsapi"]?.key == "from-named")
            let file = "providers: { newsapi: { key: \"file:\(directory)/elsewhere\" } }\n"
            #expect(try load(file, environment: environment).providers["newsapi"]?.key == "from-file")
            environment["CREDENTIALS_DIRECTORY"] = directory
            #expect(try load(file, environment: environment).providers["newsapi"]?.key == "from-credential")
        }
    }

    @Test func theTokenComesFromItsCredentialFirst() throws {
        try withScratchDirectory { directory in
            try write(secret, to: "\(directory)/admin.token")
            var environment = plainEnvironment
            let text = "admin: { token: written-in-the-file-itself }\n"
            #expect(try load(text, environment: environment).admin.token == "written-in-the-file-itself")
            environment["CREDENTIALS_DIRECTORY"] = directory
            #expect(try load(text, environment: environment).admin.token == secret)
        }
    }

    @Test func noFindingAndNoListShowsASecret() throws {
        let bad = findings(
            "admin: { token: \"\(secret) with spaces\" }\nproviders: { newsapi: { key: \"a \(secret)\" } }\n")
        #expect(bad.count == 2)
        #expect(!bad.joined().contains(secret))
        let settings = try load("admin: { token: \(secret) }\nproviders: { newsapi: { key: \(secret) } }\n")
        #expect(settings.admin.token == secret)
        #expect(!settings.effective.contains { "\($0)".contains(secret) })
    }

    @Test(arguments: [
        ("file:/dev/null", "is empty"), ("file:key", "absolute path"), ("env:NOT_SET", "is not set"),
    ])
    func aSecretThatCannotBeHadIsAnError(_ text: String, _ message: String) {
        let found = findings("providers: { newsapi: { key: \"\(text)\" } }\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func aKeyOverPlainHTTPIsNoted() throws {
        let settings = try load(
            "providers: { newsapi: { key: abc, baseURL: \"http://10.0.0.1:9\", plainHTTP: true } }\n")
        #expect(settings.notes.count == 1 && settings.notes.first?.contains("unencrypted") == true)
        #expect(settings.notes.first?.contains("abc") == false)
        for near in ["http://127.0.0.1:9/x", "http://localhost", "http://[::1]:9", "https://a"] {
            let quiet = try load("providers: { newsapi: { key: abc, baseURL: \"\(near)\" } }\n")
            #expect(quiet.notes.isEmpty, "\(near)")
        }
    }
}
