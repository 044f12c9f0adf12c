// Paths of raw requests that must not be logged as they are: a person's session id in a path is as good as a key.
import LarderEngine
import LarderProviders

enum RedactedPath {
    /// The names, including short forms, of APIs with paths that identify a person. Every request is checked against
    /// them. The providers are asked only on a match.
    private static let personalNames: [String] = ProviderRegistry.builtIn
        .filter { !$0.about.personalPaths.isEmpty }.flatMap { [$0.about.name] + $0.about.shortNames }

    /// The path for logs and explanations; nil if the path itself may be used. A misspelt path that reaches no route is
    /// redacted too, because it contains the id all the same.
    static func raw(_ path: String, listenerProvider: String?, _ providers: @autoclosure () -> ProviderSet)
        -> String?
    {
        if let listenerProvider {
            guard personalNames.contains(listenerProvider) else { return nil }
            return providers().named(listenerProvider)?.about.personalPath(of: path)
        }
        guard mayNamePerson(path), let segments = ProviderAbout.segments(path), segments.count > 1,
            segments[0] == "raw", let provider = providers().named(segments[1]),
            let redacted = provider.about.personalPath(of: Array(segments.dropFirst(2)))
        else { return nil }
        return "/raw/\(segments[1])\(redacted)"
    }

    /// Whether the path must be parsed to decide.
    private static func mayNamePerson(_ path: String) -> Bool {
        guard path.hasPrefix("/raw/") else {
            // The path may be another spelling of "/raw".
            return path.utf8.contains(0x25) || path.hasPrefix("//") || path.hasPrefix("/.")
        }
        let name = path.utf8.dropFirst(5).prefix { $0 != 0x2F }
        if personalNames.contains(where: { name.elementsEqual($0.utf8) }) { return true }
        // The name may be spelt differently, or the slash before it.
        return name.isEmpty || name.first == 0x2E || name.contains { $0 == 0x25 || $0 == 0x3B || $0 == 0x5C }
    }
}
