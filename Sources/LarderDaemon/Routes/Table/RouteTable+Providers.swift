// The routes that a provider has because of its properties: its endpoints, a sign-in if its API has accounts, and
// uploads if it accepts files. No provider is named here.
import LarderCore
import LarderEngine
import LarderProviders

extension RouteTable {
    /// One record per endpoint. The provider decides what a path below its prefix asks for, so one handler serves all
    /// endpoints and every other path below the prefix.
    static func typed(_ about: ProviderAbout) -> RouteGroup {
        let prefix = about.routePrefix
        let root = "/v1/\(prefix)"
        let endpoints = about.endpoints.filter { $0.name != "other" }.map { endpoint in
            Route(
                methods: [.get], pattern: "\(root)/\(endpoint.route)", name: prefix, summary: endpoint.summary,
                parameters: parameters(of: endpoint) + RouteParameter.ofResults + TypingRoute.parameters,
                answers: [
                    RouteAnswer(200, "Results, or none.", about.kinds.isEmpty ? .schema(.envelope) : .results(about)),
                    .begun,
                ]
                    + RouteAnswer.failures + [.absent, .outdated],
                refusals: endpoint.refusals, takesConditions: true)
        }
        let way = Route(
            methods: [.get], pattern: "\(root)/{path...}", name: prefix, summary: "Any request to \(about.title).",
            isDescribed: false
        ) { parts, call throws(ClientFacingError) in
            let path = try segments(call.rest)
            return try await parts.typing.typed(call.request, prefix: prefix, path: path, route: call.name)
        }
        return RouteGroup(
            line: about.offers + (about.needsKey ? "; needs a key" : ""), root: root, routes: endpoints + [way])
    }

    private static func parameters(of endpoint: EndpointAbout) -> [RouteParameter] {
        endpoint.captures.map { RouteParameter(record: $0, place: .path) }
            + endpoint.parameters.map(RouteParameter.query)
    }

    private static func segments(_ path: String) throws(ClientFacingError) -> [String] {
        var segments: [String] = []
        for piece in path.split(separator: "/") {
            do {
                segments.append(try PercentCoding.decode(piece.utf8, plusIsSpace: false))
            } catch {
                throw .invalid("path", "The path is not percent-encoded UTF-8.")
            }
        }
        return segments
    }
}

extension RouteTable {
    /// The sign-in of a provider that has accounts.
    static func signIn(_ about: ProviderAbout) -> RouteGroup? {
        guard let facts = about.signIn else { return nil }
        let root = "/v1/\(about.routePrefix)"
        func route(
            _ part: AccountRoutes.Part, _ methods: [Method], _ end: String, _ summary: String, isDescribed: Bool = true
        ) -> Route {
            Route(
                methods: methods, pattern: "\(root)/\(end)", name: "account", summary: summary,
                needsAuthority: part == .start || part == .signOut, isDescribed: isDescribed,
                isLanding: part == .landing
            ) { [name = about.name] parts, call throws(ClientFacingError) in
                try await parts.accounts.respond(call.request, part, provider: name, route: call.name)
            }
        }
        var start = route(
            .start, [.get], "oauth/start", "Begin a sign-in: returns the page to open.")
        start.parameters = [
            .query(
                "response_type", "What the API returns at the end of the sign-in.",
                .choice(facts.responseTypes.map(\.rawValue)))
        ]
        start.answers = [
            RouteAnswer(200, "The address of the page to open.", .schema(.signInStart)),
            RouteAnswer(303, "Redirects a browser to that page."), .wrongQuestion,
            RouteAnswer(503, "No application is configured, or too many sign-ins are pending."),
        ]
        var finish = route(
            .finish, [.post], "oauth/tokens",
            "Ends a sign-in, called by the landing page. Needs its one-time state and a same-origin Origin.")
        finish.answers = [
            RouteAnswer(200, "Signed in.", .schema(.signedIn)),
            RouteAnswer(400, "The body is not a JSON object with a state."),
            RouteAnswer(403, "The state is unknown, has expired or was already used."),
            RouteAnswer(415, "The body is not application/json."),
            RouteAnswer(502, "The API failed or refused."), RouteAnswer(504, "The API was too slow."),
        ]
        finish.bodies = ["application/json"]
        var landing = route(.landing, [.get], "oauth/callback", "The page that ends a sign-in in the browser.")
        landing.answers = [RouteAnswer(200, "The page.", .html)]
        var account = route(.account, [.get], "account", "Who is signed in; never a token.")
        account.answers = [RouteAnswer(200, "Who is signed in.", .schema(.account))]
        var signOut = route(.signOut, [.delete], "account", "Sign out.")
        signOut.answers = [RouteAnswer(200, "Signed out.", .schema(.signedOut))]
        return RouteGroup(
            line: "[sign in](Docs/\(about.name).md) at \(about.title), see who is signed in, sign out", root: root,
            routes: [
                start, landing,
                route(.script, [.get], "oauth/callback.js", "Its script.", isDescribed: false),
                route(.style, [.get], "oauth/callback.css", "Its style.", isDescribed: false), finish,
                account, signOut,
            ])
    }
}
