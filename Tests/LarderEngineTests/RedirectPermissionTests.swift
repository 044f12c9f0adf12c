// Where a response of a built-in API may redirect a call: to the API's own origin, to public hosts by https, and by
// plain http only if that is allowed. A redirect to a name that strangers own is never followed.
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct RedirectPermissionTests {
    @Test(
        arguments: [
            ("", "https://mirror.example/x", AddressPolicy.configured),
            ("", "https://elsewhere.example/x", .publicOnly),
            ("", "http://elsewhere.example/x", nil), ("", "http://mirror.example/x", nil),
            (", plainHTTP: true", "http://elsewhere.example/x", .publicOnly),
            (", plainHTTP: true", "ftp://elsewhere.example/x", nil), ("", "https://api.icndb.com/jokes/random", nil),
            (", plainHTTP: true", "http://icndb.com/", nil), (", plainHTTP: true", "http://www.ICNDB.com:8080/x", nil),
        ] as [(String, String, AddressPolicy?)])
    func aRedirectIsFollowedWhereItMayLead(_ more: String, _ target: String, _ policy: AddressPolicy?) throws {
        let settings = try load(
            "providers: { jokes: { baseURL: \"https://mirror.example\", dialect: icndb\(more) } }\n")
        let provider = try #require(ProviderSet(settings).named("jokes"))
        #expect((provider.provider as? SpecProvider)?.dialect == "icndb")
        let order = provider.order(UpstreamRequest(path: "/jokes/random"), settings: settings)
        #expect(order.permits(target) == policy)
    }

    @Test func aSecretOfTheQueryIsInTheOrderAndNotInItsURL() throws {
        let key = "0123456789abcdef0123456789abcdef"
        let settings = try load("providers: { tmdb: { key: \(key) } }\n")
        let provider = try #require(ProviderSet(settings).named("tmdb"))
        let order = provider.order(UpstreamRequest(path: "/3/movie/popular", query: "page=2"), settings: settings)
        #expect(order.url == "https://api.themoviedb.org/3/movie/popular?page=2")
        #expect(order.secretQuery.items == [.init("api_key", key)] && order.secretFields.isEmpty)
    }
}
