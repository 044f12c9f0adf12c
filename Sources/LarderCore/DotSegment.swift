// Which segments of a path are dot segments. RFC 3986 §3.3 knows "." and ".."; an upstream may read more as one of them:
// servlet containers cut parameters off first ("..;x"), and URL parsers of browsers and some servers take "\" for "/"
// (WHATWG URL §4.4). What any of them would climb by counts as a climb here.

/// A segment that stands for another place than its name says.
public enum DotSegment {
    /// Whether a segment is one.
    /// - Parameter segment: percent-decoded, without separators.
    public static func matches(_ segment: some Collection<UInt8>) -> Bool {
        // Parameters begin with the first ";" (RFC 3986 §3.3).
        let name = segment.prefix { $0 != 0x3B }
        return (1...2).contains(name.count) && name.allSatisfy { $0 == 0x2E }
    }

    /// Whether a byte ends a segment: "/", and "\".
    public static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C }

    /// Whether a path that is percent-decoded once has such a segment. Every request that memory does not answer is
    /// looked at, so only a segment that begins with a dot is taken out of the path.
    public static func occurs(in path: Bytes) -> Bool {
        var isStart = true
        for place in path.indices {
            if isStart, path[place] == 0x2E, matches(path[place...].prefix { !isSeparator($0) }) { return true }
            isStart = isSeparator(path[place])
        }
        return false
    }
}
