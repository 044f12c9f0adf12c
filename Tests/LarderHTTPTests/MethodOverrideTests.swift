// Requests that ask the server to apply another method than their own, in all spellings.
import LarderCore
import Testing

@testable import LarderHTTP

@Suite struct MethodOverrideTests {
    private func method(_ fields: HeaderFields, _ query: String? = nil) -> String? {
        MethodOverride.method(fields: fields, query: query)?.name
    }

    @Test(arguments: [
        "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "x_http_method_override", "_method",
        "HTTP-Method",
    ])
    func aFieldWithAKnownNameNamesAMethodInAnyCase(_ name: String) {
        let name = HeaderField.text(Bytes(text: name))
        #expect(method([name: "delete"]) == "DELETE" && method([name: " Purge "]) == "PURGE")
        #expect(method([name: ""]) == nil)
    }

    @Test func anotherFieldAboutAMethodCountsOnlyIfItNamesOne() {
        #expect(method(["X-Payment-Method": "card"]) == nil && method(["X-Api-Verb": "Patch"]) == "PATCH")
        #expect(method(["X-Method-Name": "DELETE", "X-Mode": "PUT"]) == nil)
    }

    @Test(arguments: ["_method=DELETE", "a=1&_method=put", "x-http-method-override=PATCH", "_httpMethod=POST"])
    func aParameterThatNamesAChangeIsHeeded(_ query: String) {
        #expect(method([:], query) != nil)
    }

    @Test(arguments: ["method=POST", "method=flickr.photos.search", "_method=GET", "_method", "q=_method=PUT", "d=1"])
    func aParameterOfAnotherMeaningIsNot(_ query: String) {
        #expect(method([:], query) == nil)
    }

    @Test func ofSeveralMethodsTheUnsafeOneCounts() {
        #expect(method(["X-HTTP-Method": "GET", "X-HTTP-Method-Override": "DELETE"]) == "DELETE")
        #expect(method(["X-HTTP-Method": "GET"], "_method=PUT") == "PUT")
    }

    @Test func theURLThatIsChangedLacksTheParameter() {
        #expect(MethodOverride.stripped("a=1&_method=DELETE&b=2") == "a=1&b=2")
        #expect(MethodOverride.stripped("_method=DELETE") == nil)
    }

    @Test(arguments: [
        "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Http_Method-Override",
        "X_HTTP_METHOD_OVERRIDE",
        "x-http-method-override", "HTTP-Method", "_method", "X-HTTP-Verb", "X-%48TTP",
    ])
    func aFieldThatAsksForAnotherMethodIsTold(_ name: String) {
        #expect(MethodOverride.isAsked(fields: [HeaderField.text(Bytes(text: name)): "PUT"], query: nil))
    }

    @Test func otherFieldsAskForNone() {
        let fields: HeaderFields = [
            "Host": "h", "Content-Type": "application/json", "Accept": "*/*", "User-Agent": "x", "Authorization": "x",
            "X-Api-Key": "x", "X-Request-Id": "1", "Cache-Control": "no-cache", "traceparent": "x", "X-Verbose": "1",
        ]
        #expect(!MethodOverride.isAsked(fields: fields, query: "a=method&verbose=1&q=x"))
    }

    @Test(arguments: [
        "_method=PUT", "_httpMethod=PUT", "httpmethod=x", "X-HTTP-Method-Override=PUT", "%20_method=x", "+_method=x",
        "a=1&method=delete", "a;_method=x", "%5Fmethod=x", "%255Fmethod=x", "$httpMethod", "METHOD[]=x", "%zz=1",
        "m%C3%A9thod=1",
        "http_verb=x",
    ])
    func aParameterThatAsksForAnotherMethodIsTold(_ query: String) {
        #expect(MethodOverride.isAsked(fields: [:], query: query))
        let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]
        #expect(MethodOverride.isAsked(content: Bytes(text: query), fields: form))
    }

    @Test(
        arguments: [
            [:], ["Content-Type": ""], ["Content-Type": "?"],
            ["Content-Type": "text/plain", "Content-Type": "text/html"],
        ] as [HeaderFields])
    func contentWithoutOneTypeMayBeAForm(_ fields: HeaderFields) {
        for text in ["_method=DELETE", "a=1&_method=PUT", #"{"_method":"DELETE"}"#] {
            #expect(MethodOverride.isAsked(content: Bytes(text: text), fields: fields), "\(text)")
        }
        #expect(!MethodOverride.isAsked(content: Bytes(text: "a=1&b=2"), fields: fields))
        #expect(!MethodOverride.isAsked(content: Bytes(text: #"{"a":1}"#), fields: fields))
    }

    @Test func contentThatAsksForAnotherMethodIsTold() {
        func isAsked(_ text: String, _ type: String) -> Bool {
            MethodOverride.isAsked(content: Bytes(text: text), fields: ["Content-Type": type])
        }
        #expect(
            isAsked("--x\r\nContent-Disposition: form-data; name=\"_Method\"\r\n", "multipart/form-data; boundary=x"))
        #expect(!isAsked("--x\r\nContent-Disposition: form-data; name=\"q\"\r\n", "multipart/form-data; boundary=x"))
        #expect(isAsked(#"{"_method":"DELETE"}"#, "application/json"))
        #expect(isAsked(#"{"x_http_method":"DELETE"}"#, "application/vnd.api+json"))
        // In JSON-RPC, `method` names the procedure to call.
        #expect(!isAsked(#"{"jsonrpc":"2.0","method":"search"}"#, "application/json"))
        #expect(!isAsked(#"{"q":"_method"}"#, "application/json") && !isAsked("[1]", "application/json"))
        #expect(!isAsked("q=a+method", "application/x-www-form-urlencoded") && !isAsked("_method=PUT", "text/plain"))
    }
}
