// The user's registered application at an API with a sign-in: where people are sent to sign in, and how token requests
// are made. Each value is made from one snapshot of settings.
import LarderCore
import LarderProviders
import LarderSettings

struct SignInApplication: Sendable {
    var provider: String
    var signIn: SignInAbout
    /// The URL of the API's host, without the path prefix of its other requests.
    var root: String
    var clientID: String?
    var clientSecret: String?
    var deadline: Duration

    /// The limit of a token response, in bytes. A real one has a few hundred.
    static let maxAnswer = 64 << 10

    /// Returns one application for each enabled provider that has a sign-in.
    static func all(_ settings: Settings) -> [SignInApplication] {
        ProviderRegistry.builtIn.map(\.about).compactMap { about in
            guard let signIn = about.signIn, let own = settings.providers[about.name], own.enabled else { return nil }
            return SignInApplication(
                provider: about.name, signIn: signIn, root: about.signInRoot(base: own.baseURL), clientID: own.key,
                clientSecret: own.clientSecret, deadline: settings.fetch.deadline)
        }
    }

    /// Returns the token request, or nil if the application's id or secret is missing. Its body is secret: no part of
    /// an order is ever logged, and fetcher errors name only the origin. It takes no call from the provider's budget,
    /// since it costs no credits. It is never retried: the first attempt may have used up its grant.
    func order(_ grant: TokenGrant) -> FetchOrder? {
        guard let clientID, let clientSecret else { return nil }
        return FetchOrder(
            url: root + signIn.tokenPath, method: .post,
            fields: [
                "Accept": "application/json", "Accept-Encoding": "gzip",
                "Content-Type": "application/x-www-form-urlencoded",
            ],
            body: SignInAbout.tokenForm(grant, clientID: clientID, clientSecret: clientSecret),
            addresses: .configured, maxBody: Self.maxAnswer, deadline: deadline, maxRedirects: 0, mayRetry: false)
    }
}
