// Paths of raw requests that are not written down as they are: the id of a person's session in a path is as good as a key.
import LarderEngine
import LarderProviders

enum RedactedPath {
    /// The names, short forms included, of APIs with paths that are about one person. Every request comes by here, so
    /// the providers are asked only for these.
    private static let personalNames: [String] = ProviderRegistry.builtIn
        .filter { !$0.about.personalPaths.isEmpty }.flatMap { [$0.about.name] + $0.about.shortNames }

    /// The path as it may be logged and explained; nil where it may be as it is. A spelling that leads nowhere holds the id
    /// all the same.
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

    /// Whether a path has to be taken apart.
    private static func mayNamePerson(_ path: String) -> Bool {
        guard path.hasPrefix("/raw/") else {
            // Another spelling of "/raw".
            return path.utf8.contains(0x25) || path.hasPrefix("//") || path.hasPrefix("/.")
        }
        let name = path.utf8.dropFirst(5).prefix { $0 != 0x2F }
        if personalNames.contains(where: { name.elementsEqual($0.utf8) }) { return true }
        // Another spelling of a name, or of the slash before it.
        return name.isEmpty || name.first == 0x2E || name.contains { $0 == 0x25 || $0 == 0x3B || $0 == 0x5C }
    }
}
