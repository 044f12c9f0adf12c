// Samples in the form of Open Library: invented books, one without an author's name, some without a cover.
import LarderCore

struct OpenLibrarySamples: SampleAPI {
    let name = "openlibrary"
    let paths = ["/search.json", "/works/"]
    let fields: HeaderFields = ["Content-Type": "application/json", "Access-Control-Allow-Origin": "*"]

    var questions: [SampleQuestion] { [.search("lantern", ("source", "books"))] }

    private static let works = SampleFile("OpenLibrary/works").records()

    func answer(_ request: SampleRequest) -> SampleAnswer {
        if request.path == "/search.json" { return search(request.parameters) }
        let key = request.path.hasSuffix(".json") ? String(request.path.dropLast(5)) : request.path
        guard let work = Self.works.first(where: { $0["key"]?.string == key }) else {
            return json(status: 404) { writer in
                writer.member("error", "notfound")
                writer.member("key", key)
            }
        }
        return SampleAnswer(fields: fields, body: work.raw)
    }

    func nothing(at path: String) -> SampleAnswer {
        json(status: 404) { $0.member("error", "notfound") }
    }

    private func search(_ parameters: QueryParameters) -> SampleAnswer {
        let words = ["q", "title", "author"].compactMap { parameters[$0] }
        guard words.allSatisfy({ $0.count >= 3 }), !words.isEmpty else {
            return json(status: 422) { $0.member("error", "Query too short, must be at least 3 characters") }
        }
        let found = Self.works.filter { work in
            let authors = work["author_name"]?.elements.compactMap(\.string) ?? []
            let text = ([work["title"]?.string ?? ""] + authors).joined(separator: " ")
            return words.allSatisfy { SampleText.matches(text, $0) }
        }
        let limit = parameters["limit"].flatMap { Int($0) } ?? 100
        let page = max(1, parameters["page"].flatMap { Int($0) } ?? 1)
        return json { writer in
            writer.member("numFound", found.count)
            writer.member("start", (page - 1) * limit)
            writer.name("docs")
            writer.array { writer in
                for work in found.dropFirst((page - 1) * limit).prefix(limit) { writer.raw(work.raw) }
            }
        }
    }
}
