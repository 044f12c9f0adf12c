// Paths of uploads that are not written down as they are: what names a file that can be taken down is as good as a key.
import LarderCore
import LarderProviders

extension RedactedPath {
    /// The APIs that take files, as paths name them.
    private static let takers: [(about: ProviderAbout, collection: String)] = ProviderRegistry.builtIn.compactMap {
        provider in provider.about.uploads.map { (provider.about, $0.collection) }
    }

    /// The words by which a path names one of them.
    private static let words: [[UInt8]] = Set(
        takers.flatMap { [$0.about.name, $0.about.routePrefix] + $0.about.shortNames }
    ).map { Array($0.utf8) }

    /// The path as it may be logged and explained; nil where it may be as it is. One that leads nowhere for a slash too many,
    /// or to a route that deletes nothing, holds the name all the same.
    static func upload(_ method: Method, _ path: String, listenerProvider: String?) -> String? {
        if method == .delete, let listenerProvider, takers.contains(where: { $0.about.name == listenerProvider }) {
            return "/…"
        }
        guard mayNameOne(path) else { return nil }
        // As the router reads it: an encoded letter must not make another path of it.
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

    /// Whether a path has to be taken apart: every request comes by here, and few of them name such an API or hide letters.
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
