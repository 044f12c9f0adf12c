// The output made of every recorded response, byte for byte. A change that only makes normalising faster or clearer
// must not alter it. Every kind of question of an API reads each recording, which includes responses of an unexpected
// form. The table holds digests only, because recordings are not part of the repository.
import Foundation
import LarderCore
import Testing

@testable import LarderProviders

@Suite struct RecordedOutputTests {
    private static let signer = ArtworkSigner(key: Bytes(repeating: 7, count: 32))

    /// One kind of question, and its provider.
    private struct Question {
        var provider: any Provider
        var path: [String]
        var query: String
    }

    private static let questions: [String: [Question]] = [
        "itunes": [
            Question(provider: SpecProvider(.iTunes), path: ["search"], query: "q=word&limit=200"),
            Question(provider: SpecProvider(.iTunes), path: ["search"], query: "q=word&media=software&sort=price"),
            Question(provider: SpecProvider(.iTunes), path: ["lookup"], query: "id=1&sort=date"),
        ],
        "newsapi": [
            Question(provider: SpecProvider(.newsAPI), path: ["headlines"], query: "q=word"),
            Question(provider: SpecProvider(.newsAPI), path: ["everything"], query: "q=word&sort=date"),
            Question(provider: SpecProvider(.newsAPI), path: ["sources"], query: ""),
        ],
        "dnd5e": [
            Question(provider: SpecProvider(.dnd), path: ["spells"], query: ""),
            Question(provider: SpecProvider(.dnd), path: ["spells", "word"], query: ""),
            Question(provider: SpecProvider(.dnd), path: ["monsters", "word"], query: ""),
            Question(provider: SpecProvider(.dnd), path: ["equipment", "word"], query: ""),
        ],
        "hackernews": [
            Question(provider: SpecProvider(.hackerNews), path: ["search"], query: "q=word"),
            Question(provider: SpecProvider(.hackerNews), path: ["user", "word"], query: ""),
            Question(provider: SpecProvider(.hackerNews), path: ["item", "1"], query: "depth=1&limit=9"),
        ],
        "tmdb": [
            Question(provider: SpecProvider(.tmdb), path: ["search"], query: "q=word"),
            Question(provider: SpecProvider(.tmdb), path: ["movie", "1"], query: ""),
            Question(provider: SpecProvider(.tmdb), path: ["configuration"], query: ""),
        ],
        "imgur": [
            Question(provider: SpecProvider(.imgur), path: ["search"], query: "q=word&sort=date"),
            Question(provider: SpecProvider(.imgur), path: ["album", "a"], query: ""),
            Question(provider: SpecProvider(.imgur), path: ["credits"], query: ""),
        ],
        "chucknorris": jokes(SpecProvider(.jokes)),
        "icndb": jokes(SpecProvider(.jokes).speaking("icndb")),
    ]

    private static func jokes(_ provider: any Provider) -> [Question] {
        [
            Question(provider: provider, path: ["search"], query: "q=word"),
            Question(provider: provider, path: ["random"], query: ""),
            Question(provider: provider, path: ["categories"], query: ""),
        ]
    }

    /// The recorded responses of the APIs that have such questions.
    static let files: [String] = {
        guard let data = try? Data(contentsOf: Recording.folder.appendingPathComponent("index.json")),
            let root = try? JSON.parse(Bytes(data))
        else { return [] }
        return root.elements.compactMap { entry in
            guard let file = entry["file"]?.string, let api = entry["api"]?.string, questions[api] != nil,
                !file.hasSuffix("response-headers.json")
            else { return nil }
            return file
        }.sorted()
    }()

    @Test(.enabled(if: !files.isEmpty, "no recordings are beside the repository"), arguments: files)
    func aRecordingIsMadeIntoTheSameBytesAsBefore(_ file: String) throws {
        let made = try Self.fingerprint(of: file)
        #expect(made == RecordedOutput.fingerprints[file], "\"\(file)\": \"\(made)\",")
    }

    /// One digest over the output of all questions of an API for one recording.
    private static func fingerprint(of file: String) throws -> String {
        let api = String(file.prefix { $0 != "/" })
        var text = Bytes()
        for question in try #require(questions[api]) {
            let endpoint = try question.provider.endpoint(
                path: question.path, query: QueryParameters(parsing: question.query))
            for body in try bodies(of: file) {
                let response = Recording.response(200, body, api: api)
                do {
                    append(try normalise(endpoint, response), question.provider, to: &text)
                } catch let error as NormaliseError {
                    text += Bytes(text: "\n\(error)")
                }
            }
        }
        return String(Digest(of: text).hex.prefix(16))
    }

    /// The responses in a file. Most files hold one; some hold one in each member.
    private static func bodies(of file: String) throws -> [Bytes] {
        let whole = try Recording.body(file)
        guard file.hasSuffix("-details.json") || file.hasPrefix("hackernews/items-") else { return [whole] }
        return try JSON.parse(whole).members.map(\.value.raw)
    }

    /// A plan gets the same response for each of its calls, until it ends.
    private static func normalise(_ endpoint: Endpoint, _ response: UpstreamResponse) throws -> NormalisedAnswer {
        guard var plan = endpoint.plan else { return try endpoint.normalise(response, signer) }
        var brought: [CallOutcome] = []
        while true {
            switch try plan.next(brought, signer) {
            case .done(let answer): return answer
            case .fetch(let calls): brought = calls.map { _ in .answered(response) }
            }
        }
    }

    private static func append(_ answer: NormalisedAnswer, _ provider: any Provider, to text: inout Bytes) {
        let reasons = answer.droppedReasons.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let total = answer.totalUpstream.map(String.init) ?? "-"
        text += Bytes(text: "\n\(answer.count) \(answer.dropped) \(reasons) \(total) \(answer.leftOut)\n")
        text += answer.results
        text += SourceRecord.embedded(in: answer, withholding: provider.about.secretMembers)
    }
}
