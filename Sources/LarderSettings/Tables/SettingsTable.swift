// Every setting is one record of this table. The readers of the file, the environment and the flags, `larder params`,
// the documented example file, the manual and the man page are made from it. No other code knows a name, bound or
// default.
import LarderCore

/// The table of all settings, in the order in which people read them.
public enum SettingsTable {
    /// What a user wants to do, and the settings for it.
    public struct Task: Sendable {
        public var title: String
        /// Sentences in Markdown.
        public var introduction: String
        /// Lines of a configuration to copy.
        public var example: String
        public var parameters: [Parameter]

        init(_ title: String, _ introduction: String, example: String, _ parameters: [Parameter]) {
            (self.title, self.introduction) = (title, introduction)
            (self.example, self.parameters) = (example, parameters)
        }
    }

    /// One section of the file.
    public struct Section: Sendable {
        /// The first part of the paths in the section; "" for settings without a section.
        public var name: String
        public var parameters: [Parameter]
    }

    /// Every record. Those of the providers have "<name>" in their path.
    public static let all: [Parameter] = tasks.flatMap(\.parameters)

    /// The sections of the file, in the order of the tasks; the providers are last.
    public static let sections: [Section] = {
        let parts = Dictionary(grouping: all) { $0.path.contains(".") ? $0.path.prefix { $0 != "." } : "" }
        let names = all.compactMap { parameter in parts.keys.first { parts[$0]?.first == parameter } }
        return (names.filter { $0 != "providers" } + ["providers"]).map { name in
            Section(name: String(name), parameters: parts[name] ?? [])
        }
    }()

    static let provider: [Parameter] = sections.last?.parameters ?? []

    /// The record for a path as it is written, including paths such as "providers.itunes.rate".
    public static func parameter(at path: String) -> Parameter? {
        let template = template(of: path)
        return all.first { $0.path == template }
    }

    /// The path with the name of a provider replaced by "<name>".
    static func template(of path: String) -> String {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "providers" else { return path }
        return "providers.<name>.\(parts[2])"
    }

    /// The environment variable of a path: `LARDER_` and the path in capitals, with "_" for each "." and "-".
    public static func environmentName(of path: String) -> String {
        "LARDER_"
            + path.uppercased().map { character -> Character in
                character == "." || character == "-" ? "_" : character
            }
    }
}
