// A path segment of one dot names the place where it stands, so a path without it is the same path (RFC 3986 §5.2.4,
// §6.2.2.3). Such segments are removed before anything is looked up. Segments of two dots are refused instead
// (`UpstreamPath`).
import LarderCore

extension UpstreamPath {
    /// The path without segments of a single dot, including encoded ones (RFC 3986 §6.2.2.2). If such a segment is the
    /// last one, the slash before it stays.
    public static func withoutSingleDots(_ path: String) -> String {
        guard path.utf8.first == 0x2F, mayHaveSingleDots(path) else { return path }
        var segments: [Substring] = []
        let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (place, segment) in all.enumerated() {
            if segment == "." || segment == "%2e" || segment == "%2E" {
                if place == all.count - 1 { segments.append("") }
            } else {
                segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    /// Whether a segment begins like a single dot. In most paths none does, and nothing is allocated.
    private static func mayHaveSingleDots(_ path: String) -> Bool {
        var isStart = false
        for byte in path.utf8 {
            if isStart, byte == 0x2E || byte == 0x25 { return true }
            isStart = byte == 0x2F
        }
        return false
    }
}
