// Which paths of an API are about one person. An API may take several spellings for the same path, so paths are compared
// by what they name: percent-decoded, without empty segments, dot segments and parameters, in any letter case
// (RFC 3986 §3.3, §5.2.4, §6.2.2). A spelling that the API does not take costs no more than the cache for that request.
import LarderCore

extension ProviderAbout {
    /// What may be told of a path where it is about one person, or is a step of a sign-in. Its last part may be a
    /// credential, as the id of a guest's session is.
    /// - Parameter path: percent-encoded, beginning with "/", without what precedes the API's own paths.
    /// - Returns: the known beginning of the path, and "/…" for what follows; nil for any other path. A path that cannot be
    ///   decoded counts as personal.
    public func personalPath(of path: String) -> String? {
        guard !personalPaths.isEmpty else { return nil }
        guard let segments = Self.segments(path) else { return "/…" }
        return personalPath(of: segments)
    }

    /// The same of a path that is in segments already, as `segments` gives them.
    public func personalPath(of segments: [String]) -> String? {
        // A base URL may end in the prefix of all paths: then they come without it.
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

    /// The segments of a path by what they name; nil where it cannot be decoded.
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
