// The draft of a description can be read as it is, and finds in an answer what a person would find.
import Foundation
import LarderCore
import LarderProviders
import LarderTestSupport
import Testing

@testable import LarderSettings

struct ProviderDraftTests {
    private static let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config/providers.d/samples")

    private func sample(_ file: String) throws -> Bytes {
        Bytes(try Data(contentsOf: Self.samples.appending(path: file)))
    }

    private func load(_ draft: ProviderDraft) throws -> (SpecProvider, ProviderSettings) {
        let settings = try SettingsLoader().load(
            text: nil, named: "", environment: plainEnvironment,
            providerFiles: [ProviderFile(path: "mine.yaml", provider: "mine", text: Bytes(text: draft.text))])
        let own = try #require(settings.providers["mine"])
        guard case .described(let description) = own.kind else { throw NotDescribed() }
        return (SpecProvider(description, baseURL: own.baseURL, keyIn: own.keyIn), own)
    }

    private struct NotDescribed: Error {}

    private func results(_ provider: SpecProvider, _ answer: Bytes) throws -> NormalisedAnswer {
        let endpoint = try provider.search(SearchRequest(term: "lantern"))
        let response = UpstreamResponse(
            status: 200, body: answer, requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
        #expect(provider.classify(response, endpoint: endpoint.name) == .data)
        return try endpoint.normalise(response, ArtworkSigner(key: Bytes(repeating: 7, count: 32)))
    }

    @Test(arguments: [
        ("musicbrainz.json", "https://musicbrainz.org/ws/2/artist?query=lantern&limit=5&fmt=json", 2, "The Lanterns"),
        ("github.json", "https://api.github.com/search/repositories?q=lantern&per_page=5", 2, ""),
        ("wikipedia.json", "https://en.wikipedia.org/w/rest.php/v1/search/page?q=lantern&limit=5", 2, "Paper lantern"),
        ("openmeteo.json", "https://geocoding-api.open-meteo.com/v1/search?name=lantern&count=5", 2, "Lanternstadt"),
        ("gutenberg.json", "https://gutendex.com/books?search=lantern", 1, ""),
        ("stackexchange.json", "https://api.stackexchange.com/2.3/search/advanced?q=x&site=stackoverflow", 1, ""),
        ("arxiv.xml", "https://export.arxiv.org/api/query?search_query=lantern", 2, ""),
    ])
    func aDraftOfAnAnswerReadsThatAnswer(_ file: String, _ url: String, _ count: Int, _ title: String) throws {
        let answer = try sample(file)
        let draft = try ProviderDraft(name: "mine", url: url, answer: answer)
        let (provider, _) = try load(draft)
        let made = try results(provider, answer)
        #expect(made.count == count, "\(draft.text)")
        let first = try JSON.parse(made.results).elements.first { _ in true }
        if !title.isEmpty { #expect(first?["title"]?.string == title, "\(draft.text)") }
    }

    private static let shows =
        #"[{"score":0.9,"show":{"id":139,"url":"https://shows.example/139","name":"Girls","genres":["Drama"],"#
        + #""premiered":"2012-04-15","rating":{"average":6.7},"image":{"medium":"https://img.example/139.jpg"},"#
        + #""summary":"<p>Four friends.</p>"}}]"#

    @Test func theRecordInEachElementIsFound() throws {
        let draft = try ProviderDraft(
            name: "mine", url: "https://shows.example/find?s=girls&key9=1", answer: Bytes(text: Self.shows))
        #expect(draft.text.contains("list: \"$[*].show\""), "\(draft.text)")
        let (provider, settings) = try load(draft)
        #expect(settings.imageHosts == ["img.example"])
        let made = try results(provider, Bytes(text: Self.shows))
        let first = try #require(try JSON.parse(made.results).elements.first { _ in true })
        #expect(first["id"]?.string == "mine:show:139" && first["publishedAt"]?.string?.hasPrefix("2012-04-15") == true)
        #expect(
            first["summary"]?.string == "Four friends." && first["attributes"]?["ratingAverage"]?.numberText == "6.7")
    }

    @Test func namesThatEndInAKnownOneAreFoundAndAnIdIsDifferentInEachRecord() throws {
        let answer = Bytes(
            text: #"{"results":[{"artistId":1,"trackId":5,"trackName":"a","artworkUrl60":"https://img.example/5"},"#
                + #"{"artistId":1,"trackId":6,"trackName":"b","artworkUrl60":"https://img.example/6"}]}"#)
        let draft = try ProviderDraft(name: "mine", url: "https://x.example/find.json?term=a", answer: answer)
        let lines = draft.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        for line in ["find:", "id: $.trackId # a guess", "title: $.trackName", "image: $.artworkUrl60"] {
            #expect(lines.contains { $0.hasPrefix(line) }, "\(draft.text)")
        }
    }

    @Test func aSecretOfTheURLIsNotInTheDraft() throws {
        let draft = try ProviderDraft(
            name: "mine", url: "https://shows.example/find?q=girls&api_key=s3cret", answer: Bytes(text: Self.shows))
        #expect(!draft.text.contains("s3cret") && draft.text.contains("keyIn: query api_key"))
        _ = try load(draft)
    }

    @Test func theKeyOfAFeedIsNotInItsDraft() throws {
        let feed = Bytes(text: "\u{FEFF}<rss><channel><item><title>a</title></item></channel></rss>")
        let draft = try ProviderDraft(name: "mine", url: "https://x.example/f.rss?api_key=s3cret&lang=en", answer: feed)
        #expect(draft.text.contains("feed: \"/f.rss?lang=en\"") && !draft.text.contains("s3cret"), "\(draft.text)")
        _ = try load(draft)
    }

    @Test func anEndOfALineOfYAMLInANameMakesNoLine() throws {
        let url = "https://x.example/f?q=a&x%E2%80%A8enabled:%20false%E2%80%A8%23key=abc&y%EF%BB%BF=1"
        let draft = try ProviderDraft(name: "mine", url: url, answer: Bytes(text: Self.shows))
        #expect(!draft.text.contains("enabled"), "\(draft.text)")
        _ = try load(draft)
    }

    @Test func twoNumbersOfResultsAndAFarPageMakeADraftThatIsRead() throws {
        let url = "https://shows.example/find?q=a&rows=10&count=5&start=2000"
        _ = try load(try ProviderDraft(name: "mine", url: url, answer: Bytes(text: Self.shows)))
    }

    @Test(arguments: [
        ("itunes", "https://x.example/", "{}", "is the name of a route or a source"),
        ("a b", "https://x.example/", "{}", "The name of an API is a letter"),
        ("mine", "ftp://x.example/", "{}", "not an http or https URL"),
        ("mine", "https://a:s3cret@x.example/", "{}", "a name or a password in it"),
        ("mine", "https://x.example/", "[1,2]", "The answer has no record"),
        ("mine", "https://x.example/", "<html/>", "neither JSON nor a feed"),
        ("mine", "https://x.example/", "sorry", "neither JSON nor a feed"),
        ("mine", "https://x.example/a%20b", "{\"id\":1}", "cannot stand in a draft"),
    ])
    func whatGivesNoDraftIsTold(_ name: String, _ url: String, _ answer: String, _ message: String) {
        let failure = #expect(throws: ProviderDraft.Failure.self) {
            try ProviderDraft(name: name, url: url, answer: Bytes(text: answer))
        }
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
    }

    /// Names of every kind get into the file as text.
    @Test func hostileNamesMakeNoOtherFile() throws {
        let answer = #"{"a: b- c":[{"id":1,"title":"x","y\"]}: \n":"2","it's":{"no":true}}]}"#
        let draft = try ProviderDraft(
            name: "mine", url: "https://x.example/a:b?q=%22&b=%0A&a%0Ab=1&%7Bq%7D=2", answer: Bytes(text: answer))
        let (provider, _) = try load(draft)
        #expect(try results(provider, Bytes(text: answer)).count == 1, "\(draft.text)")
    }
}
