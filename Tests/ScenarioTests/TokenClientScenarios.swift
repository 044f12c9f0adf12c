// An API of one's own whose tokens Larder gets for itself (keyIn: oauth2): a token server, and an API that takes its
// tokens.
import LarderCore
import LarderDaemon
import LarderTestSupport
import Testing

/// A token server and an API that accepts only the token that was granted last.
private final class TokenStand: Sendable {
    static let secret = "s3cret-of-app"

    private struct State {
        /// The number of the only token that the API accepts.
        var granted = 0
        /// What the token server answers instead of granting a token.
        var refusal: String?
        /// The targets that the API refuses with every token.
        var refused: Set<String> = []
    }
    private let state = Lock(State())
    let tokens: ScriptedOrigin
    let api: ScriptedOrigin

    init(expiresIn: Int = 3600, reused: Bool = false, after: [Act] = []) {
        let state = state
        tokens = ScriptedOrigin { _ in
            let text = state.withLock { state -> String in
                if let refusal = state.refusal { return refusal }
                if !reused || state.granted == 0 { state.granted += 1 }
                return ok(
                    #"{"access_token":"\#(Self.token(state.granted))","token_type":"Bearer","expires_in":\#(expiresIn)}"#,
                    fields: "Content-Type: application/json\r\n")
            }
            return after + [.send(text)]
        }
        api = ScriptedOrigin { request in
            let (valid, isRefused) = state.withLock { (Self.token($0.granted), $0.refused.contains(request.target)) }
            let sent = request.field("Authorization") ?? "none"
            guard sent == "Bearer \(valid)", !isRefused else {
                return [.send(ok("refused: \(sent)", status: "401 Unauthorized"))]
            }
            return [
                .send(ok(#"{"docs":[{"key":"b1","title":"The Lantern"}]}"#, fields: "Cache-Control: max-age=60\r\n"))
            ]
        }
    }

    static func token(_ number: Int) -> String { "token-number-\(number)" }

    /// The API no longer accepts any token that was granted until now.
    func revoke() { state.withLock { $0.granted += 1 } }

    func refuse(_ text: String?) { state.withLock { $0.refusal = text } }

    func refuse(target: String) { state.withLock { _ = $0.refused.insert(target) } }

    func stop() {
        tokens.stop()
        api.stop()
    }

    func settings(_ more: String = "kind: passthrough", scopes: String = " read write") -> String {
        """
        fetch: { failurePause: 0s }
        providers:
          api:
            baseURL: "\(api.base)"
            key: "app:\(Self.secret)"
            keyIn: "oauth2 \(tokens.base)/token\(scopes)"
            \(more)
        admin: { token: \(Fleet.token) }
        """
    }

    /// A description of an API with one question.
    static let described = """
        title: Library
            questions:
              books:
                path: /find
                parameters: { q: { sent: query, term: true, example: lantern } }
                list: $.docs
                result: book
            results: { book: { id: $.key, title: $.title } }
        """
}

@Suite struct TokenClientScenarios {
    private func withStand(_ stand: TokenStand = TokenStand(), _ body: (TokenStand) async throws -> Void) async throws {
        defer { stand.stop() }
        try await body(stand)
    }

    @Test func theTokenTakesThePlaceOfWhatAClientSends() async throws {
        try await withStand { stand in
            try await withLarder(stand.settings()) { larder async throws in
                for login in ["Bearer mine", "Basic b3RoZXI="] {
                    #expect(try await larder.get("/raw/api/a", ("Authorization", login)).status == 200)
                }
                #expect(stand.api.requests.map { $0.field("Authorization") } == ["Bearer token-number-1"])
            }
        }
    }

    @Test func theTokenServerGetsTheClientsLoginAndTheScopes() async throws {
        try await withStand { stand in
            try await withLarder(stand.settings()) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                let request = try #require(stand.tokens.requests.first)
                #expect(request.method == "POST" && request.target == "/token")
                #expect(request.field("Authorization") == "Basic YXBwOnMzY3JldC1vZi1hcHA=")
                #expect(request.body.lossyText == "grant_type=client_credentials&scope=read%20write")
            }
        }
    }

    @Test func aCrowdWaitsForOneToken() async throws {
        try await withStand(TokenStand(after: [.take(.milliseconds(300))])) { stand in
            try await withLarder(stand.settings()) { larder async throws in
                #expect(try await Self.crowd(larder, "a") == Array(repeating: 200, count: 10))
                #expect(stand.tokens.requests.count == 1 && stand.api.requests.count == 10)
            }
        }
    }

    @Test func aCrowdWhoseTokenIsRefusedWaitsForOneToo() async throws {
        try await withStand(TokenStand(after: [.take(.milliseconds(300))])) { stand in
            try await withLarder(stand.settings()) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                stand.revoke()
                #expect(try await Self.crowd(larder, "b") == Array(repeating: 200, count: 10))
                #expect(stand.tokens.requests.count == 2)
            }
        }
    }

    /// The statuses of ten requests at once for different answers.
    private static func crowd(_ larder: RunningLarder, _ name: String) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<10 {
                group.addTask { try await larder.get("/raw/api/\(name)\(number)").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func aTokenIsKeptAcrossARestart() async throws {
        let directory = TemporaryDirectory()
        try await withStand { stand in
            for target in ["/raw/api/a", "/raw/api/b"] {
                try await withLarder(stand.settings(), directory: directory) { larder async throws in
                    #expect(try await larder.get(target).status == 200)
                }
            }
            #expect(stand.tokens.requests.count == 1 && stand.api.requests.count == 2)
        }
    }

    @Test func aTokenOfOtherScopesIsNotUsed() async throws {
        let directory = TemporaryDirectory()
        try await withStand { stand in
            for scopes in [" read", " write"] {
                try await withLarder(stand.settings(scopes: scopes), directory: directory) { larder async throws in
                    #expect(try await larder.get("/raw/api/\(scopes.count)").status == 200)
                }
            }
            #expect(stand.tokens.requests.map(\.body.lossyText).last?.hasSuffix("scope=write") == true)
            #expect(stand.tokens.requests.count == 2)
        }
    }

    @Test(arguments: ["GET", "DELETE", "POST"])
    func aRefusedTokenIsRenewedAndTheRequestSentAgain(_ method: String) async throws {
        try await withStand { stand in
            try await withLarder(stand.settings()) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                stand.revoke()
                let body = method == "POST" ? "some content" : ""
                let answer = try await larder.send(method, "/raw/api/b", body: body)
                #expect(answer.status == 200, "\(answer)")
                #expect(stand.tokens.requests.count == 2)
                let sent = stand.api.requests.filter { $0.target == "/b" }
                #expect(sent.map { $0.field("Authorization") } == ["Bearer token-number-1", "Bearer token-number-3"])
                #expect(sent.map(\.body.lossyText) == [body, body])
            }
        }
    }

    /// Its body is not kept, so it cannot be sent again.
    @Test func aLongUploadIsPassedOnOnceAndTheNextRequestHasANewToken() async throws {
        try await withStand { stand in
            try await withLarder(stand.settings()) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                stand.revoke()
                let body = String(repeating: "x", count: 70_000)
                #expect(try await larder.send("PUT", "/raw/api/b", body: body).status == 401)
                #expect(try await larder.send("PUT", "/raw/api/b", body: body).status == 200)
                #expect(stand.tokens.requests.count == 2 && stand.api.requests.count == 3)
            }
        }
    }

    @Test func aRequestThatIsRefusedWithEveryTokenIsPassedOn() async throws {
        try await withStand { stand in
            stand.refuse(target: "/b")
            try await withLarder(stand.settings()) { larder async throws in
                for _ in 0..<3 {
                    let answer = try await larder.get("/raw/api/b")
                    #expect(answer.status == 401 && answer.text == "refused: Bearer (hidden)", "\(answer)")
                }
                #expect(stand.tokens.requests.count == 2)
                #expect(stand.api.requests.count == 4)
                #expect(try await larder.get("/raw/api/a").status == 200)
            }
        }
    }

    @Test func anExpiringTokenIsRenewedInTime() async throws {
        let time = ManualTime()
        try await withStand { stand in
            try await withLarder(stand.settings(), time: time) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                time.advance(by: .seconds(3239))
                _ = try await larder.get("/raw/api/b")
                #expect(stand.tokens.requests.count == 1)
                time.advance(by: .seconds(1))
                _ = try await larder.get("/raw/api/c")
                #expect(stand.tokens.requests.count == 2)
                #expect(stand.api.requests.last?.field("Authorization") == "Bearer token-number-2")
            }
        }
    }

    /// A token server may grant the same token until it expires. It must not be taken for a secret that is repeated.
    @Test func aTokenMayBeGrantedAgain() async throws {
        let time = ManualTime()
        try await withStand(TokenStand(reused: true)) { stand in
            try await withLarder(stand.settings(), time: time) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                time.advance(by: .seconds(3300))
                #expect(try await larder.get("/raw/api/b").status == 200)
                #expect(stand.tokens.requests.count == 2)
                #expect(stand.api.requests.last?.field("Authorization") == "Bearer token-number-1")
            }
        }
    }

    @Test(arguments: [
        (ok(#"{"error":"invalid_client"}"#, status: "401 No"), 503),
        (ok("{}", status: "500 No"), 502), (ok("{}"), 502), (ok(String(repeating: " ", count: 70_000)), 502),
    ])
    func aTokenServerThatFailsIsToldAndLeftAlone(_ answer: String, _ status: Int) async throws {
        let time = ManualTime()
        try await withStand { stand in
            stand.refuse(answer)
            try await withLarder(stand.settings(), time: time) { larder async throws in
                for target in ["/raw/api/a", "/raw/api/b", "/raw/api/c"] {
                    let told = try await larder.get(target)
                    #expect(told.status == status, "\(told)")
                    #expect(told.text.contains("The token server of api"), "\(told)")
                }
                #expect(stand.tokens.requests.count == 1 && stand.api.requests.isEmpty)
                stand.refuse(nil)
                time.advance(by: .seconds(11))
                #expect(try await larder.get("/raw/api/a").status == 200)
            }
        }
    }

    private static func status(_ larder: RunningLarder) async throws -> JSONValue? {
        try await larder.get("/v1/status").json()["providers"]?.elements.first { $0["name"]?.string == "api" }
    }

    @Test func theStatusTellsThatThereIsNoToken() async throws {
        let time = ManualTime()
        try await withStand { stand in
            stand.refuse(ok(#"{"error":"invalid_client"}"#, status: "401 No"))
            try await withLarder(stand.settings(), time: time) { larder async throws in
                #expect(try await Self.status(larder)?["state"]?.string == "ready", "none was wanted yet")
                _ = try await larder.get("/raw/api/a")
                let told = try await Self.status(larder)
                #expect(told?["state"]?.string == "noToken")
                let problem = told?["configurationProblem"]?.string ?? ""
                #expect(
                    problem
                        == "the token server of api (providers.api.keyIn) gave no token: "
                        + "The token endpoint refuses the application's id and secret (401).")
                stand.refuse(nil)
                time.advance(by: .seconds(11))
                #expect(try await larder.get("/raw/api/a").status == 200)
                let good = try await Self.status(larder)
                #expect(good?["state"]?.string == "ready" && good?["configurationProblem"] == nil)
            }
        }
    }

    @Test func withoutATokenAStoredAnswerIsStillGiven() async throws {
        let time = ManualTime()
        try await withStand { stand in
            try await withLarder(stand.settings(), time: time) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                time.advance(by: .seconds(4000))
                stand.refuse(ok("{}", status: "500 No"))
                let answer = try await larder.get("/raw/api/a")
                #expect(answer.status == 200, "\(answer)")
                #expect(stand.api.requests.count == 1 && stand.tokens.requests.count == 2)
            }
        }
    }

    @Test func aDescribedAPITakesTokensToo() async throws {
        try await withStand { stand in
            try await withLarder(stand.settings(TokenStand.described)) { larder async throws in
                let first = try await larder.get("/v1/api/books?q=lantern")
                #expect(first.status == 200, "\(first)")
                stand.revoke()
                let second = try await larder.get("/v1/api/books?q=other")
                #expect(second.status == 200, "\(second)")
                #expect(stand.tokens.requests.count == 2 && stand.api.requests.count == 3)
                let raw = try await larder.get("/raw/api/find?query=third", ("Authorization", "Bearer mine"))
                #expect(raw.status == 200, "\(raw)")
                #expect(stand.api.requests.last?.field("Authorization") == "Bearer token-number-3")
            }
        }
    }

    /// The provider is suspended for a refusal only if a new token is refused too.
    @Test func aDescribedAPIThatRefusesEveryTokenIsSuspended() async throws {
        try await withStand { stand in
            stand.refuse(target: "/find?query=lantern")
            try await withLarder(stand.settings(TokenStand.described)) { larder async throws in
                let first = try await larder.get("/v1/api/books?q=lantern")
                #expect(first.status == 502, "\(first)")
                #expect(stand.api.requests.count == 2)
                #expect(try await larder.get("/v1/api/books?q=other").status == 503)
                #expect(stand.api.requests.count == 2)
            }
        }
    }

    @Test(arguments: [(true, 401), (false, 503)])
    func nothingSecretIsToldAnybody(_ hasToken: Bool, _ status: Int) async throws {
        let lines = Lock("")
        let log = Logger(label: "test", threshold: .debug, sink: KeptLog(lines))
        let secrets = [TokenStand.secret, "token-number", "YXBwOnMzY3JldC1vZi1hcHA"]
        try await withStand { stand in
            try await withLarder(stand.settings(), log: log) { larder async throws in
                if hasToken { _ = try await larder.get("/raw/api/a?q=1") }
                stand.refuse(ok(#"{"error":"no_\#(TokenStand.secret)"}"#, status: "400 No"))
                stand.revoke()
                let refused = try await larder.get("/raw/api/b")
                #expect(refused.status == status, "\(refused)")
                let authority = ("Authorization", "Bearer \(Fleet.token)")
                var told = ["\(refused)"]
                let explained = "/v1/explain/\(refused["X-Request-Id"] ?? "")"
                for target in ["/v1/entries", "/v1/status", "/metrics", "/v1/requests", explained] {
                    told.append(try await larder.get(target, authority).text)
                }
                for text in told + [lines.withLock { $0 }] {
                    for secret in secrets { #expect(!text.contains(secret), "\(text)") }
                }
            }
        }
    }

    /// The token server of the former settings answers only after the reload.
    @Test func aTokenThatFormerSettingsAskedForIsNotUsed() async throws {
        let directory = TemporaryDirectory()
        let gate = Gate()
        defer { gate.open() }
        try await withStand(TokenStand(after: [.await(gate)])) { former in
            // Its token has another number.
            former.revoke()
            try await withStand { stand in
                let settings = stand.settings().replacing(stand.tokens.base, with: former.tokens.base)
                try await withLarder(settings, directory: directory) { larder async throws in
                    async let early = larder.get("/raw/api/a")
                    try await larder.eventually("the former server is asked") { former.tokens.requests.count == 1 }
                    await larder.reload(stand.settings())
                    #expect(try await larder.get("/raw/api/b").status == 200)
                    gate.open()
                    _ = try await early
                    let sent = Set(stand.api.requests.compactMap { $0.field("Authorization") })
                    #expect(sent == ["Bearer token-number-1"] && stand.tokens.requests.count == 1)
                }
            }
        }
    }

    @Test func theAnswerOfAnAPIStandsIfNoOtherTokenCanBeHad() async throws {
        try await withStand { stand in
            try await withLarder(stand.settings()) { larder async throws in
                #expect(try await larder.get("/raw/api/a").status == 200)
                stand.refuse(target: "/b")
                stand.refuse(ok("{}", status: "500 No"))
                for _ in 0..<3 { #expect(try await larder.get("/raw/api/b").status == 401) }
                #expect(try await larder.get("/raw/api/c").status == 200, "the token is good for others")
                #expect(stand.tokens.requests.count == 2)
            }
        }
    }

    @Test func theTokenOfAProviderThatWasRemovedMeanwhileIsForgotten() async throws {
        let directory = TemporaryDirectory()
        try await withStand { stand in
            try await withLarder(stand.settings(), directory: directory) { larder async throws in
                _ = try await larder.get("/raw/api/a")
            }
            try await withLarder("", directory: directory) { _ in }
            try await withLarder(stand.settings(), directory: directory) { larder async throws in
                _ = try await larder.get("/raw/api/b")
                #expect(stand.tokens.requests.count == 2)
            }
        }
    }

    @Test func settingsThatNameAnotherPlaceForgetTheToken() async throws {
        let directory = TemporaryDirectory()
        try await withStand { stand in
            try await withLarder(stand.settings(), directory: directory) { larder async throws in
                _ = try await larder.get("/raw/api/a")
                let text = stand.settings().split(separator: "\n").filter { !$0.contains("keyIn") }
                await larder.reload(text.joined(separator: "\n"))
                _ = try await larder.get("/raw/api/b")
                #expect(stand.api.requests.last?.field("Authorization") == "Bearer app:\(TokenStand.secret)")
            }
            try await withLarder(stand.settings(), directory: directory) { larder async throws in
                _ = try await larder.get("/raw/api/c")
                #expect(stand.tokens.requests.count == 2)
            }
        }
    }
}
