// An API of a user's own is described in the configuration, or in a file of its own beside it.
import Foundation
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

struct ProviderDescriptionTests {
    /// A description without the lines that a test adds.
    private static let plain = """
        title: Library
        baseURL: https://library.example
        questions:
          books:
            path: /search
            parameters: { q: { term: true }, limit: { number: 1..50, default: 20 } }
            list: $.docs
            result: { id: $.key, title: $.title }

        """

    private func files(_ text: String, named name: String = "library") -> [ProviderFile] {
        [ProviderFile(path: "/etc/larder/providers.d/\(name).yaml", provider: name, text: Bytes(text: text))]
    }

    private func read(_ text: String, main: String = "") throws -> Settings {
        try SettingsLoader().load(
            text: Bytes(text: main), named: "larder.yaml", environment: plainEnvironment, providerFiles: files(text))
    }

    private func findings(_ text: String, main: String = "") -> [String] {
        do {
            _ = try read(text, main: main)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map { String($0).replacing("/etc/larder/providers.d/", with: "") }
        }
    }

    private func about(_ settings: Settings) throws -> ProviderAbout {
        guard case .described(let description) = try #require(settings.providers["library"]).kind else {
            throw SpecError.notDescribed
        }
        return description.about
    }

    private enum SpecError: Error { case notDescribed }

    @Test func aFileDescribesTheProviderOfItsName() throws {
        let settings = try read(Self.plain + "rate: 5/s\nttl: { books: 2h }\n")
        let own = try #require(settings.providers["library"])
        #expect(own.baseURL == "https://library.example")
        #expect(own.rate == CallRate(calls: 5, per: .seconds(1)))
        #expect(own.ttl(of: "books") == .seconds(7200))
        #expect(own.semantics == .ttl && !own.isPassthrough)
        let about = try about(settings)
        #expect(about.title == "Library" && about.routePrefix == "library")
        #expect(about.endpoints.map(\.route) == ["books"])
        #expect(about.kinds.map(\.name) == ["books"])
    }

    @Test func theSameStandsUnderProvidersInTheConfiguration() throws {
        let lines = Self.plain.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        let settings = try SettingsLoader().load(
            text: Bytes(text: "providers:\n  library:\n\(lines)\n"), named: "larder.yaml",
            environment: plainEnvironment)
        let (first, second) = (try #require(settings.providers["library"]), try read(Self.plain).providers["library"])
        #expect(first.kind == second?.kind)
    }

    @Test func theConfigurationRefinesWhatAFileSays() throws {
        let settings = try read(
            Self.plain + "enabled: false\nrate: 1/s\n", main: "providers: { library: { enabled: true, key: k } }\n")
        let own = try #require(settings.providers["library"])
        #expect(own.enabled && own.key == "k")
        #expect(own.rate == CallRate(calls: 1, per: .seconds(1)))
    }

    @Test func withoutARateItIsAskedAtAPolitePace() throws {
        #expect(try read(Self.plain).providers["library"]?.rate == CallRate(calls: 60, per: .seconds(60)))
    }

    @Test func aChangeOfTheDescriptionMakesStoredResultsAnew() throws {
        let other = Self.plain.replacing("$.title", with: "$.name")
        let (first, second) = (try about(try read(Self.plain)), try about(try read(other)))
        #expect(first.normaliserVersion != second.normaliserVersion)
        let remarked = try about(try read(Self.plain + "# a remark\n"))
        #expect(remarked.normaliserVersion == first.normaliserVersion)
    }

    @Test(arguments: [
        ("titel: x\n", "library.yaml:9:1: providers.library.titel: there is no such setting; did you mean \"title\"?"),
        ("search: bocks\n", "library.yaml:9:9: providers.library.search: \"bocks\" is not one of books; did you mean"),
        ("minimumTerm: many\n", "library.yaml:9:14: providers.library.minimumTerm: must be a number from 1 to 20"),
        ("answers: [{ means: nothing }]\n", "answers[0].means: \"nothing\" is not one of data, empty, notFound"),
        ("answers: [{ means: empty, when: \"@.a =\" }]\n", "answers[0].when: at character"),
        ("kind: passthrough\n", "providers.library.kind: is not for an API with a description"),
        ("alsoNamed: [news]\n", "alsoNamed: \"news\" is the name of a route or a source of Larder"),
        ("key: k\nkeyIn: query Q\n", "keyIn: Q is also what a question sends"),
        ("answers: [{ means: empty, when: \"@.a\", if: x }]\n", "if: there is no such key"),
    ])
    func aMistakeAtTheTopIsToldWithItsPlace(_ line: String, _ told: String) {
        let findings = findings(Self.plain + line)
        #expect(findings.count == 1 && findings.first?.contains(told) == true, "\(findings)")
    }

    @Test(arguments: [
        ("path: /search", "pth: /search", "pth: there is no such key; did you mean \"path\"?"),
        ("path: /search", "path: /search/{isbn}", "{isbn} is not a parameter of this question"),
        ("list: $.docs", "list: docs", "list: at character 1: A path begins with $."),
        ("title: $.title }", "title: $.tit..le }", "result.title: at character 8: Descendants"),
        ("title: $.title }", "titel: $.title }", "titel: there is no such key; did you mean \"title\"?"),
        ("title: $.title }", "title: { from: $.title, as: lines } }", "no transform \"lines\"; did you mean \"line\"?"),
        ("id: $.key, ", "", "result.id: is needed"),
        ("number: 1..50", "number: 50..1", "number: must be two numbers such as 1..100"),
        ("default: 20", "default: 99", "limit.default: \"99\" is not a value of this parameter"),
        ("q: { term", "fields: { term", "Larder has a parameter of this name"),
        ("term: true", "term: maybe", "term: must be true or false"),
        ("number: 1..50", "number: -9..50", "parameters.limit: is a number of results"),
        ("number: 1..50, default: 20", "text: true, sent: false", "parameters.limit: is a number of results"),
        ("list: $.docs", "list: $.docs\n    identity: { path: $.id, is: \"{q}\" }", "identity: names one record"),
        ("default: 20", "default: 20, required: true", "limit.required: has no meaning beside a default"),
        ("path: /search", "path: /search/{q}-{limit}", "has at most one placeholder {name} in each segment"),
        ("path: /search", "path: /search/{q", "has at most one placeholder {name} in each segment"),
        ("path: /search", "path: \"/search#top\"", "has no query"),
        ("path: /search", "path: /a//b", "has an empty segment"),
        ("path: /search", "path: /a/../b", "has a segment of dots"),
        ("path: /search", "path: /a b", "has a sign that is not allowed in a path"),
        ("title: $.title }", "title: \"{$.title\" }", "result.title: at character 1: A { has no }."),
        ("limit: {", "limit: { sent: q,", "\"q\" is sent by another parameter or by fixed already"),
        ("limit: {", "limit: { also: q,", "\"q\" is a name of another parameter"),
        ("number: 1..50, default: 20", "flag: true, default: maybe", "\"maybe\" is not a value of this parameter"),
        ("number: 1..50, default: 20", "words: [a], meaning: { b: c }", "meaning.b: is not a value of this parameter"),
        ("list: $.docs", "list: $.docs\n    fixed: { api_key: x }", "fixed.api_key: looks like a secret"),
        ("list: $.docs", "identity: { path: $.id, is: \"{isbn}\" }", "is: {isbn} is not a parameter of this question"),
    ])
    func aMistakeInAQuestionIsToldWithItsPlace(_ right: String, _ wrong: String, _ told: String) {
        let findings = findings(Self.plain.replacing(right, with: wrong))
        #expect(findings.contains { $0.contains(told) && $0.hasPrefix("library.yaml:") }, "\(findings)")
    }

    @Test func aPatternHasAnEnd() {
        let pattern = String(repeating: "[a-z]*", count: 65)
        let findings = findings(Self.plain.replacing("term: true", with: "term: true, pattern: \"^\(pattern)$\""))
        #expect(findings.contains { $0.contains("A pattern has at most 64 items.") }, "\(findings)")
    }

    @Test func aRouteBehindOneThatTakesItsPathsIsTold() {
        let text = Self.plain.replacing("path: /search", with: "route: \"books/{q}\"\n    path: /search")
        let further = """
              newest:
                path: /newest
                route: books/newest
                list: $.docs
                result: { id: $.key, title: $.title }

            """
        let findings = findings(text + further)
        #expect(
            findings.first?.contains("its route books/newest is never reached: books/{q} before it") == true,
            "\(findings)")
    }

    @Test func aSecretInFixedIsToldOnce() {
        let text = Self.plain.replacing("path: /search", with: "path: /search\n    fixed: { api_key: x }")
        #expect(findings(text).count == 1, "\(findings(text))")
    }

    @Test(arguments: ["search", "status", "books", "hn"])
    func theNameOfARouteOrASourceIsRefused(_ name: String) {
        #expect(throws: SettingsError.self) {
            try SettingsLoader().load(
                text: nil, named: "", environment: plainEnvironment, providerFiles: files(Self.plain, named: name))
        }
    }

    @Test func aSearchQuestionNeedsNothingButATerm() throws {
        let needy = Self.plain.replacing(
            "limit: { number: 1..50, default: 20 }", with: "year: { number: 1..9, required: true }")
        #expect(try !about(try read(needy)).hasSearch)
        let findings = findings(needy + "search: books\n")
        #expect(
            findings.first?.contains("\"books\" needs year, which a search of several sources") == true, "\(findings)")
    }

    @Test func aDefaultIsSpeltAsAClientsValue() throws {
        let text = Self.plain.replacing("limit: {", with: "free: { flag: true, default: true }, limit: {")
            .replacing("default: 20", with: "default: \"020\"")
        let parameters = try about(try read(text)).endpoints.first?.parameters ?? []
        #expect(parameters.map(\.defaultText) == [nil, "yes", "20"])
    }

    @Test func aFolderOfFilesThatCannotBeReadIsToldAndNotSkipped() throws {
        let directory = TemporaryDirectory()
        directory.write("larder.yaml", "")
        // A file in place of the folder: root reads every folder.
        directory.write("providers.d", "")
        #expect(throws: SettingsError.self) {
            try SettingsLoader().load(file: directory.path + "/larder.yaml", environment: plainEnvironment)
        }
    }

    @Test func allMistakesAreToldAtOnce() {
        let text = Self.plain.replacing("$.docs", with: "docs").replacing("$.key", with: "$.a b")
        #expect(findings(text + "search: x\n").count == 3, "\(findings(text + "search: x\n"))")
    }

    @Test func aProviderIsDescribedInOneFile() {
        let findings = findings(Self.plain, main: "providers: { library: { title: Other } }\n")
        #expect(findings.first?.contains("is described at larder.yaml:") == true, "\(findings)")
    }

    @Test func aBuiltInProviderIsNotDescribed() {
        let findings = findings(Self.plain, main: "providers: { itunes: { title: Mine } }\n")
        #expect(
            findings == [
                "larder.yaml:1:24: providers.itunes.title: itunes is built in: only an API of your own can be described"
            ])
    }

    @Test func theFilesBesideTheConfigurationAreRead() throws {
        let directory = TemporaryDirectory()
        directory.write("larder.yaml", "")
        try FileManager.default.createDirectory(
            atPath: directory.path + "/providers.d", withIntermediateDirectories: false)
        directory.write("providers.d/library.yaml", Self.plain)
        directory.write("providers.d/README", "no provider")
        let settings = try SettingsLoader().load(
            file: directory.path + "/larder.yaml", environment: plainEnvironment)
        #expect(settings.providers["library"] != nil)
    }

    @Test(arguments: ["Library", "two words", "9lives"])
    func aFileOfAnotherNameIsRefused(_ name: String) {
        #expect(throws: SettingsError.self) {
            try SettingsLoader().load(
                text: nil, named: "", environment: plainEnvironment, providerFiles: files(Self.plain, named: name))
        }
    }
}
