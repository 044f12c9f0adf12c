// Listen addresses: their forms, and that nobody exposes a machine by mistake.
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderSettings

struct SettingsListenTests {
    @Test func allFormsOfTheListAreRead() throws {
        let text = """
            listen:
              - 127.0.0.1:0
              - "[::1]:8787"
              - unix:/run/larder/larder.sock
              - { address: "127.0.0.2:8788", provider: itunes }
              - address: 127.0.0.1:0
                provider: forge
            providers:
              forge: { kind: passthrough, baseURL: "http://10.0.0.1:3000/api/" }
            """
        let settings = try load(text)
        #expect(
            settings.listen == [
                ListenSetting(address: "127.0.0.1:0"), ListenSetting(address: "[::1]:8787"),
                ListenSetting(address: "unix:/run/larder/larder.sock"),
                ListenSetting(address: "127.0.0.2:8788", provider: "itunes"),
                ListenSetting(address: "127.0.0.1:0", provider: "forge"),
            ])
        #expect(settings.providers["forge"]?.baseURL == "http://10.0.0.1:3000/api")
    }

    @Test func oneAddressNeedsNoList() throws {
        #expect(try load("listen: 127.0.0.1:1\n").listen.map(\.address) == ["127.0.0.1:1"])
        #expect(try load("listen: { address: 127.0.0.1:1 }\n").listen.map(\.address) == ["127.0.0.1:1"])
    }

    @Test func flagsAndTheEnvironmentListWithCommasOrRepeat() throws {
        let flags = [(path: "listen", value: "127.0.0.1:1, 127.0.0.1:2"), (path: "listen", value: "unix:/a/b")]
        #expect(try load("", flags: flags).listen.map(\.address) == ["127.0.0.1:1", "127.0.0.1:2", "unix:/a/b"])
        let flow = [(path: "listen", value: "[{ address: 127.0.0.1:1, provider: itunes }]")]
        #expect(try load("", flags: flow).listen == [ListenSetting(address: "127.0.0.1:1", provider: "itunes")])
        var environment = plainEnvironment
        environment["LARDER_LISTEN"] = "127.0.0.1:3"
        #expect(try load("listen: 127.0.0.1:9\n", environment: environment).listen.map(\.address) == ["127.0.0.1:3"])
    }

    @Test(arguments: [
        ("0.0.0.0:8787", "needs allowRemote: true"), ("[::]:8787", "needs allowRemote: true"),
        ("192.168.1.5:8787", "needs allowRemote: true"), ("[::ffff:10.0.0.1]:1", "needs allowRemote: true"),
        ("localhost:8787", "write 127.0.0.1:8787"), ("*:8787", "write 0.0.0.0:8787"),
        ("::1:8787", "stands in brackets"), ("127.0.0.1", "has no port"),
        ("127.0.0.1:70000", "has no port"), ("127.1:80", "no IP address"),
        ("unix:relative", "absolute path"), ("unix:/\(String(repeating: "x", count: 120))", "107 bytes"),
        ("[zz]:1", "no IPv6 address"),
    ])
    func anAddressThatCannotBeIsRefused(_ address: String, _ message: String) {
        let found = findings("listen: [\"127.0.0.1:1\", \"\(address)\"]\n")
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
        #expect(found.first?.hasPrefix("larder.yaml:1:25: listen:") == true)
    }

    @Test func allowRemotePermitsThemAndSaysSo() throws {
        let settings = try load("listen: \"0.0.0.0:8787\"\nallowRemote: yes\n")
        #expect(settings.allowRemote)
        #expect(settings.notes.count == 1)
        #expect(try load("allowRemote: true\n").notes.isEmpty)
    }

    @Test(arguments: [
        ("listen: []\n", "names no address"),
        ("listen: [127.0.0.1:1, 127.0.0.1:1]\n", "listed twice"),
        ("listen: [{ address: 127.0.0.1:1, provider: itune }]\n", "did you mean \"itunes\"?"),
        ("listen: [{ provider: itunes }]\n", "needs an address"),
        ("listen: [{ address: 127.0.0.1:1, port: 2 }]\n", "no \"port\""),
        ("listen: [{ address: 127.0.0.1:1, address: 127.0.0.1:2 }]\n", "set twice"),
        ("listen: [[127.0.0.1:1]]\n", "not a list"),
    ])
    func aListThatCannotBeIsRefused(_ text: String, _ message: String) {
        let found = findings(text)
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func hostNamesMayBeAddressesWithOrWithoutBrackets() throws {
        let settings = try load(#"hostNames: [Larder.lan, 192.168.1.5, "[2001:DB8:0::5]", "::ffff:127.0.0.1"]"#)
        #expect(settings.hostNames == ["larder.lan", "192.168.1.5", "[2001:db8::5]", "[::ffff:127.0.0.1]"])
    }
}
