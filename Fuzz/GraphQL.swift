// GraphQL requests and answers from any bytes: a request that only reads reads in every spelling of it that means the same, and a
// mutation before it makes it none; an answer is judged alike whole and in pieces.
// Fuzzes: LarderCache/GraphQL
import LarderCache
import LarderCore
import LarderHTTP

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Bytes(UnsafeBufferPointer(start: start, count: count))
    let document: HeaderFields = ["Content-Type": "application/graphql"]
    let json: HeaderFields = ["Content-Type": "application/json"]
    if GraphQLRequest.isQuery(bytes, fields: document, query: nil) {
        precondition(GraphQLRequest.isQuery(Bytes(text: "# x\n, ") + bytes, fields: document, query: nil))
        precondition(!GraphQLRequest.isQuery(Bytes(text: "mutation M { m } ") + bytes, fields: document, query: nil))
        precondition(!GraphQLRequest.isQuery(bytes + Bytes(text: "\nmutation M { m }"), fields: document, query: nil))
        precondition(!GraphQLRequest.isQuery(bytes, fields: document, query: "query=x"))
    }
    if GraphQLRequest.isQuery(bytes, fields: json, query: nil) {
        precondition((try? JSON.parse(bytes)) != nil)
        precondition(GraphQLRequest.isQuery(Bytes(text: " ") + bytes + Bytes(text: "\n"), fields: json, query: nil))
    }
    var whole = GraphQLAnswer()
    whole.add(bytes)
    var pieces = GraphQLAnswer()
    for byte in bytes { pieces.add([byte]) }
    precondition(whole.isGood == pieces.isGood)
    // What is kept has data somewhere, and as JSON no errors where they would stand.
    if whole.isGood, let value = try? JSON.parse(bytes, maxDepth: 512), value.kind == .object {
        precondition(value["data"] != nil)
        if let errors = value["errors"] { precondition(errors.isNull || errors.kind == .array && errors.count == 0) }
    }
    return 0
}
