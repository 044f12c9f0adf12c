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
                let tool = try Self.tool(item, secrets, &files)
                try Self.check(tool, against: tools, admin: admin, at: item.mark)
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

    private static func tool(
        _ node: YAMLNode, _ secrets: SecretPlaces, _ files: inout [SecretFile]
    ) throws(SettingFault) -> ToolSetting {
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
        guard let name = given["name"] else { throw SettingFault("a tool needs a name", at: node.mark) }
        var tool = ToolSetting(try toolName(name))
        if let user = given["user"] {
            let text = try SettingsReader.text(user)
            guard let number = UInt32(text) ?? UserName.number(of: text) else {
                throw SettingFault("there is no user \"\(text)\" on this machine", at: user.mark)
            }
            tool.user = number
        }
        if let token = given["token"] { tool.token = try toolToken(token, tool.name, secrets, &files) }
        if let share = given["share"] {
            tool.share = try SettingsReader.percent(share, within: 0...mostKept)
            guard tool.isProven else {
                throw SettingFault("a share needs a user or a token: anybody may say a name", at: share.mark)
            }
        }
        return tool
    }

    private static func toolName(_ node: YAMLNode) throws(SettingFault) -> String {
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
        return name
    }

    private static func toolToken(
        _ node: YAMLNode, _ name: String, _ secrets: SecretPlaces, _ files: inout [SecretFile]
    ) throws(SettingFault) -> String {
        let text = try SettingsReader.text(node)
        if let file = SecretPlaces.file(of: text) {
            files.append(SecretFile(setting: "tools", path: file, credential: "tools.\(name)"))
        }
        do throws(SettingFault) {
            if let found = try secrets.credential("tools.\(name)") { return found.value }
            return try secrets.resolve(text)
        } catch {
            throw SettingFault(error.message, at: node.mark)
        }
    }

    private static func check(
        _ tool: ToolSetting, against others: [ToolSetting], admin: String?, at mark: YAMLMark
    ) throws(SettingFault) {
        for other in others {
            if other.name == tool.name { throw SettingFault("there are two tools \"\(tool.name)\"", at: mark) }
            if let user = tool.user, user == other.user {
                throw SettingFault("\(tool.name) and \(other.name) have the same user", at: mark)
            }
            if let token = tool.token, token == other.token {
                throw SettingFault("\(tool.name) and \(other.name) have the same token", at: mark)
            }
        }
        if let token = tool.token, token == admin {
            throw SettingFault("the token of \(tool.name) is admin.token, which permits changes", at: mark)
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
