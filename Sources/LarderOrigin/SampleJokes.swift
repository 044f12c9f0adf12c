// Samples in the shapes of the two joke APIs. The jokes are ours.
import LarderCore

enum SampleJokes {
    private struct Joke: Sendable {
        var number: Int
        var text: String
        var categories: [String] = []

        /// 22 characters of base64url, as the live API names its jokes.
        var id: String {
            String(Base64URL.encode(Digest(of: Bytes(text: "joke \(number)")).bytes.prefix(16)).prefix(22))
        }
    }

    private static let jokes: [Joke] = [
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
    /// What is random upstream goes round here, so that a demo shows what is typical.
    private static let turn = Lock(0)

    private static func next(_ some: [Joke]) -> Joke? {
        let number = turn.withLock { turn in
            turn += 1
            return turn
        }
        return some.isEmpty ? nil : some[number % some.count]
    }

    static func answer(_ path: String, _ parameters: QueryParameters) -> OriginAnswer {
        switch path {
        case "/jokes/random":
            let wanted = parameters["category"]?.split(separator: ",").map(String.init)
            let some = jokes.filter { joke in
                guard let wanted else { return true }
                return joke.categories.contains { wanted.contains($0) }
            }
            guard let joke = next(some) else { return absent(path) }
            return one(joke)
        case "/jokes/categories":
            var writer = JSONWriter()
            strings(categories, &writer)
            return OriginAnswer(fields: OriginAPI.chucknorris.fields, body: writer.bytes)
        case "/jokes/search": return search(parameters["query"] ?? "", path)
        default:
            guard let joke = jokes.first(where: { path == "/jokes/\($0.id)" }) else { return absent(path) }
            return one(joke)
        }
    }

    private static func search(_ query: String, _ path: String) -> OriginAnswer {
        guard (3...120).contains(query.count) else {
            let why = "size must be between 3 and 120"
            return Samples.json(.chucknorris, status: 400) { writer in
                writer.member("timestamp", "2026-11-01T12:00:00.000Z")
                writer.member("status", 400)
                writer.member("error", "Bad Request")
                writer.member("message", "search.query: \(why)")
                writer.name("violations")
                writer.object { $0.member("search.query", why) }
            }
        }
        let found = jokes.filter { $0.text.lowercased().contains(query.lowercased()) }
        return Samples.json(.chucknorris) { writer in
            writer.member("total", found.count)
            writer.name("result")
            writer.array { writer in
                for joke in found { writer.object { write(joke, &$0) } }
            }
        }
    }

    static func absent(_ path: String) -> OriginAnswer {
        Samples.json(.chucknorris, status: 404) { writer in
            writer.member("timestamp", "2026-11-01T12:00:00.000Z")
            writer.member("status", 404)
            writer.member("error", "Not Found")
            writer.member("message", "Nothing of that kind.")
            writer.member("path", path)
        }
    }

    private static func one(_ joke: Joke) -> OriginAnswer {
        Samples.json(.chucknorris) { write(joke, &$0) }
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

    // MARK: icndb

    static func icndb(_ path: String, _ parameters: QueryParameters) -> OriginAnswer {
        let segments = path.split(separator: "/").map(String.init)
        switch (segments.first, segments.count) {
        case ("categories", 1):
            return success { strings(["explicit", "nerdy"], &$0) }
        case ("jokes", 1):
            return success { list(jokes, &$0) }
        case ("jokes", 2) where segments[1] == "count":
            return success { $0.integer(jokes.count) }
        case ("jokes", _) where segments.count > 1 && segments[1] == "random":
            let isLimited = parameters["limitTo"]?.contains("nerdy") == true
            let some = isLimited ? jokes.filter { $0.categories.contains("dev") } : jokes
            guard segments.count == 3, let count = Int(segments[2]) else {
                return success { writer in
                    if let joke = next(some) { writer.object { writeNumbered(joke, &$0) } }
                }
            }
            return success { list(Array(some.prefix(max(0, count))), &$0) }
        default:
            guard segments.count == 2, let joke = jokes.first(where: { "\($0.number)" == segments[1] }) else {
                return Samples.json(.icndb) { writer in
                    writer.member("type", "NoSuchQuoteException")
                    writer.member("value", "No quote with id=\(segments.last ?? "").")
                }
            }
            return success { writer in writer.object { writeNumbered(joke, &$0) } }
        }
    }

    private static func success(_ value: (inout JSONWriter) -> Void) -> OriginAnswer {
        Samples.json(.icndb) { writer in
            writer.member("type", "success")
            writer.name("value")
            value(&writer)
        }
    }

    private static func strings(_ texts: [String], _ writer: inout JSONWriter) {
        writer.array { writer in
            for text in texts { writer.string(text) }
        }
    }

    private static func list(_ some: [Joke], _ writer: inout JSONWriter) {
        writer.array { writer in
            for joke in some { writer.object { writeNumbered(joke, &$0) } }
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
