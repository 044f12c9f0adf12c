// The table of routes is consistent: each record describes what the router and the routes do.
import LarderCore
import LarderProviders
import LarderServer
import Testing

@testable import LarderDaemon
@testable import LarderEngine

@Suite struct RouteTableTests {
    private static func segments(_ pattern: String) -> [String] {
        pattern.split(separator: "/").map(String.init)
    }

    private static func record(_ method: Method, _ pattern: String) throws -> Route {
        try #require(RouteTable.builtIn.all.first { $0.pattern == pattern && $0.methods.contains(method) })
    }

    @Test func everyRouteToWhichABrowserMayBeLedIsALandingPath() {
        #expect(RouteTable.landingPaths == RouteTable.builtIn.all.filter(\.isLanding).map(\.pattern))
    }

    @Test func noMethodOfAPatternHasTwoRecords() {
        var seen: Set<String> = []
        let twice = RouteTable.builtIn.all.flatMap { route in
            route.methods.map { "\($0.name) \(route.pattern)" }
        }.filter { !seen.insert($0).inserted }
        #expect(twice == [])
    }

    @Test func aDescriptionMayHaveNoNameOfARoute() {
        let prefixes = ProviderRegistry.builtIn.map(\.about.routePrefix)
        let names = RouteTable.builtIn.all.map { Self.segments($0.pattern) }.filter { $0.first == "v1" && $0.count > 1 }
            .map { $0[1] }.filter { !prefixes.contains($0) }
        #expect(Set(names) == ProviderDescription.routeNames)
    }

    @Test func everyRecordIsCarriedOutUnderItsOwnName() throws {
        for route in RouteTable.builtIn.all where route.name != RouteName.raw.text {
            // No pattern has a segment named "some".
            let path = "/" + Self.segments(route.pattern).map { $0.hasPrefix("{") ? "some" : $0 }.joined(separator: "/")
            for method in route.methods {
                #expect(
                    try RouteTable.builtIn.router.match(method, path: path).name.text == route.name, "\(route.pattern)")
            }
        }
    }

    @Test func noRecordIsCalledAsAWayThatNoRouterKnows() {
        let taken: [RouteName] = [.unnamed, .error, .nowhere, .listener, .options, .memory, .store]
        #expect(Set(RouteTable.builtIn.all.map(\.name)).isDisjoint(with: taken.map(\.text)))
    }

    @Test func theOneRecordThatNoRouterKnowsHasTheNameOfItsWay() {
        let unrouted = RouteTable.builtIn.all.filter { $0.methods.isEmpty }
        #expect(unrouted.map(\.name) == [RouteName.raw.text])
    }

    @Test func everyCaptureOfADescribedPatternIsAParameterAndNoOtherIs() {
        for route in RouteTable.builtIn.all where route.isDescribed {
            let captures = Self.segments(route.path).filter { $0.hasPrefix("{") }
            let named = route.parameters.filter { $0.place == .path }
            #expect(captures == named.map { "{\($0.record.name)}" }, "\(route.pattern)")
            #expect(!named.contains { !$0.record.isRequired }, "\(route.pattern)")
        }
    }

    @Test func everyParameterAndEveryAnswerIsToldInASentence() {
        for route in RouteTable.builtIn.all {
            for line in route.parameters.map(\.record.line) + route.answers.map(\.line) {
                #expect(line.hasSuffix(".") && line.count > 3, "\(route.pattern): \(line)")
            }
            #expect(!route.summary.isEmpty, "\(route.pattern)")
            // `told` replaces the final full stop by "; needs authority.".
            #expect(!route.needsAuthority || route.summary.hasSuffix("."), "\(route.pattern)")
        }
    }

    @Test func everyGroupSaysWhatItIs() {
        for group in RouteTable.builtIn.groups {
            // The line of a provider without offers would begin with what the provider needs.
            #expect(group.line.first.map { $0.isLetter || $0 == "[" } == true, "\(group.routes.first?.pattern ?? "")")
        }
    }

    @Test func noRecordTellsAParameterOrAStatusTwice() {
        for route in RouteTable.builtIn.all {
            #expect(Set(route.parameters.map(\.record.name)).count == route.parameters.count, "\(route.pattern)")
            #expect(Set(route.answers.map(\.status)).count == route.answers.count, "\(route.pattern)")
        }
    }

    @Test func anUploadTellsEveryFieldThatItTakes() throws {
        let route = try Self.record(.post, "/v1/imgur/images")
        #expect(
            route.parameters.map(\.record.name)
                == ProviderRegistry().named("imgur")?.uploads?.about.fields.map(\.record.name))
    }

    @Test(arguments: [
        (Method.post, "/v1/imgur/images", true), (.put, "/v1/uploads/abc/content", true),
        (.post, "/v1/imgur/images/abc", false), (.post, "/v1/%69mgur/images", false), (.get, "/v1/imgur/images", false),
        (.get, "/v1/uploads/abc/content", false), (.post, "/v1/uploads/abc/pause", false),
        (.put, "/v1/search", false), (.post, "/v1/imgur/oauth/tokens", false),
    ])
    func onlyAFileIsHandedOnAsItComes(_ method: Method, _ path: String, _ isStreamed: Bool) {
        #expect(RouteTable.builtIn.takesStream(method, path) == isStreamed)
    }

    @Test func onlyPagesThatChangeNothingAreReachedFromOtherSites() {
        #expect(RouteTable.landingPaths == ["/", "/v1/imgur/oauth/callback"])
    }

    @Test func whoeverTakesFilesHasRoutesForThem() throws {
        var about = try #require(ProviderRegistry().named("jokes")).about
        #expect(RouteTable.uploads(about)?.routes.count == nil)
        about.uploads = UploadAbout(
            collection: "scripts", fields: [.init("tone", "How dry it is.")], removalName: "pin")
        let routes = RouteTable.uploads(about)?.routes ?? []
        #expect(routes.map(\.pattern) == ["/v1/jokes/scripts", "/v1/jokes/scripts/{pin}"])
        #expect(routes.map(\.name) == ["jokesUpload", "jokesDelete"])
        #expect(routes.first?.parameters.map(\.record.name) == ["tone"])
    }

    @Test func whoeverHasAccountsHasRoutesForSigningIn() throws {
        var about = try #require(ProviderRegistry().named("jokes")).about
        #expect(RouteTable.signIn(about)?.routes.count == nil)
        about.signIn = SignInAbout(authorizePath: "/a", tokenPath: "/t", responseTypes: [.code], ownPaths: [])
        let routes = RouteTable.signIn(about)?.routes ?? []
        #expect(routes.filter(\.isLanding).map(\.pattern) == ["/v1/jokes/oauth/callback"])
        #expect(routes.filter(\.needsAuthority).map(\.pattern) == ["/v1/jokes/oauth/start", "/v1/jokes/account"])
        #expect(routes.first?.parameters.first?.record.form == .choice(["code"]))
    }
}
