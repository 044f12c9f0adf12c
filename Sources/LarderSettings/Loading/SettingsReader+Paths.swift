// Reads paths of an API, and lifetimes by path.
import LarderCore

extension SettingsReader {
    /// The maximum number of paths with lifetimes of one provider.
    private static let mostPaths = 64

    /// Checks a path that may contain `*` (`PathPattern`).
    static func path(_ node: YAMLNode) throws(SettingFault) -> String {
        let text = try text(node)
        do throws(SettingFault) {
            return try path(text)
        } catch {
            throw SettingFault(error.message, at: node.mark)
        }
    }

    private static func path(_ text: String) throws(SettingFault) -> String {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x23 }
        guard text.utf8.first == 0x2F, isPlain else {
            throw SettingFault("path \"\(text)\" must begin with \"/\", be percent-encoded, and have no query")
        }
        guard let plain = try? PercentCoding.decodeBytes(text.utf8, plusIsSpace: false), !DotSegment.occurs(in: plain)
        else {
            throw SettingFault("path \"\(text)\" has a segment of dots, or a wrong percent-encoding")
        }
        let segments = text.split(separator: "/")
        guard segments.dropLast().allSatisfy({ !$0.contains("*") || $0 == "*" }),
            segments.last.map({ !$0.contains("*") || $0 == "*" || $0 == "**" }) ?? true
        else {
            throw SettingFault(
                "path \"\(text)\": * stands for a whole segment, as in /*/_search, and ** for everything below, at the "
                    + "end")
        }
        return text
    }

    /// Reads the lifetimes of a provider of the user's own: one for all, or a mapping from paths to durations in which
    /// "*" stands for all other paths. Empty if none is written.
    mutating func pathTTL(_ parameter: Parameter, path: String, default text: String?) -> [String: Duration] {
        value(parameter, path: path, standard: text, default: [:]) { node throws(SettingFault) in
            let range = SettingsTable.providerEmptyTTL
            guard case .mapping(let members) = node.content else {
                return ["*": try Self.duration(node, within: range)]
            }
            guard members.count <= Self.mostPaths else {
                throw SettingFault("names \(members.count) paths; \(Self.mostPaths) are allowed")
            }
            var given: [String: Duration] = [:]
            for member in members {
                var name = member.key
                if name != "*" {
                    do throws(SettingFault) {
                        name = EquivalentURL.normalised(try Self.path(name))
                    } catch {
                        throw SettingFault("\(error.message); all other paths are \"*\"", at: member.mark)
                    }
                    if name == "/**" { name = "*" }
                }
                guard given[name] == nil else { throw SettingFault("\"\(name)\" is set twice", at: member.mark) }
                do throws(SettingFault) {
                    given[name] = try Self.duration(member.value, within: range)
                } catch {
                    throw SettingFault("\(member.key): \(error.message)", at: member.value.mark)
                }
            }
            return given
        }
    }
}
