// Samples in the forms of the two joke APIs. The jokes were written for Larder.
import LarderCore

struct JokesSamples: SampleAPI {
    let name = "chucknorris"
    let paths = ["/jokes/"]
    let fields: HeaderFields = ["Content-Type": "application/json", "X-Frame-Options": "DENY"]

    private static let file = SampleFile("Jokes/chucknorris")
    private static let jokes = file.records("jokes")

    /// Takes records in turn where the live API is random, so that a demonstration behaves the same each time.
    fileprivate static func draw(_ some: [JSONValue], _ turn: Int) -> JSONValue? {
        some.isEmpty ? nil : some[turn % some.count]
    }

    func nothing(at path: String) -> SampleAnswer { absent(path) }

    var questions: [SampleQuestion] { [.search("daemon", ("source", "jokes")), .get("/v1/jokes/random")] }

    func route(of recording: RecordedRequest, key: String?) -> String? {
        let (route, items) = (recording.segments.last ?? "", recording.items)
        // Old recordings did not keep the search term.
        let query = route == "search" && items.isEmpty ? "?q=anything" : items.first.map { "?\($0)" } ?? ""
        return "/v1/jokes/\(route)\(query)"
    }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        let found: JSONValue?
        switch path {
        case "/jokes/random":
            let wanted = parameters["category"]?.split(separator: ",").map(String.init)
            let some = Self.jokes.filter { joke in
                guard let wanted else { return true }
                return joke["categories"]?.elements.contains { wanted.contains($0.string ?? "") } == true
            }
            found = Self.draw(some, request.turn)
        case "/jokes/categories": found = Self.file.root?["categories"]
        case "/jokes/search": return search(parameters["query"] ?? "")
        default: found = Self.jokes.first { joke in joke["id"]?.string.map { path == "/jokes/\($0)" } == true }
        }
        return found.map(sample) ?? absent(path)
    }

    private func search(_ query: String) -> SampleAnswer {
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
        let found = Self.jokes.filter { $0["value"]?.string?.lowercased().contains(query.lowercased()) == true }
        return json { writer in
            writer.member("total", found.count)
            writer.name("result")
            writer.samples(found)
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
}

/// Samples of the other API, icndb.
struct ICNDbSamples: SampleAPI {
    let name = "icndb"
    let fields: HeaderFields = [
        "Content-Type": "application/json", "Cache-Control": "no-cache, must-revalidate",
        "Expires": "Mon, 26 Jul 1997 05:00:00 GMT",
    ]

    /// The same jokes as HTML, which is icndb's default.
    private static let file = SampleFile("Jokes/icndb")
    private static let jokes = file.records("jokes")

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        let segments = path.split(separator: "/").map(String.init)
        switch (segments.first, segments.count) {
        case ("categories", 1): return success { $0.samples(Self.file.records("categories")) }
        case ("jokes", 1): return success { $0.samples(Self.jokes) }
        case ("jokes", 2) where segments[1] == "count": return success { $0.integer(Self.jokes.count) }
        case ("jokes", _) where segments.count > 1 && segments[1] == "random":
            let isLimited = parameters["limitTo"]?.contains("nerdy") == true
            let some = isLimited ? Self.jokes.filter(Self.isNerdy) : Self.jokes
            guard segments.count == 3, let count = Int(segments[2]) else {
                return success { writer in
                    if let joke = JokesSamples.draw(some, request.turn) { writer.sample(joke) }
                }
            }
            return success { $0.samples(some.prefix(max(0, count))) }
        default:
            guard segments.count == 2, let joke = Self.jokes.first(where: { $0["id"]?.numberText == segments[1] })
            else {
                return json { writer in
                    writer.member("type", "NoSuchQuoteException")
                    writer.member("value", "No quote with id=\(segments.last ?? "").")
                }
            }
            return success { $0.sample(joke) }
        }
    }

    private static func isNerdy(_ joke: JSONValue) -> Bool {
        joke["categories"]?.elements.contains { $0.string == "nerdy" } == true
    }

    private func success(_ value: (inout JSONWriter) -> Void) -> SampleAnswer {
        json { writer in
            writer.member("type", "success")
            writer.name("value")
            value(&writer)
        }
    }
}
