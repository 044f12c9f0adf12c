// Converts jokes to results. The records of both APIs are read alike: {id: text, value} and {id: number, joke}.
// Character references are decoded once; anything that looks like a tag is part of the joke.
import LarderCore

enum JokesResults {
    private static let provider = Jokes.facts.name
    /// The greatest length of a title. The title of a longer joke is its beginning.
    private static let longestTitle = 100

    /// One joke with its text cleaned; nil without an id or a text.
    struct Joke {
        let id: String
        let text: String
        let categories: [String]
        let url: String?
        let created: String?
        let updated: String?

        init?(_ value: JSONValue) {
            let name = value["id"]?.string ?? value["id"]?.integer.map(String.init)
            guard let id = name, !id.isEmpty,
                let text = TextCleaning.decodedLine(value["value"]?.string ?? value["joke"]?.string)
            else { return nil }
            self.id = id
            self.text = text
            // Before 2019 the member was called "category", and an empty list was null.
            let list = value["categories"] ?? value["category"]
            categories = list?.elements.compactMap { TextCleaning.line($0.string) } ?? []
            url = value["url"]?.string.flatMap { WebURL.isWeb($0) ? $0 : nil }
            created = value["created_at"]?.string
            updated = value["updated_at"]?.string
        }

        var isExplicit: Bool { categories.contains("explicit") }

        var result: ResultItem {
            var result = ResultItem(id: "\(provider):joke:\(id)", kind: "joke", title: title)
            result.summary = text
            result.url = url
            result.genres = categories
            result.setPublished(created)
            if isExplicit { result.attribute("explicit", flag: true) }
            if let updated, updated != created, let time = DateText.parse(updated) {
                result.attribute("updatedAt", text: DateText.rfc3339(time, from: updated))
            }
            return result
        }

        /// The whole joke, or its beginning cut at the end of a word.
        private var title: String {
            guard text.count > longestTitle else { return text }
            let start = text.prefix(longestTitle - 1)
            let whole = start.lastIndex(of: " ").map { start[..<$0] } ?? start
            return whole + "…"
        }
    }

    /// The records of a response in any of the known shapes; nil if it has none of them.
    static func records(_ root: JSONValue) -> [JSONValue]? {
        if let list = root["result"] { return list.kind == .array ? Array(list.elements) : nil }
        if root["type"]?.string == "success", let value = root["value"] {
            switch value.kind {
            case .array: return Array(value.elements)
            case .object: return [value]
            default: return nil
            }
        }
        return root.kind == .object && root["id"] != nil ? [root] : nil
    }

    /// The list of category names; nil if the response is not such a list.
    static func names(_ root: JSONValue) -> JSONValue? {
        let list = root.kind == .array ? root : root["value"]
        return list?.kind == .array ? list : nil
    }

    static func isExplicit(_ body: Bytes) -> Bool {
        guard let root = try? JSON.parse(body) else { return false }
        return records(root)?.contains { Joke($0)?.isExplicit == true } ?? false
    }

    /// - Parameter wanted: whether a joke belongs to the question. Other jokes are not counted as dropped.
    static func jokes(
        _ response: UpstreamResponse, limit: Int? = nil, sort: SortOrder = .relevance, _ wanted: (Joke) -> Bool
    ) throws(NormaliseError) -> NormalisedAnswer {
        let root = try root(response.body)
        guard let records = records(root) else {
            throw NormaliseError(provider: provider, message: "The answer has no joke.")
        }
        var list = ResultList(provider: provider, signer: nil, capacity: response.body.count * 2)
        for record in records {
            guard let joke = Joke(record) else {
                list.drop(.idOrText)
                continue
            }
            if wanted(joke) { list.add(joke.result, from: record) } else { list.leaveOut() }
        }
        return list.answer(sort: sort, language: "en", total: root["total"]?.integer, limit: limit)
    }

    static func categories(_ response: UpstreamResponse) throws(NormaliseError) -> NormalisedAnswer {
        guard let names = names(try root(response.body)) else {
            throw NormaliseError(provider: provider, message: "The answer has no list of categories.")
        }
        var list = ResultList(provider: provider, signer: nil)
        for value in names.elements {
            guard let name = TextCleaning.line(value.string) else {
                list.drop(.name)
                continue
            }
            list.add(ResultItem(id: "\(provider):jokeCategory:\(name)", kind: "jokeCategory", title: name), from: value)
        }
        return list.answer(sort: .relevance, language: nil, total: names.count)
    }

    private static func root(_ body: Bytes) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(body, error))
        }
    }
}
