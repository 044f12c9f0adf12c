// What is needed to read TMDb's answers. They contain only the path of a picture: its host and sizes are in the
// configuration. They contain genres only as numbers: English names are built in, others are fetched. Both change every
// few years, are fetched along with the question and kept for long; without them, built-in sizes and no names are used.
import LarderCore

/// Fetches the answer to a question and, in parallel, the configuration and the names of genres.
struct TMDbPlan: CallPlan {
    static let tables = PlanFunction("tmdb.tables") { asked, subject, answer in
        TMDbPlan(asked: asked, subject: subject, answer: answer)
    }

    let asked: AskedQuestion
    let subject: PlannedCall
    let answer: AnswerSpec
    private var isAsked = false

    init(asked: AskedQuestion, subject: PlannedCall, answer: AnswerSpec) {
        (self.asked, self.subject, self.answer) = (asked, subject, answer)
    }

    private var isEnglish: Bool { asked.language == "en" || asked.language?.hasPrefix("en-") == true }

    /// The calls for the names of genres of the kind, or of all kinds if they are mixed.
    private var genres: [PlannedCall] {
        guard answer.list != nil, !isEnglish else { return [] }
        let kind = asked.values["kind"] ?? asked.values["category"] ?? ""
        let query = QueryParameters([.init("language", asked.language ?? "")]).encoded
        return ["movie", "tv"].filter { $0 == kind || ["multi", "all"].contains(kind) }.map {
            PlannedCall("genres", UpstreamRequest(path: "/3/genre/\($0)/list", query: query), role: .aid)
        }
    }

    mutating func next(_ brought: [CallOutcome], _ signer: ArtworkSigner) throws(NormaliseError) -> PlanStep {
        guard isAsked else {
            isAsked = true
            let configuration = PlannedCall("configuration", UpstreamRequest(path: "/3/configuration"), role: .aid)
            return .fetch([subject, configuration] + genres)
        }
        guard let response = brought.first?.response else {
            throw NormaliseError(provider: asked.provider, message: "The answer to the request is missing.")
        }
        let aids = brought.dropFirst().map { $0.response.flatMap { try? JSON.parse($0.body) } }
        let pictures = TMDbPictures(configuration: aids.first.flatMap { $0 }, signer)
        let names = isEnglish ? TMDbGenres.english : TMDbGenres.names(aids.dropFirst().compactMap { $0 })
        let isList = answer.list != nil
        let answer = answer.with { result in
            pictures.add(to: &result)
            guard isList else { return }
            let name = TextFunction("tmdb.genre") { Int($0).flatMap { names[$0] } }
            result.genres = result.genres?.then(.using(name))
        }
        return .done(try answer.results(response, to: asked, signer))
    }
}

private enum TMDbGenres {
    /// The names in these answers. If several lists contain the same number, they agree on its name.
    static func names(_ answers: [JSONValue]) -> [Int: String] {
        var names: [Int: String] = [:]
        for genre in answers.flatMap({ $0["genres"].map { Array($0.elements) } ?? [] }) {
            // A name that does not exist in a language is null.
            if let id = genre["id"]?.integer, let name = TextCleaning.line(genre["name"]?.string) { names[id] = name }
        }
        return names
    }

    /// The names of `/3/genre/movie/list` and `/3/genre/tv/list` in 2026.
    static let english = [
        12: "Adventure", 14: "Fantasy", 16: "Animation", 18: "Drama", 27: "Horror", 28: "Action", 35: "Comedy",
        36: "History", 37: "Western", 53: "Thriller", 80: "Crime", 99: "Documentary", 878: "Science Fiction",
        9648: "Mystery", 10402: "Music", 10749: "Romance", 10751: "Family", 10752: "War", 10759: "Action & Adventure",
        10762: "Kids", 10763: "News", 10764: "Reality", 10765: "Sci-Fi & Fantasy", 10766: "Soap", 10767: "Talk",
        10768: "War & Politics", 10770: "TV Movie",
    ]
}

/// The base URL of pictures and their sizes, by the kind of picture.
struct TMDbPictures {
    /// Ends in a slash.
    private var base = "https://image.tmdb.org/t/p/"
    /// The values of 2026.
    private var sizes = [
        "poster": ["w92", "w154", "w185", "w342", "w500", "w780", "original"],
        "backdrop": ["w300", "w780", "w1280", "original"], "profile": ["w45", "w185", "h632", "original"],
        "logo": ["w45", "w92", "w154", "w185", "w300", "w500", "original"],
        "still": ["w92", "w185", "w300", "original"],
    ]
    private let signer: ArtworkSigner

    /// A configuration without a URL does not count. A kind without sizes keeps the built-in ones.
    init(configuration: JSONValue?, _ signer: ArtworkSigner) {
        self.signer = signer
        guard let images = configuration?["images"], let base = images["secure_base_url"]?.string, WebURL.isWeb(base),
            WebURL(base) != nil
        else { return }
        self.base = base.hasSuffix("/") ? base : base + "/"
        let isSize = TextPattern("^[A-Za-z0-9_~-]{1,16}$")
        for kind in sizes.keys {
            let plain = images["\(kind)_sizes"]?.elements.compactMap(\.string).filter(isSize.matches) ?? []
            if !plain.isEmpty { sizes[kind] = plain }
        }
    }

    /// Records contain picture paths at any depth (the cast's portraits, stills of episodes, logos). Next to each one, the
    /// handles are added by which a client can fetch the picture.
    func add(to result: inout ResultSpec) {
        let kind = result.kind == "person" ? "profile" : "poster"
        result.artwork = .made(
            PictureFunction("tmdb.picture") { record in
                artwork(record["\(kind)_path"]?.string, kind) ?? artwork(record["backdrop_path"]?.string, "backdrop")
            })
        result.companion = CompanionFunction("tmdb.handles") { member, list in
            guard member.value.kind == .string, member.name.hasSuffix("_path") else { return nil }
            // The pictures in a "file_path" are of the kind that names the list.
            let kind = String(member.isNamed("file_path") ? list.dropLast() : member.name.dropLast("_path".count))
            let name = member.isNamed("backdrop_path") ? "backdrop" : "artwork"
            return json(member.value.string, kind).map { (name, $0) }
        }
        guard let place = result.attributes.lastIndex(where: { $0.name == "backdrop" }) else { return }
        // The backdrop is an attribute next to the poster. Without a poster, it is the artwork.
        result.attributes[place] = Self.backdrop { record in
            record["poster_path"]?.string == nil
                ? nil : json(record["backdrop_path"]?.string, "backdrop").map(\.lossyText)
        }
    }

    static func backdrop(_ body: @escaping @Sendable (JSONValue) -> String?) -> AttributeSpec {
        AttributeSpec("backdrop", .json, .made(RecordFunction("tmdb.backdrop", body)))
    }

    /// The handles of a picture as JSON, in the form of a result's `artwork`; nil if the path is not a picture.
    private func json(_ path: String?, _ kind: String) -> Bytes? {
        guard let artwork = artwork(path, kind) else { return nil }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("small", signer.path(provider: "tmdb", url: artwork.small))
            writer.member("large", signer.path(provider: "tmdb", url: artwork.large))
            writer.member("original", artwork.original)
        }
        return writer.bytes
    }

    /// The pictures of one path ("/abc.jpg"). Nil if it is no path, or a drawing (SVG), which Larder does not serve.
    private func artwork(_ path: String?, _ kind: String) -> ResultItem.Artwork? {
        guard let path, let sizes = sizes[kind], path.hasPrefix("/"), !path.contains(".."), path.utf8.count <= 200,
            path.utf8.allSatisfy({ PercentCoding.isUnreserved($0) || $0 == 0x2F }), !path.lowercased().hasSuffix(".svg")
        else { return nil }
        let widths = sizes.compactMap { word in Int(word.dropFirst()).map { (word: word, width: $0) } }
            .sorted { $0.width < $1.width }
        /// The smallest size that is large enough, else the largest size with a number, else the original.
        func url(atLeast least: Int) -> String {
            "\(base)\((widths.first { $0.width >= least } ?? widths.last)?.word ?? "original")\(path)"
        }
        return ResultItem.Artwork(
            small: url(atLeast: 150), large: url(atLeast: kind == "profile" ? 600 : 500),
            original: "\(base)original\(path)")
    }
}
