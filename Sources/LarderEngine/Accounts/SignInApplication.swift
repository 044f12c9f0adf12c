// The user's own application at an API that has a sign-in: where it sends people, and by what its calls for tokens are
// made. Made from one snapshot of settings.
import LarderCore
import LarderProviders
import LarderSettings

struct SignInApplication: Sendable {
    var provider: String
    var signIn: SignInAbout
    /// The API's host, without the prefix of its other paths.
    var root: String
    var clientID: String?
    var clientSecret: String?
    var deadline: Duration

    /// An answer with tokens is some hundred bytes.
    static let maxAnswer = 64 << 10

    /// One for each provider that has a sign-in.
    static func all(_ settings: Settings) -> [SignInApplication] {
        ProviderRegistry.builtIn.map(\.about).compactMap { about in
            guard let signIn = about.signIn, let own = settings.providers[about.name], own.enabled else { return nil }
            return SignInApplication(
                provider: about.name, signIn: signIn, root: about.signInRoot(base: own.baseURL), clientID: own.key,
                clientSecret: own.clientSecret, deadline: settings.fetch.deadline)
        }
    }

    /// The call for tokens; nil where the application's id or secret is missing. Its body is secret: no part of an order
    /// is ever logged, and an error of the fetcher names the origin alone. It is no call of the provider's budget, since
    /// these cost no credits, and is never sent twice: a second one could find its grant used up.
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
