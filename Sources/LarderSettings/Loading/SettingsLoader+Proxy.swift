// Reads the settings of the proxy.
import LarderCore
import LarderProviders

extension SettingsLoader {
    /// The most lines of `proxy.hosts`.
    private static let mostHosts = 1000

    func proxy(_ reader: inout SettingsReader, password: String?) -> ProxySettings {
        typealias Table = SettingsTable
        let standard = Passthrough(name: "proxy", baseURL: "").about
        let common = ProviderSettings(
            name: "proxy", kind: .passthrough, baseURL: "", semantics: .rfc,
            ttl: reader.pathTTL(Table.proxyTTL, path: Table.proxyTTL.path, default: nil),
            emptyTTL: standard.emptyTTL, negativeTTL: standard.negativeTTL,
            staleFor: reader.duration(Table.proxyStaleFor),
            staleWhileRefresh: reader.duration(Table.proxyStaleWhileRefresh))
        var proxied = common
        proxied.cookies = reader.choice(Table.proxyCookies, default: ProviderCookies.strict)
        let ports = reader.texts(Table.proxyPorts, default: ["80", "443"]) { text throws(SettingFault) in
            guard let port = UInt16(text), port > 0 else { throw SettingFault("\"\(text)\" is not a port: 1 to 65535") }
            return String(port)
        }
        return ProxySettings(
            hosts: Self.hosts(&reader), others: reader.choice(Table.proxyOthers, default: ProxyAction.tunnel),
            ports: Set(ports.compactMap { UInt16($0) }), password: password,
            maxTunnels: reader.count(Table.proxyMaxTunnels), idleTimeout: reader.duration(Table.proxyIdleTimeout),
            totalTimeout: reader.duration(Table.proxyTotalTimeout), common: proxied)
    }

    private static func hosts(_ reader: inout SettingsReader) -> [ProxyHostRule] {
        reader.value(SettingsTable.proxyHosts, standard: nil, default: []) { node throws(SettingFault) in
            guard case .mapping(let members) = node.content else {
                throw SettingFault(
                    "must be a mapping such as { api.example.org: cache }, not \(node.kindText)", at: node.mark)
            }
            guard members.count <= mostHosts else {
                throw SettingFault("names \(members.count) hosts; \(mostHosts) are allowed")
            }
            var rules: [ProxyHostRule] = []
            for member in members {
                do throws(SettingFault) {
                    let rule = ProxyHostRule(try host(member.key), try action(member.value))
                    guard !rules.contains(where: { $0.pattern == rule.pattern }) else {
                        throw SettingFault("\"\(member.key)\" is set twice")
                    }
                    rules.append(rule)
                } catch {
                    throw SettingFault(error.message, at: error.mark ?? member.mark)
                }
            }
            return rules
        }
    }

    private static func action(_ node: YAMLNode) throws(SettingFault) -> ProxyAction {
        let text = try SettingsReader.text(node)
        guard let action = ProxyAction(rawValue: text) else {
            let words = ProxyAction.allCases.map(\.rawValue)
            let near = NearestName.find(text, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
            throw SettingFault("\"\(text)\" is not one of \(words.joined(separator: ", "))\(near)", at: node.mark)
        }
        return action
    }

    /// A host without port, or "*." and a suffix of two labels at least: a rule for a whole top-level domain would be one
    /// for strangers.
    private static func host(_ text: String) throws(SettingFault) -> String {
        guard !text.contains("://"), !text.contains("/") else {
            throw SettingFault("\"\(text)\" is not a host: write it without scheme and path")
        }
        guard text != "*" else { throw SettingFault("\"*\" is no host: proxy.others says what happens to the rest") }
        let checked = try BaseURL.checkImageHost(text)
        guard let suffix = checked.dropping(prefix: "*.") else { return try hostName(checked) }
        guard suffix.contains(".") else { throw SettingFault("\"\(text)\" needs a suffix of two names at least") }
        return checked
    }
}
