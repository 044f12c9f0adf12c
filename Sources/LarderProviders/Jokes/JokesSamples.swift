// Samples in the shapes of the two joke APIs. The jokes are ours.
import LarderCore

struct JokesSamples: SampleAPI {
    let name = "chucknorris"
    let paths = ["/jokes/"]
    let fields: HeaderFields = ["Content-Type": "application/json", "X-Frame-Options": "DENY"]

    fileprivate struct Joke: Sendable {
        var number: Int
        var text: String
        var categories: [String] = []

        /// 22 characters of base64url, as the live API names its jokes.
        var id: String {
            String(Base64URL.encode(Digest(of: Bytes(text: "joke \(number)")).bytes.prefix(16)).prefix(22))
        }
    }

    fileprivate static let jokes: [Joke] = [
        "Chuck Norris does not start a daemon. It was running already, and waits for him.",
        "Chuck Norris needs no cache: nothing dares to expire.",
        "When Chuck Norris asks for a random joke, the joke looks for cover.",
        "Chuck Norris reads /dev/null, and it answers.",
        "The tarrasque checks under its bed for Chuck Norris & his boots.",
        "Chuck Norris once waited for a timeout. The timeout gave up.",
        "Servers answer Chuck Norris 200 \"Yes, sir\".",
        "Chuck Norris can roll a twenty on a die with six sides.",
        "A stale answer becomes fresh when Chuck Norris looks at it.",
        "Chuck Norris never retries. The network apologises the first time.",
        "Octopuses have eight arms since Chuck Norris left them those.",
        "Chuck Norris divides by zero, and keeps the rest.",
    ].enumerated().map { number, text in
        Joke(
            number: number + 1, text: text,
            categories: number == 4 || number == 7 ? ["animal"] : number % 3 == 0 ? ["dev"] : [])
    }

    private static let categories = ["animal", "dev", "explicit", "food"]

    /// What is random upstream goes round here, so that a demonstration shows what is typical.
    fileprivate static func draw(_ some: [Joke], _ turn: Int) -> Joke? {
        some.isEmpty ? nil : some[turn % some.count]
    }

    func nothing(at path: String) -> SampleAnswer { absent(path) }

    var questions: [SampleQuestion] { [.search("daemon", ("source", "jokes")), .get("/v1/jokes/random")] }

    func route(of recording: RecordedRequest, key: String?) -> String? {
        let (route, items) = (recording.segments.last ?? "", recording.items)
        // The term of an old recording was not kept.
        let query = route == "search" && items.isEmpty ? "?q=anything" : items.first.map { "?\($0)" } ?? ""
        return "/v1/jokes/\(route)\(query)"
    }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        switch path {
        case "/jokes/random":
            let wanted = parameters["category"]?.split(separator: ",").map(String.init)
            let some = Self.jokes.filter { joke in
                guard let wanted else { return true }
                return joke.categories.contains { wanted.contains($0) }
            }
            guard let joke = Self.draw(some, request.turn) else { return absent(path) }
            return one(joke)
        case "/jokes/categories":
            var writer = JSONWriter()
            writer.array { writer in
                for category in Self.categories { writer.string(category) }
            }
            return SampleAnswer(fields: fields, body: writer.bytes)
        case "/jokes/search": return search(parameters["query"] ?? "", path)
        default:
            guard let joke = Self.jokes.first(where: { path == "/jokes/\($0.id)" }) else { return absent(path) }
            return one(joke)
        }
    }

    private func search(_ query: String, _ path: String) -> SampleAnswer {
        guard (3...120).contains(query.count) else {
            let why = "size must be between 3 and 120"
            return json(status: 400) { writer in
                writer.member("timestamp", "2026-11-01T12:00:00.000Z")
                writer.member("status", 400)
                writer.member("error", "Bad Request")
                writer.member("message", "search.query: \(why)")
                writer.name("violations")
                writer.object { $0.member("search.query", why) }
            }
        }
        let found = Self.jokes.filter { $0.text.lowercased().contains(query.lowercased()) }
        return json { writer in
            writer.member("total", found.count)
            writer.name("result")
            writer.array { writer in
                for joke in found { writer.object { Self.write(joke, &$0) } }
            }
        }
    }

    private func absent(_ path: String) -> SampleAnswer {
        json(status: 404) { writer in
            writer.member("timestamp", "2026-11-01T12:00:00.000Z")
            writer.member("status", 404)
            writer.member("error", "Not Found")
            writer.member("message", "Nothing of that kind.")
            writer.member("path", path)
        }
    }

    private func one(_ joke: Joke) -> SampleAnswer {
        json { Self.write(joke, &$0) }
    }

    private static func write(_ joke: Joke, _ writer: inout JSONWriter) {
        let day = "2020-01-\(joke.number + 10) 13:42:24.696555"
        writer.member("categories", strings: joke.categories)
        writer.member("created_at", day)
        writer.member("icon_url", "https://api.chucknorris.io/img/avatar/chuck-norris.png")
        writer.member("id", joke.id)
        writer.member("updated_at", day)
        writer.member("url", "https://api.chucknorris.io/jokes/\(joke.id)")
        writer.member("value", joke.text)
    }

}

/// The other make of that API.
struct ICNDbSamples: SampleAPI {
    let name = "icndb"
    let fields: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": "no-cache, must-revalidate",
        "Expires": "Mon, 26 Jul 1997 05:00:00 GMT",
    ]

    private typealias Joke = JokesSamples.Joke
    private var jokes: [Joke] { JokesSamples.jokes }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        let segments = path.split(separator: "/").map(String.init)
        switch (segments.first, segments.count) {
        case ("categories", 1):
            return success { writer in
                writer.array { writer in
                    for name in ["explicit", "nerdy"] { writer.string(name) }
                }
            }
        case ("jokes", 1):
            return success { list(jokes, &$0) }
        case ("jokes", 2) where segments[1] == "count":
            return success { $0.integer(jokes.count) }
        case ("jokes", _) where segments.count > 1 && segments[1] == "random":
            let isLimited = parameters["limitTo"]?.contains("nerdy") == true
            let some = isLimited ? jokes.filter { $0.categories.contains("dev") } : jokes
            guard segments.count == 3, let count = Int(segments[2]) else {
                return success { writer in
                    if let joke = JokesSamples.draw(some, request.turn) {
                        writer.object { Self.writeNumbered(joke, &$0) }
                    }
                }
            }
            return success { list(Array(some.prefix(max(0, count))), &$0) }
        default:
            guard segments.count == 2, let joke = jokes.first(where: { "\($0.number)" == segments[1] }) else {
                return json { writer in
                    writer.member("type", "NoSuchQuoteException")
                    writer.member("value", "No quote with id=\(segments.last ?? "").")
                }
            }
            return success { writer in writer.object { Self.writeNumbered(joke, &$0) } }
        }
    }

    private func success(_ value: (inout JSONWriter) -> Void) -> SampleAnswer {
        json { writer in
            writer.member("type", "success")
            writer.name("value")
            value(&writer)
        }
    }

    private func list(_ some: [Joke], _ writer: inout JSONWriter) {
        writer.array { writer in
            for joke in some { writer.object { Self.writeNumbered(joke, &$0) } }
        }
    }

    private static func writeNumbered(_ joke: Joke, _ writer: inout JSONWriter) {
        writer.member("id", joke.number)
        // As HTML, which that API speaks by default.
        writer.member(
            "joke", joke.text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
        )
        writer.member("categories", strings: joke.categories.contains("dev") ? ["nerdy"] : [])
    }
}
