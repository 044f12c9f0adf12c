// Reads the fields that Larder sends with every request to a provider.
import LarderCore
import LarderProviders

extension SettingsReader {
    /// The maximum number of such fields.
    private static let mostFields = 32

    /// - Parameters:
    ///   - provider: the path of the provider's settings.
    ///   - keyIn: where the provider takes its key, if it has one.
    mutating func requestFields(of provider: String, keyIn: KeyPlacement?) -> HeaderFields {
        value(SettingsTable.providerRequestFields, path: "\(provider).requestFields", standard: nil, default: [:]) {
            node throws(SettingFault) in
            guard case .mapping(let members) = node.content else {
                throw SettingFault(
                    "must be a mapping such as { X-Api-Version: \"2\" }, not \(node.kindText)", at: node.mark)
            }
            guard members.count <= Self.mostFields else {
                throw SettingFault("names \(members.count) fields; \(Self.mostFields) are allowed")
            }
            var fields: HeaderFields = [:]
            for member in members {
                do throws(SettingFault) {
                    try KeyFieldName.checkSent(member.key, keyIn: keyIn)
                    guard !fields.contains(member.key) else { throw SettingFault("\"\(member.key)\" is set twice") }
                } catch {
                    throw SettingFault(error.message, at: member.mark)
                }
                do throws(SettingFault) {
                    fields.add(member.key, try Self.publicValue(member.value))
                } catch {
                    throw SettingFault("\(member.key): \(error.message)", at: member.value.mark)
                }
            }
            return fields
        }
    }

    /// A value is shown like every other setting, so it must be no secret.
    private static func publicValue(_ node: YAMLNode) throws(SettingFault) -> String {
        let text = try SettingsLoader.fieldValue(text(node))
        guard !text.hasPrefix("file:"), !text.hasPrefix("env:") else {
            throw SettingFault(
                "is sent as it is written; a secret is set by key, and keyIn: header NAME says where it goes")
        }
        return text
    }
}
