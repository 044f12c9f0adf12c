// Converts lists and records of the D&D API to results. A record's own members are kept under `attributes`, in camel
// case like all members of results. Paths become absolute URLs, resolved against the URL of the response.
import LarderCore

enum DnDResults {
    private static let provider = DnD.facts.name

    static func list(
        _ response: UpstreamResponse, collection: DnDCollection, name: String?, limit: Int?, sort: SortOrder
    ) throws(NormaliseError) -> NormalisedAnswer {
        answer(
            try records(response)[...], response, collection: collection, name: name, limit: limit, sort: sort)
    }

    /// Results from the records of some levels in a whole list; nil if a record does not contain its level.
    static func list(
        _ response: UpstreamResponse, collection: DnDCollection, name: String?, levels: [String], limit: Int?,
        sort: SortOrder
    ) throws(NormaliseError) -> NormalisedAnswer? {
        let records = try records(response)
        guard records.allSatisfy({ $0["level"]?.numberText != nil }) else { return nil }
        let some = records.filter { record in levels.contains(record["level"]?.numberText ?? "") }
        return answer(some[...], response, collection: collection, name: name, limit: limit, sort: sort)
    }

    private static func records(_ response: UpstreamResponse) throws(NormaliseError) -> [JSONValue] {
        let root = try root(response.body)
        guard let records = root["results"], records.kind == .array else {
            throw NormaliseError(provider: provider, message: "The answer has no list of results.")
        }
        return Array(records.elements)
    }

    private static func answer(
        _ records: ArraySlice<JSONValue>, _ response: UpstreamResponse, collection: DnDCollection, name: String?,
        limit: Int?, sort: SortOrder
    ) -> NormalisedAnswer {
        var list = ResultList(provider: provider, signer: nil, capacity: response.body.count * 3)
        var matched = 0
        for record in records {
            let index = record["index"]?.string ?? ""
            let title = TextCleaning.line(record["name"]?.string) ?? index
            if let name, !title.lowercased().contains(name) {
                list.leaveOut()
                continue
            }
            matched += 1
            guard !index.isEmpty else {
                list.drop(.index)
                continue
            }
            var result = ResultItem(id: "\(provider):\(collection.kind):\(index)", kind: collection.kind, title: title)
            result.url = record["url"]?.string.flatMap { address($0, response) }
            result.attribute("index", text: index)
            result.attribute("level", number: record["level"]?.numberText)
            list.add(result, from: record)
        }
        // The API returns whole lists, so the total is the number of matches before `limit` is applied.
        return list.answer(sort: sort, language: "en", total: matched, limit: limit)
    }

    static func details(
        _ response: UpstreamResponse, _ signer: ArtworkSigner, collection: DnDCollection
    ) throws(NormaliseError) -> NormalisedAnswer {
        let record = try root(response.body)
        var list = ResultList(provider: provider, signer: signer, capacity: response.body.count * 2)
        guard let index = record["index"]?.string, !index.isEmpty else {
            throw NormaliseError(provider: provider, message: "The record has no index.")
        }
        let title = TextCleaning.line(record["name"]?.string) ?? index
        var result = ResultItem(id: "\(provider):\(collection.kind):\(index)", kind: collection.kind, title: title)
        result.summary = summary(record, collection)
        result.url = record["url"]?.string.flatMap { address($0, response) }
        result.price = price(record["cost"])
        result.genres = [genre(record, collection)].compactMap { $0 }
        if let image = record["image"]?.string, let url = imageURL(image, response) {
            result.artwork = ResultItem.Artwork(small: url, large: url, original: url)
        }
        result.attribute("index", text: index)
        addAttributes(of: record, response, to: &result)
        list.add(result, from: record)
        return list.answer(sort: .relevance, language: nil)
    }

    private static func root(_ body: Bytes) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(body, error))
        }
    }

    /// The description of a record. It is one string or a list of strings, under one of two names.
    private static func description(_ record: JSONValue) -> String? {
        guard let value = record["desc"] ?? record["description"] else { return nil }
        if let text = value.string { return TextCleaning.paragraphs(text) }
        let parts = value.elements.compactMap { TextCleaning.paragraphs($0.string) }
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    private static func summary(_ record: JSONValue, _ collection: DnDCollection) -> String? {
        let text = description(record)
        guard collection == .monsters else { return text }
        // Few monsters have a description. All have the line that the book prints under their name.
        let type = [record["size"]?.string, record["type"]?.string].compactMap { $0 }.joined(separator: " ")
        let line = [type, record["alignment"]?.string ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
        return [line, text ?? ""].first { !$0.isEmpty }.map { first in
            text.map { first == $0 ? first : "\(first)\n\($0)" } ?? first
        }
    }

    private static func genre(_ record: JSONValue, _ collection: DnDCollection) -> String? {
        switch collection {
        case .monsters: record["type"]?.string
        case .equipment: record["equipment_category"]?["name"]?.string
        case .spells: record["school"]?["name"]?.string
        }
    }

    /// The price of an item. Coins have no ISO 4217 code, so the currency is the game's own (cp, sp, gp).
    private static func price(_ cost: JSONValue?) -> ResultItem.Price? {
        Numbers.price(cost?["quantity"], currency: cost?["unit"]?.string)
    }

    /// The absolute URL of an API path. If the API is served below another path (a stand-in, a proxy), that path is
    /// prepended: "/api/images/…" in a response of "http://host/dnd5e/api/2014/…" is below "http://host/dnd5e".
    private static func address(_ path: String, _ response: UpstreamResponse) -> String? {
        guard path.hasPrefix("/") else { return nil }
        let answered = WebURL(response.url.isEmpty ? DnD.facts.defaultBaseURL : response.url)
        guard let answered else { return nil }
        let place = answered.target.firstRange(of: "/api/")
        return answered.origin + (place.map { answered.target[..<$0.lowerBound] } ?? "") + path
    }

    /// The URL of a picture. Two records have a wrong path there, so only the folder of pictures is accepted.
    private static func imageURL(_ path: String, _ response: UpstreamResponse) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.hasPrefix("/api/images/"), !parts.contains(".."),
            path.utf8.allSatisfy({ PercentCoding.isUnreserved($0) && $0 != 0x7E || $0 == 0x2F })
        else { return nil }
        return address(path, response)
    }

    private static let told: Set<String> = [
        "index", "name", "url", "image", "cost", "desc", "description", "updated_at",
    ]

    private static func addAttributes(
        of record: JSONValue, _ response: UpstreamResponse, to result: inout ResultItem
    ) {
        var form = CamelCase()
        // References inside a record are API paths too.
        form.rewritten = { _, text in text.hasPrefix("/api/") ? address(text, response) ?? text : text }
        let bytes = form.members(record.members.lazy.filter { !told.contains($0.name) })
        if !bytes.isEmpty { result.furtherAttributes = bytes }
    }
}
