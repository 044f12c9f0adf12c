// Lists and records of the D&D API as results. A record's own members stay under `attributes`, in camel case like the
// rest of the answer; paths become absolute against the URL that answered.
import LarderCore

enum DnDResults {
    private static let provider = DnD.facts.name

    static func list(
        _ response: UpstreamResponse, collection: DnDCollection, name: String?, limit: Int?, sort: SortOrder
    ) throws(NormaliseError) -> NormalisedAnswer {
        answer(
            try records(response)[...], response, collection: collection, name: name, limit: limit, sort: sort)
    }

    /// The same of the records of some levels in a whole list; nil where a record does not tell its level.
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
        for record in records {
            guard let index = record["index"]?.string, !index.isEmpty else {
                list.drop("index")
                continue
            }
            let title = TextCleaning.line(record["name"]?.string) ?? index
            if let name, !title.lowercased().contains(name) { continue }
            var result = ResultItem(id: "\(provider):\(collection.kind):\(index)", kind: collection.kind, title: title)
            result.url = record["url"]?.string.flatMap { address($0, response) }
            result.attribute("index", text: index)
            result.attribute("level", number: record["level"]?.numberText)
            list.add(result)
        }
        return list.answer(sort: sort, language: "en", total: records.count, limit: limit)
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
        addAttributes(of: record, to: &result)
        list.add(result)
        return list.answer(sort: .relevance, language: nil)
    }

    private static func root(_ body: Bytes) throws(NormaliseError) -> JSONValue {
        do {
            return try JSON.parse(body)
        } catch {
            throw NormaliseError(provider: provider, message: Impostor.describe(body, error))
        }
    }

    /// Texts are one string or a list of them, under one of two names.
    private static func description(_ record: JSONValue) -> String? {
        guard let value = record["desc"] ?? record["description"] else { return nil }
        if let text = value.string { return TextCleaning.paragraphs(text) }
        let parts = value.elements.compactMap { TextCleaning.paragraphs($0.string) }
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    private static func summary(_ record: JSONValue, _ collection: DnDCollection) -> String? {
        let text = description(record)
        guard collection == .monsters else { return text }
        // Few monsters have a text; all have the line under their name, as the book prints it.
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

    /// Coins are no ISO 4217 currency: the price names them as the game does (cp, sp, gp).
    private static func price(_ cost: JSONValue?) -> ResultItem.Price? {
        Numbers.price(cost?["quantity"], currency: cost?["unit"]?.string)
    }

    /// A path of the API as an absolute URL. Where the API answers below some other path (a stand-in, a proxy), that
    /// path comes before: "/api/images/…" in an answer of "http://host/dnd5e/api/2014/…" is below "http://host/dnd5e".
    private static func address(_ path: String, _ response: UpstreamResponse) -> String? {
        guard path.hasPrefix("/") else { return nil }
        let answered = WebURL(response.url.isEmpty ? DnD.facts.defaultBaseURL : response.url)
        guard let answered else { return nil }
        let place = answered.target.firstRange(of: "/api/")
        return answered.origin + (place.map { answered.target[..<$0.lowerBound] } ?? "") + path
    }

    /// Two records of the data name something else as their picture: only the pictures' own folder counts.
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

    private static func addAttributes(of record: JSONValue, to result: inout ResultItem) {
        var bytes = Bytes()
        var isFirst = true
        for member in record.members where !told.contains(member.name) {
            CamelCase.append(member, to: &bytes, isFirst: &isFirst)
        }
        if !bytes.isEmpty { result.furtherAttributes = bytes }
    }
}

/// JSON with its names in camel case and without what says nothing: null, "", [] and {}.
enum CamelCase {
    /// Appends a member, and a comma before it unless it is the first; nothing where its value says nothing.
    static func append(_ member: JSONValue.Member, to bytes: inout Bytes, isFirst: inout Bool) {
        guard !isVoid(member.value) else { return }
        if !isFirst { bytes.append(0x2C) }
        isFirst = false
        JSONText.append(name(member.name), to: &bytes)
        bytes.append(0x3A)
        append(member.value, to: &bytes)
    }

    private static func append(_ value: JSONValue, to bytes: inout Bytes) {
        switch value.kind {
        case .object:
            bytes.append(0x7B)
            var isFirst = true
            for member in value.members { append(member, to: &bytes, isFirst: &isFirst) }
            bytes.append(0x7D)
        case .array:
            bytes.append(0x5B)
            for (position, element) in value.elements.enumerated() {
                if position > 0 { bytes.append(0x2C) }
                append(element, to: &bytes)
            }
            bytes.append(0x5D)
        case .string: JSONText.append(value.string ?? "", to: &bytes)
        case .number, .bool, .null: bytes.append(contentsOf: value.raw)
        }
    }

    private static func isVoid(_ value: JSONValue) -> Bool {
        switch value.kind {
        case .null: true
        case .string: value.string?.isEmpty ?? true
        case .array, .object: value.count == 0
        case .number, .bool: false
        }
    }

    /// "armor_class" becomes "armorClass"; a name without "_" stays.
    static func name(_ name: String) -> String {
        guard name.utf8.contains(0x5F) else { return name }
        let words = name.split(separator: "_")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }
}
