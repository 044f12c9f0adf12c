// Every response of TMDb contains only the path of a picture. Its host and sizes are in TMDb's configuration, which
// changes every few years. The configuration is fetched along with the question. Without it, built-in sizes are used.
import LarderCore

/// Fetches the answer to a question and, in parallel, the configuration and the names of genres.
struct TMDbPlan: CallPlan {
    typealias Reading =
        @Sendable (UpstreamResponse, TMDbTables, ArtworkSigner) throws(NormaliseError) -> NormalisedAnswer

    static let configuration = PlannedCall("configuration", UpstreamRequest(path: "/3/configuration"), role: .aid)

    private let subject: PlannedCall
    private let genres: [PlannedCall]
    private let language: String
    private let read: Reading
    private var isAsked = false

    /// - Parameter genres: the calls for genre names in the language, if they are not built in.
    init(_ subject: PlannedCall, genres: [PlannedCall] = [], language: String, read: @escaping Reading) {
        self.subject = subject
        self.genres = genres
        self.language = language
        self.read = read
    }

    mutating func next(_ brought: [CallOutcome], _ signer: ArtworkSigner) throws(NormaliseError) -> PlanStep {
        guard isAsked else {
            isAsked = true
            return .fetch([subject, Self.configuration] + genres)
        }
        guard let response = brought.first?.response else {
            throw NormaliseError(provider: TMDb.facts.name, message: "The answer to the request is missing.")
        }
        var tables = TMDbTables()
        let configuration = brought.dropFirst().first?.response?.body
        if let pictures = configuration.flatMap({ TMDbPictures(configuration: $0) }) { tables.pictures = pictures }
        tables.genres = TMDbGenres.names(Array(brought.dropFirst(2)), language: language)
        return .done(try read(response, tables, signer))
    }
}

/// The base URL of pictures and their sizes.
struct TMDbPictures: Sendable, Hashable {
    enum Kind: String, CaseIterable, Sendable {
        case poster
        case backdrop
        case profile
        case logo
        case still
    }

    /// Ends in a slash.
    private(set) var base: String
    private var sizes: [Kind: [String]]

    /// The values of 2026.
    static let known = TMDbPictures(
        base: "https://image.tmdb.org/t/p/",
        sizes: [
            .poster: ["w92", "w154", "w185", "w342", "w500", "w780", "original"],
            .backdrop: ["w300", "w780", "w1280", "original"], .profile: ["w45", "w185", "h632", "original"],
            .logo: ["w45", "w92", "w154", "w185", "w300", "w500", "original"],
            .still: ["w92", "w185", "w300", "original"],
        ])

    private init(base: String, sizes: [Kind: [String]]) {
        self.base = base
        self.sizes = sizes
    }

    /// Nil if the configuration has no URL. A kind without sizes keeps the built-in ones.
    init?(configuration: Bytes) {
        guard let images = (try? JSON.parse(configuration))?["images"],
            var base = images["secure_base_url"]?.string, WebURL.isWeb(base), WebURL(base) != nil
        else { return nil }
        if !base.hasSuffix("/") { base += "/" }
        self.base = base
        sizes = Self.known.sizes
        for kind in Kind.allCases {
            let words = images["\(kind.rawValue)_sizes"]?.elements.compactMap(\.string) ?? []
            let plain = words.filter { word in
                !word.isEmpty && word.utf8.count <= 16
                    && word.utf8.allSatisfy { PercentCoding.isUnreserved($0) && $0 != 0x2E }
            }
            if !plain.isEmpty { sizes[kind] = plain }
        }
    }

    /// The pictures of one path ("/abc.jpg"). Nil if it is no path, or a drawing (SVG), which Larder does not serve.
    func artwork(_ path: String?, _ kind: Kind) -> ResultItem.Artwork? {
        guard let path, path.hasPrefix("/"), !path.contains(".."), path.utf8.count <= 200,
            path.utf8.allSatisfy({ PercentCoding.isUnreserved($0) || $0 == 0x2F }), !path.lowercased().hasSuffix(".svg")
        else { return nil }
        func url(_ size: String) -> String { "\(base)\(size)\(path)" }
        return ResultItem.Artwork(
            small: url(size(kind, atLeast: 150)), large: url(size(kind, atLeast: kind == .profile ? 600 : 500)),
            original: url("original"))
    }

    /// The smallest size that is large enough, else the largest size with a number, else the original.
    private func size(_ kind: Kind, atLeast least: Int) -> String {
        let figures = (sizes[kind] ?? []).compactMap { word in Int(word.dropFirst()).map { (word: word, figure: $0) } }
            .sorted { $0.figure < $1.figure }
        return (figures.first { $0.figure >= least } ?? figures.last)?.word ?? "original"
    }
}
