// The settings of the tier that hosts share: which addresses are valid, and how each mistake is reported.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

@Suite struct SharedSettingsTests {
    static let key = "0123456789abcdef0123456789abcdef"

    private func load(_ text: String) throws -> Settings {
        try SettingsLoader().load(text: Bytes(text: text), named: "larder.yaml", environment: ["HOME": "/nowhere"])
    }

    private func findings(_ text: String) -> [String] {
        do throws(SettingsError) {
            _ = try SettingsLoader().load(
                text: Bytes(text: text), named: "larder.yaml", environment: ["HOME": "/nowhere"])
            return []
        } catch {
            return error.issues.map { "\($0.path): \($0.message)" }
        }
    }

    @Test func withoutAnEngineAHostStandsAlone() throws {
        #expect(try load("").shared == nil)
    }

    @Test(
        arguments: [
            ("redis://h", SharedURL.Place.tcp(host: "h", port: 6379), nil, 0),
            ("redis://10.0.0.5:7000/3", .tcp(host: "10.0.0.5", port: 7000), nil, 3),
            ("redis://larder@engine.lan/2", .tcp(host: "engine.lan", port: 6379), "larder", 2),
            ("redis://[::1]:6380", .tcp(host: "::1", port: 6380), nil, 0),
            ("unix:/run/redis.sock", .unix("/run/redis.sock"), nil, 0),
        ] as [(String, SharedURL.Place, String?, Int)])
    func anAddressIsReadInItsParts(_ text: String, _ place: SharedURL.Place, _ user: String?, _ database: Int) throws {
        let url = try SharedURL(text)
        #expect(url.place == place && url.user == user && url.database == database)
    }

    @Test(arguments: [
        ("rediss://h", "tunnel"), ("redis://u:p@h", "shared.password"), ("http://h", "redis://host:6379"),
        ("redis://h:0", "port"), ("redis://h/x", "database"), ("redis://", "host"), ("unix:relative", "absolute"),
        ("redis://h:6379?x=1", "redis://host:6379"), ("redis://@h", "user"),
    ])
    func anyOtherAddressIsRefusedWithAdvice(_ url: String, _ advice: String) {
        let found = findings("shared: { url: \"\(url)\", key: \(Self.key) }")
        #expect(found.count == 1 && found[0].hasPrefix("shared.url: ") && found[0].contains(advice), "\(found)")
    }

    @Test func anEngineNeedsAKey() {
        let found = findings("shared: { url: \"redis://h\" }")
        #expect(found.count == 1 && found[0].hasPrefix("shared.key: is needed"), "\(found)")
    }

    @Test(arguments: ["shared: { key: short }", "artwork: { key: short }"])
    func aShortSecretIsRefused(_ text: String) {
        let found = findings(text)
        #expect(found.count == 1 && found[0].contains("needs 32 at least"), "\(found)")
    }

    @Test func aUserNeedsAPassword() {
        let found = findings("shared: { url: \"redis://larder@h\", key: \(Self.key) }")
        #expect(found.count == 1 && found[0].hasPrefix("shared.password: is needed"), "\(found)")
    }

    @Test func secretsOfTheFleetAreNeverShown() throws {
        let settings = try load(
            "shared: { url: \"redis://h\", key: \(Self.key), password: a-password }\nartwork: { key: \(Self.key) }")
        #expect(settings.effective.allSatisfy { $0.value?.contains(Self.key) != true && $0.value != "a-password" })
    }

    @Test(arguments: ["http://127.0.0.1:9000", "http://localhost", "https://[::1]:8443/api", "http://a.localhost:80"])
    func aProviderOnThisMachineIsNotSharedUnlessItIsSaid(_ url: String) throws {
        let text = "providers: { mine: { kind: passthrough, baseURL: \"\(url)\" } }"
        #expect(try load(text).providers["mine"]?.isShared == false)
        #expect(try load(text.replacing(" } }", with: ", shared: yes } }")).providers["mine"]?.isShared == true)
    }

    @Test(arguments: ["https://api.example.net", "http://10.0.0.5:9000", "http://localhost.example.net"])
    func aProviderElsewhereIsShared(_ url: String) throws {
        let text = "providers: { mine: { kind: passthrough, baseURL: \"\(url)\" } }"
        #expect(try load(text).providers["mine"]?.isShared == true)
    }
}
