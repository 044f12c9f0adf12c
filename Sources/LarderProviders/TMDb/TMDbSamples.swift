// Samples in the form of TMDb: invented films, series and people.
import LarderCore

struct TMDbSamples: SampleAPI {
    let name = "tmdb"
    let paths = ["/3/"]
    let fields: HeaderFields = [
        "Content-Type": "application/json;charset=utf-8", "Cache-Control": "public, max-age=28800",
        "Vary": "Origin", "Server": "openresty",
    ]

    var recording: RecordingRule {
        var rule = RecordingRule()
        rule.beside = "/3/configuration"
        return rule
    }

    func isPicture(member: String, _ text: String) -> Bool { member == "secure_base_url" }

    func nothing(at path: String) -> SampleAnswer { absent }

    /// TMDb refuses requests without a key. The samples accept either kind of secret, each in its own place.
    func refusal(of request: SampleRequest) -> SampleAnswer? {
        let key = request.parameters["api_key"]
        let token = request.fields.first("Authorization")
        if let key, !key.isEmpty, !key.contains(".") { return nil }
        if let token, token.hasPrefix("Bearer "), token.contains(".") { return nil }
        return failure(401, 7, "Invalid API key: You must be granted a valid key.")
    }

    /// The records, including members that lists leave out.
    private static let movies = SampleFile("TMDb/movies").records()
    private static let series = SampleFile("TMDb/series").records()
    private static let people = SampleFile("TMDb/people").records()

    /// The records of a kind of the API: "movie", "tv" or "person".
    private static func records(_ kind: String) -> [JSONValue] {
        switch kind {
        case "person": people
        case "tv": series
        default: movies
        }
    }

    var questions: [SampleQuestion] { [.search("lantern", ("source", "tmdb"))] }

    func route(of recording: RecordedRequest, key: String?) -> String? {
        guard !["images", "latest", "company", "changes"].contains(where: recording.path.contains) else { return nil }
        let items = recording.items.filter { !$0.hasPrefix("api_key=") && !$0.hasPrefix("append_to_response=") }
        let path = recording.segments.dropFirst().joined(separator: "/")
        return "/v1/tmdb/\(path)\(items.isEmpty ? "" : "?\(items.joined(separator: "&"))")"
    }

    func answer(_ request: SampleRequest) -> SampleAnswer {
        let (path, parameters) = (request.path, request.parameters)
        let segments = path.split(separator: "/").map(String.init)
        guard segments.first == "3", segments.count > 1 else { return absent }
        if let page = parameters["page"].flatMap({ Int($0) }), !(1...500).contains(page) {
            return failure(
                400, 22, "Invalid page: Pages start at 1 and max at 500. They are expected to be an integer.")
        }
        switch (segments[1], segments.count) {
        case ("configuration", 2): return Self.configuration.map(sample) ?? absent
        case ("genre", 4): return genres(isSeries: segments[2] == "tv", parameters["language"] ?? "en-US")
        case ("search", 3):
            guard let term = parameters["query"], !term.isEmpty else {
                return json(status: 422) { $0.member("errors", strings: ["query must be provided"]) }
            }
            return list(segments[2] == "multi" ? "all" : segments[2], isMixed: segments[2] == "multi") { text in
                SampleText.matches(text, term)
            }
        case ("trending", 4): return list(segments[2], isMixed: true) { _ in true }
        case ("movie", 3), ("tv", 3), ("person", 3):
            if let number = Int(segments[2]) { return details(segments[1], number, parameters) }
            return list(segments[1], isMixed: false) { _ in true }
        default: return absent
        }
    }

    private func failure(_ status: Int, _ code: Int, _ message: String) -> SampleAnswer {
        json(status: status) { writer in
            writer.member("status_code", code)
            writer.member("status_message", message)
            writer.member("success", false)
        }
    }

    private var absent: SampleAnswer { failure(404, 34, "The resource you requested could not be found.") }

    // MARK: Lists

    private func list(_ kind: String, isMixed: Bool, _ wanted: (String) -> Bool) -> SampleAnswer {
        let found = (kind == "all" ? ["movie", "tv", "person"] : [kind]).map { kind in
            (kind: kind, records: Self.records(kind).filter { wanted(Self.title($0)) })
        }
        return json { writer in
            writer.member("page", 1)
            writer.name("results")
            writer.array { writer in
                for (kind, records) in found {
                    for record in records { writer.object { Self.list(record, isMixed ? kind : nil, &$0) } }
                }
            }
            writer.member("total_pages", 1)
            writer.member("total_results", found.reduce(0) { $0 + $1.records.count })
        }
    }

    private static func title(_ record: JSONValue) -> String {
        record["title"]?.string ?? record["name"]?.string ?? ""
    }

    /// - Parameter kind: nil in a list of one kind.
    private static func list(_ record: JSONValue, _ kind: String?, _ writer: inout JSONWriter) {
        writer.members(of: record) { !notListed.contains($0) && $0 != "genre_ids" }
        writer.member(ifPresent: "media_type", kind)
        writer.members(of: record) { $0 == "genre_ids" }
        guard record["known_for_department"] != nil else { return }
        writer.name("known_for")
        writer.array { writer in
            for (kind, films) in [("movie", movies), ("tv", series)] {
                for film in films
                where credits(of: film).contains(where: { $0["id"]?.integer == record["id"]?.integer }) {
                    writer.object { list(film, kind, &$0) }
                }
            }
        }
    }

    /// Members that only a single record has.
    private static let notListed: Set = [
        "genres", "runtime", "homepage", "tagline", "status", "credits", "biography", "deathday",
    ]

    private static func credits(of film: JSONValue) -> [JSONValue] {
        ["cast", "crew"].flatMap { film["credits"]?[$0].map { Array($0.elements) } ?? [] }
    }

    // MARK: Records

    private func details(_ kind: String, _ id: Int, _ parameters: QueryParameters) -> SampleAnswer {
        guard let record = Self.records(kind).first(where: { $0["id"]?.integer == id }) else { return absent }
        let hasCredits = parameters["append_to_response"]?.contains("credits") == true
        return json { writer in
            writer.members(of: record) { name in
                kind == "person" ? Self.ofPerson.contains(name) : name != "credits" || hasCredits
            }
        }
    }

    private static let ofPerson: Set = [
        "id", "name", "biography", "known_for_department", "profile_path", "deathday",
    ]

    /// The names of the samples' genres. In a language other than English, each name contains the language.
    private func genres(isSeries: Bool, _ language: String) -> SampleAnswer {
        let mark = language.hasPrefix("en") ? "" : " (\(language))"
        var names: [Int: String] = [:]
        for film in isSeries ? Self.series : Self.movies {
            for genre in film["genres"].map({ Array($0.elements) }) ?? [] {
                if let id = genre["id"]?.integer { names[id] = genre["name"]?.string }
            }
        }
        return json { writer in
            writer.name("genres")
            writer.array { writer in
                for (id, name) in names.sorted(by: { $0.key < $1.key }) {
                    writer.object { writer in
                        writer.member("id", id)
                        writer.member("name", name + mark)
                    }
                }
            }
        }
    }

    private static let configuration = SampleFile("TMDb/configuration").root
}
