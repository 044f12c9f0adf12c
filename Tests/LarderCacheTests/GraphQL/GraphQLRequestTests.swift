// Which GraphQL requests are read-only.
import LarderCore
import Testing

@testable import LarderCache

private func isQuery(
    _ body: String, type: String = "application/json", query: String? = nil, fields: HeaderFields = [:]
) -> Bool {
    var fields = fields
    fields.set("Content-Type", type)
    return GraphQLRequest.isQuery(Bytes(text: body), fields: fields, query: query)
}

/// The document as a JSON request.
private func request(_ document: String, name: String? = nil) -> String {
    var out = "{\"query\":" + JSONWriter.text(document)
    if let name { out += ",\"operationName\":" + JSONWriter.text(name) }
    return out + "}"
}

extension JSONWriter {
    fileprivate static func text(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" ? "\\\"" : $0 == "\\" ? "\\\\" : $0 == "\n" ? "\\n" : "\($0)" }.joined() + "\""
    }
}

@Suite struct GraphQLRequestTests {
    @Test(arguments: [
        "{ a }", "query { a }", "query Q { a }",
        "query Q($x: [Int!] = [1, -2.5e3], $y: In = {a: \"}\"}) @d(x: {y: 1}) { a(b: $x) }",
        "# mutation { b }\n{ a }", "{ a(x: \"mutation { b }\") }", "{ a(x: \"\\\"} mutation M { b\") }",
        "{ a(x: \"\"\"} mutation M { b \\\"\"\" \"\"\") }", "fragment F on T { b } query { ...F }",
        "fragment mutation on T { b } { ...mutation }", "{ ... on T @include(if: true) { b } }", "\u{FEFF}{ a }",
        "{ a } # end", ",,{,a,},", "query query { query }", "\"What it is for\" query Q { a }",
        "\"\"\"Long\"\"\" query Q { a } fragment F on T { b }", "{ a(x: \"\", y: \"\"\"\"\"\") }", "{a(x:1){b}}",
    ])
    func aQueryIsTold(_ document: String) {
        #expect(isQuery(request(document)), "\(document)")
        #expect(isQuery(document, type: "application/graphql"), "\(document)")
    }

    @Test(arguments: [
        "mutation { a }", "mutation M { a }", "subscription { a }", "subscription S { a }",
        "fragment F on T { b } mutation { ...F }", "# query\nmutation { a }", "\"\"\"query\"\"\" mutation M { a }",
        "query A { a } mutation B { b }", "{ a } mutation B { b }", "query A { a } query B { b }",
        // Texts that are not executable documents.
        "", "   ", "# only", "{", "}", "{ a ", "{ a }}", "{ (a } )", "query", "query Q", "query Q(",
        "query ($a: I { a }",
        "{ a(x: \"", "{ a(x: \"\"\"", "{ a(x: \"\n\") }", "type T { a: Int }", "schema { query: Q }",
        "extend type T { a: I }",
        "{ a } type T { a: Int }", "Query { a }", "QUERY { a }", "query Q { a } query Q { b }", "{ a } { b }",
        "fragment F on T { b }", "fragment on on T { b } { a }", "fragment F T { b } { a }", "\"text\" { a }",
        "\"text\"",
        "query Q $x { a }", "query Q @ { a }", "{ a } ;", "{ a ? }", "{ a(x: 01x) }", "{ a(x: -) }", "{ a .. b }",
        "{ a \u{0} }",
        "# a\u{2028}mutation { b }\n{ a }",
    ])
    func anythingElseIsNone(_ document: String) {
        #expect(!isQuery(request(document)), "\(document)")
        #expect(!isQuery(document, type: "application/graphql"), "\(document)")
    }

    /// A server may look for a JSON object, or for something else, in content that is no document.
    @Test(arguments: [
        #"{"query":"mutation { a }"}"#, #"{ "query": "{ a }" }"#, #"{query:"mutation { a }"}"#, "{}", "{ 1 }", "{ a: }",
        "{ a() }", "{ a(1) }", "{ a(b) }", "{ a(b:) }", "{ a(b: [) ] }", "{ : a }", "{ a: b: c }", "{ ... }",
        "{ ...F { a } }",
        "{ ... on { a } }", "{ $a }", "{ [a] }", "{ a @ }", "query Q() { a }", "query Q($a) { a }",
        "query Q($a: []) { a }",
        "query Q($a: [I J]) { a }", "query Q($a: I = $b) { a }", "query Q($a: I = ) { a }",
        "fragment F($a: I) on T { a } { b }",
        "{ a = b }", "{ a | b }", "{ a & b }", "{ a! }", "{ \"a\" }",
    ])
    func aTextThatTheGrammarDoesNotAllowIsNone(_ document: String) {
        #expect(!isQuery(request(document)), "\(document)")
        #expect(!isQuery(document, type: "application/graphql"), "\(document)")
    }

    @Test(arguments: [
        "{ a(x: [], y: {}, z: [[1], {b: $c}], e: RED, n: null) }", "{ a: b(c: 1) @d @e(f: 2) { g } }",
        "{ on fragment true }",
        "{ ... { a } }", "{ ... @include(if: $a) { b } ...F @d }", "query ($a: I! = 1 @d, \"What\" $b: [[I!]]) { a }",
        "query @d(x: 1) { a }", "fragment F on T @d(x: $y) { a } query on { ...F }",
    ])
    func everyFormOfAQueryIsTold(_ document: String) {
        #expect(isQuery(request(document)), "\(document)")
    }

    @Test func theNameTellsWhichOperationIsExecuted() {
        let both = "query A { a } mutation B { b } query C { c }"
        #expect(isQuery(request(both, name: "A")) && isQuery(request(both, name: "C")))
        #expect(!isQuery(request(both, name: "B")) && !isQuery(request(both, name: "D")))
        #expect(!isQuery(request(both, name: "")) && !isQuery(request(both)))
        #expect(isQuery(request("query A { a }", name: "A")) && !isQuery(request("query A { a }", name: "B")))
        #expect(!isQuery(request("{ a }", name: "A")))
        #expect(isQuery(#"{"query":"{ a }","operationName":null,"variables":{"x":1},"extensions":{}}"#))
        #expect(isQuery(#"{"query":"{ a }","extensions":{"clientLibrary":{"name":"a"}}}"#))
        #expect(isQuery(#"{"query":"{ a }","extensions":null}"#))
    }

    @Test(arguments: [
        "", "null", "3", "\"{ a }\"", "{}", "[]", #"{"query":null}"#, #"{"query":["{ a }"]}"#, #"{"query":"{ a }""#,
        #"{"query":"{ a }"} x"#, #"{"query":"{ a }","operationName":3}"#,
        // Persisted documents, and members that some servers read in another spelling or instead of `query`.
        #"{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}"#, #"{"id":"x"}"#,
        #"{"query":"{ a }","documentId":"x"}"#, #"{"query":"{ a }","id":"x"}"#,
        #"{"query":"{ a }","Query":"mutation { a }"}"#,
        #"{"query":"{ a }","query":"mutation { a }"}"#, #"{"query":"mutation { a }","query":"{ a }"}"#,
        #"{"query":"{ a }","OperationName":"B"}"#,
        #"{"query":"{ a }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}"#,
        #"{"query":"{ a }","extensions":{"sha256Hash":"x"}}"#, #"{"query":"{ a }","extensions":{"doc_id":"x"}}"#,
        #"{"query":"{ a }","extensions":"{"persistedQuery":{}}"}"#, #"{"query":"{ a }","extensions":[]}"#,
    ])
    func whatCannotBeToldIsNone(_ body: String) {
        #expect(!isQuery(body), "\(body)")
    }

    @Test func aBatchIsAQueryWhereEachOfItIs() {
        let query = request("{ a }")
        #expect(isQuery("[\(query)]") && isQuery("[\(query),\(query)]"))
        #expect(!isQuery("[\(query),\(request("mutation { a }"))]") && !isQuery("[\(query),{}]"))
        let most = Array(repeating: query, count: GraphQLRequest.mostInBatch)
        #expect(isQuery("[\(most.joined(separator: ","))]"))
        #expect(!isQuery("[\((most + [query]).joined(separator: ","))]"))
    }

    @Test(arguments: [
        "query=mutation{a}", "QUERY=x", "%71uery=x", "a=1&operationName=B", "operation_name=B", "extensions=x", "id=1",
        "documentId=1", "doc_id=1", "query", "query[]=x", "a;query=x", "%zz=1", "_method=PUT",
        "_httpMethod=PUT", "httpmethod=PUT", "X-HTTP-Method-Override=PUT", "%20query=x", "+query=x", "operation=x",
        "op=x", "doc=x",
        "ops=x", "q=x", "gql=x", "graphql=x", "x.query=1", "persisted=1", "%2571uery=x", "qu%C3%A9ry=x", "%00query=x",
        "ID=1",
    ])
    func parametersOfTheURLThatMayMeanAnotherDocumentMakeItUnknown(_ query: String) {
        #expect(!isQuery(request("{ a }"), query: query), "\(query)")
        #expect(isQuery(request("{ a }"), query: "version=3&apikey=x"))
        #expect(isQuery(request("{ a }"), query: "client_id=1&api-version=2&shop=a&lang=de&scope=x&v=query"))
    }

    @Test func otherTypesAndCodingsAreNone() {
        let body = request("{ a }")
        for type in ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=\"UTF-8\""] {
            #expect(isQuery(body, type: type), "\(type)")
        }
        for type in [
            "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16",
            "multipart/form-data",
            "application/json; x=y", "",
        ] {
            #expect(!isQuery(body, type: type), "\(type)")
        }
        #expect(!isQuery(body, fields: ["Content-Encoding": "gzip"]))
        #expect(isQuery(body, fields: ["Content-Encoding": "identity"]))
        #expect(!GraphQLRequest.isQuery(Bytes(text: body), fields: [:], query: nil))
    }

    @Test func bracketsWithoutEndAreBounded() {
        let deep = String(repeating: "{a", count: 200) + String(repeating: "}", count: 200)
        #expect(isQuery(deep, type: "application/graphql"))
        let deeper = String(repeating: "{a", count: 300) + String(repeating: "}", count: 300)
        #expect(!isQuery(deeper, type: "application/graphql"))
    }

    /// Parsing ends for arbitrary bytes and for any sequence of relevant pieces. A document that executes only a
    /// mutation is never taken for a query.
    @Test func anyPiecesAreReadToTheirEnd() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "query", "mutation", "{", "}", "(", ")", "[", "]", "\"", "\"\"\"", "\\", "#", "\n", " ", "a", "on",
            "fragment",
            "...", "@d", "$x", ":", "1", "-", "e", "\u{FEFF}", "\u{2028}", ",",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let document = GraphQLDocument(Bytes(text: text)) else { continue }
            #expect(GraphQLDocument(Bytes(text: "mutation M { m } " + text))?.executed("M") != .query)
            #expect(document.operations.count <= text.utf8.count)
        }
    }
}
