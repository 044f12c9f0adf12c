// Converts books of Open Library to results. The records of a search contain the authors' names. A record fetched by
// its key contains only the authors' keys, but more about the book itself.
import LarderCore

enum OpenLibraryResults {
    private static let provider = OpenLibrary.facts.name
    /// The greatest number of genres. Some books have hundreds of subjects.
    private static let mostGenres = 12

    static func search(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, sort: SortOrder
    ) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response.body)
        guard let books = root["docs"], books.kind == .array else {
            throw NormaliseError(provider: provider, message: "The answer has no list of books.")
        }
        var list = ResultList(provider: provider, signer: signer, capacity: response.body.count * 2)
        for book in books.elements { add(book, to: &list) }
        return list.answer(sort: sort, language: nil, total: root["numFound"]?.integer)
    }

    static func work(
        _ response: UpstreamResponse, _ signer: ArtworkSigner
    ) throws(NormaliseError) -> NormalisedAnswer {
        var list = ResultList(provider: provider, signer: signer, capacity: response.body.count * 2)
        add(try root(response.body), to: &list)
        return list.answer(sort: .relevance, language: nil)
    }

    private static func root(_ body: Bytes) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(body, error))
        }
    }

    private static func add(_ book: JSONValue, to list: inout ResultList) {
        guard book.kind == .object else { return list.drop(.notAnObject) }
        guard let id = book["key"]?.string?.split(separator: "/").last else { return list.drop(.id) }
        guard let title = TextCleaning.line(book["title"]?.string) else { return list.drop(.title) }
        var result = ResultItem(id: "\(provider):book:\(id)", kind: "book", title: title)
        let authors = texts(book["author_name"])
        result.creator = authors.isEmpty ? nil : authors.joined(separator: ", ")
        // The description is a text, or {type, value}.
        let text = book["description"]
        result.summary = TextCleaning.paragraphs(text?.string ?? text?["value"]?.string)
        result.url = "\(OpenLibrary.facts.defaultBaseURL)/works/\(id)"
        result.genres = Array(texts(book["subject"] ?? book["subjects"]).prefix(mostGenres))
        let year = book["first_publish_year"]?.integer
        result.setPublished(year.flatMap { (1000...9999).contains($0) ? String($0) : nil })
        if let cover = book["cover_i"]?.integer
            ?? book["covers"]?.elements.lazy.compactMap(\.integer).first(where: { $0 > 0 })
        {
            result.artwork = artwork(cover)
        }
        result.attribute("authors", texts: authors)
        result.attribute("authorKeys", texts: keys(book))
        result.attribute("firstPublished", text: book["first_publish_date"]?.string)
        result.attribute("year", number: year.map(String.init))
        result.attribute("editions", number: book["edition_count"]?.integer.map(String.init))
        result.attribute("languages", texts: texts(book["language"]))
        list.add(result, from: book)
    }

    /// The authors' keys: a search has the keys themselves, a record has {author: {key: "/authors/OL26320A"}}.
    private static func keys(_ book: JSONValue) -> [String] {
        let found = texts(book["author_key"])
        if !found.isEmpty { return found }
        return book["authors"]?.elements.compactMap { author in
            author["author"]?["key"]?.string?.split(separator: "/").last.map(String.init)
        } ?? []
    }

    private static func texts(_ list: JSONValue?) -> [String] {
        list?.elements.compactMap { TextCleaning.line($0.string) } ?? []
    }

    private static func artwork(_ cover: Int) -> ResultItem.Artwork {
        func url(_ size: String) -> String { "https://covers.openlibrary.org/b/id/\(cover)-\(size).jpg" }
        return ResultItem.Artwork(small: url("M"), large: url("L"), original: url("L"))
    }
}
