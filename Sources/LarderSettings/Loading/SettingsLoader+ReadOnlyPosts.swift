// Reads the POST endpoints that are declared to only read.
import LarderCore

extension SettingsLoader {
    /// The maximum number of such endpoints of one provider.
    private static let mostReadOnlyPosts = 64
    private static let names = ["path", "ttl", "kind"]
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(365 * 86_400)

    static func readOnlyPosts(_ reader: inout SettingsReader, path: String) -> [ReadOnlyPost] {
        reader.value(SettingsTable.providerReadOnlyPosts, path: path, standard: nil, default: []) {
            node throws(SettingFault) in
            let items = node.isMapping ? [node] : try SettingsReader.items(node)
            guard items.count <= mostReadOnlyPosts else {
                throw SettingFault("names \(items.count) endpoints; \(mostReadOnlyPosts) are allowed")
            }
            var posts: [ReadOnlyPost] = []
            for item in items {
                let post = try readOnlyPost(item)
                guard !posts.contains(where: { $0.path == post.path }) else {
                    throw SettingFault("\(post.path.text) is declared twice", at: item.mark)
                }
                posts.append(post)
            }
            return posts
        }
    }

    private static func readOnlyPost(_ node: YAMLNode) throws(SettingFault) -> ReadOnlyPost {
        let form = "{ path: /graphql, ttl: 1min, kind: graphql }"
        guard case .mapping(let members) = node.content else {
            throw SettingFault("must be a mapping such as \(form), not \(node.kindText)", at: node.mark)
        }
        var given: [String: YAMLNode] = [:]
        for member in members {
            guard names.contains(member.key) else {
                throw SettingFault("an endpoint has path, ttl and kind, no \"\(member.key)\"", at: member.mark)
            }
            guard given[member.key] == nil else {
                throw SettingFault("\"\(member.key)\" is set twice", at: member.mark)
            }
            given[member.key] = member.value
        }
        guard let path = given["path"], let ttl = given["ttl"], let kind = given["kind"] else {
            let lacking = names.filter { given[$0] == nil }.joined(separator: ", ")
            throw SettingFault("an endpoint needs path, ttl and kind; missing here: \(lacking)", at: node.mark)
        }
        return ReadOnlyPost(path: try SettingsReader.path(path), ttl: try postTTL(ttl), kind: try postKind(kind))
    }

    private static func postTTL(_ node: YAMLNode) throws(SettingFault) -> Duration {
        let text = try SettingsReader.text(node)
        let ttl: Duration
        do throws(UnitError) {
            ttl = try Units.duration(text)
        } catch {
            throw SettingFault("ttl: \(error.message)", at: node.mark)
        }
        guard (shortest...longest).contains(ttl) else {
            throw SettingFault(
                "ttl must be between \(Units.format(duration: shortest)) and \(Units.format(duration: longest))",
                at: node.mark)
        }
        return ttl
    }

    private static func postKind(_ node: YAMLNode) throws(SettingFault) -> ReadOnlyPost.Kind {
        let text = try SettingsReader.text(node)
        guard let kind = ReadOnlyPost.Kind(rawValue: text) else {
            let allowed = ReadOnlyPost.Kind.allCases.map(\.rawValue)
            let near = NearestName.find(text, among: allowed).map { "; did you mean \"\($0)\"?" } ?? ""
            throw SettingFault(
                "kind \"\(text)\" is not one of \(allowed.joined(separator: ", "))\(near)", at: node.mark)
        }
        return kind
    }
}
