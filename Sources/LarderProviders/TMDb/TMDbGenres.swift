// TMDb's lists contain genres only as numbers. The English names are built in. Names in another language are fetched
// once along with the question and kept for long; if they cannot be fetched, the results do without them.
import LarderCore

/// Tables that are needed to read TMDb's lists.
struct TMDbTables: Sendable, Hashable {
    var pictures = TMDbPictures.known
    /// Names by number, in the language of the question; nil if they are unknown.
    var genres: [Int: String]?
}

enum TMDbGenres {
    /// The kinds that have genres.
    static let kinds: [TMDbKind] = [.movie, .tv]

    /// The calls that fetch the genre names of a kind, or of all kinds if they are mixed. None for English.
    static func calls(_ kind: TMDbKind?, language: String) -> [PlannedCall] {
        guard !isEnglish(language) else { return [] }
        return kinds.filter { kind == nil || $0 == kind }.map {
            PlannedCall("genres", request($0, language), role: .aid)
        }
    }

    static func request(_ kind: TMDbKind, _ language: String) -> UpstreamRequest {
        UpstreamRequest(
            path: "/3/genre/\(kind.rawValue)/list",
            query: TMDb.form.encode([QueryParameters.Item("language", language)]))
    }

    /// The names in these responses. If several lists contain the same number, they agree on its name.
    static func names(_ answers: [CallOutcome], language: String) -> [Int: String]? {
        if isEnglish(language) { return english }
        var names: [Int: String] = [:]
        for answer in answers {
            guard let body = answer.response?.body, let list = (try? JSON.parse(body))?["genres"] else { continue }
            for genre in list.elements {
                // A name that does not exist in a language is null.
                if let id = genre["id"]?.integer, let name = TextCleaning.line(genre["name"]?.string) {
                    names[id] = name
                }
            }
        }
        return names.isEmpty ? nil : names
    }

    /// The results of the genre list itself.
    static func results(_ response: UpstreamResponse, _ kind: TMDbKind) throws(NormaliseError) -> NormalisedAnswer {
        let root: JSONValue
        do {
            root = try JSON.parse(response.body)
        } catch {
            throw NormaliseError(provider: TMDb.facts.name, message: Impostor.describe(response.body, error))
        }
        var list = ResultList(provider: TMDb.facts.name, signer: nil)
        for genre in root["genres"]?.elements.map({ $0 }) ?? [] {
            guard let id = genre["id"]?.integer, let name = TextCleaning.line(genre["name"]?.string) else {
                list.drop(.idOrName)
                continue
            }
            var result = ResultItem(
                id: "\(TMDb.facts.name):\(kind.rawValue)Genre:\(id)", kind: "genre", title: name)
            result.attribute("genreId", number: "\(id)")
            result.attribute("of", text: kind.kind)
            list.add(result, from: genre)
        }
        return list.answer(sort: .relevance, language: nil)
    }

    private static func isEnglish(_ language: String) -> Bool { language == "en" || language.hasPrefix("en-") }

    /// The names of `/3/genre/movie/list` and `/3/genre/tv/list` in 2026.
    private static let english = [
        12: "Adventure", 14: "Fantasy", 16: "Animation", 18: "Drama", 27: "Horror", 28: "Action", 35: "Comedy",
        36: "History", 37: "Western", 53: "Thriller", 80: "Crime", 99: "Documentary", 878: "Science Fiction",
        9648: "Mystery", 10402: "Music", 10749: "Romance", 10751: "Family", 10752: "War", 10759: "Action & Adventure",
        10762: "Kids", 10763: "News", 10764: "Reality", 10765: "Sci-Fi & Fantasy", 10766: "Soap", 10767: "Talk",
        10768: "War & Politics", 10770: "TV Movie",
    ]
}
