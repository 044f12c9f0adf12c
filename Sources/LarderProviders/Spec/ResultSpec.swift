// How an API's record becomes a result. A record without an id or a title gives none and is counted.
import LarderCore

/// The mapping of one kind of records.
struct ResultSpec: Sendable {
    /// The value of `kind` in each result.
    var kind: String
    /// What stands in the id in the kind's place.
    var idKind: String?
    /// The record's own id. The result's is `provider:kind:id`.
    var id: FieldRule
    var title: FieldRule
    var creator: FieldRule?
    /// What the thing is a part of.
    var collection: FieldRule?
    /// Whether that is told even if it has the thing's own title.
    var tellsOwnCollection = true
    var summary: FieldRule?
    /// A date, or a date and a time.
    var date: FieldRule?
    var url: FieldRule?
    var price: PriceSpec?
    var genres: FieldRule?
    var artwork: ArtworkSpec?
    /// Results without a date are sorted by the attribute "year".
    var attributes: [AttributeSpec] = []
    /// All other members of the record are attributes too, with names in camel case, except for these; nil for none.
    var othersExcept: Set<String>?
    /// Where the others lie, if that is there and they are not the record's own.
    var othersIn: JSONPath?
    /// What is written behind some of the others.
    var companion: CompanionFunction?
    /// Whether a record is a text, and no object.
    var isOfTexts = false
    /// What a record without an id is counted as.
    var idReason = DropReason.id
    /// What one without a title is counted as.
    var titleReason = DropReason.title
    /// The one reason for every record that lacks something; nil for `idReason` and `titleReason`.
    var anyReason: DropReason?
    /// Records that give no result.
    var drops: [(reason: DropReason, condition: JSONFilter)] = []
    /// Of records with the same text here, only the first gives a result.
    var once: FieldRule?

    /// The kind with its attributes, as the interface description lists it.
    var about: ResultKind {
        let all = attributes.map(\.about)
        let unlike = all.enumerated().filter { all.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return ResultKind(kind, isOpen: othersExcept != nil, [unlike])
    }

    /// Adds the result that a record gives, or counts why there is none.
    /// - Parameters:
    ///   - kind: the result's kind, if the record decides.
    ///   - base: what the API's own paths are relative to.
    ///   - source: the API's own record.
    func add(
        _ record: SpecRecord, as kind: String? = nil, of provider: String, _ base: AnswerBase?, from source: JSONValue,
        to list: inout ResultList
    ) {
        do throws(NoResult) {
            let result = try result(of: record, as: kind ?? self.kind, of: provider, base)
            if let name = once?.text(of: record, base), !list.isFirst(name) { return list.drop(.repeated) }
            list.add(result, from: source)
        } catch {
            list.drop(error.reason)
        }
    }

    /// The result that a record gives.
    func result(
        of record: SpecRecord, as kind: String, of provider: String, _ base: AnswerBase?
    ) throws(NoResult) -> ResultItem {
        guard record.value.kind == (isOfTexts ? .string : .object) else {
            throw NoResult(reason: anyReason ?? .notAnObject)
        }
        if let reason = drops.first(where: { $0.condition.holds(for: record) })?.reason {
            throw NoResult(reason: reason)
        }
        guard let id = id.text(of: record, base) else { throw NoResult(reason: anyReason ?? idReason) }
        guard let title = title.text(of: record, base) else { throw NoResult(reason: anyReason ?? titleReason) }
        var result = ResultItem(id: "\(provider):\(idKind ?? kind):\(id)", kind: kind, title: title)
        result.creator = creator?.text(of: record, base)
        result.collection = collection?.text(of: record, base)
        if !tellsOwnCollection, result.collection == title { result.collection = nil }
        result.summary = summary?.text(of: record, base)
        result.setPublished(date?.text(of: record, base))
        result.url = url?.text(of: record, base)
        result.price = price?.price(of: record)
        result.genres = genres?.texts(of: record, base) ?? []
        result.artwork = artwork?.artwork(of: record, base)
        for attribute in attributes {
            attribute.add(record, base, to: &result)
            // Many attributes may hold the same long text.
            if result.attributes.members.count > ResultItem.mostBytes { throw NoResult(reason: .size) }
        }
        if let othersExcept {
            let others = othersIn?.first(in: record.value) ?? record.value
            result.addOthers(of: others, except: othersExcept, companion, base)
        }
        return result
    }

    /// The same with a change.
    func with(_ change: (inout ResultSpec) -> Void) -> ResultSpec {
        var copy = self
        change(&copy)
        return copy
    }
}

/// Why a record gives no result.
struct NoResult: Error {
    var reason: DropReason
}

extension ResultItem {
    fileprivate mutating func addOthers(
        of record: JSONValue, except told: Set<String>, _ companion: CompanionFunction?, _ base: AnswerBase?
    ) {
        var form = CamelCase()
        if let companion { form.companion = companion.body }
        // References inside a record are paths of the API too.
        if let base { form.rewritten = { _, text in base.reference(text) ?? text } }
        let bytes = form.members(record.members.lazy.filter { !told.contains($0.name) })
        if !bytes.isEmpty { furtherAttributes = bytes }
    }
}

/// The price of a record, in a currency that it names.
struct PriceSpec: Sendable {
    /// The first that is an amount counts.
    var amounts: [JSONPath]
    var currency: JSONPath

    fileprivate func price(of record: SpecRecord) -> ResultItem.Price? {
        guard let currency = currency.first(in: record)?.string else { return nil }
        return amounts.lazy.compactMap { Numbers.price($0.first(in: record), currency: currency) }.first
    }
}
