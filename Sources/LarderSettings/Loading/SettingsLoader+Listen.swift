// Reads the addresses to listen on: those in the configuration, or the default ones, which need no permission.
import LarderCore
import LarderIO

extension SettingsLoader {
    func listeners(
        _ reader: inout SettingsReader, _ places: StandardPlaces, allowRemote: Bool,
        providers: [String: ProviderSettings]
    ) -> [ListenSetting] {
        var standard = ["127.0.0.1:8787", "[::1]:8787"]
        if let socket = places.sockets.first, socket.utf8.count <= 107 { standard.append("unix:\(socket)") }
        let known = providers.keys.sorted()
        return reader.value(
            SettingsTable.listen, standard: standard.joined(separator: ", "),
            default: standard.map { ListenSetting(address: $0, isDefault: true) }
        ) { node throws(SettingFault) in
            let items = node.isMapping ? [node] : try SettingsReader.items(node)
            guard !items.isEmpty else { throw SettingFault("names no address; leave the line out for the default") }
            var settings: [ListenSetting] = []
            for item in items {
                let setting = try Self.listener(item, providers: known)
                let address = try Self.address(setting.address, at: item.mark)
                if !address.isLoopback, !allowRemote {
                    throw SettingFault(
                        "\(setting.address) can be reached by other machines; that needs allowRemote: true",
                        at: item.mark)
                }
                // Port 0 means a different port each time, so it may be repeated.
                if address.port != 0, settings.contains(where: { (try? Address($0.address)) == address }) {
                    throw SettingFault("\(setting.address) is listed twice", at: item.mark)
                }
                settings.append(setting)
            }
            return settings
        }
    }

    private static func address(_ text: String, at mark: YAMLMark) throws(SettingFault) -> Address {
        do throws(SettingFault) {
            return try ListenAddress.parse(text)
        } catch {
            throw SettingFault(error.message, at: mark)
        }
    }

    /// Reads one item: an address, or a mapping with address, and provider or proxy.
    private static func listener(_ node: YAMLNode, providers: [String]) throws(SettingFault) -> ListenSetting {
        guard case .mapping(let members) = node.content else {
            return ListenSetting(address: try SettingsReader.text(node))
        }
        var given: [String: (text: String, mark: YAMLMark)] = [:]
        for member in members {
            guard ["address", "provider", "proxy"].contains(member.key) else {
                throw SettingFault(
                    "a listener has an address, and a provider or proxy: true, no \"\(member.key)\"", at: member.mark)
            }
            guard given[member.key] == nil else {
                throw SettingFault("\"\(member.key)\" is set twice", at: member.mark)
            }
            given[member.key] = (try SettingsReader.text(member.value), member.value.mark)
        }
        guard let address = given["address"] else { throw SettingFault("a listener needs an address", at: node.mark) }
        if let (provider, mark) = given["provider"], !providers.contains(provider) {
            let near = NearestName.find(provider, among: providers).map { "; did you mean \"\($0)\"?" } ?? ""
            throw SettingFault("there is no provider \"\(provider)\"\(near)", at: mark)
        }
        if let (proxy, mark) = given["proxy"] {
            guard proxy == "true" || proxy == "false" else { throw SettingFault("proxy is true or false", at: mark) }
            guard proxy == "false" || given["provider"] == nil else {
                throw SettingFault("a listener is a proxy or serves a provider, not both", at: mark)
            }
        }
        return ListenSetting(
            address: address.text, provider: given["provider"]?.text, isProxy: given["proxy"]?.text == "true")
    }
}

extension YAMLNode {
    var isMapping: Bool {
        if case .mapping = content { true } else { false }
    }
}
