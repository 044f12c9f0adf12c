// A head that comes in small pieces is searched once for its end and parsed once, not again for every piece.

/// Looks for the end of a head in new bytes alone.
public enum HeadEnd {
    /// Whether an empty line begins within a few bytes before `start` or later: a line feed, and behind it another with
    /// at most a carriage return between (which covers what the parser refuses, too).
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
