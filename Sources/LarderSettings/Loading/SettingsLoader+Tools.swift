// Reads the tools whose calls are told apart.
import LarderCore

extension SettingsLoader {
    private static let mostTools = 32
    /// The largest part of a limit that the reserve and the shares may keep together. The rest is for everybody.
    private static let mostKept = 90
    private static let names = ["name", "user", "token", "share"]

    func tools(_ reader: inout SettingsReader, _ secrets: SecretPlaces, admin: String?) -> [ToolSetting] {
        var files: [SecretFile] = []
        let tools: [ToolSetting] = reader.value(SettingsTable.tools, standard: nil, default: []) {
            node throws(SettingFault) in
            let items = node.isMapping ? [node] : try SettingsReader.items(node)
            guard items.count <= Self.mostTools else {
                throw SettingFault("names \(items.count) tools; \(Self.mostTools) are allowed")
            }
            var tools: [ToolSetting] = []
            for item in items {
                let members = try Self.members(item)
                guard let name = members["name"] else { throw SettingFault("a tool needs a name", at: item.mark) }
                var tool = ToolSetting(try Self.toolName(name, tools))
                for key in Self.names.dropFirst() {
                    guard let value = members[key] else { continue }
                    do throws(SettingFault) {
                        try Self.read(value, as: key, of: &tool, secrets, &files)
                        try Self.check(tool, key, against: tools, admin: admin)
                    } catch {
                        var fault = SettingFault(error.message, at: error.mark ?? value.mark)
                        fault.path = "tools.\(tool.name).\(key)"
                        throw fault
                    }
                }
                tools.append(tool)
            }
            return tools
        }
        for file in files { reader.note(file) }
        if !tools.isEmpty, let origin = reader.written[SettingsTable.tools.path]?.origin() {
            // The names are no secret.
            let shown = tools.map(\.name).joined(separator: ", ")
            reader.note(EffectiveSetting(path: "tools", value: shown, defaultText: nil, origin: origin))
        }
        return tools
    }

    func quota(_ reader: inout SettingsReader, _ tools: [ToolSetting]) -> Settings.Quota {
        let reserve = reader.percent(SettingsTable.quotaReserve)
        let kept = tools.reduce(reserve) { $0 + $1.share }
        if kept > Self.mostKept {
            let path = reader.written[SettingsTable.tools.path] == nil ? "quota.reserve" : "tools"
            reader.issue(
                path, "quota.reserve and the shares of all tools are \(kept) % together; \(Self.mostKept) % are allowed"
            )
        }
        return Settings.Quota(reserve: reserve)
    }

    private static func members(_ node: YAMLNode) throws(SettingFault) -> [String: YAMLNode] {
        guard case .mapping(let members) = node.content else {
            throw SettingFault(
                "must be a mapping such as { name: editor, user: alice, share: 20 % }, not \(node.kindText)",
                at: node.mark)
        }
        var given: [String: YAMLNode] = [:]
        for member in members {
            guard names.contains(member.key) else {
                let near = NearestName.find(member.key, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
                throw SettingFault(
                    "a tool has name, user, token and share, no \"\(member.key)\"\(near)", at: member.mark)
            }
            guard given[member.key] == nil else {
                throw SettingFault("\"\(member.key)\" is set twice", at: member.mark)
            }
            given[member.key] = member.value
        }
        return given
    }

    private static func read(
        _ node: YAMLNode, as key: String, of tool: inout ToolSetting, _ secrets: SecretPlaces,
        _ files: inout [SecretFile]
    ) throws(SettingFault) {
        switch key {
        case "user":
            let text = try SettingsReader.text(node)
            tool.user = UserName.user(text)
            guard tool.user != nil else { throw SettingFault("there is no user \"\(text)\" on this machine") }
        case "token": tool.token = try toolToken(node, tool.name, secrets, &files)
        default:
            tool.share = try SettingsReader.percent(node, within: 0...mostKept)
            guard tool.isProven else { throw SettingFault("a share needs a user or a token: anybody may say a name") }
        }
    }

    private static func toolName(_ node: YAMLNode, _ others: [ToolSetting]) throws(SettingFault) -> String {
        let name = try SettingsReader.text(node)
        guard SettingsCollector.isName(name) else {
            throw SettingFault(
                "a tool's name is 1 to 32 lower-case letters, digits and \"-\", a letter first", at: node.mark)
        }
        guard name != ToolSetting.other, name != ToolSetting.own else {
            throw SettingFault(
                "\"\(name)\" is the name of \(name == ToolSetting.own ? "Larder's own calls" : "all other clients")",
                at: node.mark)
        }
        guard !others.contains(where: { $0.name == name }) else {
            throw SettingFault("there are two tools \"\(name)\"", at: node.mark)
        }
        return name
    }

    private static func toolToken(
        _ node: YAMLNode, _ name: String, _ secrets: SecretPlaces, _ files: inout [SecretFile]
    ) throws(SettingFault) -> String {
        let text = try SettingsReader.text(node)
        if let file = SecretPlaces.file(of: text) {
            files.append(SecretFile(setting: "tools", path: file, credential: "tools.\(name)"))
        }
        if let found = try secrets.credential("tools.\(name)") { return found.value }
        return try secrets.resolve(text)
    }

    private static func check(
        _ tool: ToolSetting, _ key: String, against others: [ToolSetting], admin: String?
    ) throws(SettingFault) {
        if key == "token", let token = tool.token { try ToolSetting.checkToken(token) }
        for other in others {
            if key == "user", tool.user == other.user {
                throw SettingFault("\(tool.name) and \(other.name) have the same user")
            }
            if key == "token", tool.token == other.token {
                throw SettingFault("\(tool.name) and \(other.name) have the same token")
            }
        }
        if key == "token", let admin, ToolSetting.isToken(in: admin, of: [tool]) {
            throw SettingFault("the token of \(tool.name) is admin.token or a word in it, which permits changes")
        }
    }
}

extension SettingsReader {
    mutating func percent(_ parameter: Parameter) -> Int {
        value(parameter, standard: parameter.defaultText, default: 0) { node throws(SettingFault) in
            guard case .percent(let range) = parameter.kind else { return 0 }
            return try Self.percent(node, within: range)
        }
    }

    /// "10 %", "10%" or "10".
    static func percent(_ node: YAMLNode, within range: ClosedRange<Int>) throws(SettingFault) -> Int {
        let text = try text(node)
        let number = text.hasSuffix("%") ? String(ASCII.trimmed(text.dropLast())) : text
        guard let percent = Int(number) else {
            throw SettingFault("\"\(text)\" is not a percentage such as 10 %", at: node.mark)
        }
        guard range.contains(percent) else {
            throw SettingFault("must be between \(range.lowerBound) % and \(range.upperBound) %", at: node.mark)
        }
        return percent
    }
}
