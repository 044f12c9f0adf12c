// Converts records of TMDb to results. A record contains its kind only in lists with mixed kinds. Missing values are
// null, "" or absent.
import LarderCore

/// How a list is limited and sorted.
struct ListWish: Sendable {
    var limit: Int?
    var sort: SortOrder
    var language: String
}

enum TMDbResults {
    private static let provider = TMDb.facts.name

    /// - Parameter kind: the kind of all records; nil if kinds are mixed.
    static func list(
        _ response: UpstreamResponse, _ tables: TMDbTables, _ signer: ArtworkSigner, kind: TMDbKind?, _ wish: ListWish
    ) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response.body)
        guard let records = root["results"], records.kind == .array else {
            throw NormaliseError(provider: provider, message: "The answer has no list of results.")
        }
        var list = ResultList(provider: provider, signer: signer, capacity: response.body.count * 2)
        let pictures = TMDbPictureMembers(pictures: tables.pictures, signer: signer)
        for value in records.elements {
            guard let kind = kind ?? Self.kind(value) else {
                list.drop(.kind)
                continue
            }
            guard var result = item(value, kind, tables.pictures) else {
                list.drop(.idOrTitle)
                continue
            }
            addListed(value, kind, tables.genres, to: &result)
            // The backdrop is an attribute next to the poster. Without a poster, it is the artwork.
            if value["poster_path"]?.string != nil,
                let backdrop = pictures.json(value["backdrop_path"]?.string, .backdrop)
            {
                result.attribute("backdrop", json: backdrop)
            }
            list.add(result, from: value)
        }
        return list.answer(
            sort: wish.sort, language: wish.language, total: root["total_results"]?.integer, limit: wish.limit)
    }

    static func details(
        _ response: UpstreamResponse, _ tables: TMDbTables, _ signer: ArtworkSigner, kind: TMDbKind
    ) throws(NormaliseError) -> NormalisedAnswer {
        let record = try root(response.body)
        guard var result = item(record, kind, tables.pictures) else {
            throw NormaliseError(provider: provider, message: "The record has no id or no title.")
        }
        result.genres = record["genres"]?.elements.compactMap { TextCleaning.line($0["name"]?.string) } ?? []
        result.collection = TextCleaning.line(record["belongs_to_collection"]?["name"]?.string)
        let makers: [JSONValue]
        switch kind {
        case .movie:
            makers = record["credits"]?["crew"]?.elements.filter { $0["job"]?.string == "Director" } ?? []
        default: makers = record["created_by"].map { Array($0.elements) } ?? []
        }
        let names = makers.compactMap { TextCleaning.line($0["name"]?.string) }
        if !names.isEmpty { result.creator = names.joined(separator: ", ") }
        let form = TMDbPictureMembers(pictures: tables.pictures, signer: signer).camelCase
        let bytes = form.members(record.members.lazy.filter { !told.contains($0.name) })
        if !bytes.isEmpty { result.furtherAttributes = bytes }
        var list = ResultList(provider: provider, signer: signer, capacity: response.body.count * 2)
        list.add(result, from: record)
        return list.answer(sort: .relevance, language: nil)
    }

    static func configuration(_ response: UpstreamResponse) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response.body)
        var result = ResultItem(
            id: "\(provider):configuration:images", kind: "configuration", title: "Sizes of pictures")
        let bytes = CamelCase().members((root["images"] ?? root).members)
        if !bytes.isEmpty { result.furtherAttributes = bytes }
        var list = ResultList(provider: provider, signer: nil)
        list.add(result, from: root)
        return list.answer(sort: .relevance, language: nil)
    }

    /// The kind that a record names, or that its members imply.
    private static func kind(_ value: JSONValue) -> TMDbKind? {
        if let word = value["media_type"]?.string { return TMDbKind(rawValue: word) }
        if value["title"] != nil { return .movie }
        if value["first_air_date"] != nil { return .tv }
        return value["known_for"] != nil || value["profile_path"] != nil ? .person : nil
    }

    /// The values that lists and records have in common; nil without an id or a title.
    private static func item(_ value: JSONValue, _ kind: TMDbKind, _ pictures: TMDbPictures) -> ResultItem? {
        guard let id = value["id"]?.integer, id > 0 else { return nil }
        let original = names(kind, "original_title", "original_name").lazy.compactMap { text(value, $0) }.first
        guard let title = names(kind, "title", "name").lazy.compactMap({ text(value, $0) }).first ?? original else {
            return nil
        }
        var result = ResultItem(id: "\(provider):\(kind.kind):\(id)", kind: kind.kind, title: title)
        result.summary = TextCleaning.paragraphs(value[kind == .person ? "biography" : "overview"]?.string)
        result.url = "https://www.themoviedb.org/\(kind.rawValue)/\(id)"
        switch kind {
        case .movie: result.setPublished(value["release_date"]?.string)
        case .tv: result.setPublished(value["first_air_date"]?.string)
        case .person, .collection: break
        }
        let path = value[kind == .person ? "profile_path" : "poster_path"]?.string
        result.artwork =
            pictures.artwork(path, kind == .person ? .profile : .poster)
            ?? pictures.artwork(value["backdrop_path"]?.string, .backdrop)
        if let original, original != title { result.attribute("originalTitle", text: original) }
        return result
    }

    /// The member that holds a record's name: films have titles, series and people have names. Collections have names
    /// in their own search and titles in the search of all kinds.
    private static func names(_ kind: TMDbKind, _ title: String, _ name: String) -> [String] {
        switch kind {
        case .movie: [title]
        case .collection: [title, name]
        case .tv, .person: [name]
        }
    }

    private static func text(_ value: JSONValue, _ name: String) -> String? { TextCleaning.line(value[name]?.string) }

    private static func addListed(
        _ value: JSONValue, _ kind: TMDbKind, _ genres: [Int: String]?, to result: inout ResultItem
    ) {
        let ids = value["genre_ids"]?.elements.compactMap(\.integer) ?? []
        if let genres { result.genres = ids.compactMap { genres[$0] } }
        result.attribute("originalLanguage", text: value["original_language"]?.string)
        result.attribute("genreIds", numbers: ids)
        result.attribute("voteAverage", number: value["vote_average"]?.numberText.map(Numbers.plain))
        result.attribute("voteCount", number: value["vote_count"]?.numberText)
        result.attribute("popularity", number: value["popularity"]?.numberText.map(Numbers.plain))
        if value["adult"]?.bool == true { result.attribute("adult", flag: true) }
        if kind == .tv { result.attribute("originCountry", texts: texts(value["origin_country"])) }
        guard kind == .person else { return }
        result.attribute("department", text: TextCleaning.line(value["known_for_department"]?.string))
        var known: (titles: [String], ids: [String]) = ([], [])
        for work in value["known_for"]?.elements.map({ $0 }) ?? [] {
            guard let title = text(work, "title") ?? text(work, "name") else { continue }
            known.titles.append(title)
            guard let id = work["id"]?.integer, let kind = Self.kind(work) else { continue }
            known.ids.append("\(provider):\(kind.kind):\(id)")
        }
        result.attribute("knownFor", texts: known.titles)
        result.attribute("knownForIds", texts: known.ids)
    }

    private static func texts(_ value: JSONValue?) -> [String] {
        value?.elements.compactMap { TextCleaning.line($0.string) } ?? []
    }

    /// Members of a record that are elsewhere in its result.
    private static let told: Set<String> = [
        "id", "title", "name", "original_title", "original_name", "overview", "biography", "release_date",
        "first_air_date", "poster_path", "profile_path", "genres",
    ]

    private static func root(_ body: Bytes) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(body, error))
        }
    }
}
