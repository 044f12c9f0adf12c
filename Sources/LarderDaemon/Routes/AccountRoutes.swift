// Signing in over HTTP. An authorised request begins a sign-in and gets the URL of the API's page, with a one-time
// state. The API sends the browser back to the landing page. That page's script posts what it received; the state
// proves that the sign-in was authorised. No response here contains a token.
import LarderCore
import LarderEngine
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings

struct AccountRoutes: Sendable {
    /// What a route does.
    enum Part: Sendable {
        case start
        case landing
        case script
        case style
        case finish
        case account
        case signOut
    }

    let engine: Engine

    func respond(
        _ request: ServerRequest, _ part: Part, provider: String, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        var response =
            switch part {
            case .start: try await start(request, provider)
            case .landing: LandingPage.response(.page, route: route)
            case .script: LandingPage.response(.script, route: route)
            case .style: LandingPage.response(.style, route: route)
            case .finish: try await finish(request, provider)
            case .account: await account(provider)
            case .signOut: try await signOut(provider)
            }
        response.route = route
        return response
    }

    /// `GET …/oauth/start`: answers where to sign in, as JSON. A browser, which accepts HTML, is redirected there.
    private func start(_ request: ServerRequest, _ provider: String) async throws(ClientFacingError) -> ServerResponse {
        let settings = engine.snapshot.settings
        let type = try Self.responseType(request, of: provider)
        let (url, expiresAt, isRenewable) = try await engine.accounts.start(provider, type: type)
        var response: ServerResponse
        if request.acceptsPages {
            response = ServerResponse(status: 303)
            response.fields.set(.location, url)
        } else {
            response = .json { writer in
                writer.member("url", url)
                writer.member("expiresAt", expiresAt.rfc3339)
                writer.member("startedAt", engine.time.wall().rfc3339)
                writer.member(ifPresent: "callback", Self.callback(settings, provider))
                writer.member("renewable", isRenewable)
            }
        }
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    private static func responseType(
        _ request: ServerRequest, of provider: String
    ) throws(ClientFacingError) -> SignInAbout.ResponseType {
        let allowed = ProviderRegistry.builtIn.first { $0.about.name == provider }?.about.signIn?.responseTypes ?? []
        let query = (try? QueryParameters(parsing: request.query ?? "")) ?? QueryParameters()
        for item in query.items where item.name != "response_type" {
            throw .unknown(item.name, allowed: ["response_type"])
        }
        guard let text = query["response_type"] else { return allowed.first ?? .token }
        guard let type = SignInAbout.ResponseType(rawValue: text), allowed.contains(type) else {
            throw .invalid(
                "response_type", "\"\(text)\" is not a way to sign in at \(provider).", allowed: allowed.map(\.rawValue)
            )
        }
        return type
    }

    /// The callback URL to register for the user's application: that of the first own listener with a known port. The
    /// host is "localhost" if that name reaches the listener, else the listener's address.
    static func callback(_ settings: Settings, _ provider: String) -> String? {
        for listener in settings.listen where listener.provider == nil {
            guard let address = try? Address(listener.address), let port = address.port, port != 0 else { continue }
            let prefix = ProviderRegistry.builtIn.first { $0.about.name == provider }?.about.routePrefix ?? provider
            let host = address.isLocalhost ? "localhost:\(port)" : address.description
            return "http://\(host)/v1/\(prefix)/oauth/callback"
        }
        return nil
    }

    /// `POST …/oauth/tokens`, from the landing page: `{state, access_token, …}`, `{state, code}` or `{state, error}`.
    /// The one-time state stands for the authority that began the sign-in. `Origin` proves that the page is Larder's
    /// own: browsers send it with every POST, and a foreign origin was refused before routing.
    private func finish(_ request: ServerRequest, _ provider: String) async throws(ClientFacingError) -> ServerResponse
    {
        guard request.fields.contains(.origin) else {
            throw ClientFacingError(
                status: 403, code: "originNeeded",
                detail: "Only the landing page of the sign-in may post here: Origin must be this daemon's.",
                parameter: "Origin")
        }
        try JSONBody.check(request)
        guard let root = try? JSON.parse(request.body), let state = root["state"]?.string else {
            throw ClientFacingError(
                status: 400, code: "missingParameter", detail: "The body must be a JSON object with a state.",
                parameter: "state")
        }
        let tokens = try await engine.accounts.finish(provider, state: state, Self.landing(root))
        return .json { writer in
            writer.member("signedIn", true)
            writer.member("provider", provider)
            writer.member(ifPresent: "account", tokens.name)
            writer.member("expiresAt", tokens.expiresAt.rfc3339)
        }
    }

    private static func landing(_ root: JSONValue) throws(ClientFacingError) -> AccountCoordinator.Landing {
        if let word = root["error"]?.string {
            // The standard limits the characters (RFC 6749 §4.1.2.1), but anybody can write anything into a URL.
            let isWord = (1...64).contains(word.utf8.count) && word.utf8.allSatisfy(ASCII.isToken)
            return .denied(isWord ? word : "an error without a name")
        }
        if let code = root["code"]?.string {
            guard GrantedTokens.isToken(code) else { throw .invalid("code", "This is not a code.") }
            return .code(code)
        }
        guard let granted = GrantedTokens(root) else {
            throw .missing("access_token", "The sign-in returned no token, no code and no error.")
        }
        return .tokens(granted)
    }

    /// `GET …/account`: answers who is signed in, without a token.
    private func account(_ provider: String) async -> ServerResponse {
        let report = await engine.accounts.report(provider)
        return .json { writer in
            writer.member("provider", provider)
            switch report?.standing {
            case .signedIn(let tokens):
                writer.member("signedIn", true)
                writer.member(ifPresent: "account", tokens.name)
                writer.member("signedInAt", tokens.signedInAt.rfc3339)
                writer.member("expiresAt", tokens.expiresAt.rfc3339)
                writer.member("renewsAt", tokens.renewAt.rfc3339)
                writer.member("renewable", tokens.refresh != nil)
            case .refused(_, let detail):
                writer.member("signedIn", false)
                writer.member("reason", "The sign-in could not be renewed: \(detail)")
            case .signedOut, nil: writer.member("signedIn", false)
            }
            writer.member("pending", report?.pending ?? 0)
            if let failure = report?.lastFailure {
                writer.name("lastFailure")
                writer.object { writer in
                    writer.member("at", failure.at.rfc3339)
                    writer.member("detail", failure.detail)
                }
            }
        }
    }

    /// `DELETE …/account`: signs out.
    private func signOut(_ provider: String) async throws(ClientFacingError) -> ServerResponse {
        let wasSignedIn = try await engine.accounts.signOut(provider)
        return .json { writer in
            writer.member("signedIn", false)
            writer.member("wasSignedIn", wasSignedIn)
        }
    }
}

extension Address {
    /// Whether a listener at this address answers to "localhost": a loopback address of that name, or all addresses.
    fileprivate var isLocalhost: Bool {
        switch self {
        case .ipv4(let bytes, _): bytes == [127, 0, 0, 1] || bytes == [0, 0, 0, 0]
        case .ipv6(let bytes, _): bytes.dropLast().allSatisfy { $0 == 0 } && (bytes.last ?? 2) < 2
        case .unix: false
        }
    }
}
