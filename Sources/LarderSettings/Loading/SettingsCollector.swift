// The first pass over the settings. It collects what was written for each path, and where. It checks only names:
// unknown, repeated or misplaced ones. The environment overrides the file, and the command line overrides both.
import LarderCore
import LarderProviders
import LarderYAML

/// A value as it was written, before the reader of its parameter interprets it.
struct WrittenSetting: Sendable {
    enum Source: Sendable {
        case file(String)
        case environment(String)
        case flag
    }

    var node: YAMLNode
    var source: Source

    /// The origin of a place inside the value; without a mark, of the whole value.
    func origin(_ mark: YAMLMark? = nil) -> SettingOrigin {
        let mark = mark ?? node.mark
        return switch source {
        case .file(let name): .file(name, line: mark.line, column: mark.column)
        case .environment(let name): .environment(name)
        case .flag: .flag
        }
    }
}

/// What was written of an API besides its settings.
struct WrittenDescription: Sendable {
    /// All that was written of the provider in that place.
    var whole: WrittenSetting
    var members: [YAMLMember] = []
}

/// Collects written values by path.
struct SettingsCollector {
    private(set) var written: [String: WrittenSetting] = [:]
    private(set) var issues: [SettingsIssue] = []
    private(set) var notes: [String] = []
    /// The providers named by the file, the environment or the command line, with the place of the name.
    private(set) var providerNames: [String: SettingOrigin] = [:]
    /// What the file, or a file of its own, says of a provider besides its settings.
    private(set) var described: [String: WrittenDescription] = [:]

    /// Variables that are not settings: they are for the command line, or name the configuration file.
    private static let otherVariables: Set<String> = [
        "LARDER_URL", "LARDER_TOKEN", "LARDER_CONFIG", "LARDER_DAEMON_USER",
    ]

    // MARK: The files

    mutating func collect(file name: String, _ text: Bytes) {
        guard let root = root(of: name, text) else { return }
        section(root, path: "", source: .file(name))
    }

    /// Collects the file of one provider. What the configuration file says of the same provider precedes it.
    mutating func collect(_ file: ProviderFile) {
        let origin = SettingOrigin.file(file.path, line: 1, column: 1)
        guard let text = file.text else {
            return issue(.unread(file.path), "", file.fault ?? "\(file.path) cannot be read")
        }
        guard let root = root(of: file.path, text), noteProvider(file.provider, origin) else { return }
        section(root, path: "providers.\(file.provider)", source: .file(file.path))
    }

    private mutating func root(of name: String, _ text: Bytes) -> YAMLNode? {
        do {
            return try YAMLReader.read(text)
        } catch {
            issue(.file(name, line: error.mark.line, column: error.mark.column), "", error.message)
            return nil
        }
    }

    private mutating func section(_ node: YAMLNode, path: String, source: WrittenSetting.Source) {
        if node.isAbsent { return }
        guard case .mapping(let members) = node.content else {
            let names = Self.names(below: path).joined(separator: ", ")
            let what = path == "providers" ? "from names of APIs to their settings" : "with the settings \(names)"
            let message = "must be a mapping \(what), not \(node.kindText)"
            return issue(WrittenSetting(node: node, source: source).origin(), path, message)
        }
        var seen: [String: YAMLMark] = [:]
        for member in members {
            let memberPath = path.isEmpty ? member.key : "\(path).\(member.key)"
            let setting = WrittenSetting(node: member.value, source: source)
            let origin = setting.origin(member.mark)
            if let first = seen[member.key] {
                issue(origin, memberPath, "is set twice; first on line \(first.line)")
                continue
            }
            seen[member.key] = member.mark
            if path == "providers" {
                guard noteProvider(member.key, origin) else { continue }
                section(member.value, path: memberPath, source: source)
            } else if let provider = path.dropping(prefix: "providers."),
                ProviderDescription.keys.contains(member.key)
            {
                describe(String(provider), member, WrittenSetting(node: node, source: source))
            } else if !member.key.contains("."), SettingsTable.parameter(at: memberPath) != nil {
                if member.value.isAbsent {
                    issue(origin, memberPath, "has no value; leave the line out to get the default")
                } else if written[memberPath] == nil {
                    written[memberPath] = setting
                }
            } else if path.isEmpty, SettingsTable.sections.contains(where: { $0.name == member.key }) {
                section(member.value, path: memberPath, source: source)
            } else {
                issue(origin, memberPath, Self.unknown(member.key, below: path))
            }
        }
    }

    private mutating func describe(_ provider: String, _ member: YAMLMember, _ whole: WrittenSetting) {
        var description = described[provider] ?? WrittenDescription(whole: whole)
        guard case .file(let name, _, _) = description.whole.origin(), case .file(name, _, _) = whole.origin() else {
            return issue(
                whole.origin(member.mark), "providers.\(provider).\(member.key)",
                "\(provider) is described at \(description.whole.origin()) already: describe it in one file")
        }
        description.members.append(member)
        described[provider] = description
    }

    // MARK: The environment

    mutating func collect(environment: [String: String], builtIn: [ProviderAbout]) {
        let plain = Dictionary(
            SettingsTable.all.filter { !$0.path.contains("<") }
                .map { (SettingsTable.environmentName(of: $0.path), $0) },
            uniquingKeysWith: { first, _ in first })
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) {
            // An empty variable counts as unset: compose files and unit files switch variables off this way.
            guard name.hasPrefix("LARDER_"), !Self.otherVariables.contains(name), !text.isEmpty else { continue }
            let source = WrittenSetting.Source.environment(name)
            if let parameter = plain[name] {
                write(parameter, path: parameter.path, text, source)
            } else if let (path, parameter) = providerPath(name, builtIn: builtIn) {
                write(parameter, path: path, text, source)
            } else if !name.hasSuffix("_KEY"), !name.hasSuffix("_CLIENTSECRET") {
                // Not an error, because container platforms set variables of their own that begin the same way
                // (LARDER_SERVICE_HOST for a service of that name).
                let nearest = NearestName.find(name, among: plain.keys.sorted())
                notes.append(
                    "the environment variable \(name) names no setting"
                        + (nearest.map { "; did you mean \($0)?" } ?? ""))
            }
        }
    }

    /// Parses `LARDER_PROVIDERS_<NAME>_<SETTING>`. A "_" in the name stands for "-".
    private mutating func providerPath(_ name: String, builtIn: [ProviderAbout]) -> (String, Parameter)? {
        let prefix = "LARDER_PROVIDERS_"
        guard name.hasPrefix(prefix), let end = name.lastIndex(of: "_") else { return nil }
        let start = name.index(name.startIndex, offsetBy: prefix.count)
        guard start < end else { return nil }
        let word = name[name.index(after: end)...]
        let parameter = SettingsTable.provider.first {
            $0.path.split(separator: ".").last?.uppercased() == String(word)
        }
        guard let parameter, let field = parameter.path.split(separator: ".").last else { return nil }
        let provider = name[start..<end].lowercased().replacing("_", with: "-")
        if !builtIn.contains(where: { $0.name == provider }), providerNames[provider] == nil {
            guard noteProvider(provider, .environment(name)) else { return nil }
        }
        return ("providers.\(provider).\(field)", parameter)
    }

    // MARK: The command line

    mutating func collect(flags: [(path: String, value: String)]) {
        var seen: Set<String> = []
        for (path, text) in flags {
            guard let parameter = SettingsTable.parameter(at: path) else {
                issue(.flag, path, Self.unknown(path, below: ""))
                continue
            }
            let parts = path.split(separator: ".", omittingEmptySubsequences: false)
            if parts.count == 3, parts[0] == "providers", !noteProvider(String(parts[1]), .flag) { continue }
            let before = seen.insert(path).inserted ? nil : written[path]
            write(parameter, path: path, text, .flag)
            // A repeated option adds to a list. For any other setting the last one counts.
            if case .sequence(let first)? = before?.node.content, let node = written[path]?.node,
                case .sequence(let more) = node.content
            {
                written[path]?.node.content = .sequence(first + more)
            }
        }
    }

    // MARK: Shared

    /// Turns a text from outside the file into the node that the file would have held. Lists may be written with
    /// commas, and any structure in YAML's flow style.
    private mutating func write(
        _ parameter: Parameter, path: String, _ text: String, _ source: WrittenSetting.Source
    ) {
        let mark = YAMLMark(line: 1, column: 1)
        var node = YAMLNode(content: .scalar(text, isPlain: false), mark: mark)
        switch parameter.kind {
        case .texts, .listeners, .ttl, .readOnlyPosts, .fields, .actions, .tools:
            if text.hasPrefix("[") || text.hasPrefix("{") {
                do {
                    node = try YAMLReader.read(Bytes(text: text))
                } catch {
                    return issue(WrittenSetting(node: node, source: source).origin(), path, error.message)
                }
            } else if parameter.kind == .texts || parameter.kind == .listeners {
                let items = text.split(separator: ",").map { ASCII.trimmed($0) }.filter { !$0.isEmpty }
                node.content = .sequence(
                    items.map { YAMLNode(content: .scalar(String($0), isPlain: false), mark: mark) })
            }
        default: break
        }
        written[path] = WrittenSetting(node: node, source: source)
    }

    /// Records a provider's name. Returns false if it is not a valid name.
    private mutating func noteProvider(_ name: String, _ origin: SettingOrigin) -> Bool {
        guard Self.isName(name) else {
            issue(
                origin, "providers.\(name)",
                "a provider's name is 1 to 32 lower-case letters, digits and \"-\", a letter first")
            return false
        }
        if providerNames[name] == nil { providerNames[name] = origin }
        return true
    }

    /// Whether a text may name a provider or a tool.
    static func isName(_ name: String) -> Bool {
        let letters = name.utf8
        return (1...32).contains(letters.count) && letters.first.map(ASCII.isLowercaseLetter) == true
            && letters.allSatisfy { ASCII.isLowercaseLetter($0) || ASCII.isDigit($0) || $0 == 0x2D }
    }

    private mutating func issue(_ origin: SettingOrigin, _ path: String, _ message: String) {
        issues.append(SettingsIssue(origin: origin, path: path, message: message))
    }

    /// The names that are known below a path.
    private static func names(below path: String) -> [String] {
        if path.isEmpty {
            return SettingsTable.sections.flatMap { $0.name.isEmpty ? $0.parameters.map(\.path) : [$0.name] }
        }
        let parts = path.split(separator: ".")
        let section = SettingsTable.sections.first { $0.name == parts.first.map(String.init) }
        let described = parts.count == 2 && parts[0] == "providers" ? ProviderDescription.keys : []
        let settings = (section?.parameters ?? []).compactMap { $0.path.split(separator: ".").last.map(String.init) }
        return settings + described
    }

    /// The message for an unknown name, with a suggestion if there is one.
    private static func unknown(_ key: String, below path: String) -> String {
        let names = names(below: path)
        let paths = SettingsTable.all.map(\.path)
        if let near = NearestName.find(key, among: path.isEmpty && key.contains(".") ? paths : names) {
            return "there is no such setting; did you mean \"\(near)\"?"
        }
        let last = key.split(separator: ".").last.map(String.init) ?? key
        if let elsewhere = paths.first(where: { $0.split(separator: ".").last?.lowercased() == last.lowercased() }) {
            return "there is no such setting here; did you mean \"\(elsewhere)\"?"
        }
        return "there is no such setting; known here: \(names.joined(separator: ", "))"
    }
}
