// Which credentials belong to an application and which to a person, according to each API.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct CredentialHolderTests {
    /// A token of this form, with a signature that is not valid.
    private static func token(_ claims: String) -> String {
        "eyJhbGciOiJIUzI1NiJ9.\(Base64URL.encode(Bytes(text: claims))).c2lnbmF0dXJl"
    }

    static let readToken = token(#"{"aud":"0123456789abcdef","nbf":1.5,"sub":"a1","scopes":["api_read"],"version":1}"#)

    @Test(arguments: ["0123456789abcdef", "Bearer 0123456789abcdef", "bearer  0123456789abcdef"])
    func aNewsAPIKeyIsAnApplicationsWithOrWithoutAScheme(_ value: String) {
        #expect(SpecProvider(.newsAPI).holder(ofAuthorization: value) == .application(key: "0123456789abcdef"))
    }

    @Test(arguments: ["", " ", "Basic dXNlcjpwYXNz", "Bearer a b", "a\tb\u{80}", "Bearer \u{80}"])
    func whatHasNoFormOfANewsAPIKeyIsNotTakenForOne(_ value: String) {
        #expect(SpecProvider(.newsAPI).holder(ofAuthorization: value) == .person)
    }

    @Test func anImgurClientIDIsAnApplicationsAndABearerTokenAPersons() {
        for value in ["Client-ID 0a1b2c3d4e5f6a7", "client-id 0a1b2c3d4e5f6a7"] {
            #expect(SpecProvider(.imgur).holder(ofAuthorization: value) == .application(key: "0a1b2c3d4e5f6a7"))
        }
        for value in ["Bearer 0a1b2c3d4e5f6a7", "0a1b2c3d4e5f6a7", "Client-ID", "Client-ID a b"] {
            #expect(SpecProvider(.imgur).holder(ofAuthorization: value) == .person, "\(value)")
        }
    }

    @Test func aTokenOfTMDbThatMayOnlyReadIsAnApplications() {
        #expect(
            SpecProvider(.tmdb).holder(ofAuthorization: "Bearer \(Self.readToken)") == .application(key: Self.readToken)
        )
    }

    @Test(
        arguments: [
            #"{"aud":"a","jti":"b","sub":"c","scopes":["api_read","api_write"],"version":1}"#,
            #"{"aud":"a","scopes":["pending_request_token"],"version":1}"#,
            #"{"aud":"a","scopes":"api_read"}"#, #"{"aud":"a","scopes":[]}"#, #"{"aud":"a"}"#, "[]", "no JSON",
        ])
    func anyOtherTokenOfTMDbIsAPersons(_ claims: String) {
        #expect(SpecProvider(.tmdb).holder(ofAuthorization: "Bearer \(Self.token(claims))") == .person)
    }

    @Test(arguments: ["a.b", "a.b.c.d", "..", "0123456789abcdef0123456789abcdef", "a.!.c"])
    func whatIsNoTokenOfTMDbIsAPersons(_ text: String) {
        #expect(SpecProvider(.tmdb).holder(ofAuthorization: "Bearer \(text)") == .person)
    }

    @Test func anAPIWithoutKeysKnowsNoApplications() {
        for provider in [SpecProvider(.iTunes), SpecProvider(.dnd), SpecProvider(.hackerNews), SpecProvider(.jokes)]
            as [any Provider]
        {
            #expect(provider.holder(ofAuthorization: "Bearer 0123456789abcdef") == .person)
        }
    }

    @Test(
        arguments: [
            ("/3/movie/11", "session_id=a"), ("/3/movie/11/account_states", "a=b&Guest_Session_ID=c"),
            ("/3/movie/11", "session%5Fid=a"), ("/3/account", nil), ("/3/account/7/favorite/movies", nil),
            ("/3/guest_session/a/rated/movies", nil), ("/3/authentication/token/new", nil),
            ("/authentication/guest_session/new", nil), ("/4/account/a/lists", nil),
        ])
    func aSessionOfTMDbIsAPersons(_ path: String, _ query: String?) {
        #expect(SpecProvider(.tmdb).about.isPersonal(UpstreamRequest(path: path, query: query)))
    }

    @Test(arguments: [
        "/3/%61ccount/5/lists", "/3//account/5/lists", "//3/account", "/3%2Faccount/5", "/3/Account/5",
        "/3/account;a=b/5", "/3/./account/5", "/3/movie/../account/5", "/3/%61uthentication/token/new",
        "//account/5", "/3/%zz", "/3/%FF",
    ])
    func anotherSpellingOfAPersonalPathIsPersonalToo(_ path: String) {
        #expect(SpecProvider(.tmdb).about.isPersonal(UpstreamRequest(path: path)))
    }

    @Test(arguments: [
        ("/3/guest_session/s3cret/rated/movies", "/3/guest_session/…"),
        ("/3//%67uest_session/s3cret", "/3/guest_session/…"),
        ("/guest_session/s3cret/rated/movies", "/guest_session/…"),
        ("/3/account", "/3/account"), ("/3/guest_session/%FF", "/…"), ("/3/movie/11", nil),
    ])
    func ofAPersonalPathTheKnownBeginningIsTold(_ path: String, _ told: String?) {
        #expect(SpecProvider(.tmdb).about.personalPath(of: path) == told)
    }

    @Test(
        arguments: [
            ("/3/movie/11", nil), ("/3/search/movie", "query=session_id"), ("/3/accounting", nil),
            ("/3/search/movie/account", nil),
            ("/3/movie/11", "%zz=a"),
        ])
    func aQuestionOfTMDbIsEverybodys(_ path: String, _ query: String?) {
        #expect(!SpecProvider(.tmdb).about.isPersonal(UpstreamRequest(path: path, query: query)))
    }
}
