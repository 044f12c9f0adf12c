// The second pass over the settings. Each parameter interprets its own text. An invalid value becomes a finding, and
// the default is used instead, so one mistake does not hide the next.
import LarderCore

/// Why a value is not valid for its parameter. The mark gives the place inside a larger value.
struct SettingFault: Error {
    var message: String
    var mark: YAMLMark?
    /// The path of the part that is wrong, if the parameter has several.
    var path: String?
    /// Whether a pipe gave nothing. Its writer may still come later.
    var isSilence = false

    init(_ message: String, at mark: YAMLMark? = nil) {
        self.message = message
        self.mark = mark
    }
}

/// Turns written values into typed values, one parameter at a time.
struct SettingsReader {
    let written: [String: WrittenSetting]
    private(set) var issues: [SettingsIssue] = []
    private(set) var effective: [EffectiveSetting] = []
    /// Messages worth reporting although nothing is wrong.
    private(set) var notes: [String] = []
    /// The files that were named for secrets.
    private(set) var secretFiles: [SecretFile] = []

    init(written: [String: WrittenSetting]) {
        self.written = written
    }

    // MARK: The kinds

    mutating func size(_ parameter: Parameter) -> Int64 {
        read(parameter) { node throws(SettingFault) in
            let size = try Self.units(node) { text throws(UnitError) in try Units.size(text) }
            if case .size(let range) = parameter.kind, !range.contains(size) {
                throw SettingFault(
                    Self.outside(Units.format(size: range.lowerBound), Units.format(size: range.upperBound)))
            }
            return size
        } ?? 0
    }

    mutating func duration(_ parameter: Parameter, path: String? = nil, default text: String? = nil) -> Duration {
        read(parameter, path: path, default: text) { node throws(SettingFault) in
            try Self.duration(node, within: parameter)
        } ?? .zero
    }

    mutating func count(_ parameter: Parameter, path: String? = nil) -> Int {
        read(parameter, path: path) { node throws(SettingFault) in
            let text = try Self.text(node)
            guard let number = Int(text) else { throw SettingFault("\"\(text)\" is not a whole number") }
            if case .count(let range) = parameter.kind, !range.contains(number) {
                throw SettingFault(Self.outside("\(range.lowerBound)", "\(range.upperBound)"))
            }
            return number
        } ?? 0
    }

    mutating func flag(_ parameter: Parameter, path: String? = nil, default text: String? = nil) -> Bool {
        read(parameter, path: path, default: text) { node throws(SettingFault) in
            switch try Self.text(node) {
            case "true", "yes", "on": true
            case "false", "no", "off": false
            case let text: throw SettingFault("\"\(text)\" is neither true nor false")
            }
        } ?? false
    }

    /// Reads one of the words of the parameter as a value of the type that defines them.
    mutating func choice<Word: RawRepresentable<String>>(
        _ parameter: Parameter, path: String? = nil, default word: Word
    ) -> Word {
        choiceText(parameter, path: path, default: word.rawValue).flatMap(Word.init(rawValue:)) ?? word
    }

    mutating func choiceText(_ parameter: Parameter, path: String? = nil, default text: String? = nil) -> String? {
        guard case .choice(let words) = parameter.kind else { return nil }
        return read(parameter, path: path, default: text) { node throws(SettingFault) in
            let text = try Self.text(node)
            if words.contains(text) { return text }
            if words.count == 1 { throw SettingFault("must be \(words[0]), not \"\(text)\"") }
            let near = NearestName.find(text, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
            throw SettingFault("\"\(text)\" is not one of \(words.joined(separator: ", "))\(near)")
        }
    }

    mutating func text(
        _ parameter: Parameter, path: String? = nil, default text: String? = nil,
        check: (String) throws(SettingFault) -> String = { text throws(SettingFault) in text }
    ) -> String? {
        read(parameter, path: path, default: text) { node throws(SettingFault) in try check(Self.text(node)) }
    }

    mutating func rate(_ parameter: Parameter, path: String, default rate: CallRate?) -> CallRate? {
        value(parameter, path: path, standard: rate?.description ?? "off", default: rate) { node throws(SettingFault) in
            try Self.units(node) { text throws(UnitError) in try CallRate.parse(text) }
        }
    }

    mutating func texts(
        _ parameter: Parameter, path: String? = nil, default items: [String] = [],
        check: (String) throws(SettingFault) -> String
    ) -> [String] {
        let standard = items.joined(separator: ", ")
        return read(parameter, path: path, default: standard, parseDefault: items) { node throws(SettingFault) in
            var texts: [String] = []
            for item in try Self.items(node) {
                do throws(SettingFault) {
                    texts.append(try check(try Self.text(item)))
                } catch {
                    throw SettingFault(error.message, at: error.mark ?? item.mark)
                }
            }
            return texts
        } ?? items
    }

    /// Reads lifetimes by endpoint: one duration for all, or a mapping in which "*" stands for the endpoints it leaves
    /// out.
    mutating func ttl(
        _ parameter: Parameter, path: String, standard lifetimes: [(name: String, ttl: Duration)]
    ) -> [String: Duration] {
        let defaults = Dictionary(lifetimes.map { ($0.name, $0.ttl) }, uniquingKeysWith: { first, _ in first })
        let standard = lifetimes.map { "\($0.name): \(Units.format(duration: $0.ttl))" }.joined(separator: ", ")
        let range = SettingsTable.providerEmptyTTL
        return read(parameter, path: path, default: standard, parseDefault: defaults) { node throws(SettingFault) in
            guard case .mapping(let members) = node.content else {
                let one = try Self.duration(node, within: range)
                return defaults.mapValues { _ in one }
            }
            var given: [String: Duration] = [:]
            for member in members {
                let known = lifetimes.map(\.name)
                guard known.contains(member.key) else {
                    let near = NearestName.find(member.key, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
                    throw SettingFault(
                        "there is no endpoint \"\(member.key)\", only \(known.joined(separator: ", "))\(near)",
                        at: member.mark)
                }
                guard given[member.key] == nil else {
                    throw SettingFault("\"\(member.key)\" is set twice", at: member.mark)
                }
                do throws(SettingFault) {
                    given[member.key] = try Self.duration(member.value, within: range)
                } catch {
                    throw SettingFault("\(member.key): \(error.message)", at: member.value.mark)
                }
            }
            let rest = given["*"]
            return defaults.mapValues { rest ?? $0 }.merging(given) { _, given in given }
        } ?? defaults
    }

    /// Reads a value with a custom parser.
    mutating func value<Value>(
        _ parameter: Parameter, path: String? = nil, standard: String?, default value: Value,
        parse: (YAMLNode) throws(SettingFault) -> Value
    ) -> Value {
        read(parameter, path: path, default: standard, parseDefault: value, parse: parse) ?? value
    }

    /// Adds a finding about a path, at the place where its value was written.
    mutating func issue(_ path: String, _ message: String, at mark: YAMLMark? = nil) {
        let origin = written[path]?.origin(mark) ?? .standard
        issues.append(SettingsIssue(origin: origin, path: path, message: message))
    }

    /// Adds a finding about a place that is not the value of a path.
    mutating func issue(_ origin: SettingOrigin, _ path: String, _ message: String) {
        issues.append(SettingsIssue(origin: origin, path: path, message: message))
    }

    mutating func note(_ text: String) { notes.append(text) }

    mutating func note(_ file: SecretFile) { secretFiles.append(file) }

    /// Records a value that was found by other means, such as a credential.
    mutating func note(_ setting: EffectiveSetting) {
        effective.removeAll { $0.path == setting.path }
        effective.append(setting)
    }

    // MARK: The one way through

    private mutating func read<Value>(
        _ parameter: Parameter, path: String? = nil, default text: String? = nil, parseDefault: Value? = nil,
        parse: (YAMLNode) throws(SettingFault) -> Value
    ) -> Value? {
        let path = path ?? parameter.path
        let standard = text ?? parameter.defaultText
        var value: Value?
        if let setting = written[path] {
            do {
                value = try parse(setting.node)
            } catch {
                let origin = setting.origin(error.mark)
                issues.append(SettingsIssue(origin: origin, path: error.path ?? path, message: error.message))
            }
            let shown = parameter.isSecret ? "(hidden)" : Self.shown(setting.node)
            effective.append(
                EffectiveSetting(path: path, value: shown, defaultText: standard, origin: setting.origin()))
        } else {
            effective.append(EffectiveSetting(path: path, value: standard, defaultText: standard, origin: .standard))
        }
        if let value { return value }
        if let parseDefault { return parseDefault }
        guard let standard else { return nil }
        let node = YAMLNode(content: .scalar(standard, isPlain: false), mark: YAMLMark(line: 1, column: 1))
        do {
            return try parse(node)
        } catch {
            let message = "its default is wrong: \(error.message)"
            issues.append(SettingsIssue(origin: .standard, path: path, message: message))
            return nil
        }
    }

    // MARK: Pieces

    /// The text of a single value, trimmed.
    static func text(_ node: YAMLNode) throws(SettingFault) -> String {
        guard case .scalar(let raw, _) = node.content else {
            throw SettingFault("must be a single value, not \(node.kindText)", at: node.mark)
        }
        let text = String(ASCII.trimmed(raw[...]))
        guard !text.isEmpty else {
            throw SettingFault("is empty; leave the line out to get the default", at: node.mark)
        }
        guard !text.holdsControls else {
            throw SettingFault("contains a line break or another control character", at: node.mark)
        }
        return text
    }

    /// The items of a list. A single value is a list of one.
    static func items(_ node: YAMLNode) throws(SettingFault) -> [YAMLNode] {
        switch node.content {
        case .sequence(let items): return items
        case .scalar: return [node]
        case .mapping: throw SettingFault("must be a list, not a mapping", at: node.mark)
        }
    }

    static func duration(_ node: YAMLNode, within parameter: Parameter) throws(SettingFault) -> Duration {
        let duration = try units(node) { text throws(UnitError) in try Units.duration(text) }
        if case .duration(let range) = parameter.kind, !range.contains(duration) {
            throw SettingFault(
                outside(Units.format(duration: range.lowerBound), Units.format(duration: range.upperBound)))
        }
        return duration
    }

    private static func units<Value>(
        _ node: YAMLNode, _ parse: (String) throws(UnitError) -> Value
    ) throws(SettingFault) -> Value {
        let text = try text(node)
        do {
            return try parse(text)
        } catch {
            throw SettingFault(error.message)
        }
    }

    private static func outside(_ low: String, _ high: String) -> String { "must be between \(low) and \(high)" }

    /// The value as one line for people to read.
    private static func shown(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, _): text
        case .sequence(let items): items.map(shown).joined(separator: ", ")
        case .mapping(let members): members.map { "\($0.key): \(shown($0.value))" }.joined(separator: ", ")
        }
    }
}
