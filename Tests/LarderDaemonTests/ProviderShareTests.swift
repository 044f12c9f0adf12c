// The largest share of all places that one provider gets, and the files of authorities that the fetcher gets.
import LarderCore
import LarderFetch
import LarderSettings
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct ProviderShareTests {
    private func limits(_ configuration: String, _ provider: String = "itunes") throws -> ExchangeLimits? {
        Daemon.fetchSettings(try load(configuration)).providers[provider]
    }

    @Test func eachProviderHasItsOwnNumbers() throws {
        let configuration = "providers: { itunes: { maxConnections: 3, maxStreams: 4, maxQueue: 5 } }"
        #expect(try limits(configuration) == ExchangeLimits(maxConnections: 3, maxStreams: 4, maxQueue: 5))
        #expect(try limits(configuration, "tmdb") == ExchangeLimits())
    }

    @Test func noProviderHasMoreThanHalf() throws {
        let all = "fetch: { maxTransfers: 20, maxStreams: 10, maxQueue: 30 }\n"
        let much = "providers: { itunes: { maxConnections: 99, maxStreams: 99, maxQueue: 99 } }"
        #expect(try limits(all + much) == ExchangeLimits(maxConnections: 10, maxStreams: 5, maxQueue: 15))
        #expect(try limits(all, "tmdb") == ExchangeLimits(maxConnections: 8, maxStreams: 5, maxQueue: 15))
        #expect(try limits("fetch: { maxTransfers: 1 }")?.maxConnections == 1)
    }

    @Test func aNumberThatIsNotInForceIsTold() throws {
        let settings = try load("providers: { itunes: { maxConnections: 99 } }")
        #expect(settings.notes == ["providers.itunes.maxConnections: 32 are in force, half of fetch.maxTransfers"])
        #expect(try load("fetch: { maxTransfers: 4 }").notes == [], "nobody wrote the 8")
    }

    @Test func theFilesOfAuthoritiesReachTheFetcher() throws {
        let directory = TemporaryDirectory()
        let own = directory.write("own.pem", "-----BEGIN CERTIFICATE-----\n")
        let system = directory.write("system.pem", "-----BEGIN CERTIFICATE-----\n")
        let text = "providers: { api: { kind: passthrough, baseURL: \"https://api.example\", ca: \"\(own)\" } }"
        let fetch = Daemon.fetchSettings(
            try load(text, environment: plainEnvironment.merging(["SSL_CERT_FILE": system]) { $1 }))
        #expect(fetch.caFiles == ["api": own])
        #expect(fetch.caFile == system)
        #expect(Daemon.fetchSettings(try load("")).caFile == nil)
    }
}
