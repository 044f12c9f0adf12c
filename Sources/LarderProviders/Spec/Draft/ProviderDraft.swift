// The draft of a description, from the URL of one request and the answer to it. It always can be read; whether it is right is
// for a person to see, so it says where it guessed.
import LarderCore
import LarderHTTP

public struct ProviderDraft {
    /// The file `providers.d/NAME.yaml`.
    public let text: String

    /// Why there is no draft.
    public struct Failure: Error, Sendable {
        public let message: String
    }

    /// - Parameters:
    ///   - url: absolute, http or https. A key in its query does not get into the draft.
    ///   - answer: the content, JSON or a feed.
    /// - Throws: if the URL or the answer is none of those.
    public init(name: String, url: String, answer: Bytes) throws(Failure) {
        guard SpecName.isName(name) else { throw Failure(message: "The name of an API is \(SpecName.rule).") }
        if ProviderDescription.isTaken(name) {
            throw Failure(message: "\"\(name)\" is the name of a route or a source of Larder: choose another.")
        }
        guard let target = HTTPURL(url) else {
            throw Failure(message: "The URL is not an http or https URL, or it has a name or a password in it.")
        }
        var lines = DraftLines()
        let title = name.prefix(1).uppercased() + name.dropFirst()
        lines.add(
            "# Drafted from one answer. Compare it with the API's documentation; larder provider test shows what it makes."
        )
        lines.add("title: \(title)")
        lines.add("baseURL: \(DraftLines.quoted("\(target.scheme)://\(target.authority)"))")
        lines.add("# What the API asks of those who use it: its terms, its limit of calls.")
        lines.add("# terms: …")
        lines.add("# rate: 60/min")
        if let root = try? JSON.parse(answer) {
            try Self.addQuestion(to: &lines, target, root)
        } else {
            do {
                _ = try FeedDocument.json(answer)
            } catch {
                throw Failure(message: "The answer is neither JSON nor a feed. \(error.message)")
            }
            Self.addFeed(to: &lines, target)
        }
        text = lines.text
    }

    private static func parts(_ url: HTTPURL) -> (path: String, query: QueryParameters) {
        let parts = url.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let query = (try? QueryParameters(parsing: parts.count > 1 ? parts[1] : "")) ?? QueryParameters()
        return (parts[0].isEmpty ? "/" : parts[0], query)
    }

    private static func addFeed(to lines: inout DraftLines, _ url: HTTPURL) {
        let (path, query) = parts(url)
        let open = QueryParameters(query.items.filter { !RequestCredentials.isParameter($0.name) })
        lines.add(DraftParameters(query).keyLines)
        lines.add("feed: \(DraftLines.quoted(open.items.isEmpty ? path : "\(path)?\(open.encoded)"))")
    }

    private static func addQuestion(to lines: inout DraftLines, _ url: HTTPURL, _ root: JSONValue) throws(Failure) {
        guard let shape = AnswerShape(root) else {
            throw Failure(message: "The answer has no record: it is neither an object nor a list of objects.")
        }
        let fields = DraftFields(shape)
        let (path, query) = parts(url)
        guard !path.contains("%"), !path.contains("//"), !path.contains("{"), !path.contains("}") else {
            throw Failure(
                message:
                    "The path \(path) cannot stand in a draft: it has encoded characters, braces or empty segments.")
        }
        let parameters = DraftParameters(query)
        lines.add(parameters.keyLines)
        if !fields.imageHosts.isEmpty {
            lines.add("imageHosts: [\(fields.imageHosts.map(DraftLines.quoted).joined(separator: ", "))]")
        }
        lines.add("questions:")
        let last = path.split(separator: "/").last?.prefix { $0 != "." } ?? ""
        let name = last.filter { $0.isASCII && $0.isLetter }
        lines.add("  \(name.isEmpty ? "items" : String(name.prefix(40))):")
        lines.add("    path: \(DraftLines.quoted(path))")
        lines.add(parameters.lines.map { "    \($0)" })
        if let list = shape.list { lines.add("    list: \(DraftLines.quoted(list))") }
        if shape.list != nil, let total = shape.total { lines.add("    total: \(DraftLines.quoted(total))") }
        lines.add("    result:")
        lines.add("      kind: \(kind(shape.listName))")
        lines.add(fields.lines.map { "      \($0)" })
    }

    /// "shows" → "show"
    private static func kind(_ list: String?) -> String {
        let name = (list ?? "").filter { $0.isASCII && $0.isLetter }.prefix(40)
        if name.count < 3 || ["results", "items", "data", "hits", "docs", "records"].contains(name.lowercased()) {
            return "item"
        }
        return String(name.hasSuffix("s") && !name.hasSuffix("ss") ? name.dropLast() : name)
    }
}

/// The lines of a file in YAML.
struct DraftLines {
    private(set) var text = ""

    mutating func add(_ line: String) { text += line + "\n" }
    /// Whether a character ends a line of YAML, cannot stand in it, or changes how its line is shown.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }

    mutating func add(_ lines: [String]) { for line in lines { add(line) } }

    /// A text as YAML reads it: plain if it cannot be read as anything else, else as in JSON.
    static func quoted(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "$./_:-".utf8.contains($0) }
            && text.utf8.first.map { ASCII.isLetter($0) || $0 == 0x24 || $0 == 0x2F } == true && !text.hasSuffix(":")
            && !["true", "false", "yes", "no", "null", "on", "off", "y", "n"].contains(text.lowercased())
        return isPlain ? text : BodyTemplate.quoted(text)
    }
}

/// The parameters of the drafted question, from those of the URL.
private struct DraftParameters {
    private(set) var lines: [String] = []
    private(set) var keyLines: [String] = []

    private static let terms = [
        "q", "query", "search", "searchterm", "term", "terms", "s", "keyword", "keywords", "text", "name", "title", "w",
    ]
    private static let limits = [
        "limit", "rows", "perpage", "pagesize", "size", "count", "maxresults", "first", "num", "n",
    ]
    private static let pages = ["page", "offset", "start", "skip", "p"]

    init(_ query: QueryParameters) {
        var given: [String] = []
        var fixed: [String] = []
        var names: Set<String> = []
        for item in query.items where names.insert(item.name).inserted {
            let (plain, value) = (AnswerShape.plain(item.name), item.value ?? "")
            // No key of a file takes more.
            let hasControl = (item.name + value).unicodeScalars.contains(where: DraftLines.isControl)
            guard value.utf8.count <= 500, !hasControl else { continue }
            if RequestCredentials.isParameter(item.name) {
                keyLines = ["# With key, which belongs into larder.yaml:", "# keyIn: query \(item.name)"]
            } else if Self.terms.contains(plain), !given.contains(where: { $0.hasPrefix("q:") }) {
                let sent = item.name == "q" ? "" : "sent: \(DraftLines.quoted(item.name)), "
                let example = value.isEmpty ? "" : ", example: \(DraftLines.quoted(value))"
                given.append("q: { \(sent)term: true, required: true\(example) }")
            } else if Self.limits.contains(plain), let number = Int(value), number >= 1,
                !given.contains(where: { $0.hasPrefix("limit:") })
            {
                let sent = item.name == "limit" ? "" : "sent: \(DraftLines.quoted(item.name)), "
                given.append("limit: { \(sent)number: 1..\(max(number, 20)), default: \(number) }")
            } else if Self.pages.contains(plain), let number = Int(value), number >= 0, SpecName.isName(item.name) {
                given.append("\(item.name): { number: \(min(number, 1))..\(max(number, 1000)), default: \(number) }")
            } else {
                fixed.append("\(DraftLines.quoted(item.name)): \(BodyTemplate.quoted(value))")
            }
        }
        if !given.isEmpty { lines += ["parameters:"] + given.map { "  \($0)" } }
        if !fixed.isEmpty { lines.append("fixed: { \(fixed.joined(separator: ", ")) }") }
    }
}

/// The result of the drafted question, from the members of the records.
private struct DraftFields {
    private(set) var lines: [String] = []
    private(set) var imageHosts: [String] = []

    private static let mostAttributes = 12
    private static let mostHosts = 3

    init(_ shape: AnswerShape) {
        var used: Set<String> = []
        func add(_ field: String, _ names: [String], where fits: (JSONValue) -> Bool) -> AnswerShape.Place? {
            guard let place = shape.place(names, where: { fits($0) }), used.insert(place.path).inserted else {
                return nil
            }
            lines.append("\(field): \(DraftLines.quoted(place.path))")
            return place
        }
        let isText = { (value: JSONValue) in value.string.map { !$0.isEmpty } ?? false }
        let isURL = { (value: JSONValue) in value.string.map(WebURL.isWeb) ?? false }
        let isDate = { (value: JSONValue) in value.string.map { DateText.parse($0) != nil } ?? false }
        addNeeded("id", shape, Self.ids, &used) { $0.string != nil || $0.integer != nil }
        addNeeded("title", shape, Self.titles, &used, where: isText)
        _ = add("creator", Self.creators, where: isText)
        _ = add("summary", Self.summaries, where: isText)
        _ = add("date", Self.dates, where: isDate)
        if let image = add("image", Self.images, where: isURL) {
            // The syntax of the setting: a host alone is one of https on port 443.
            let urls = image.values.compactMap { $0.string.flatMap { HTTPURL($0) } }
            let hosts = urls.map { $0.scheme == "https" ? $0.authority : "\($0.scheme)://\($0.authority)" }
            imageHosts = Array(Set(hosts).sorted().prefix(Self.mostHosts))
        }
        _ = add("url", Self.urls, where: isURL)
        _ = add("genres", Self.genres, where: isText)
        addAttributes(shape, used)
    }

    /// Without such a member there is a place for it in the draft, which the file needs.
    private mutating func addNeeded(
        _ field: String, _ shape: AnswerShape, _ names: [String], _ used: inout Set<String>,
        where fits: (JSONValue) -> Bool
    ) {
        let isOneOfAll = { (place: AnswerShape.Place) in Set(place.values.map(\.raw)).count == place.values.count }
        let named = shape.place(names, where: fits)
        let place =
            named.flatMap { field != "id" || isOneOfAll($0) ? $0 : nil }
            ?? shape.places.first { $0.values.allSatisfy(fits) && (field != "id" || isOneOfAll($0)) } ?? named
        if let place {
            if field != "id" { used.insert(place.path) }
            let isKnown = names.contains(place.name)
            lines.append("\(field): \(DraftLines.quoted(place.path))\(isKnown ? "" : " # a guess")")
        } else {
            lines.append("\(field): $.\(field) # no member was found for it")
        }
    }

    private mutating func addAttributes(_ shape: AnswerShape, _ used: Set<String>) {
        var names: Set<String> = []
        var attributes: [String] = []
        let scalars = shape.places.filter { !used.contains($0.path) && $0.names.count <= 2 && !$0.path.contains("[*]") }
        for place in scalars where place.name != "id" {
            // "$.rating.average" → "ratingAverage"
            let words = place.path.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_") }
            let written = words.first.map { first in
                words.dropFirst().reduce(String(first)) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
            }
            guard let name = written, SpecName.isName(name), attributes.count < Self.mostAttributes else { continue }
            guard names.insert(name).inserted else { continue }
            let path = DraftLines.quoted(place.path)
            let isNumber = place.values.allSatisfy { $0.numberText != nil }
            attributes.append("  \(name): \(isNumber ? "{ number: \(path) }" : path)")
        }
        if !attributes.isEmpty { lines += ["attributes:"] + attributes }
    }

    private static let ids = [
        "id", "uuid", "key", "slug", "guid", "objectid", "identifier", "code", "doi", "isbn", "url",
    ]
    private static let titles = [
        "title", "name", "fullname", "displayname", "label", "headline", "trackname", "subject", "title.english",
        "title.romaji", "name.common", "text",
    ]
    private static let creators = [
        "author", "authors", "creator", "creators", "artist", "artistname", "by", "author.name", "authors.name",
        "authorname", "owner.login", "user.login", "user.name", "publisher",
    ]
    private static let summaries = [
        "summary", "description", "abstract", "overview", "snippet", "excerpt", "synopsis", "extract", "content",
        "body",
    ]
    private static let dates = [
        "date", "published", "publishedat", "publicationdate", "pubdate", "releasedate", "created", "createdat",
        "datecreated", "premiered", "updated", "updatedat",
    ]
    private static let urls = [
        "url", "link", "htmlurl", "weburl", "permalink", "siteurl", "officialsite", "href", "homepage",
    ]
    private static let images = [
        "image", "imageurl", "image.medium", "image.original", "thumbnail", "thumbnailurl", "thumb", "cover",
        "coverimage", "artworkurl",
        "poster", "picture", "photo", "artwork", "avatar", "avatarurl", "icon", "image.url", "thumbnail.url",
    ]
    private static let genres = [
        "genres", "tags", "categories", "subjects", "keywords", "topics", "tags.name", "genres.name",
    ]
}
