// Reads where a provider of the user's own takes its key.
import LarderCore
import LarderProviders

extension SettingsReader {
    /// - Parameter provider: the path of the provider's settings.
    mutating func keyPlacement(of provider: String, key: String?) -> KeyPlacement {
        let text = text(
            SettingsTable.providerKeyIn, path: "\(provider).keyIn", default: KeyPlacement.bearer.description
        ) {
            text throws(SettingFault) in
            guard let placement = KeyPlacement(text) else {
                throw SettingFault(
                    "\"\(text)\" is not bearer, basic, header NAME, header NAME SCHEME or query NAME")
            }
            if let name = placement.fieldName, !ASCII.equalFolded(name, "Authorization") {
                try KeyFieldName.checkKey(name)
            }
            return placement.description
        }
        let placement = text.flatMap(KeyPlacement.init) ?? .bearer
        if placement == .basic, let key, !key.contains(":") {
            issue("\(provider).key", "is not user:password, as keyIn: basic needs (RFC 7617 §2)")
        }
        return placement
    }
}
