// The commands that list, check, prune and convert tapes. They need no daemon and no network.
import LarderCore
import LarderHTTP
import LarderTape
import LarderTestSupport
import Testing

@testable import LarderCLI

/// A tape in a directory of its own, and a configuration with a key.
final class TapeGround: Sendable {
    static let key = "literal-key-4711"
    let directory = TemporaryDirectory()
    let tape: String
    let configuration: String

    init() {
        tape = directory.path + "/tape"
        configuration = directory.write(
            "larder.yaml",
            "providers: { mine: { kind: passthrough, baseURL: \"https://mine.example\", key: \(Self.key) } }\n")
    }

    @discardableResult
    func record(
        _ url: String, _ method: LarderCore.Method = .get, fields: HeaderFields = [:], status: Int = 200,
        answer: HeaderFields = ["Content-Type": "application/json"], body: String = #"{"items":[1,2]}"#
    ) throws -> TapeName {
        let request = TapeRequest(method, try #require(HTTPURL(url)), fields: fields)
        let exchange = TapeExchange(request, TapeAnswer(status: status, fields: answer, body: Bytes(text: body)))
        guard case .recorded(let made) = try Tape(path: tape).record(exchange) else {
            throw TapeFault(.invalid, url, "not recorded")
        }
        return made.name
    }

    func run(_ words: String...) async -> Outcome { await larder(words: ["tape"] + words) }

    /// The same with the configuration.
    func runConfigured(_ words: String...) async -> Outcome {
        await larder(words: ["tape"] + words + ["--config", configuration])
    }

    var names: [TapeName] { get throws { try Tape(path: tape).load().recordings.map(\.name) } }
}

@Suite struct TapeCommandTests {
    private let ground = TapeGround()

    @Test func eachExchangeIsALineThatBeginsWithItsName() async throws {
        let name = try ground.record("https://api.example.test/search?q=a")
        try ground.record("https://api.example.test/zoo", status: 404)
        let shown = await ground.run("show", ground.tape)
        #expect(shown.status == .done)
        let lines = shown.text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == "\(name)  GET https://api.example.test/search?q=a → 200 application/json, 15 B")
    }

    @Test func theListIsJSONIfAskedFor() async throws {
        let name = try ground.record("https://api.example.test/search?q=a")
        let shown = try JSON.parse(await ground.run("show", ground.tape, "--json").out)
        let line = try #require(shown.elements.first { _ in true })
        #expect(line["name"]?.string == "\(name)" && line["status"]?.integer == 200 && line["size"]?.integer == 15)
        #expect(line["url"]?.string == "https://api.example.test/search?q=a")
    }

    @Test func oneExchangeIsShownByItsNameOrTheNameOfItsFile() async throws {
        let name = try ground.record("https://api.example.test/search?q=a")
        let shown = await ground.run("show", ground.tape, "\(name)")
        #expect(shown.text.hasPrefix("GET https://api.example.test/search?q=a\n") && shown.text.hasSuffix("\n:end\n"))
        #expect(await ground.run("show", ground.tape, "\(name).http").out == shown.out)
    }

    @Test(arguments: ["other-00000000-01", "no name"])
    func aNameThatIsNotOnTheTapeIsSaidSo(_ name: String) async throws {
        try ground.record("https://api.example.test/search?q=a")
        let shown = await ground.run("show", ground.tape, name)
        #expect(shown.status == .noResults && shown.err.contains("has no exchange \(name)"), "\(shown.err)")
    }

    @Test(arguments: ["show", "check", "diff", "export"])
    func aFolderThatIsNoTapeIsSaidSo(_ word: String) async {
        let outcome = await ground.run(word, "/nowhere")
        #expect(outcome.status == .usage && outcome.err.contains("/nowhere is no tape"), "\(outcome.err)")
    }

    @Test func tornFilesAreNamedWhereExchangesAreListed() async throws {
        try ground.record("https://api.example.test/search?q=a")
        ground.directory.write("tape/torn-00000000-01.http", "GET")
        let shown = await ground.run("show", ground.tape)
        #expect(shown.err.hasPrefix("torn: \(ground.tape)/torn-00000000-01.http:1: "), "\(shown.err)")
        #expect(shown.text.split(separator: "\n").count == 1)
    }

    @Test func aGoodTapePassesItsCheck() async throws {
        try ground.record("https://api.example.test/search?q=a")
        let checked = await ground.runConfigured("check", ground.tape)
        #expect(checked.status == .done && checked.out.isEmpty && checked.err == "exchanges: 1, findings: 0\n")
    }

    @Test func eachFindingIsALineAndTheCheckFails() async throws {
        for _ in 0..<2 { try ground.record("https://api.example.test/search?q=\(TapeGround.key)") }
        ground.directory.write("tape/torn-00000000-01.http", "GET")
        ground.directory.write("tape/notes.txt", "x")
        let checked = await ground.runConfigured("check", ground.tape)
        #expect(checked.status == .failed)
        for told in ["torn-00000000-01.http:1: ", "notes.txt: is no file", "a secret stands in the URL", "same answer"]
        { #expect(checked.text.contains(told), "\(checked.text)") }
        #expect(!checked.text.contains(TapeGround.key))
        let found = try JSON.parse(await ground.runConfigured("check", ground.tape, "--json").out)
        let kinds = found.elements.compactMap { $0["kind"]?.string }
        #expect(kinds == ["torn", "unknown", "secret", "secret", "duplicate"])
        #expect(found.elements.first { $0["kind"]?.string == "torn" }?["line"]?.integer == 1)
    }

    @Test func wrongRulesFailTheCheckWithTheirLine() async throws {
        try ground.record("https://api.example.test/search?q=a")
        ground.directory.write("tape/tape.yaml", "version: 1\nsecretz: []\n")
        let checked = await ground.run("check", ground.tape)
        #expect(checked.status == .failed && checked.err.contains("tape.yaml:2: "), "\(checked.err)")
    }

    @Test func pruningRemovesWhatWasNotPlayed() async throws {
        let kept = try ground.record("https://api.example.test/search?q=a")
        let left = try ground.record("https://api.example.test/search?q=b")
        let played = ground.directory.write("played", "\n\(kept)\n")
        let trial = await ground.run("prune", ground.tape, "--played", played, "--dry-run")
        #expect(trial.text == "\(left)\n" && trial.err == "would be removed: 1, kept: 1\n")
        #expect(try ground.names.count == 2)
        let pruned = await ground.run("prune", ground.tape, "--played", played)
        #expect(pruned.status == .done && pruned.err == "removed: 1, kept: 1\n")
        #expect(try ground.names == [kept])
    }

    @Test(arguments: [
        ("", "has no name of an exchange"), ("other-00000000-01\n", "has no name of an exchange"),
        ("../../passwd\n", "has no name of an exchange"),
    ])
    func aListOfAnotherTapeRemovesNothing(_ list: String, _ told: String) async throws {
        try ground.record("https://api.example.test/search?q=a")
        let pruned = await ground.run("prune", ground.tape, "--played", ground.directory.write("played", list))
        #expect(pruned.status == .usage && pruned.err.contains(told), "\(pruned.err)")
        #expect(try ground.names.count == 1)
    }

    @Test func pruningNeedsAList() async throws {
        try ground.record("https://api.example.test/search?q=a")
        #expect(await ground.run("prune", ground.tape).err.contains("--played is missing"))
    }

    @Test func anArchiveComesOutAndGoesIn() async throws {
        try ground.record("https://api.example.test/search?q=a")
        try ground.record("https://api.example.test/zoo", .post)
        let file = ground.directory.path + "/tape.har"
        #expect(await ground.run("export", ground.tape, file).err == "written: 2\n")
        let copy = ground.directory.path + "/copy"
        let read = await ground.runConfigured("import", file, copy)
        #expect(read.status == .done && read.err == "recorded: 2, left out: 0\n", "\(read)")
        #expect(try Tape(path: copy).load().recordings == Tape(path: ground.tape).load().recordings)
        #expect(try JSON.parse(await ground.run("export", ground.tape).out)["log"]?["entries"]?.count == 2)
    }

    @Test func importingCutsSecretsAndNamesWhatItLeavesOut() async throws {
        func entry(_ url: String, _ status: Int) -> String {
            let content = #"{"size":2,"mimeType":"application/json","text":"{}"}"#
            return #"{"request":{"method":"GET","url":"\#(url)","headers":[]},"#
                + #""response":{"status":\#(status),"headers":[],"content":\#(content)}}"#
        }
        let entries = [
            entry("https://a.test/x?k=\(TapeGround.key)&password=hunter22", 200),
            entry("https://a.test/y?password=hunter22", 503), entry("https://a.test/z", 0),
        ]
        let file = ground.directory.write(
            "in.har", #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#)
        let read = await ground.runConfigured("import", file, ground.tape)
        #expect(read.err.hasSuffix("\nrecorded: 1, left out: 2\n"))
        #expect(read.err.contains("the status is 503") && read.err.contains("it was not answered"), "\(read.err)")
        let shown = await ground.run("show", ground.tape).text
        for secret in [TapeGround.key, "hunter22"] { #expect(!(shown + read.err).contains(secret)) }
    }

    @Test func whatIsNoArchiveIsSaidSo() async {
        let read = await ground.runConfigured("import", ground.directory.write("in.har", "{]"), ground.tape)
        #expect(read.status == .failed && read.err.contains("in.har:1: is no JSON"), "\(read.err)")
    }
}
