// Reads one question of a user's description, with its parameters.
import LarderCore

struct QuestionFileReader {
    private static let keys = [
        "route", "path", "about", "subject", "parameters", "fixed", "ttl", "list", "record", "noun", "total",
        "identity", "result", "post", "graphql", "format",
    ]

    private let name: String
    private let map: SpecMap
    /// The results that could be read, and the names of all.
    private let results: [String: ResultSpec]
    private let names: [String]

    init?(
        _ entry: (name: String, node: YAMLNode, path: String), _ results: [String: ResultSpec], named names: [String],
        _ findings: SpecFindings
    ) {
        guard SpecName.isName(entry.name) else {
            findings.add(entry.node.mark, entry.path, "the name of a question is \(SpecName.rule)")
            return nil
        }
        guard let map = SpecMap(entry.node, at: entry.path, names: Self.keys, findings) else { return nil }
        (name, self.map, self.results, self.names) = (entry.name, map, results, names)
    }

    private var isFeed: Bool { map.text("format").map { ASCII.equalFolded($0, "feed") } ?? false }

    /// Nil with a finding if something needed is missing.
    func question() -> QuestionSpec? {
        _ = map.word("format", among: ["json", "feed"])
        let parameters = parameters()
        let names = parameters.map(\.name)
        let route = template("route", among: names) ?? PathTemplate(name)
        guard map.needed("path") != nil, let path = template("path", among: names) else { return nil }
        for name in path.names where !route.names.contains(name) {
            map.fault("route", "needs {\(name)}, because the path has it")
        }
        checkNames(parameters)
        guard let answer = answer(names) else { return nil }
        let about = map.text("about") ?? "\(path.text): \(answer.noun)"
        var question = QuestionSpec(
            name: name, route: route, path: PathTemplate(path.text.hasPrefix("/") ? path.text : "/" + path.text),
            parameters: parameters, fixed: fixed(), subject: map.text("subject") ?? "A question for \(answer.noun)",
            ttl: map.duration("ttl") ?? .seconds(3600), summary: about, answer: answer)
        question.cutsAtLimit = true
        question.body = BodyFileReader(map: map, parameters: parameters).body()
        question.isGraphQL = map.has("graphql")
        return question
    }

    /// A path with placeholders, each a parameter.
    private func template(_ key: String, among names: [String]) -> PathTemplate? {
        guard let text = map.text(key) else { return nil }
        let template = PathTemplate(text)
        let unknown = template.names.filter { !names.contains($0) }
        for name in unknown {
            let near = NearestName.find(name, among: names).map { "; did you mean {\($0)}?" } ?? ""
            map.fault(key, "{\(name)} is not a parameter of this question\(near)")
        }
        if let fault = Self.fault(of: text, key) { map.fault(key, fault) }
        return unknown.isEmpty ? template : nil
    }

    /// What is wrong with the text of a template; nil if nothing is.
    private static func fault(of text: String, _ key: String) -> String? {
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        if text.contains("?") || text.contains("#") { return "has no query: write it as parameters or fixed" }
        if segments.dropFirst().dropLast().contains("") || text.isEmpty || key == "route" && segments.contains("") {
            return "has an empty segment"
        }
        if segments.contains(".") || segments.contains("..") { return "has a segment of dots" }
        for segment in segments {
            let signs = segment.filter { $0 == "{" || $0 == "}" }
            if signs != "", signs != "{}" { return "has at most one placeholder {name} in each segment" }
            let literal = segment.replacing(#/\{[^}]*\}/#, with: "")
            guard literal.utf8.allSatisfy({ PercentCoding.isUnreserved($0) || "!$&'()*+,;=:@".utf8.contains($0) })
            else {
                return "has a sign that is not allowed in a path: \"\(literal)\""
            }
        }
        return nil
    }

    /// Two parameters must not be given, or sent, by the same name.
    private func checkNames(_ parameters: [QuestionParameter]) {
        var given: Set<String> = []
        var sent = Set(fixed().map(\.name))
        for parameter in parameters {
            let place = "parameters.\(parameter.name)"
            for name in parameter.names where !given.insert(name).inserted {
                map.findings.add(
                    map.mark, map.path(place), "\"\(name)\" is a name of another parameter of this question")
            }
            let name = parameter.sending.name ?? parameter.name
            // A fixed value of the same name would be sent beside the parameter's.
            guard parameter.sending.isSent, !sent.insert(name).inserted else { continue }
            map.findings.add(map.mark, map.path(place), "\"\(name)\" is sent by another parameter or by fixed already")
        }
    }

    private func fixed() -> [(name: String, value: String)] {
        guard let map = map.map("fixed", names: nil) else { return [] }
        for entry in map.entries where RequestCredentials.isParameter(entry.name) {
            map.fault(
                entry.name,
                "looks like a secret, which fixed would show: write it as key, with keyIn: query \(entry.name)")
        }
        return map.entries.compactMap { entry in map.text(entry.name).map { (entry.name, $0) } }
    }

    /// The results by their name, or those that the question itself describes.
    private func result() -> ResultSpec? {
        guard let node = map.node("result") else {
            if isFeed { return FeedSpec.item }
            map.findings.add(map.mark, map.path("result"), "is needed: a name of results, or a mapping like those")
            return nil
        }
        if case .scalar = node.content { return map.word("result", among: names).flatMap { results[$0] } }
        return ResultFileReader((name, node, map.path("result")), map.findings)?.result()
    }

    /// The list, and where the record lies in each of its elements: `$.docs[*].show` is the member of each.
    private func list() -> (list: JSONPath?, each: JSONPath?) {
        guard let path = map.jsonPath("list") else { return (nil, nil) }
        let isOne: (JSONPath.Selector) -> Bool = {
            switch $0 {
            case .name, .index: true
            case .wildcard, .filter: false
            }
        }
        let before = path.selectors.prefix(while: isOne)
        guard let several = path.selectors.dropFirst(before.count).first else { return (path, nil) }
        let behind = path.selectors.dropFirst(before.count + 1)
        guard case .wildcard = several, behind.allSatisfy(isOne) else {
            map.fault("list", "is one list, and perhaps a member of each of its elements: $.docs or $.docs[*].show")
            return (nil, nil)
        }
        let each = behind.isEmpty ? nil : JSONPath(text: path.text, selectors: Array(behind))
        return (JSONPath(text: path.text, selectors: Array(before)), each)
    }

    private func answer(_ names: [String]) -> AnswerSpec? {
        var (list, each) = list()
        if isFeed, !map.has("list"), !map.has("record") { list = FeedSpec.list }
        guard let result = result() else { return nil }
        var answer = AnswerSpec(list: list, each: each, noun: map.text("noun") ?? name, result: result)
        answer.isFeed = isFeed
        answer.record = map.jsonPath("record")
        answer.total = map.jsonPath("total") ?? (isFeed ? FeedSpec.total : nil)
        if let identity = map.map("identity", names: ["path", "is"]), identity.needed("is") != nil,
            let path = identity.needed("path").flatMap({ _ in identity.jsonPath("path") })
        {
            let text = identity.text("is") ?? ""
            for hole in text.matches(of: #/\{([^{}]*)\}/#) where !names.contains(String(hole.1)) {
                identity.fault("is", "{\(hole.1)} is not a parameter of this question")
            }
            if list != nil { map.fault("identity", "names one record: it is not for a list") }
            (answer.identity, answer.nameForm) = ((path, PathTemplate(text)), .textOrNumber)
        }
        return answer
    }

    private func parameters() -> [QuestionParameter] {
        (map.map("parameters", names: nil)?.entries ?? []).compactMap { entry in
            ParameterFileReader(entry, map.findings)?.parameter()
        }
    }
}

/// Names of a description.
enum SpecName {
    static let rule = "a letter and at most 39 letters, digits, \"-\" and \"_\""

    static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.first.map(ASCII.isLetter) == true
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2D || $0 == 0x5F }
    }
}

/// Reads one parameter. Its value is a mapping, or in short its form: `1..100`, `text` or a list of words.
struct ParameterFileReader {
    private static let keys = [
        "about", "example", "default", "required", "term", "also", "list", "most", "text", "number", "words", "pattern",
        "flag", "sent", "assumed", "uppercase", "lowercase", "meaning",
    ]
    /// Parameters that Larder itself takes on every route.
    static let taken = ["include", "fields"]

    private let name: String
    private let map: SpecMap

    init?(_ entry: (name: String, node: YAMLNode, path: String), _ findings: SpecFindings) {
        guard SpecName.isName(entry.name), !Self.taken.contains(entry.name) else {
            findings.add(
                entry.node.mark, entry.path,
                Self.taken.contains(entry.name)
                    ? "Larder has a parameter of this name on every route: choose another, and give the API's with sent"
                    : "the name of a parameter is \(SpecName.rule)")
            return nil
        }
        name = entry.name
        guard let map = SpecMap(Self.whole(entry.node), at: entry.path, names: Self.keys, findings) else { return nil }
        self.map = map
    }

    /// The mapping that the short form stands for.
    private static func whole(_ node: YAMLNode) -> YAMLNode {
        let key: String
        switch node.content {
        case .mapping: return node
        case .sequence: key = "words"
        case .scalar(let text, _): key = SpecRange.read(text) == nil ? text : "number"
        }
        var value = node
        if key == "text" || key == "flag" || key == "term" { value.content = .scalar("true", isPlain: true) }
        return YAMLNode(content: .mapping([YAMLMember(key: key, mark: node.mark, value: value)]), mark: node.mark)
    }

    func parameter() -> QuestionParameter? {
        guard let form = form() else { return nil }
        var parameter = QuestionParameter(
            name, form, map.text("about") ?? about(),
            example: map.text("example") ?? Self.example(form), default: map.text("default"))
        parameter.isRequired = map.flag("required") ?? false
        parameter.isList = map.flag("list") ?? false
        parameter.mostValues = map.number("most", in: 1...500)
        parameter.aliases = map.texts("also")
        for alias in parameter.aliases where !SpecName.isName(alias) || alias == name || Self.taken.contains(alias) {
            map.fault("also", "\"\(alias)\" is no other name: a name is \(SpecName.rule)")
        }
        parameter.sending = sending()
        readMeanings(&parameter)
        checkValues(&parameter)
        checkLimit(parameter)
        return parameter
    }

    private func about() -> String {
        switch map.text("sent") {
        case "false", "no": "Larder itself heeds it."
        case let sent: "The parameter \(sent ?? name) of the API."
        }
    }

    /// The one form that is given; any text if there is none.
    private func form() -> ParameterForm? {
        let given = ["text", "number", "words", "pattern", "flag"].filter(map.has)
        guard given.count < 2 else {
            map.fault(given[1], "is a second form; the first is \(given[0])")
            return nil
        }
        switch given.first {
        case "number": return map.range("number").map(ParameterForm.number)
        case "words":
            let words = map.texts("words")
            if words.isEmpty { map.fault("words", "must list at least one word") }
            return .choice(words)
        case "pattern":
            guard let text = map.text("pattern") else { return nil }
            do throws(JSONPathError) {
                _ = try TextPattern(checking: text)
            } catch {
                map.fault("pattern", error.description)
                return nil
            }
            return .pattern(text)
        case "flag": return .flag
        default: return .text()
        }
    }

    private func sending() -> QuestionParameter.Sending {
        var sending = QuestionParameter.Sending()
        if let sent = map.text("sent") {
            if sent == "false" || sent == "no" { sending.isSent = false } else { sending.name = sent }
        } else if name == "sort" {
            // Larder sorts by itself, unless the API's own parameter is named.
            sending.isSent = false
        }
        sending.apiDefault = map.text("assumed")
        sending.isUpperCase = map.flag("uppercase") ?? false
        sending.isLowerCase = map.flag("lowercase") ?? false
        sending.isTerm = map.flag("term") ?? false
        return sending
    }

    /// The API's own words for values.
    private func readMeanings(_ parameter: inout QuestionParameter) {
        guard let meanings = map.map("meaning", names: nil) else { return }
        parameter.sending.sendsOtherWords = true
        for entry in meanings.entries {
            guard let value = parameter.canonicalValue(entry.name) else {
                meanings.fault(entry.name, "is not a value of this parameter")
                continue
            }
            parameter.sending.words[value] = meanings.text(entry.name)
        }
    }

    /// Larder itself keeps to this number of results, and fills it in from `/v1/search`.
    private func checkLimit(_ parameter: QuestionParameter) {
        guard name == "limit" else { return }
        if case .number(let range) = parameter.form, range.lowerBound >= 1, !parameter.isList { return }
        map.findings.add(map.mark, map.path, "is a number of results: number: 1..50")
    }

    /// A default of another form would be refused if a client wrote it. It is spelt as a client's value would be, so that
    /// both are one question.
    private func checkValues(_ parameter: inout QuestionParameter) {
        for key in ["default", "example"] {
            guard let text = map.text(key) else { continue }
            guard let value = parameter.canonicalValue(text) else {
                map.fault(key, "\"\(text)\" is not a value of this parameter")
                continue
            }
            if key == "default" { parameter.defaultText = value }
        }
        if parameter.isRequired, parameter.defaultText != nil {
            map.fault("required", "has no meaning beside a default: leave one of them out")
        }
    }

    private static func example(_ form: ParameterForm) -> String {
        switch form {
        case .text, .pattern, .any: "lantern"
        case .number(let range): String(range.lowerBound)
        case .choice(let words): words.first ?? ""
        case .flag: "yes"
        }
    }
}
