// What one request asks of an entry of the samples: the values of its parameters by the API's names, the records that
// they select, and the page of these.
import LarderCore

struct AskedSample {
    private let entry: JSONValue
    private let question: QuestionSpec?
    /// The values in the path, by the parameters' names.
    private let path: [String: String]
    /// These, those of the query, and what the API takes for those that are not given. An empty value is none.
    private var values: [String: String] = [:]
    private let turn: Int

    init(_ entry: JSONValue, _ question: QuestionSpec?, _ path: [String: String], _ request: SampleRequest) {
        (self.entry, self.question, self.path, turn) = (entry, question, path, request.turn)
        for parameter in question?.parameters ?? [] { values[parameter.sentName] = parameter.sending.apiDefault }
        for item in request.parameters.items.reversed() {
            if let value = item.value, !value.isEmpty { values[item.name] = value }
        }
        values.merge(path) { $1 }
        values["path"] = request.path
    }

    /// Whether the condition of an entry or of a part of it holds for the values. A parameter with several values is a
    /// list. `wrong` is the names of the parameters with values that the question's records do not allow, and `end` is
    /// the end of the page, if the question has pages. No value of a request has one of these two names.
    func holds(_ part: JSONValue) -> Bool {
        guard let condition = part["if"]?.string else { return true }
        let parameters = question?.parameters ?? []
        let lists = Set(parameters.filter(\.isList).map(\.sentName))
        let wrong = parameters.filter { parameter in
            values[parameter.sentName].map { value in
                parameter.canonicalValue(value) == nil
                    || parameter.sending.termLength?.contains(value.count) == false
            } ?? false
        }
        var writer = JSONWriter()
        writer.object { writer in
            for (name, value) in values where name != "wrong" && name != "end" {
                if lists.contains(name) {
                    writer.member(name, strings: value.split(separator: ",").map(String.init))
                } else if let number = Int(value) {
                    writer.member(name, number)
                } else {
                    writer.member(name, value)
                }
            }
            if let limit = number("limit") { writer.member("end", start(limit) + limit) }
            writer.member("wrong", strings: wrong.map(\.name))
        }
        return (try? JSON.parse(writer.bytes)).map { JSONFilter(stringLiteral: condition).holds(for: $0) } ?? false
    }

    /// The body of the answer; nil if what the request asks for does not exist.
    /// - Parameters:
    ///   - files: those of the API's folder; none for the answer if nothing matches.
    ///   - index: the name of the file with the entry.
    func body(from files: [String: JSONValue], index: String) -> Bytes? {
        guard let found = entry["from"] == nil ? [] : records(files, index) else { return nil }
        let template = entry["body"]
        guard template?.raw.lossyText.contains("{record}") ?? true else {
            // A path may say how many random records are wanted.
            let size = number("limit") ?? path["count"].flatMap(Self.bounded) ?? found.count
            return body(template, found.dropFirst(start(size)).prefix(size), of: found.count, size)
        }
        // Records come in turn where the live API answers at random, so that a demonstration is the same each time.
        if question?.pool != nil {
            return found.isEmpty ? nil : body(template, [found[turn % found.count]], of: 1, 1)
        }
        let check = question?.answer.check(path)
        return found.lazy.map { body(template, [$0], of: 1, 1) }.first { body in
            check == nil || (try? JSON.parse(body)).flatMap { check?($0) } == true
        }
    }

    // MARK: Records

    /// The records of the sources; nil if these have no such list.
    private func records(_ files: [String: JSONValue], _ index: String) -> [JSONValue]? {
        var found: [JSONValue]? = files.isEmpty ? [] : nil
        let isWanted = choice(entry)
        for source in entry.list("from") {
            guard holds(source) else {
                found = found ?? []
                continue
            }
            let place = SampleBody.filled(source["in"]?.string ?? source.string ?? "") { values[$0] }
            let file = place.prefix { $0 != "$" }
            guard let root = files[file.isEmpty ? index : String(file)],
                let path = try? JSONPath("$" + place.dropFirst(file.count + 1))
            else { continue }
            let isOfSource = choice(source)
            path.forEach(in: root) { value in
                found = (found ?? []) + value.all.filter { isOfSource($0) && isWanted($0) && isFound($0) }
                return true
            }
        }
        guard let rule = entry["order"], holds(rule), let order = rule["by"]?.string.map(JSONPath.init(stringLiteral:))
        else { return found }
        return found?.sorted { order.first(in: $0)?.double ?? 0 > order.first(in: $1)?.double ?? 0 }
    }

    /// Which records have `any` of the values of a parameter, and which have `every` one.
    private func choice(_ part: JSONValue) -> (JSONValue) -> Bool {
        let rules = [("any", Self.list), ("every", Self.groups)].flatMap { member, groups in
            (part[member]?.members.map { $0 } ?? []).compactMap { rule in
                let paths = rule.value.all.compactMap(\.string).map(JSONPath.init(stringLiteral:))
                return values[rule.name].map { (groups: groups($0), paths: paths) }
            }
        }
        return { record in
            rules.allSatisfy { rule in
                let texts = rule.paths.flatMap { $0.texts(in: record) }
                return rule.groups.allSatisfy { group in
                    group.contains { wanted in texts.contains { ASCII.equalFolded($0, String(wanted)) } }
                }
            }
        }
    }

    /// Values separated by commas, with or without brackets around them: one group.
    private static func list(_ text: String) -> [[Substring]] { [text.split { ",[]".contains($0) }] }

    /// A group of each value, and one of all values between parentheses.
    private static func groups(_ text: String) -> [[Substring]] {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "(" || $0 == ")" }
        return parts.enumerated().flatMap { place, part in
            let values = part.split(separator: ",")
            return place.isMultiple(of: 2) ? values.map { [$0] } : [values]
        }
    }

    /// Whether a record has the words of each term, not those of one that must not match, and is one that Larder would
    /// choose. Without a term that is needed, none is.
    private func isFound(_ record: JSONValue) -> Bool {
        let parameters = question?.parameters ?? []
        let own = parameters.filter { $0.sending.isTerm && $0.sending.isSent }
        if own.contains(where: { $0.isRequired && values[$0.sentName] == nil }) { return false }
        let terms = entry["terms"]?.all.compactMap(\.string) ?? own.map(\.sentName)
        let words = entry.list("words").compactMap(\.string)
        let texts = words.isEmpty ? record.allTexts : words.flatMap { JSONPath(stringLiteral: $0).texts(in: record) }
        let text = texts.joined(separator: " ").lowercased()
        func has(_ term: String) -> Bool {
            term.lowercased().split { !$0.isLetter && !$0.isNumber }.allSatisfy { text.contains($0) }
        }
        let isNamed = terms.compactMap { values[$0] }.allSatisfy(has)
        let isExcluded = entry.list("not").compactMap { $0.string.flatMap { values[$0] } }.contains(where: has)
        return isNamed && !isExcluded
            && question?.answer.choices.allSatisfy { choice in
                let name = parameters.first { $0.name == choice.parameter }?.sentName
                return choice.holds(for: record, name.flatMap { values[$0] }?.lowercased())
            } ?? true
    }

    // MARK: The page

    private func number(_ name: String) -> Int? {
        let parameter = question?.parameters.first { $0.name == name }
        return parameter.flatMap { values[$0.sentName] }.flatMap(Self.bounded)
    }

    /// A number of a request, within bounds in which no sum of two overflows.
    private static func bounded(_ text: String) -> Int? { Int(text).map { min(max($0, 0), 1_000_000) } }

    private var firstPage: Int {
        question?.parameters.first { $0.name == "page" }?.sending.isFromZero == true ? 0 : 1
    }

    private var page: Int { number("page") ?? firstPage }

    /// How many records precede the page. A list that is not divided has one page.
    private func start(_ size: Int) -> Int { number("offset") ?? max(0, page - firstPage) * max(1, size) }

    private func body(_ template: JSONValue?, _ shown: some Collection<JSONValue>, of total: Int, _ size: Int) -> Bytes
    {
        let texts = shown.map(text)
        let figures = [
            "total": total, "count": shown.count, "page": page, "pages": size > 0 ? (total + size - 1) / size : 0,
            "limit": size, "start": start(size),
        ]
        var parts = figures.mapValues { String($0) }
        parts["record"] = texts.first
        parts["records"] = "[\(texts.joined(separator: ","))]"
        return SampleBody(parts: parts, texts: values).bytes(template)
    }

    /// A record with the members that this answer shows.
    private func text(of record: JSONValue) -> String {
        let (without, only) = (entry.list("without"), entry.list("only"))
        let set = entry["set"].flatMap { holds($0) ? $0 : nil }
        guard record.kind == .object, !(without.isEmpty && only.isEmpty && set == nil) else {
            return record.raw.lossyText
        }
        var writer = JSONWriter()
        writer.object { writer in
            for member in record.members
            where !without.contains(where: { $0.string == member.name })
                && (only.isEmpty || only.contains { $0.string == member.name })
            {
                writer.name(member.name)
                if let text = set?[member.name]?.string {
                    writer.string(SampleBody.filled(text) { record[$0]?.string ?? values[$0] })
                } else {
                    writer.raw(member.value.raw)
                }
            }
        }
        return writer.bytes.lossyText
    }
}

extension QuestionParameter {
    /// The API's name of the parameter.
    var sentName: String { sending.name ?? name }
}

extension JSONPath {
    /// The texts and numbers that it selects.
    fileprivate func texts(in root: JSONValue) -> [String] {
        var texts: [String] = []
        forEach(in: root) { value in
            if let text = value.string ?? value.numberText { texts.append(text) }
            return true
        }
        return texts
    }
}

extension JSONValue {
    /// All texts in it.
    fileprivate var allTexts: [String] {
        switch kind {
        case .string: [string ?? ""]
        case .object: members.flatMap(\.value.allTexts)
        case .array: elements.flatMap(\.allTexts)
        case .null, .bool, .number: []
        }
    }
}
