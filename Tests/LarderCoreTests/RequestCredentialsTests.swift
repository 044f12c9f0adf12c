// Which fields and parameters look like credentials, and when two requests carry the same ones.
import Testing

@testable import LarderCore

@Suite struct RequestCredentialsTests {
    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "apikey", "X-ApiKey", "X-Auth-Token",
        "X-Access-Token", "Private-Token", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key", "X-Amz-Security-Token",
        "X-RapidAPI-Key", "X-Client-Secret", "X_API_KEY", "X-Auth", "X-Session-Id", "X-JWT", "X-Hub-Signature",
        "X-Passwd", "X-Passphrase", "X-Bearer", "X-Ticket", "X-OTP", "X-Sid", "X-Pass", "X-Forwarded-User",
        "Remote-User",
    ])
    func fieldsOfTheseNamesLookLikeCredentials(_ name: String) {
        #expect(RequestCredentials.isField(name) && RequestCredentials.isField(name.lowercased()))
    }

    @Test(arguments: [
        "Host", "User-Agent", "Accept", "Accept-Language", "Accept-Encoding", "Referer", "X-Request-Id", "traceparent",
        "X-Requested-With", "Idempotency-Key", "Sec-WebSocket-Key", "Content-Type", "X-Larder-Session", "Range",
        "Key-Id",
        "DNT", "X-Forwarded-For", "X-Basid", "X-Bypass", "", "y",
    ])
    func otherFieldsDoNot(_ name: String) {
        #expect(!RequestCredentials.isField(name))
    }

    @Test(arguments: [
        "api_key", "apiKey", "key", "access_token", "session_id", "appid", "client_id", "sig", "X-Amz-Signature",
    ])
    func parametersOfTheseNamesLookLikeCredentials(_ name: String) {
        #expect(RequestCredentials.isParameter(name))
    }

    @Test(arguments: ["q", "page", "pageToken", "next_page_token", "id", "grid", "design", "compass"])
    func otherParametersDoNot(_ name: String) {
        #expect(!RequestCredentials.isParameter(name))
    }

    @Test(arguments: RequestCredentials.endings + RequestCredentials.fieldEndings)
    func everyEndingIsSeenByItsLastLetters(_ ending: String) {
        var name = "X-" + ending.uppercased()
        #expect(name.withUTF8 { RequestCredentials.mayEndField($0) })
    }

    @Test(
        arguments: ["page", "next", "cursor", "continuation", "pagination", "sync", "nextPage"],
        ["token", "-token", "_token", "Token"])
    func aTokenThatNamesAPlaceInAListIsNoCredential(_ place: String, _ token: String) {
        #expect(!RequestCredentials.isParameter(place + token))
        #expect(!RequestCredentials.isField("X-" + place + token))
    }

    @Test func aRequestWithoutCredentialsHasNoIdentity() {
        #expect(RequestCredentials(fields: ["Accept": "*/*"], query: "q=a&page=2") == .none)
        #expect(RequestCredentials.none.isEmpty)
    }

    @Test func equalCredentialsInAnyOrderAndCaseOfNamesAreTheSame() {
        let one = RequestCredentials(fields: ["X-Api-Key": "a", "Accept": "x", "X-Auth-Token": "b"])
        #expect(one == RequestCredentials(fields: ["x-auth-token": "b", "X-API-KEY": "a"]))
        #expect(!one.isEmpty)
    }

    @Test func otherValuesNamesAndPlacesAreOthers() {
        let given = [
            RequestCredentials(fields: ["X-Api-Key": "a"]), RequestCredentials(fields: ["X-Api-Key": "b"]),
            RequestCredentials(fields: ["Api-Key": "a"]), RequestCredentials(fields: [:], query: "api_key=a"),
            RequestCredentials(fields: [:], query: "api_key=b"),
            RequestCredentials(fields: ["X-Api-Key": "a"], query: "api_key=a"),
        ]
        #expect(Set(given).count == given.count)
    }

    @Test func anEncodedNameOfAParameterIsRead() {
        #expect(!RequestCredentials(fields: [:], query: "api%5Fkey=a").isEmpty)
    }
}
