// Which paths of an API are about one person. An API may accept several spellings of a path, so paths are compared by
// meaning: percent-decoded, without empty segments, dot segments and path parameters, in any letter case (RFC 3986
// §3.3, §5.2.4, §6.2.2). If the API does not accept such a spelling, the only cost is that the request bypasses the
// cache.
import LarderCore

extension ProviderAbout {
    /// The part of a personal or sign-in path that is safe to show. The last part of such a path may be a credential,
    /// like the id of a guest session.
    /// - Parameter path: percent-encoded, beginning with "/", without anything that precedes the API's own paths.
    /// - Returns: the known beginning of the path, with "/…" for the rest; nil for any other path. A path that cannot
    ///   be decoded counts as personal.
    public func personalPath(of path: String) -> String? {
        guard !personalPaths.isEmpty else { return nil }
        guard let segments = Self.segments(path) else { return "/…" }
        return personalPath(of: segments)
    }

    /// The same for a path already split by `segments`.
    public func personalPath(of segments: [String]) -> String? {
        // A base URL may end in the path prefix. The paths then arrive without the prefix.
        let prefix = pathPrefix.split(separator: "/").map(String.init)
        for known in personalPaths {
            let known = known.split(separator: "/").map(String.init)
            for (left, whole) in [(0, segments), (prefix.count, prefix + segments)]
            where whole.starts(with: known, by: Self.isSameSegment) {
                let told = "/" + known.dropFirst(left).joined(separator: "/")
                return whole.count > known.count ? told + "/…" : told
            }
        }
        return nil
    }

    /// The normalised segments of a path; nil if it cannot be decoded.
    /// - Parameter path: percent-encoded.
    public static func segments(_ path: String) -> [String]? {
        guard let plain = try? PercentCoding.decode(path.utf8, plusIsSpace: false) else { return nil }
        var segments: [String] = []
        for segment in plain.utf8.split(whereSeparator: DotSegment.isSeparator) {
            let name = segment.prefix { $0 != 0x3B }
            switch String(Substring(name)) {
            case "", ".": continue
            case "..": _ = segments.popLast()
            case let name: segments.append(name)
            }
        }
        return segments
    }

    private static func isSameSegment(_ left: String, _ right: String) -> Bool { ASCII.equalFolded(left, right) }
}
