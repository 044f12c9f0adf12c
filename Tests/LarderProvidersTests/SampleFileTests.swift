// The files of the samples: each one is read, and each name in an index stands for something.
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct SampleFileTests {
    private static let apis = ProviderRegistry.builtIn.flatMap { $0.samples() }
    private static let paths = EmbeddedFile.paths.filter { $0.contains("/Samples/") }

    /// The names in a text: "{id}".
    private func names(in text: String) -> [String] {
        text.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            let name = part.prefix { $0 != "}" }
            return name.count < part.count && name.allSatisfy { $0.isLetter || $0 == "_" } ? String(name) : nil
        }
    }

    /// All texts of a body.
    private func texts(_ value: JSONValue?) -> [String] {
        guard let value else { return [] }
        return [value.string].compactMap { $0 } + value.members.flatMap { texts($0.value) }
            + value.elements.flatMap { texts($0) }
    }

    private func questions(_ entry: JSONValue, of api: SampleAPI) -> [QuestionSpec] {
        api.spec.questions.filter { question in entry.list("question").contains { $0.string == question.name } }
    }

    /// The names of the values that a request to an entry may have.
    private func values(_ entry: JSONValue, of api: SampleAPI) -> Set<String> {
        let questions = questions(entry, of: api)
        let paths =
            questions.flatMap { [$0.path] + $0.otherPaths }
            + entry.list("path").compactMap(\.string).map { PathTemplate($0) }
        return Set(questions.flatMap(\.parameters).map(\.sentName) + paths.flatMap(\.names) + ["path"])
    }

    /// The parts of an entry that may have a condition.
    private func parts(_ entry: JSONValue) -> [JSONValue] {
        [entry] + entry.list("from") + entry.list("set") + entry.list("order")
    }

    private func forEachEntry(_ body: (JSONValue, SampleAPI) throws -> Void) rethrows {
        for api in Self.apis {
            for entry in api.index.list("answers") { try body(entry, api) }
        }
    }

    // MARK: Files

    @Test func everyBuiltInProviderHasSamplesOfEachDialect() {
        #expect(
            Self.apis.map(\.name) == [
                "itunes", "newsapi", "dnd5e", "hackernews", "chucknorris", "icndb", "tmdb", "imgur", "openlibrary",
                "tvmaze",
            ])
    }

    @Test func noTwoFoldersHaveAnIndexOfTheSameName() {
        for api in Self.apis {
            #expect(Self.paths.count { $0.hasSuffix("/Samples/\(api.name).json") } == 1, "\(api.name)")
        }
    }

    @Test func everyFileIsReadAndNamedByAnIndex() throws {
        for path in Self.paths {
            _ = try JSON.parse(Bytes(EmbeddedFile.bytes(path)))
            let place = try #require(path.lastIndex(of: "/"))
            let file = String(path[path.index(after: place)...].dropLast(".json".count))
            let apis = Self.apis.filter { Self.paths.contains("\(path[..<place])/\($0.name).json") }
            let isNamed = apis.contains { api in
                api.name == file
                    || api.index.list("answers").contains { entry in
                        entry.list("from").contains { isFile(file, of: $0, questions(entry, of: api)) }
                    }
            }
            #expect(isNamed && apis.allSatisfy { $0.files[file] != nil }, "\(path)")
        }
    }

    /// Whether a source has its records in a file, perhaps by the value of a parameter.
    private func isFile(_ file: String, of source: JSONValue, _ questions: [QuestionSpec]) -> Bool {
        let name = (source["in"]?.string ?? source.string ?? "").prefix { $0 != "$" }
        guard let values = PathTemplate("/\(name)").values(in: "/\(file)") else { return false }
        return values.allSatisfy { value in
            questions.contains { question in
                question.parameters.contains { $0.sentName == value.key && $0.isPossible(value.value) }
            }
        }
    }

    @Test func everySourceIsAFileOrDependsOnTheRequest() throws {
        try forEachEntry { entry, api in
            for source in entry.list("from") {
                let place = try #require(source["in"]?.string ?? source.string)
                let file = place.prefix { $0 != "$" }
                #expect(file.isEmpty || file.contains("{") || api.files[String(file)] != nil, "\(api.name): \(file)")
                let path = SampleBody.filled(place) { _ in "x" }.drop { $0 != "$" }
                _ = try JSONPath(path.isEmpty ? "$" : String(path))
            }
        }
    }

    // MARK: Members

    private static let ofAnIndex: Set = [
        "fields", "hasTag", "answers", "absent", "refusal", "pictures", "credits", "redirects", "questions",
        "recordedQuestions", "beside", "records", "asking",
    ]
    private static let ofAnEntry: Set = [
        "question", "path", "if", "status", "from", "any", "every", "words", "terms", "not", "order", "without",
        "only", "set", "body",
    ]

    @Test func everyMemberOfAnIndexIsReadBySomething() {
        for api in Self.apis {
            let places = api.index.list("answers").flatMap { $0.list("from") }.compactMap {
                $0["in"]?.string ?? $0.string
            }
            for member in api.index.members where !Self.ofAnIndex.contains(member.name) {
                #expect(places.contains { $0.hasPrefix("$.\(member.name)") }, "\(api.name): \(member.name)")
            }
            for failure in api.index.list("absent") + api.index.list("refusal") {
                #expect(Set(failure.members.map(\.name)) == ["status", "body"], "\(api.name)")
            }
        }
    }

    @Test func everyMemberOfAnEntryIsReadBySomething() {
        forEachEntry { entry, api in
            let others = entry.members.map(\.name).filter { !Self.ofAnEntry.contains($0) }
            #expect(others.isEmpty, "\(api.name): \(entry.raw.lossyText)")
            for source in entry.list("from") where source.kind == .object {
                let others = Set(source.members.map(\.name)).subtracting(["in", "if", "any", "every"])
                #expect(others.isEmpty, "\(api.name): \(source.raw.lossyText)")
            }
            for order in entry.list("order") {
                #expect(Set(order.members.map(\.name)).subtracting(["if"]) == ["by"], "\(api.name)")
            }
        }
    }

    @Test func everyEntryNamesAQuestionOfItsAPI() {
        forEachEntry { entry, api in
            let names = api.spec.questions.map(\.name)
            let own = entry.list("question").compactMap(\.string)
            #expect((entry["path"] != nil) == own.isEmpty && own.allSatisfy(names.contains), "\(entry.raw.lossyText)")
        }
    }

    @Test func everyQuestionHasAnEntryWithoutACondition() {
        for api in Self.apis {
            let entries = api.index.list("answers").filter { $0["if"] == nil }
            for question in api.spec.questions {
                let has = entries.contains { entry in
                    entry.list("question").contains { $0.string == question.name }
                        || entry["path"]?.string.map { PathTemplate($0).takesAll(of: question.path) } == true
                }
                #expect(has, "\(api.name): \(question.name)")
            }
        }
    }

    // MARK: Names

    @Test func everyConditionTestsAValueOfTheRequest() throws {
        try forEachEntry { entry, api in
            let known = values(entry, of: api).union(["end", "wrong"])
            for part in parts(entry) {
                guard let condition = part["if"]?.string else { continue }
                for test in try JSONFilter(condition).alternatives.joined() {
                    guard case .name(let name) = test.path.selectors.first else {
                        Issue.record("\(api.name): \(condition)")
                        continue
                    }
                    #expect(known.contains(name), "\(api.name): \(condition)")
                }
            }
        }
    }

    @Test func everyConditionAboutWrongValuesNamesAParameter() throws {
        try forEachEntry { entry, api in
            let names = questions(entry, of: api).flatMap(\.parameters).map(\.name)
            for part in parts(entry) {
                for test in try part["if"]?.string.map({ try JSONFilter($0).alternatives.joined() }) ?? [].joined() {
                    guard case .name("wrong") = test.path.selectors.first,
                        case .filter(let filter) = test.path.selectors.last
                    else { continue }
                    for inner in filter.alternatives.joined() {
                        guard case .text(let name) = inner.comparison?.literal else { continue }
                        #expect(names.contains(name), "\(api.name): \(name)")
                    }
                }
            }
        }
    }

    @Test func everyChoiceAndEveryTermIsAParameter() {
        forEachEntry { entry, api in
            let known = values(entry, of: api)
            let rules = [entry] + entry.list("from")
            let names = rules.flatMap { part in ["any", "every"].flatMap { part[$0]?.members.map(\.name) ?? [] } }
            let terms = (entry.list("terms") + entry.list("not")).compactMap(\.string)
            for name in names + terms { #expect(known.contains(name), "\(api.name): \(name)") }
        }
    }

    @Test func everyPathToTextsCanBeRead() throws {
        try forEachEntry { entry, _ in
            for part in [entry] + entry.list("from") {
                let rules = ["any", "every"].flatMap { part[$0]?.members.flatMap(\.value.all) ?? [] }
                let orders = part.list("order").compactMap { $0["by"] }
                for path in rules + part.list("words") + orders { _ = try JSONPath(#require(path.string)) }
            }
        }
    }

    @Test func everyNameInABodyOrASourceStandsForSomething() {
        let parts: Set = ["record", "records", "total", "count", "page", "pages", "limit", "start"]
        forEachEntry { entry, api in
            let known = values(entry, of: api)
            for name in texts(entry["body"]).flatMap(names) {
                #expect(known.union(parts).contains(name), "\(api.name): \(name)")
            }
            for name in entry.list("from").compactMap({ $0["in"]?.string ?? $0.string }).flatMap(names) {
                #expect(known.contains(name), "\(api.name): \(name)")
            }
            // A member with another text may contain its own text.
            let set = entry.list("set").flatMap { $0.members.map { $0 } }
            for name in set.compactMap(\.value.string).flatMap(names) {
                #expect(known.contains(name) || set.contains { $0.name == name }, "\(api.name): \(name)")
            }
        }
        for api in Self.apis {
            for failure in api.index.list("absent") + api.index.list("refusal") {
                #expect(texts(failure["body"]).flatMap(names).allSatisfy { $0 == "path" }, "\(api.name)")
            }
        }
    }
}
