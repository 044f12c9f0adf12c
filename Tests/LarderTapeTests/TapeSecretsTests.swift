// No secret reaches a tape, and none is needed to replay it.
import LarderCore
import LarderHTTP
import Testing

@testable import LarderTape

struct TapeSecretsTests {
    private static let secret = "s3cr3t-value-0815"
    private let secrets = TapeSecrets(names: ["pin"], literals: ["literal-key-4711"])

    private func cutBody(_ body: String, _ type: String? = "application/json") -> String {
        secrets.cut(Bytes(text: body), type: type).lossyText
    }

    @Test(arguments: ["Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Private-Token", "Pin"])
    func secretRequestFieldsAreNotWritten(_ field: String) throws {
        let ground = try Ground()
        try ground.write("tape.yaml", "version: 1\nsecrets: [pin]\n")
        try ground.tape().keep(exchange("https://a.test/", [field: Self.secret], answer: ["Vary": field]))
        #expect(try !ground.everything().contains(Self.secret))
    }

    @Test func setCookieIsNotWritten() throws {
        let ground = try Ground()
        try ground.tape().keep(exchange(answer: ["Set-Cookie": "sid=\(Self.secret); Path=/"]))
        #expect(try !ground.everything().contains(Self.secret))
    }

    @Test func fieldsOfAnswersThatOnlyLookLikeSecretsAreKept() {
        let fields: HeaderFields = ["Access-Control-Allow-Credentials": "true", "Surrogate-Key": "a", "ETag": "\"b\""]
        #expect(secrets.cut(TapeAnswer(status: 200, fields: fields)).fields == fields)
    }

    @Test func tokensInFieldsOfAnswersAreCut() {
        let cut = secrets.cut(TapeAnswer(status: 200, fields: ["X-Subject-Token": Self.secret]))
        #expect(cut.fields == ["X-Subject-Token": "(hidden)"])
    }

    @Test(arguments: [
        "access_token", "refresh_token", "id_token", "client_secret", "api_key", "apikey", "password", "secret",
        "apiKey",
        "Access-Token", "X-Amz-Signature", "pin", "access%5Ftoken",
    ])
    func secretParametersAreNotWritten(_ name: String) throws {
        let request = try asked("https://a.test/x?a=1&\(name)=\(Self.secret)&b=2")
        #expect(secrets.cut(request).url.text == "https://a.test/x?a=1&\(name)=(hidden)&b=2")
    }

    @Test(arguments: [
        "access_token", "refreshToken", "id_token", "client_secret", "api_key", "password", "secret", "pin",
    ])
    func secretMembersAreCutAtAnyDepth(_ name: String) {
        let body = "{\"a\": [ {\"\(name)\" : \"\(Self.secret)\"} ],\n \"b\":1.50}"
        #expect(cutBody(body) == "{\"a\": [ {\"\(name)\" : \"(hidden)\"} ],\n \"b\":1.50}")
    }

    @Test(arguments: ["123", "{\"x\": [\"]}\"]}", "[1, 2]", "\"a\\\"b\"", "-1.5e3"])
    func aSecretValueOfAnyKindIsCutWhole(_ value: String) {
        #expect(cutBody("{\"password\":\(value) ,\"b\":2}") == "{\"password\":\"(hidden)\" ,\"b\":2}")
    }

    @Test(arguments: ["null", "true", "false", "\"\""])
    func aValueThatTellsNothingIsKept(_ value: String) {
        #expect(cutBody("{\"password\":\(value)}") == "{\"password\":\(value)}")
    }

    @Test func aNameWithEscapesIsRecognised() {
        #expect(cutBody(#"{"pass\u0077ord":"\#(Self.secret)"}"#) == #"{"pass\u0077ord":"(hidden)"}"#)
    }

    @Test func aValueWithTheNameOfASecretIsKept() {
        #expect(cutBody(#"{"kind":"password","fields":["secret"]}"#) == #"{"kind":"password","fields":["secret"]}"#)
    }

    @Test(arguments: ["application/x-ndjson", "text/event-stream", "text/plain", nil])
    func jsonInOtherTypesIsCutToo(_ type: String?) {
        #expect(!cutBody("{\"n\":1}\n{\"id_token\":\"\(Self.secret)\"}\n", type).contains(Self.secret))
    }

    @Test func jsonThatWasCutOffLosesItsSecrets() {
        #expect(cutBody("{\"password\":\"\(Self.secret.dropLast(3))") == "{\"password\":\"(hidden)\"")
    }

    @Test func cuttingTwiceChangesNothingMore() {
        let once = cutBody(#"{"password":"x","a":{"secret":[1]},"pin":5}"#)
        #expect(cutBody(once) == once)
    }

    /// A JSON value made from a sequence of numbers, with the secret below secret names, in texts and as a number.
    private func json(_ next: inout UInt64, depth: Int) -> String {
        next = next &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let choice = Int(next >> 33)
        let names = ["password", "a", "api_key", "n\\u0061me", "pass\\u0077ord", "items", "", "x\\\"y"]
        let leaves = [
            "null", "true", "-1.5e3", "12345678", "\"\"", "\"a, \\\"b\\\"\"", "\"\(Self.secret)\"", "\"x\\n]}\"", "[]",
            "{}",
            "\"https://a.test/?password=\(Self.secret)&n=1\"",
        ]
        guard depth > 0, choice % 3 > 0 else { return leaves[choice / 3 % leaves.count] }
        let space = choice & 64 == 0 ? "" : " \n"
        let parts = (0..<choice / 7 % 4).map { index in
            let value = json(&next, depth: depth - 1)
            return choice % 3 == 1
                ? value : "\"\(names[(choice / 11 + index) % names.count])\"\(space):\(space)\(value)"
        }.joined(separator: "\(space),\(space)")
        return choice % 3 == 1 ? "[\(space)\(parts)\(space)]" : "{\(space)\(parts)\(space)}"
    }

    @Test func cuttingLeavesValidJSONWithoutSecrets() throws {
        let secrets = TapeSecrets(literals: [Self.secret, "12345678"])
        var next: UInt64 = 4711
        for _ in 0..<2_000 {
            let body = Bytes(text: json(&next, depth: 5))
            let cut = secrets.cut(body, type: "application/json")
            #expect(throws: Never.self) { try JSON.parse(cut) }
            #expect(!cut.lossyText.contains(Self.secret) && !cut.lossyText.contains("12345678"))
            #expect(secrets.cut(cut, type: "application/json") == cut)
        }
    }

    @Test func cuttingKeepsJSONWithoutSecretsByteForByte() throws {
        var next: UInt64 = 815
        for _ in 0..<500 {
            var text = json(&next, depth: 4)
            for name in ["pass\\u0077ord", "password", "api_key"] { text = text.replacing(name, with: "plain") }
            #expect(TapeSecrets().cut(Bytes(text: text), type: "application/json") == Bytes(text: text))
        }
    }

    @Test func secretFormFieldsAreCut() {
        #expect(
            cutBody("user=a&password=b%20c&x=1", "application/x-www-form-urlencoded") == "user=a&password=(hidden)&x=1")
    }

    @Test func secretPartsAreCut() {
        let form = { (value: String) in
            "--B\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\n\(value)\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.json\"\r\n"
                + "Content-Type: application/json\r\n\r\n{\"password\":\"\(value)\",\"n\":1}\r\n--B--\r\n"
        }
        #expect(cutBody(form(Self.secret), "multipart/form-data; boundary=B") == form("(hidden)"))
    }

    @Test(arguments: [
        "https://app.test/cb?code=\(secret)&x=1", "/cb?state=\(secret)&x=1",
        "https://app.test/#access_token=\(secret)&x=1",
        "https://b.test/o?sig=\(secret)&x=1", "https://app.test/#/cb?code=\(secret)&x=1",
        "?X-Amz-Signature=\(secret)&x=1",
    ])
    func parametersOfLocationAreCut(_ location: String) throws {
        let answer = secrets.cut(TapeAnswer(status: 302, fields: ["Location": location]))
        let cut = try #require(answer.fields.first(.location))
        #expect(cut == location.replacing(Self.secret, with: "(hidden)"))
    }

    @Test func aRedirectKeepsParametersThatAreNoSecrets() {
        let answer = secrets.cut(TapeAnswer(status: 302, fields: ["Location": "/list?page=2&sort=a"]))
        #expect(answer.fields.first(.location) == "/list?page=2&sort=a")
    }

    @Test(arguments: [
        #"{"next":"https://a.test/?access_token=SECRET&page=2"}"#,
        #"{"next":"https://a.test/?p=1\u0026api_key=SECRET"}"#,
        #"{"next":"\/x?a=1&api_key=SECRET#top"}"#, "<a href='/x?p=1&amp;password=SECRET'>",
        "see https://a.test/?pin=SECRET, or",
    ])
    func secretParametersOfURLsInBodiesAreCut(_ body: String) {
        let cut = cutBody(
            body.replacing("SECRET", with: Self.secret), body.hasPrefix("{") ? "application/json" : "text/html")
        #expect(cut == body.replacing("SECRET", with: "(hidden)"))
        #expect(cutBody(cut) == cut)
    }

    @Test func secretParametersOfLinksInFieldsAreCut() {
        let link = "<https://a.test/?page=2&access_token=\(Self.secret)>; rel=next"
        let cut = secrets.cut(TapeAnswer(status: 200, fields: ["Link": link])).fields.first(.link)
        #expect(cut == "<https://a.test/?page=2&access_token=(hidden)>; rel=next")
    }

    @Test func aTextThatIsNoURLKeepsItsWords() {
        let text = "password = secret; the api_key=x of a=b?c"
        #expect(cutBody(text, "text/plain") == text)
    }

    @Test func aFormWhoseNamesCannotBeReadLeavesADigest() {
        let form = "--B\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\n\(Self.secret)"
        let cut = cutBody(form, "multipart/form-data; boundary=B")
        #expect(cut.hasPrefix("(hidden) ") && !cut.contains(Self.secret))
        #expect(cutBody(cut, "multipart/form-data; boundary=B") == cut)
    }

    @Test(arguments: ["text/html", "application/json", "application/octet-stream"])
    func literalsAreCutInAnyBody(_ type: String) {
        #expect(!cutBody("{\"echo\":\"you sent literal-key-4711\"}", type).contains("4711"))
    }

    @Test func literalsAreCutInPathsAndFields() throws {
        let cut = secrets.cut(
            try exchange("https://a.test/bot/literal-key-4711/me", answer: ["X-Echo": "literal-key-4711"]))
        #expect(cut.request.url.text == "https://a.test/bot/(hidden)/me")
        #expect(cut.answer.fields.first("X-Echo") == "(hidden)")
    }

    @Test func aLiteralThatIsANumberLeavesValidJSON() throws {
        let cut = TapeSecrets(literals: ["12345678"]).cut(Bytes(text: #"{"id":12345678,"n":[-12345678.5]}"#), type: nil)
        #expect(cut.lossyText == #"{"id":"(hidden)","n":["(hidden)"]}"#)
    }

    @Test func aLiteralThatBeginsWithinAnEscapeLeavesValidJSON() throws {
        let cut = TapeSecrets(literals: ["nabcdefgh"]).cut(Bytes(text: #"{"a":"x\nabcdefgh"}"#), type: nil)
        #expect(throws: Never.self) { try JSON.parse(cut) }
        #expect(!cut.lossyText.contains("abcdefgh"))
    }

    @Test func aCompressedBodyIsWrittenPlain() throws {
        let ground = try Ground()
        var written = try exchange(answer: ["Content-Type": "application/json", "Content-Encoding": "gzip"])
        written.answer.body = try ContentCoding.gzip(Bytes(text: #"{"password":"\#(Self.secret)", "a":1}"#))
        let name = try ground.tape().keep(written)
        #expect(try ground.read(name.file).lossyText.contains(#"{"password":"(hidden)", "a":1}"#))
    }

    @Test func aBodyInAnUnknownCodingIsNotRecorded() throws {
        let ground = try Ground()
        #expect(try ground.tape().record(exchange(answer: ["Content-Encoding": "br"])) == .coded(.unknownCoding("br")))
        #expect(ground.files.isEmpty)
    }

    @Test func aRunWithAnotherKeyIsAnsweredFromTheTape() throws {
        let ground = try Ground()
        try ground.tape(["literal-key-4711"]).keep(
            exchange("https://a.test/w?appid=literal-key-4711&api_key=x&q=b", ["Authorization": "Bearer x"]))
        let replay = try ground.tape().replay()
        #expect(replay.body(try asked("https://a.test/w?q=b")) != nil)
        #expect(replay.body(try asked("https://a.test/w?q=b&appid=other-key&api_key=y")) != nil)
        #expect(replay.body(try asked("https://a.test/w?q=c&appid=other-key")) == nil)
    }

    @Test func noSecretStandsInAMiss() throws {
        let ground = try Ground()
        let tape = try ground.tape(["literal-key-4711"])
        try tape.keep(exchange("https://a.test/x?q=1", method: .post, content: "{}"))
        let request = try asked(
            "https://a.test/literal-key-4711?q=literal-key-4711&password=\(Self.secret)",
            fields: ["Authorization": Self.secret, "Content-Type": "application/json"], method: .post,
            content: "{\"a\":\"literal-key-4711\",\"secret\":\"\(Self.secret)\"}")
        let miss = try tape.replay().miss(request)
        for text in [miss.text, miss.detail, "\(miss)"] {
            #expect(!text.contains("4711") && !text.contains(Self.secret))
        }
    }
}
