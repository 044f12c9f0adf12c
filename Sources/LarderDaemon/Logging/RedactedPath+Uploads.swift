// Paths of uploads that must not be logged as they are: the name with which a file can be deleted is as good as a key.
import LarderCore
import LarderProviders

extension RedactedPath {
    /// The APIs that accept files, with the collection name in their paths.
    private static let takers: [(about: ProviderAbout, collection: String)] = ProviderRegistry.builtIn.compactMap {
        provider in provider.about.uploads.map { (provider.about, $0.collection) }
    }

    /// The words by which a path can name one of these APIs.
    private static let words: [[UInt8]] = Set(
        takers.flatMap { [$0.about.name, $0.about.routePrefix] + $0.about.shortNames }
    ).map { Array($0.utf8) }

    /// The path for logs and explanations; nil if the path itself may be used. A path with an extra
    /// slash, which reaches no route, is redacted too, and so is the path of a route that deletes nothing.
    static func upload(_ method: Method, _ path: String, listenerProvider: String?) -> String? {
        if method == .delete, let listenerProvider, takers.contains(where: { $0.about.name == listenerProvider }) {
            return "/…"
        }
        guard mayNameOne(path) else { return nil }
        // Decoded as the router decodes it: an encoded letter must not hide a path from redaction.
        let plain = (try? PercentCoding.decode(path.utf8, plusIsSpace: false)) ?? path
        let parts = plain.utf8.split(whereSeparator: DotSegment.isSeparator).filter { !DotSegment.matches($0) }
            .map { Substring($0) }
        for (about, collection) in takers {
            if method == .delete, parts.count > 1, parts[0] == "raw",
                parts[1] == about.name || about.shortNames.contains(String(parts[1]))
            {
                return "/raw/\(about.name)/…"
            }
            let isOfOne = parts.indices.dropFirst().dropLast().contains {
                parts[$0 - 1] == about.routePrefix && parts[$0] == collection
            }
            if isOfOne { return "/v1/\(about.routePrefix)/\(collection)/…" }
        }
        return nil
    }

    /// Whether the path must be parsed. Every request is checked, and few name such an API or contain encoded letters.
    private static func mayNameOne(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            bytes.indices.contains { index in
                bytes[index] == UInt8(ascii: "%")
                    || words.contains { $0.first == bytes[index] && bytes[index...].starts(with: $0) }
            }
        }
    }
}
