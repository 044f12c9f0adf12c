// A client that gets tokens for itself, by value: its request, what a token server may answer, and when it is asked.
import Foundation
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct TokenClientTests {
    static let server = TokenServer(url: "https://login.example/token?tenant=1", scopes: ["read", "write"])
    static let start = WallTime(seconds: 1_800_000_000)

    private func client(_ key: String = "app:s3cret-of-app") throws -> TokenClient {
        try #require(TokenClient(Self.server, key: key))
    }

    private func answer(_ status: Int, _ body: String) throws -> TokenAnswer {
        TokenAnswer(
            UpstreamResponse(
                status: status, body: Bytes(text: body), requestTime: Self.start, responseTime: Self.start),
            to: try client())
    }

    private func granted(_ members: String) throws -> GrantedTokens? {
        if case .granted(let tokens) = try answer(200, "{\(members)}") { tokens } else { nil }
    }

    // MARK: The request

    @Test func theRequestAsksForTheScopes() throws {
        #expect(try client().form.lossyText == "grant_type=client_credentials&scope=read%20write")
        let plain = try #require(TokenClient(TokenServer(url: "https://a/"), key: "a:b"))
        #expect(plain.form.lossyText == "grant_type=client_credentials")
    }

    /// RFC 6749 §2.3.1 encodes both before they become a login. The first colon of the key is the separator.
    @Test(arguments: [("app:s3cret", "app:s3cret"), ("a b:c:d%ü", "a%20b:c%3Ad%25%C3%BC"), ("app:", "app:")])
    func idAndSecretAreFormEncoded(_ key: String, _ login: String) throws {
        #expect(try client(key).fields.first("Authorization") == "Basic \(Data(login.utf8).base64EncodedString())")
    }

    @Test(arguments: ["", "app", ":secret"])
    func aKeyWithoutAnIDIsNoClient(_ key: String) {
        #expect(TokenClient(Self.server, key: key) == nil)
    }

    @Test func aClientIsNotPrinted() throws {
        let client = try client()
        for text in ["\(client)", String(reflecting: client), "\([client])"] {
            #expect(!text.contains("s3cret"), "\(text)")
        }
    }

    @Test func tokensBelongToTheClientAndNotToItsSecret() throws {
        #expect(try client("app:new").identity == client().identity)
        #expect(try client("other:s3cret-of-app").identity != client().identity)
        let fewer = TokenClient(TokenServer(url: Self.server.url), key: "app:s3cret-of-app")
        #expect(try fewer?.identity != client().identity)
    }

    // MARK: The answer

    @Test func anAnswerHasABearerTokenInAnyLetterCase() throws {
        for type in ["bearer", "Bearer", "BEARER"] {
            #expect(
                try granted(#""access_token":"a.b-c_d~e+f/g==","token_type":"\#(type)""#)?.access == "a.b-c_d~e+f/g==")
        }
    }

    @Test(arguments: [
        #""token_type":"bearer""#, #""access_token":"abc""#, #""access_token":"abc","token_type":"mac""#,
        #""access_token":"a b","token_type":"bearer""#, #""access_token":"a=b","token_type":"bearer""#,
        #""access_token":"==","token_type":"bearer""#, #""access_token":"","token_type":"bearer""#,
        #""access_token":"a,b","token_type":"bearer""#, #""access_token":7,"token_type":"bearer""#,
    ])
    func anythingElseIsNoToken(_ members: String) throws {
        #expect(
            try answer(200, "{\(members)}")
                == .failed(.broken, "The answer of the token endpoint has no bearer token."))
    }

    @Test(arguments: [201, 204, 206])
    func onlyStatus200IsAGrant(_ status: Int) throws {
        guard case .failed(.broken, _) = try answer(status, #"{"access_token":"abc","token_type":"bearer"}"#) else {
            Issue.record("it was taken")
            return
        }
    }

    @Test(arguments: [
        ("", 3600), (#","expires_in":120"#, 120), (#","expires_in":"120""#, 120), (#","expires_in":0"#, 1),
        (#","expires_in":-5"#, 1), (#","expires_in":1e300"#, 2_592_000), (#","expires_in":2592001"#, 2_592_000),
        (#","expires_in":"soon""#, 3600),
    ])
    func aLifetimeIsAnHourUnlessToldAndAtMostThirtyDays(_ member: String, _ seconds: Int64) throws {
        let tokens = try granted(#""access_token":"abc","token_type":"bearer"\#(member)"#)
        #expect(tokens?.expiresIn == .seconds(seconds))
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_client"}"#, FailureClass.notConfigured), (401, #"{"error":"x"}"#, .notConfigured),
        (400, #"{"error":"unauthorized_client"}"#, .notConfigured),
        (400, #"{"error":"invalid_scope"}"#, .notConfigured),
        (400, #"{"error":"invalid_request"}"#, .broken), (302, "", .broken), (500, "", .broken), (429, "", .limited),
        (403, "<p>blocked", .broken),
    ])
    func aRefusalSaysWhatToDo(_ status: Int, _ body: String, _ failure: FailureClass) throws {
        guard case .failed(failure, _) = try answer(status, body) else {
            Issue.record("\(try answer(status, body))")
            return
        }
    }

    @Test func aRefusalRepeatsNoSecret() throws {
        for secret in try client().secrets {
            let found = try answer(400, #"{"error":"access_denied","error_description":"no \#(secret)"}"#)
            #expect(found == .refused("400"), "\(found)")
        }
    }

    @Test func aRefreshTokenIsNotKept() throws {
        let granted = try granted(#""access_token":"abc","token_type":"bearer","refresh_token":"r","account_id":"7""#)
        let tokens = try client().tokens(#require(granted), now: Self.start)
        #expect(try tokens.refresh == nil && tokens.account == client().identity)
        #expect(tokens.fields.first("Authorization") == "Bearer abc")
    }

    // MARK: When the server is asked

    private func later(_ seconds: Int) -> WallTime { Self.start + .seconds(seconds) }

    private func tokens(_ access: String, at now: WallTime = start) throws -> AccountTokens {
        let granted = try granted(#""access_token":"\#(access)","token_type":"bearer","expires_in":1000"#)
        return try client().tokens(#require(granted), now: now)
    }

    private func holding(_ access: String = "abc") throws -> TokenState {
        TokenState(.signedIn(try tokens(access)), isForItself: true)
    }

    @Test func theFirstCallAsksAndAllOthersWait() throws {
        var state = TokenState(isForItself: true)
        let first = state.wanted(now: Self.start)
        #expect(first == .renew(nil, generation: 0))
        for _ in 0..<9 {
            let next = state.wanted(now: later(1))
            #expect(next == .wait)
        }
        let token = try tokens("abc")
        let took = state.renewed(token, of: 0, now: later(1))
        let after = state.wanted(now: later(2))
        #expect(took && after == .use(token, generation: 1))
    }

    @Test func aTokenIsRenewedBeforeItsEndWithoutARefreshToken() throws {
        var state = try holding()
        let token = try tokens("abc")
        let before = state.wanted(now: later(899))
        let due = state.wanted(now: later(900))
        let meanwhile = state.wanted(now: later(901))
        #expect(before == .use(token, generation: 0))
        #expect(due == .renew(token, generation: 0))
        #expect(meanwhile == .use(token, generation: 0), "it is still valid")
    }

    @Test func anExpiredTokenIsNotUsed() throws {
        var state = try holding()
        let due = state.wanted(now: later(1000))
        let next = state.wanted(now: later(1000))
        #expect(due == .renew(try tokens("abc"), generation: 0))
        #expect(next == .wait)
    }

    @Test func aFailureIsRememberedForAPause() throws {
        var state = TokenState(isForItself: true)
        _ = state.wanted(now: Self.start)
        state.renewalFailed(.notConfigured, "no", of: 0, now: Self.start)
        let early = state.wanted(now: later(9))
        #expect(early == .failing(.notConfigured, "no", until: later(10)))
        let again = state.wanted(now: later(10))
        #expect(again == .renew(nil, generation: 0))
    }

    @Test func aRefusalWithoutAnotherTokenLeavesTheTokenToOtherRequests() throws {
        var state = try holding()
        let asked = state.rejected(0, now: later(1))
        #expect(asked == .renew(try tokens("abc"), generation: 0))
        state.renewalFailed(.unreachable, "gone", of: 0, now: later(2))
        let other = state.wanted(now: later(3))
        #expect(other == .use(try tokens("abc"), generation: 0))
        let refusedAgain = state.rejected(0, now: later(4))
        #expect(refusedAgain == .stands, "no request to the token server within the pause")
        let later = state.rejected(0, now: later(12))
        #expect(later == .renew(try tokens("abc"), generation: 0))
    }

    @Test func aFailedRenewalLeavesAValidTokenInUse() throws {
        var state = try holding()
        _ = state.wanted(now: later(900))
        state.renewalFailed(.unreachable, "gone", of: 0, now: later(900))
        let next = state.wanted(now: later(905))
        #expect(next == .use(try tokens("abc"), generation: 0))
    }

    @Test func oneRefusalRenewsOnceAndTheNextStands() throws {
        var state = try holding()
        let first = state.rejected(0, now: later(1))
        let other = state.rejected(0, now: later(1))
        #expect(first == .renew(try tokens("abc"), generation: 0) && other == .wait)
        _ = state.renewed(try tokens("def", at: later(2)), of: 0, now: later(2))
        let late = state.rejected(0, now: later(3))
        #expect(late == .use(try tokens("def", at: later(2)), generation: 1))
        let second = state.rejected(1, now: later(4))
        #expect(second == .stands)
    }

    @Test func tokensOfAnotherClientAreForgotten() throws {
        var state = try holding()
        state.signedOut()
        let next = state.wanted(now: later(1))
        #expect(next == .renew(nil, generation: 1))
    }

    @Test func aKeptTokenIsReadAgain() throws {
        let standing = TokenState.Standing.signedIn(try tokens("abc"))
        let kept = try #require(standing.encode())
        #expect(TokenState.Standing(decoding: kept) == standing)
    }
}
