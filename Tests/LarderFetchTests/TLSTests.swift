// Certificates, tested against the openssl program as the server. A certificate is good if its issuer is trusted and
// its name matches the host. Otherwise nothing is sent.
import CLinux
import CSSL
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderFetch

@Suite(.enabled(if: access(OpenSSLProgram.path, X_OK) == 0, "the openssl program is not installed"))
struct TLSTests {
    @Test func aCertificateIsGoodOnlyWithATrustedIssuerAndTheHostsName() async throws {
        let server = try TLSServer(name: "localhost")
        defer { server.stop() }
        try await withRig { rig in
            let error = await rig.failure(order("https://localhost:\(server.port)/"))
            #expect(error?.stage == .secure)
            let message = "The server's certificate is not valid, or no known authority vouches for it"
            #expect(error?.message == message + " (providers.<name>.ca).")
        }
        try await withRig(FetchSettings(caFile: server.certificate)) { rig in
            let response = try await rig.fetcher.fetch(order("https://localhost:\(server.port)/"))
            #expect(response.status == 200)
            #expect(response.body.lossyText.contains("s_server"))
            // The certificate is trusted, but for another name.
            #expect(await rig.failure(order("https://127.0.0.1:\(server.port)/"))?.stage == .secure)
            // An accepted certificate does not permit private addresses.
            let error = await rig.failure(order("https://localhost:\(server.port)/", addresses: .publicOnly))
            #expect(error?.stage == .forbidden)
        }
    }

    /// The server's certificate is trusted for one provider only, and a connection made for it is kept.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aProvidersAuthoritiesCountForItsCallsAloneAndItsConnectionsServeNoOther(version: Int32) async throws {
        let origin = try TLSOrigin(version: version) { _ in [.record(ok("x"))] }
        defer { origin.stop() }
        var settings = FetchSettings()
        settings.caFiles = ["private": origin.certificate]
        try await withRig(settings) { rig in
            func asked(_ provider: String?) -> FetchOrder {
                var order = order(origin.base + "/\(provider ?? "")")
                order.provider = provider
                return order
            }
            for _ in 0..<2 {
                #expect(await rig.text(asked("private")) == "x")
                #expect(await rig.failure(asked("other"))?.stage == .secure)
                #expect(await rig.failure(asked(nil))?.stage == .secure)
            }
            #expect(origin.requests.map(\.target) == ["/private", "/private"])
            // The second call used the connection of the first.
            #expect(Set(origin.requests.map(\.connection)).count == 1)
        }
    }

    @Test func forAnImageTheAuthoritiesOfItsProviderCountOnTheHostOfTheAPIOnly() throws {
        var settings = FetchSettings(caFile: "/system.pem")
        settings.caFiles = ["private": "/private.pem"]
        func file(_ url: String, _ provider: String = "private") throws -> String? {
            var order = order(url)
            order.authorities = HostAuthorities(provider: provider, baseURL: "https://API.example:8443/v1")
            return settings.caFile(for: order, at: try FetchURL(url))
        }
        #expect(try file("https://api.example/i.png") == "/private.pem")
        #expect(try file("https://images.example/i.png") == "/system.pem")
        #expect(try file("https://api.example/i.png", "other") == "/system.pem")
    }
}
