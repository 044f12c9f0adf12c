// Decides which segments of a path are dot segments. RFC 3986 §3.3 defines "." and "..". An upstream may treat more
// segments as such: servlet containers first cut off parameters ("..;x"), and the URL parsers of browsers and some
// servers read "\" as "/" (WHATWG URL §4.4). A segment that climbs for any of these readers is a dot segment here.

/// A path segment that names a place relative to its own.
public enum DotSegment {
    /// Whether a segment is a dot segment.
    /// - Parameter segment: percent-decoded, without separators.
    public static func matches(_ segment: some Collection<UInt8>) -> Bool {
        // Parameters begin with the first ";" (RFC 3986 §3.3).
        let name = segment.prefix { $0 != 0x3B }
        return (1...2).contains(name.count) && name.allSatisfy { $0 == 0x2E }
    }

    /// Whether a byte ends a segment: "/" or "\".
    public static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C }

    /// Whether a path that has been percent-decoded once contains a dot segment. This check runs for every request that
    /// memory does not answer, so only a segment that begins with a dot is examined.
    public static func occurs(in path: Bytes) -> Bool {
        var isStart = true
        for place in path.indices {
            if isStart, path[place] == 0x2E, matches(path[place...].prefix { !isSeparator($0) }) { return true }
            isStart = isSeparator(path[place])
        }
        return false
    }
}
