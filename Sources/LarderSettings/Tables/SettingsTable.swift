// Every setting is one record of this table. The readers of the file, the environment and the flags, `larder params`,
// the documented example file, the manual and the man page are made from it. No other code knows a name, bound or
// default.
import LarderCore

/// The table of all settings, in the order in which people read them.
public enum SettingsTable {
    /// One section of the file, with the title above it.
    public struct Section: Sendable {
        /// The first part of the paths in the section; "" for settings without a section.
        public var name: String
        public var title: String
        public var parameters: [Parameter]
    }

    public static let sections: [Section] = [
        Section(name: "", title: "Where Larder listens", parameters: listening),
        Section(name: "admin", title: "Who may purge, resume and change Larder's state", parameters: admin),
        Section(name: "", title: "Tools that are told apart", parameters: telling),
        Section(name: "proxy", title: "The proxy: listeners with proxy: true", parameters: proxy),
        Section(name: "quota", title: "What budgets keep for a person", parameters: quota),
        Section(name: "cache", title: "The cache: disposable, in one SQLite database", parameters: cache),
        Section(name: "state", title: "Budgets, suspensions and keys: small, not disposable", parameters: state),
        Section(name: "server", title: "The HTTP server", parameters: server),
        Section(name: "fetch", title: "Calls to the APIs", parameters: fetch),
        Section(name: "shared", title: "Answers that several hosts share", parameters: shared),
        Section(name: "search", title: "Searches over several sources", parameters: search),
        Section(name: "artwork", title: "Artwork", parameters: artwork),
        Section(name: "uploads", title: "Uploads to \(takers)", parameters: uploads),
        Section(name: "log", title: "The log", parameters: log),
        Section(name: "providers", title: "The APIs", parameters: provider),
    ]

    /// Every record. Those of the providers have "<name>" in their path.
    public static let all: [Parameter] = sections.flatMap(\.parameters)

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
