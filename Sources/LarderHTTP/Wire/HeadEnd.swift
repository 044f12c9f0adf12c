// A head that comes in small pieces is searched for its end in new bytes only, and parsed once, not again for each
// piece.

/// Searches for the end of a head in new bytes only.
public enum HeadEnd {
    /// Whether an empty line begins at or shortly before `start`, or later: a line feed, and another one after it with
    /// at most a carriage return between. This includes line ends that the parser refuses.
    public static func isPresent(in buffer: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var index = max(0, start - 2)
        while index < buffer.count {
            if buffer[index] == 0x0A {
                if index + 1 < buffer.count, buffer[index + 1] == 0x0A { return true }
                if index + 2 < buffer.count, buffer[index + 1] == 0x0D, buffer[index + 2] == 0x0A { return true }
            }
            index += 1
        }
        return false
    }
}
