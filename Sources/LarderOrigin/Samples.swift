// The built-in samples: small answers in the shapes of the live APIs, written for this purpose, so that a demo needs
// neither key nor network. A question is answered by those records that hold every word of it; none is a valid answer
// too.
import LarderCore

enum Samples {
    static func answer(_ api: OriginAPI, path: String, _ parameters: QueryParameters) -> OriginAnswer {
        switch api {
        case .itunes: SampleStore.answer(path, parameters)
        case .newsapi: SampleNews.answer(path, parameters)
        case .dnd5e: SampleRules.answer(path, parameters)
        case .chucknorris: SampleJokes.answer(path, parameters)
        case .icndb: SampleJokes.icndb(path, parameters)
        case .hackernews: SampleHackerNews.answer(path, parameters)
        case .tmdb: SampleFilms.answer(path, parameters)
        case .imgur: SampleImgur.answer(path, parameters)
        }
    }

    /// What the live API says where it knows nothing that fits.
    static func nothing(_ api: OriginAPI, path: String) -> OriginAnswer {
        switch api {
        case .itunes where path == "/search" || path == "/lookup": return SampleStore.list([])
        case .newsapi where path == "/v2/top-headlines" || path == "/v2/everything":
            return json(.newsapi) { writer in
                writer.member("status", "ok")
                writer.member("totalResults", 0)
                writer.member("articles", strings: [])
            }
        case .chucknorris: return SampleJokes.absent(path)
        case .hackernews where path.hasPrefix("/v0/"): return SampleHackerNews.nothing
        case .tmdb: return SampleFilms.failure(404, 34, "The resource you requested could not be found.")
        case .imgur: return SampleImgur.failure(404, "Unable to find it", path)
        default: return .text(404, "Not Found")
        }
    }

    static func json(_ api: OriginAPI, status: Int = 200, _ members: (inout JSONWriter) -> Void) -> OriginAnswer {
        var writer = JSONWriter()
        writer.object(members)
        return OriginAnswer(status: status, fields: api.fields, body: writer.bytes)
    }

    static func newsError(_ status: Int, _ code: String, _ message: String) -> OriginAnswer {
        json(.newsapi, status: status) { writer in
            writer.member("status", "error")
            writer.member("code", code)
            writer.member("message", message)
        }
    }

    /// Whether a text holds every word of a question, in any order and case.
    static func matches(_ text: String, _ question: String) -> Bool {
        let text = text.lowercased()
        let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }
        return !words.isEmpty && words.allSatisfy { text.contains($0) }
    }
}

/// The samples without a server, for whoever wants one answer.
public enum OriginSamples {
    /// What the stand-in gives for a path of an API ("itunes", "newsapi", "dnd5e", "hackernews", "jokes",
    /// "icndb", "tmdb", "imgur"), its prefix removed.
    public static func answer(_ provider: String, path: String, query: String?) -> OriginAnswer {
        guard let api = OriginAPI(rawValue: provider) ?? OriginAPI(provider: provider) else {
            return .text(404, "Not Found")
        }
        return Samples.answer(api, path: path, (try? QueryParameters(parsing: query ?? "")) ?? QueryParameters())
    }
}
