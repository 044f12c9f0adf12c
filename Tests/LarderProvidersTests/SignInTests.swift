// A sign-in by value: when tokens are renewed, that a renewal happens once, what the responses of the token endpoint
// mean, and that a one-time state is valid once.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct TokenStateTests {
    static let start = WallTime(seconds: 1_800_000_000)

    static func granted(_ access: String = "access-1", refresh: String? = "refresh-1", seconds: Int = 3600) throws
        -> GrantedTokens
    {
        var text = #"{"access_token":"\#(access)","expires_in":\#(seconds),"account_id":7,"account_username":"ann""#
        if let refresh { text += #","refresh_token":"\#(refresh)""# }
        return try #require(GrantedTokens(JSON.parse(Bytes(text: text + "}"))))
    }

    static func tokens(_ access: String = "access-1", refresh: String? = "refresh-1", seconds: Int = 3600) throws
        -> AccountTokens
    {
        AccountTokens(try granted(access, refresh: refresh, seconds: seconds), now: start)
    }

    private func signedIn(seconds: Int = 3600, refresh: String? = "refresh-1") throws -> TokenState {
        var state = TokenState()
        state.signedIn(try Self.tokens(refresh: refresh, seconds: seconds))
        return state
    }

    private func later(_ seconds: Int) -> WallTime { Self.start + .seconds(seconds) }

    @Test func nobodyIsSignedInAtFirst() {
        var state = TokenState()
        #expect(state.wanted(now: Self.start) == .signedOut)
        #expect(state.rejected(0, now: Self.start) == .signedOut)
    }

    /// The margin is a tenth of the lifetime, but at most ten minutes.
    @Test(arguments: [(3600, 3240), (100, 90), (2_419_200, 2_418_600), (315_360_000, 315_359_400), (1, 54)])
    func tokensAreRenewedAheadOfTheirEnd(_ lifetime: Int, _ margin: Int) throws {
        var state = try signedIn(seconds: lifetime)
        let tokens = try Self.tokens(seconds: lifetime)
        let before = state.wanted(now: later(margin - 1))
        #expect(before == .use(tokens, generation: 1))
        let after = state.wanted(now: later(margin))
        #expect(after == .renew(tokens, generation: 1))
        // During the renewal, tokens that are still valid are used; callers wait if they have expired.
        let meanwhile = state.wanted(now: later(margin))
        #expect(meanwhile == .use(tokens, generation: 1))
        let over = state.wanted(now: later(max(60, lifetime)))
        #expect(over == .wait)
    }

    @Test func oneRefusalRenewsOnceHoweverManyCallsWereRefused() throws {
        var state = try signedIn()
        let old = try Self.tokens()
        let first = state.rejected(1, now: later(10))
        #expect(first == .renew(old, generation: 1))
        for _ in 0..<49 {
            let other = state.rejected(1, now: later(10))
            #expect(other == .wait)
        }
        let new = old.renewed(try Self.granted("access-2", refresh: nil), now: later(11))
        #expect(new.refresh == "refresh-1", "what the answer leaves out stays")
        let took = state.renewed(new, of: 1, now: later(11))
        #expect(took)
        // A late refusal of the old tokens says nothing about the new tokens.
        let late = state.rejected(1, now: later(12))
        #expect(late == .use(new, generation: 2))
        // An immediate refusal of the new tokens concerns the request.
        let again = state.rejected(2, now: later(13))
        #expect(again == .stands)
        let afterwards = state.rejected(2, now: later(11 + 60))
        #expect(afterwards == .renew(new, generation: 2))
    }

    @Test func aRenewalThatFailsKeepsTheTokensAndPauses() throws {
        var state = try signedIn()
        let tokens = try Self.tokens()
        _ = state.wanted(now: later(3400))
        state.renewalFailed(.unreachable, "no way there", of: 1, now: later(3401))
        let still = state.wanted(now: later(3402))
        #expect(still == .use(tokens, generation: 1), "they hold until their end")
        let tried = state.wanted(now: later(3411))
        #expect(tried == .renew(tokens, generation: 1))
        state.renewalFailed(.unreachable, "no way there", of: 1, now: later(3600))
        let over = state.wanted(now: later(3601))
        #expect(over == .failing(.unreachable, "no way there", until: later(3610)))
        state.forgetFailure()
        let mended = state.wanted(now: later(3601))
        #expect(mended == .renew(tokens, generation: 1))
    }

    @Test func tokensThatWereRefusedAreNotUsedAfterAFailedRenewal() throws {
        var state = try signedIn()
        _ = state.rejected(1, now: later(1))
        state.renewalFailed(.timedOut, "too slow", of: 1, now: later(2))
        let next = state.wanted(now: later(3))
        #expect(next == .failing(.timedOut, "too slow", until: later(12)))
    }

    @Test func aRefusedRenewalSignsOutUntilSomebodyActs() throws {
        var state = try signedIn()
        _ = state.rejected(1, now: later(1))
        let took = state.renewalRefused("400 Invalid refresh token", of: 1)
        #expect(took)
        #expect(state.standing == .refused(account: "7", detail: "400 Invalid refresh token"))
        let next = state.wanted(now: later(2))
        #expect(next == .refused("400 Invalid refresh token"))
        state.signedIn(try Self.tokens())
        let anew = state.wanted(now: later(2))
        #expect(anew == .use(try Self.tokens(), generation: 3))
    }

    @Test func whatAPersonDoesMeanwhileOutweighsARenewal() throws {
        var state = try signedIn()
        _ = state.rejected(1, now: later(1))
        state.signedOut()
        let took = state.renewed(try Self.tokens("access-2"), of: 1, now: later(2))
        #expect(!took && state.standing == .signedOut)
        let refused = state.renewalRefused("400", of: 1)
        #expect(!refused)
        state.renewalFailed(.broken, "x", of: 1, now: later(2))
        #expect(state.standing == .signedOut)
    }

    @Test func withoutARefreshTokenTheSignInEndsWithItsFirst() throws {
        var state = try signedIn(refresh: nil)
        let tokens = try Self.tokens(refresh: nil)
        let near = state.wanted(now: later(3599))
        #expect(near == .use(tokens, generation: 1))
        guard case .refused = state.wanted(now: later(3600)) else {
            Issue.record("it went on")
            return
        }
    }

    @Test func aStandingIsKeptAndReadAgainAndNothingElseIsOne() throws {
        let tokens = try Self.tokens()
        for standing in [TokenState.Standing.signedIn(tokens), .refused(account: "7", detail: "400 \"x\"")] {
            let kept = try #require(standing.encode())
            #expect(TokenState.Standing(decoding: kept) == standing)
        }
        #expect(TokenState.Standing.signedOut.encode() == nil)
        for text in ["", "{}", "[]", #"{"version":2,"account":"7"}"#, #"{"version":1,"account":"7","access":"a b"}"#] {
            #expect(TokenState.Standing(decoding: Bytes(text: text)) == nil, "\(text)")
        }
    }

    @Test func tokensAreNotPrintedByAccident() throws {
        let tokens = try Self.tokens("access-secret", refresh: "refresh-secret")
        var dumped = ""
        dump(tokens, to: &dumped)
        dump(try Self.granted("access-secret", refresh: "refresh-secret"), to: &dumped)
        dump(TokenState.Standing.signedIn(tokens), to: &dumped)
        for text in ["\(tokens)", String(reflecting: tokens), "\(TokenState.Standing.signedIn(tokens))", dumped] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }
}

@Suite struct TokenAnswerTests {
    private func answer(_ status: Int, _ body: String) -> TokenAnswer {
        let time = WallTime(seconds: 0)
        return TokenAnswer(
            UpstreamResponse(status: status, body: Bytes(text: body), requestTime: time, responseTime: time),
            secrets: ["my-refresh-token"])
    }

    @Test func successIsBareAndNumbersMayBeTexts() throws {
        let body = """
            {"access_token":"a1","expires_in":"2419200","token_type":"Bearer","scope":null,"refresh_token":"r1",
            "account_id":384077,"account_username":"pantry"}
            """
        guard case .granted(let tokens) = answer(200, body) else {
            Issue.record("not granted")
            return
        }
        #expect(tokens.access == "a1" && tokens.refresh == "r1" && tokens.expiresIn == .seconds(2_419_200))
        #expect(tokens.account == "pantry" && tokens.accountID == "384077")
    }

    @Test(arguments: [
        #"{"data":{"error":"Invalid refresh token","request":"\/oauth2\/token","method":"POST"},"success":false,"status":400}"#,
        #"{"data":{"error":{"message":"Invalid refresh token"}},"success":false,"status":400}"#,
        #"{"error":"invalid_grant","error_description":"Invalid refresh token"}"#,
        #"{"errors":[{"id":"1","code":"400","detail":"Invalid refresh token"}]}"#,
    ])
    func aRefusalIsReadInEveryForm(_ body: String) {
        #expect(answer(400, body) == .refused("400 Invalid refresh token"))
    }

    @Test func aRefusalThatRepeatsASecretIsCutToItsStatus() {
        #expect(answer(400, #"{"error":"no such token: my-refresh-token"}"#) == .refused("400"))
    }

    @Test(arguments: [
        (403, "<html>blocked</html>"), (429, #"{"error":"slow down"}"#), (500, "{}"), (302, ""), (200, "<html>"),
        (200, "{}"), (200, #"{"access_token":""}"#), (200, #"{"access_token":"a b"}"#),
        (200, #"{"access_token":"a","token_type":"mac"}"#), (200, #"{"data":{"error":"x"}}"#), (404, ""),
        (403, #"{"data":{"error":"Imgur is temporarily over capacity."},"success":false,"status":403}"#),
        (400, #"{"data":{"error":"Rate limit exceeded"},"success":false,"status":429}"#),
        (400, #"{"error":"invalid_client","error_description":"The client credentials are invalid"}"#),
        (401, #"{"error":"invalid_client"}"#), (400, #"{"error":"unauthorized_client"}"#),
        (401, #"{"data":{"error":"The client credentials are invalid"},"success":false,"status":401}"#),
        (400, #"{"error":"invalid_request"}"#), (400, #"{"error":"unsupported_grant_type"}"#),
    ])
    func whatIsNoWordAboutTheGrantKeepsTheTokens(_ status: Int, _ body: String) {
        guard case .failed = answer(status, body) else {
            Issue.record("\(status) \(body) was taken for an answer")
            return
        }
    }

    @Test func aWrongSecretIsTheConfigurationsFault() {
        guard case .failed(.notConfigured, let detail) = answer(400, #"{"error":"invalid_client"}"#) else {
            Issue.record("it was taken for a word about the grant, or for an outage")
            return
        }
        #expect(detail.contains("id and secret"))
    }

    @Test(arguments: [("-5", 60), ("0", 60), ("1e99", 315_360_000), ("999999999999", 315_360_000), ("59.9", 60)])
    func aLifetimeIsHeldWithinReason(_ text: String, _ seconds: Int) throws {
        let tokens = try #require(
            GrantedTokens(JSON.parse(Bytes(text: #"{"access_token":"a","expires_in":\#(text)}"#))))
        #expect(tokens.expiresIn == .seconds(seconds))
    }

    @Test func theFormHoldsTheGrantAndItsSecret() {
        let refresh = SignInAbout.tokenForm(.refresh("r&1"), clientID: "id", clientSecret: "s=1").lossyText
        #expect(refresh == "client_id=id&client_secret=s%3D1&grant_type=refresh_token&refresh_token=r%261")
        let code = SignInAbout.tokenForm(.code("c1"), clientID: "id", clientSecret: "s").lossyText
        #expect(code == "client_id=id&client_secret=s&grant_type=authorization_code&code=c1")
    }
}

@Suite struct SignInStatesTests {
    private let start = WallTime(seconds: 1_800_000_000)

    private func issue(_ states: inout SignInStates, _ number: UInt8, _ now: WallTime) -> String {
        states.issue(Bytes(repeating: number, count: SignInStates.length), now: now)
    }

    @Test func aStateIsGoodOnceAndForTenMinutes() {
        var states = SignInStates()
        let (one, two) = (issue(&states, 1, start), issue(&states, 2, start))
        #expect(one.count == 43 && one != two)
        let stranger = states.redeem("x" + one.dropFirst(), now: start)
        let empty = states.redeem("", now: start)
        let first = states.redeem(one, now: start + .seconds(599))
        let again = states.redeem(one, now: start + .seconds(599))
        let late = states.redeem(two, now: start + .seconds(600))
        #expect(!stranger && !empty && first && !again && !late)
    }

    @Test func onlySoManyAreOpenAndAClockSetBackKeepsNone() {
        var states = SignInStates()
        let all = (0...SignInStates.limit).map { issue(&states, UInt8($0), start) }
        let count = states.count(now: start)
        #expect(count == SignInStates.limit)
        let oldest = states.redeem(all[0], now: start)
        let newest = states.redeem(all[SignInStates.limit], now: start)
        #expect(!oldest && newest)
        let back = states.count(now: start + .seconds(-60))
        #expect(back == 0)
    }
}

@Suite struct SignInAboutTests {
    static let about = SignInAbout(
        authorizePath: "/oauth2/authorize", tokenPath: "/oauth2/token", responseTypes: [.token, .code],
        ownPaths: ["/3/account/me"], accountParameters: [.init("mature", "true")])

    @Test(
        arguments: [
            ("/3/account/me", nil, .required), ("/3/account/me/images/0", "x=1", .required),
            ("/3/account/mehmet", nil, .none), ("/3/account/ann/submissions", nil, .none),
            ("/3/gallery/hot", "mature=true", .preferred), ("/3/gallery/hot", "mature=false", .none),
            ("/3/gallery/search", "q=mature%3Dtrue", .none), ("/3/gallery/hot", nil, .none),
        ] as [(String, String?, SignInAbout.AccountUse)])
    func onlyWhatIsAboutTheAccountSpeaksForIt(_ path: String, _ query: String?, _ use: SignInAbout.AccountUse) {
        #expect(Self.about.use(of: UpstreamRequest(path: path, query: query)) == use)
    }

    @Test func theAuthorisationPageIsBesideTheAPIsPrefix() {
        var about = ProviderAbout(
            name: "x", routePrefix: "x", title: "X", defaultBaseURL: "https://api.example", pathPrefix: "/3",
            endpoints: [], emptyTTL: .zero, negativeTTL: .zero, staleFor: .zero, terms: "")
        for base in ["https://api.example", "https://api.example/", "https://api.example/3", "https://api.example/3/"] {
            #expect(about.signInRoot(base: base) == "https://api.example")
        }
        about.pathPrefix = ""
        #expect(about.signInRoot(base: "http://127.0.0.1:1/imgur") == "http://127.0.0.1:1/imgur")
        let url = Self.about.authorizeURL(root: "https://api.example", clientID: "a&b", type: .token, state: "s-1")
        #expect(url == "https://api.example/oauth2/authorize?client_id=a%26b&response_type=token&state=s-1")
    }
}
