// Most bytes of most texts are printable ASCII and need no attention. Code that searches for the few others (the JSON
// parser, writers of JSON, the search for control characters) skips plain bytes eight at a time.

/// Runs of bytes that stand for themselves in any text.
public enum PlainText {
    /// The first offset from `start` on whose byte is not plain; the end of the text if all are plain.
    @inlinable
    public static func end(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var place = start
        guard let base = text.baseAddress else { return place }
        // These are the usual word tests for "some byte is below n" and "some byte is zero", without the mask that
        // keeps them from marking bytes beyond ASCII. The last two terms mark those bytes anyway, and DEL. A borrow or
        // a carry can mark only bytes above a correctly marked byte, and only the lowest marked byte counts.
        while place &+ 8 <= text.count {
            let word = UnsafeRawPointer(base + place).loadUnaligned(as: UInt64.self)
            let quotes = word ^ (ones &* 0x22)
            let slashes = word ^ (ones &* 0x5C)
            let special =
                (quotes &- ones) | (slashes &- ones) | (word &- ones &* 0x20) | (word &+ ones) | word
            if special & tops != 0 {
                // In little-endian order the lowest byte comes first.
                return place &+ (special & tops).littleEndian.trailingZeroBitCount / 8
            }
            place &+= 8
        }
        while place < text.count, isPlain(text[place]) { place &+= 1 }
        return place
    }

    /// Whether a byte is printable ASCII other than a quotation mark or a backslash.
    @inlinable
    public static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
    }
}
