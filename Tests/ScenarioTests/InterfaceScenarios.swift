// The daemon does what `/openapi.json` says. Each reading route is asked with its examples, with the stand-in's samples
// as upstream. Statuses and shapes are checked against the document.
import LarderCore
import LarderOrigin
import LarderTestSupport
import Testing

@Suite struct InterfaceScenarios {
    /// A daemon in front of the samples of every API.
    static func withSamples(_ more: String = "", _ body: (RunningLarder) async throws -> Void) async throws {
        let origin = try OriginServer(source: .samples, rewritesImageHosts: true)
        try origin.start()
        defer { origin.stop() }
        func lines(_ name: String, _ more: String = "") -> String {
            "  \(name): { baseURL: \"\(origin.baseURL(for: name))\", rate: off, quota: off\(more) }\n"
        }
        let news = origin.baseURL(for: "hackernews")
        let settings =
            "providers:\n"
            + ["itunes", "dnd5e", "jokes", "openlibrary", "tvmaze"].map { lines($0) }.joined()
            + ["newsapi", "tmdb", "imgur"].map { lines($0, ", key: any-will-do") }.joined()
            + lines("hackernews", ", searchURL: \"\(news)\"")
        try await withLarder(settings + "\n" + more, body)
    }

    /// The target of an operation with the examples of its parameters, or nil if a capture has no example.
    private func target(_ path: String, _ operation: JSONValue) -> String? {
        var target = path
        var query: [String] = []
        let isOneNeeded = operation["x-refusals"]?["missingParameter"] != nil
        for parameter in operation["parameters"]?.elements.map({ $0 }) ?? [] {
            guard let name = parameter["name"]?.string else { continue }
            let example = parameter["example"].map { shown in
                let one = Array(shown.elements).first ?? shown
                return one.string ?? one.integer.map(String.init) ?? ""
            }
            switch parameter["in"]?.string {
            case "path":
                guard let example else { return nil }
                target = target.replacing("{\(name)}", with: PercentCoding.encode(example))
            case "query" where parameter["required"]?.bool == true || isOneNeeded && query.isEmpty:
                query.append("\(name)=\(PercentCoding.encode(example ?? ""))")
            default: break
            }
        }
        return query.isEmpty ? target : "\(target)?\(query.joined(separator: "&"))"
    }

    @Test func everyRouteThatReadsAnswersAsTheDocumentSays() async throws {
        try await Self.withSamples { larder in
            let document = try await larder.get("/openapi.json").json()
            let checker = SchemaChecker(document: document)
            var asked = 0
            for path in document["paths"]?.members.map({ $0 }) ?? [] where !path.name.hasSuffix("events") {
                guard let operation = path.value["get"], operation["security"] == nil,
                    let target = target(path.name, operation)
                else { continue }
                let answer = try await larder.get(target)
                asked += 1
                let response = operation["responses"]?["\(answer.status)"]
                #expect(response != nil, "\(target): \(answer.status) is not told")
                let isRead = answer.status == 200 || path.name.contains("explain")
                #expect(isRead, "\(target): \(answer)")
                let type = answer["Content-Type"]?.prefix { $0 != ";" } ?? ""
                guard type.hasSuffix("json"), let schema = response?["content"]?[String(type)]?["schema"] else {
                    continue
                }
                let faults = checker.faults(of: try answer.json(), by: schema)
                #expect(faults == [], "\(target)")
            }
            #expect(asked > 35)
        }
    }

    @Test func anAnswerOfARequestIsExplainedAsTheDocumentSays() async throws {
        try await Self.withSamples { larder in
            let document = try await larder.get("/openapi.json").json()
            let answer = try await larder.get("/v1/search?q=dragon")
            let explanation = try await larder.get("/v1/explain/\(answer["X-Request-Id"] ?? "")").json()
            let schema = try #require(document["components"]?["schemas"]?["Explanation"])
            #expect(SchemaChecker(document: document).faults(of: explanation, by: schema) == [])
        }
    }

    @Test(arguments: ["/v1/search?q=x&limit=0", "/v1/itunes/search?term=a&category=music&media=music", "/v1/nope"])
    func aProblemIsAsTheDocumentSays(_ target: String) async throws {
        try await Self.withSamples { larder in
            let document = try await larder.get("/openapi.json").json()
            let problem = try await larder.get(target).json()
            let schema = try #require(document["components"]?["schemas"]?["Problem"])
            #expect(SchemaChecker(document: document).faults(of: problem, by: schema) == [])
        }
    }

    @Test func parametersThatDoNotGoTogetherAreToldFromWrongOnes() async throws {
        try await Self.withSamples { larder in
            let together = try await larder.get("/v1/itunes/search?term=a&category=music&media=music").json()
            #expect(together["conflict"]?.bool == true)
            let wrong = try await larder.get("/v1/itunes/search?term=a&media=vinyl").json()
            #expect(wrong["conflict"] == nil)
        }
    }
}
