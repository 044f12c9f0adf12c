// Which GraphQL responses are stored.
import LarderCore
import Testing

@testable import LarderCache

@Suite struct GraphQLAnswerTests {
    /// Whether the response is good. The result must be the same for pieces of every size.
    private func isGood(_ text: String) -> Bool {
        let bytes = Bytes(text: text)
        let whole = isGood(bytes, by: max(1, bytes.count))
        for size in 1...5 { #expect(isGood(bytes, by: size) == whole, "\(text) in pieces of \(size)") }
        return whole
    }

    private func isGood(_ bytes: Bytes, by size: Int) -> Bool {
        var answer = GraphQLAnswer()
        for start in stride(from: 0, to: bytes.count, by: size) {
            answer.add(Bytes(bytes[start..<min(start + size, bytes.count)]))
        }
        return answer.isGood
    }

    @Test(arguments: [
        #"{"data":{"a":1}}"#, #" { "data" : null , "extensions" : { "errors" : [1] } } "#,
        #"{"data":{"errors":[{"m":1}]}}"#,
        #"{"errors":[],"data":{}}"#, #"{"data":{},"errors" : [ ] }"#, #"{"errors":null,"data":{}}"#,
        #"{"x":"errors","data":{"y":"\"errors\":[1]"}}"#, #"{"x":["errors",{"errors":[1]}],"data":{}}"#,
        #"[{"data":{}},{"data":{"errors":[1]}}]"#, #"{"errorss":[1],"data":{}}"#, #"{"data":"a\\"}"#,
    ])
    func dataWithoutErrorsIsKept(_ text: String) {
        #expect(isGood(text), "\(text)")
    }

    @Test(arguments: [
        #"{"errors":[{"message":"x"}]}"#, #"{"data":{"a":1},"errors":[{"message":"x"}]}"#, #"{"errors":[1],"data":{}}"#,
        #"{"data":{},"errors":{}}"#, #"{"data":{},"errors":"x"}"#, #"{"data":{},"errors":[""]}"#,
        #"{"data":{},"\u0065rrors":[1]}"#, #"[{"data":{}},{"data":{},"errors":[1]}]"#, #"[{"data":{}},{}]"#,
        // Texts that are not a complete response.
        "", " ", "{}", "[]", "null", "3", #""data""#, #"{"data":{}"#, #"{"data":{}}}"#, #"{"data":{}} {"errors":[1]}"#,
        "{]",
        #"{"message":"Unauthorized"}"#, #"<html>"data":</html>"#, #"{"a":{"data":1}}"#, #"[[{"data":1}]]"#,
        "--x\r\nContent-Type: application/json\r\n\r\n{\"data\":{}}\r\n--x--",
    ])
    func errorsAndWhatIsNoAnswerAreNot(_ text: String) {
        #expect(!isGood(text), "\(text)")
    }

    @Test func bracketsWithoutEndAreBounded() {
        let deep = #"{"data":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}"
        #expect(!isGood(Bytes(text: deep), by: 1000))
    }
}
