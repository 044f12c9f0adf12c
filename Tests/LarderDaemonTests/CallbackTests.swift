// The callback URL that a person is told to register leads to an address on which this daemon listens.
import LarderCore
import LarderSettings
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct CallbackTests {
    @Test(arguments: [
        ("127.0.0.1:8787", "localhost:8787"), ("[::1]:8787", "localhost:8787"), ("0.0.0.0:80", "localhost:80"),
        ("[::]:8787", "localhost:8787"), ("192.168.1.5:8787", "192.168.1.5:8787"),
        ("127.0.0.2:8787", "127.0.0.2:8787"), ("[fd00::5]:8787", "[fd00::5]:8787"),
        ("unix:/run/larder.sock, 127.0.0.1:9000", "localhost:9000"),
        ("127.0.0.1:0, 127.0.0.1:9000", "localhost:9000"),
    ])
    func itNamesWhereTheDaemonListens(_ listen: String, _ host: String) throws {
        let items = listen.split(separator: ", ").map { "\"\($0)\"" }.joined(separator: ", ")
        let settings = try load("listen: [\(items)]\nallowRemote: true\n")
        #expect(AccountRoutes.callback(settings, "imgur") == "http://\(host)/v1/imgur/oauth/callback")
    }

    @Test(arguments: ["unix:/run/larder.sock", "127.0.0.1:0"])
    func noneIsToldThatNobodyKnows(_ listen: String) throws {
        #expect(AccountRoutes.callback(try load("listen: [\"\(listen)\"]"), "imgur") == nil)
    }
}
