// The commands that list, show and try the APIs of a configuration, without a daemon.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderCLI

@Suite struct ProviderCommandTests {
    private let directory = TemporaryDirectory()

    private func run(_ words: String..., isTerminal: Bool = true) async -> Outcome {
        directory.write(
            "larder.yaml", "providers: { mine: { kind: passthrough, baseURL: \"https://mine.example\" } }\n")
        let library = """
            title: Library
            baseURL: https://library.example/api
            enabled: false
            rate: 5/s
            questions:
              books:
                path: /find
                parameters: { q: { sent: query, term: true, example: lantern }, limit: { number: 1..50, default: 20 } }
                list: $.docs
                total: $.found
                result: { kind: book, id: $.key, title: $.title }
            """
        if mkdir(directory.path + "/providers.d", 0o700) == 0 { directory.write("providers.d/library.yaml", library) }
        let answer = #"{"found":3,"docs":[{"key":"b1","title":"The Lantern"},{"key":"b2"}]}"#
        directory.write("answer.json", answer)
        return await run(all: words + ["--config", directory.path + "/larder.yaml"], isTerminal: isTerminal)
    }

    private func run(all words: [String], isTerminal: Bool) async -> Outcome {
        await larder(words: words, isTerminal: isTerminal, width: 200)
    }

    @Test func theListHasAllAPIsWithTheirKinds() async {
        let list = await run("provider", "list")
        let rows = list.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            rows.first { $0.first == "library" }?.prefix(5) == [
                "library", "described", "no", "yes", "/v1/library/books",
            ])
        #expect(rows.first { $0.first == "mine" }?.prefix(5) == ["mine", "passthrough", "yes", "no", "/raw/mine/"])
        #expect(rows.contains { $0.first == "itunes" && $0[1] == "builtIn" })
    }

    @Test func theListIsJSONForPrograms() async throws {
        let list = try JSON.parse(await run("provider", "list", isTerminal: false).out)
        let library = list.elements.first { $0["name"]?.string == "library" }
        #expect(library?["routes"]?.elements.map(\.string) == ["/v1/library/books"])
        #expect(library?["from"]?.string?.hasSuffix("providers.d/library.yaml:1:1") == true)
    }

    @Test func anAPIIsShownWithItsQuestionsAndTheirParameters() async {
        let shown = await run("provider", "show", "library").text
        #expect(shown.contains("asked at: https://library.example/api"))
        #expect(shown.contains("at most: 5/s"))
        #expect(shown.contains("limit  a number from 1 to 50; default 20"))
    }

    @Test func anotherNameIsToldWithTheNearest() async {
        let shown = await run("provider", "show", "libary")
        #expect(shown.status == .usage)
        #expect(shown.err.contains("Did you mean library?"))
    }

    @Test func aDraftMayGoStraightIntoItsFile() async {
        _ = await run("provider", "list")
        directory.write("providers.d/shows.yaml", "")
        directory.write("shows.json", #"[{"show":{"id":7,"name":"The Lantern","genres":[]}}]"#)
        let draft = await run(
            "provider", "new", "shows", "https://shows.example/find?q=lantern", "--sample",
            directory.path + "/shows.json")
        #expect(draft.status == .done, "\(draft.err)")
        directory.write("providers.d/shows.yaml", draft.text)
        let trial = await run("provider", "test", "shows", "--sample", directory.path + "/shows.json")
        #expect(trial.status == .done && trial.text.contains("The Lantern"), "\(draft.text)\(trial.err)")
    }

    @Test func aTrialWithoutASampleShowsTheRequest() async {
        let trial = await run("provider", "test", "library", "books?q=paper lantern&limit=5")
        #expect(trial.status == .done)
        #expect(
            trial.err == "request: GET https://library.example/api/find?limit=5&query=paper%20lantern\n", "\(trial)")
    }

    @Test func withoutARouteASearchIsTried() async {
        let trial = await run("provider", "test", "library")
        #expect(trial.err.contains("/find?limit=20&query=lantern"), "\(trial)")
    }

    @Test func aSampleIsMadeIntoResultsAndWhatIsDroppedIsTold() async {
        let trial = await run("provider", "test", "library", "books?q=x", "--sample", directory.path + "/answer.json")
        #expect(trial.status == .done)
        #expect(trial.text.contains("The Lantern"))
        #expect(trial.err.contains("answer:  200, data"))
        #expect(trial.err.contains("1 result; of 3; 1 records dropped"), "\(trial.err)")
    }

    @Test func anErrorAsASampleIsTold() async {
        let trial = await run(
            "provider", "test", "library", "books?q=x", "--sample", directory.path + "/answer.json", "--status", "503")
        #expect(trial.status == .failed)
        #expect(trial.err.contains("answer:  503, broken"), "\(trial.err)")
    }

    @Test(arguments: [
        (["library", "books?q=x&limit=99"], "\"limit\" is not a number between 1 and 50."),
        (["library", "films"], "There is no route /v1/library/films"),
        (["library", "books?q=%ZZ"], "\"q=%ZZ\" is not percent-encoded UTF-8."),
        (["library", "books?q=x", "--status", "404"], "--status is for an answer: give --sample too"),
        (["mine"], "mine has no description"),
        (["library", "books?q=x", "--sample", "/nowhere/a.json"], "/nowhere/a.json cannot be read"),
    ])
    func aMistakeIsTold(_ words: [String], _ told: String) async {
        _ = await run("provider", "list")
        let trial = await run(
            all: ["provider", "test"] + words + ["--config", directory.path + "/larder.yaml"], isTerminal: true)
        #expect(trial.status == .usage)
        #expect(trial.err.contains(told), "\(trial.err)")
    }
}
