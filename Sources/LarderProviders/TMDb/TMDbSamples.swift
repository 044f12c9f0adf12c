// Samples in the shape of TMDb: films, series and people that do not exist.
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

    /// Neither does TMDb answer without a key; which of its two secrets it is does not matter here, but each has its own place.
    func refusal(of request: SampleRequest) -> SampleAnswer? {
        let key = request.parameters["api_key"]
        let token = request.fields.first("Authorization")
        if let key, !key.isEmpty, !key.contains(".") { return nil }
        if let token, token.hasPrefix("Bearer "), token.contains(".") { return nil }
        return failure(401, 7, "Invalid API key: You must be granted a valid key.")
    }

    private struct Film: Sendable {
        var id: Int
        var isSeries = false
        var title: String
        var original: String?
        var text: String
        var date: String
        var genres: [(id: Int, name: String)]
        var votes: (average: String, count: Int)
        var runtime: Int
    }

    private struct Person: Sendable {
        var id: Int
        var name: String
        var department: String
        var films: [Int]
    }

    private static let films: [Film] = [
        Film(
            id: 101, title: "The Lantern Keeper", text: "A lighthouse goes dark, and someone is glad of it.",
            date: "2019-10-04", genres: [(18, "Drama"), (9648, "Mystery")], votes: ("7.4", 812), runtime: 104),
        Film(
            id: 102, title: "Lanterns over Oslo", original: "Lykter over Oslo",
            text: "Two strangers follow a power cut through a city in winter.", date: "2022-02-11",
            genres: [(35, "Comedy"), (10749, "Romance")], votes: ("6.8", 233), runtime: 97),
        Film(
            id: 103, title: "A Cache of Gold", text: "Four librarians plan the quietest robbery of all time.",
            date: "2024-06-21", genres: [(28, "Action"), (80, "Crime")], votes: ("7.9", 2041), runtime: 121),
        Film(
            id: 104, title: "Stale While Revalidating", text: "An old couple renews its vows, step by step.", date: "",
            genres: [(18, "Drama")], votes: ("0", 0), runtime: 88),
        Film(
            id: 201, isSeries: true, title: "The Lantern Room", text: "A museum at night, one exhibit an episode.",
            date: "2021-09-03", genres: [(9648, "Mystery")], votes: ("8.1", 640), runtime: 48),
        Film(
            id: 202, isSeries: true, title: "Upstream", text: "A family of otters and a dam that was not there before.",
            date: "2023-01-15", genres: [(10762, "Kids")], votes: ("7.2", 118), runtime: 12),
    ]

    private static let people: [Person] = [
        Person(id: 301, name: "Ines Lantern", department: "Acting", films: [101, 201]),
        Person(id: 302, name: "Tomasz Brandt", department: "Directing", films: [101, 103]),
    ]

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
        case ("configuration", 2): return configuration
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

    private func list(_ kind: String, isMixed: Bool, _ wanted: (String) -> Bool) -> SampleAnswer {
        let some = Self.films.filter { film in
            (kind == "all" || film.isSeries == (kind == "tv")) && kind != "person" && wanted(film.title)
        }
        let names = Self.people.filter { (kind == "all" || kind == "person") && wanted($0.name) }
        return json { writer in
            writer.member("page", 1)
            writer.name("results")
            writer.array { writer in
                for film in some { writer.object { Self.write(film, isMixed: isMixed, &$0) } }
                for person in names { writer.object { Self.write(person, isMixed: isMixed, &$0) } }
            }
            writer.member("total_pages", 1)
            writer.member("total_results", some.count + names.count)
        }
    }

    private static func write(_ film: Film, isMixed: Bool, _ writer: inout JSONWriter) {
        writer.member("adult", false)
        writer.nullable("backdrop_path", film.id % 2 == 0 ? nil : "/film-\(film.id)-wide.jpg")
        writer.member("id", film.id)
        writer.member(film.isSeries ? "name" : "title", film.title)
        writer.member(film.isSeries ? "original_name" : "original_title", film.original ?? film.title)
        writer.member("original_language", film.original == nil ? "en" : "no")
        writer.member("overview", film.text)
        writer.nullable("poster_path", film.id == 104 ? nil : "/film-\(film.id).jpg")
        writer.member(film.isSeries ? "first_air_date" : "release_date", film.date)
        writer.member("popularity", raw: Bytes(text: "\(film.id % 7).5"))
        writer.member("vote_average", raw: Bytes(text: film.votes.average))
        writer.member("vote_count", film.votes.count)
        if isMixed { writer.member("media_type", film.isSeries ? "tv" : "movie") }
        writer.name("genre_ids")
        writer.array { writer in
            for genre in film.genres { writer.integer(genre.id) }
        }
    }

    private static func write(_ person: Person, isMixed: Bool, _ writer: inout JSONWriter) {
        writer.member("adult", false)
        writer.member("id", person.id)
        writer.member("name", person.name)
        writer.member("original_name", person.name)
        writer.member("known_for_department", person.department)
        writer.nullable("profile_path", "/person-\(person.id).jpg")
        writer.member("popularity", raw: Bytes(text: "2.25"))
        if isMixed { writer.member("media_type", "person") }
        writer.name("known_for")
        writer.array { writer in
            for film in films where person.films.contains(film.id) {
                writer.object { write(film, isMixed: true, &$0) }
            }
        }
    }

    private func details(_ kind: String, _ id: Int, _ parameters: QueryParameters) -> SampleAnswer {
        if kind == "person" {
            guard let person = Self.people.first(where: { $0.id == id }) else { return absent }
            return json { writer in
                writer.member("id", person.id)
                writer.member("name", person.name)
                writer.member("biography", "\(person.name) is known to this stand-in alone.")
                writer.member("known_for_department", person.department)
                writer.nullable("profile_path", "/person-\(person.id).jpg")
                writer.nullable("deathday", nil)
            }
        }
        guard let film = Self.films.first(where: { $0.id == id && $0.isSeries == (kind == "tv") }) else {
            return absent
        }
        return json { writer in
            Self.write(film, isMixed: false, &writer)
            writer.name("genres")
            writer.array { writer in
                for genre in film.genres {
                    writer.object { writer in
                        writer.member("id", genre.id)
                        writer.member("name", genre.name)
                    }
                }
            }
            writer.member("runtime", film.runtime)
            writer.nullable("homepage", nil)
            writer.member("tagline", "")
            writer.member("status", film.date.isEmpty ? "In Production" : "Released")
            guard parameters["append_to_response"]?.contains("credits") == true else { return }
            writer.name("credits")
            writer.object { writer in
                for (part, job) in [("cast", "Acting"), ("crew", "Directing")] {
                    writer.name(part)
                    writer.array { writer in
                        for person in Self.people where person.films.contains(film.id) && person.department == job {
                            writer.object { writer in
                                writer.member("id", person.id)
                                writer.member("name", person.name)
                                writer.member(
                                    part == "cast" ? "character" : "job", part == "cast" ? "Keeper" : "Director")
                            }
                        }
                    }
                }
            }
        }
    }

    /// The names of the sample's genres; in another language than English they say which.
    private func genres(isSeries: Bool, _ language: String) -> SampleAnswer {
        let mark = language.hasPrefix("en") ? "" : " (\(language))"
        let all = Self.films.filter { $0.isSeries == isSeries }.flatMap(\.genres)
        let names = Dictionary(all.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
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

    private var configuration: SampleAnswer {
        json { writer in
            writer.name("images")
            writer.object { writer in
                writer.member("base_url", "http://image.tmdb.org/t/p/")
                writer.member("secure_base_url", "https://image.tmdb.org/t/p/")
                writer.member("backdrop_sizes", strings: ["w300", "w780", "w1280", "original"])
                writer.member("logo_sizes", strings: ["w45", "w92", "w154", "w185", "w300", "w500", "original"])
                writer.member("poster_sizes", strings: ["w92", "w154", "w185", "w342", "w500", "w780", "original"])
                writer.member("profile_sizes", strings: ["w45", "w185", "h632", "original"])
                writer.member("still_sizes", strings: ["w92", "w185", "w300", "original"])
            }
            writer.member("change_keys", strings: ["adult", "title"])
        }
    }
}
