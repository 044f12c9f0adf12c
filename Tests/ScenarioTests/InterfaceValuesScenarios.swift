// A value of a parameter is refused if, and only if, its schema in `/openapi.json` forbids it. Every parameter of every
// route that reads is tried with values at the edges of its schema.
import LarderCore
import LarderTestSupport
import Testing

@Suite struct InterfaceValuesScenarios {
    /// A parameter of an operation, with the request that asks for nothing else.
    private struct Tried {
        var path: String
        var method: String
        var parameter: JSONValue
        var others: [String]
        var refusals: JSONValue?

        var schema: JSONValue
        var isHeader: Bool

        var name: String { parameter["name"]?.string ?? "" }
        var isList: Bool { schema["type"]?.string == "array" }
    }

    /// Values that any parameter may get.
    private static let edges = [
        "", " ", "a", "dragon", "A-b", "a b", "a\tb", "a\u{1}b", "-", "?", "a,b", ",", "a,,b", "é", "日本", "\u{A0}", "🎉",
        "a\"b c", "0", "1", "-1", "007", "+5", "5.5", "30.0", "30.5", "0.1234", "1e2", "99999999999999999999", "yes",
        "no", "true", "false", "on",
        "US", "us", "usa", "en", "en-US", "en_us", "1s", "0s", "0ms", "1ms", "999ms", "10s", "10001ms", "11s", "1.5s",
        "1m",
        "24h", "25h", "1d", "2d", "1000d", "1 s", "10min", "200", "4xx", "6xx", "700", "00", "2020-01-31", "2020-02-30",
        "2020-01-01T00:00:00Z", "http://a.example/", "https://a.example/b?c=d", "HTTPS://a.example/",
        "ftp://a.example/",
        "/raw/itunes/search", "/raw/nobody/x", "http://a.example:8080/x", "a/b", "..", "AAAA",
        String(repeating: "A", count: 43), String(repeating: "A", count: 42) + "B",
        String(repeating: "a", count: 41), String(repeating: "a b ", count: 17),
    ]

    private static func values(_ tried: Tried) -> [String] {
        let schema = tried.schema
        let item = schema["items"] ?? schema
        var all = edges
        let words = item["enum"]?.elements.compactMap(\.string) ?? []
        all += words
        for bound in [item["minimum"]?.integer, item["maximum"]?.integer].compactMap({ $0 }) {
            all += [bound - 1, bound, bound + 1].map(String.init)
        }
        if let longest = item["maxLength"]?.integer {
            for letter in ["x", "é"] {
                all += [longest, longest + 1].map { String(repeating: letter, count: $0) }
            }
        }
        if let most = schema["maxItems"]?.integer {
            let one = words.first ?? "abc"
            all += [2, most, most + 1].map { Array(repeating: one, count: $0).joined(separator: ",") }
            all.append(words.joined(separator: ","))
        }
        // The value of a field is printable and has no white space around it (RFC 9110 section 5.5).
        return tried.isHeader
            ? all.filter { text in !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } } + [
                "a b", "a; b", "a, b",
            ] : all
    }

    /// The value as the schema sees it.
    private static func seen(_ text: String, _ tried: Tried) -> JSONValue? {
        func one(_ text: String, _ type: String?) -> String {
            type == "integer" && text.wholeMatch(of: /-?[0-9]{1,18}/) != nil
                ? String(Int(text) ?? 0) : quoted(text)
        }
        func quoted(_ text: String) -> String {
            var writer = JSONWriter()
            writer.string(text)
            return writer.bytes.lossyText
        }
        let json =
            tried.isList
            ? "["
                + text.split(separator: ",", omittingEmptySubsequences: false).map {
                    one(String($0), tried.schema["items"]?["type"]?.string)
                }.joined(separator: ",") + "]" : one(text, tried.schema["type"]?.string)
        return try? JSON.parse(Bytes(text: json))
    }

    private static func parameters(of document: JSONValue) -> [Tried] {
        var all: [Tried] = []
        var common: Set<String> = []
        for path in document["paths"]?.members.map({ $0 }) ?? [] where !path.name.hasSuffix("events") {
            if path.name.hasPrefix("/raw") || path.name.contains("oauth") { continue }
            for operation in path.value.members where ["get", "delete"].contains(operation.name) {
                let parameters = operation.value["parameters"]?.elements.map { $0 } ?? []
                for parameter in parameters {
                    let place = parameter["in"]?.string
                    guard let schema = parameter["schema"], let name = parameter["name"]?.string, place != "path",
                        // One route shows what all have.
                        place == "query" && !["fields", "include"].contains(name) || common.insert(name).inserted
                    else { continue }
                    let others = parameters.filter { $0["required"]?.bool == true && $0["name"]?.string != name }
                    let (target, query) = target(path.name, others)
                    all.append(
                        Tried(
                            path: target, method: operation.name.uppercased(), parameter: parameter, others: query,
                            refusals: operation.value["x-refusals"], schema: schema, isHeader: place == "header"))
                }
            }
        }
        return all
    }

    private static func target(_ path: String, _ parameters: [JSONValue]) -> (String, [String]) {
        var path = path
        var query: [String] = []
        for parameter in parameters {
            let name = parameter["name"]?.string ?? ""
            let shown = parameter["example"].map { Array($0.elements).first ?? $0 }
            let example = PercentCoding.encode(shown?.string ?? shown?.integer.map(String.init) ?? "")
            if parameter["in"]?.string == "path" {
                path = path.replacing("{\(name)}", with: example)
            } else {
                query.append("\(name)=\(example)")
            }
        }
        return (path, query)
    }

    /// The request that asks with this value.
    private static func request(_ value: String, _ tried: Tried) -> Bytes {
        var query = tried.others
        var head = ""
        if tried.isHeader {
            head = "\(tried.name): \(value)\r\n"
            if tried.name == "X-Larder-Debounce" { head += "X-Larder-Session: a\r\n" }
        } else {
            query.append("\(tried.name)=\(PercentCoding.encode(value))")
        }
        let target = tried.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        return Bytes(
            text: "\(tried.method) \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n"
                + "Cache-Control: only-if-cached\r\n\(head)\r\n")
    }

    /// Whether the daemon refuses the value itself. Nil if the answer does not tell: it is refused because of other
    /// parameters or for a reason that the document tells, or the target is too long as a whole.
    private static func isRefusal(_ answer: WireResponse, _ tried: Tried) throws -> Bool? {
        if answer.status == 414 { return nil }
        guard answer.status == 400 || answer.status == 404 else { return false }
        let problem = try answer.json()
        let code = problem["code"]?.string ?? ""
        if problem["conflict"]?.bool == true || tried.refusals?[code] != nil { return nil }
        if let parameter = problem["parameter"]?.string {
            return parameter == tried.name && tried.refusals?["\(code):\(parameter)"] == nil ? true : nil
        }
        return false
    }

    @Test func aValueIsRefusedIfItsSchemaForbidsIt() async throws {
        try await InterfaceScenarios.withSamples("admin: { token: 0123456789abcdef }") { larder in
            let document = try await larder.get("/openapi.json").json()
            let checker = SchemaChecker(document: document)
            let all = Self.parameters(of: document)
            let differ = try await larder.talk { [address = larder.address] first in
                var client = first
                var differ: [String] = []
                for tried in all {
                    for value in Set(Self.values(tried)) {
                        guard let seen = Self.seen(value, tried) else { continue }
                        try client.send(Self.request(value, tried))
                        let answer = try client.receive()
                        if answer["Connection"] == "close" { client = try WireClient(address) }
                        guard let isRefused = try Self.isRefusal(answer, tried) else { continue }
                        if checker.faults(of: seen, by: tried.schema).isEmpty == isRefused {
                            let what = isRefused ? "refused" : "accepted"
                            differ.append("\(tried.path) \(tried.name)=\(value.prefix(80)): \(what)")
                        }
                    }
                }
                return differ
            }
            #expect(differ == [])
            #expect(all.count > 150)
        }
    }

    @Test(arguments: ["limit=%205", "sort=NAME", "sort=+name+", "country=us", "explicit=1", "fields=Title,%20id"])
    func anotherSpellingIsTaken(_ query: String) async throws {
        try await InterfaceScenarios.withSamples { larder in
            let answer = try await larder.get("/v1/search?q=dragon&source=dnd5e&\(query)")
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test func aWordOfAListMayBeRepeated() async throws {
        try await InterfaceScenarios.withSamples { larder in
            let answer = try await larder.get(
                "/v1/search?q=dragon&source=dnd5e&include=source,source&fields=title&fields=title")
            #expect(answer.status == 200)
            #expect(try answer.json()["query"]?["fields"]?.count == 2)
        }
    }
}
