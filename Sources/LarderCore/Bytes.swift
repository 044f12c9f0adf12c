// Rooms exchange bytes as plain arrays: contiguous, shared by reference counting, safe to pass between threads.

/// A run of bytes. Copies share storage; no room changes in place an array that it got from another.
public typealias Bytes = [UInt8]

extension Array where Element == UInt8 {
    /// The UTF-8 bytes of a text.
    @inlinable
    public init(text: String) {
        self = Array(text.utf8)
    }

    /// Creates an array with room for `count` bytes. The body writes bytes from the start and sets how many it wrote.
    ///
    /// For `count` 0 the result is the empty array and the body is not run. The standard initialiser would write the
    /// number 0 into the one empty array that all threads share (Swift 6.3, `_swiftEmptyArrayStorage`), which is
    /// formally a data race.
    @inlinable
    public init(
        room count: Int, _ body: (inout UnsafeMutableBufferPointer<UInt8>, inout Int) throws -> Void
    ) rethrows {
        guard count > 0 else {
            self = []
            return
        }
        try self.init(unsafeUninitializedCapacity: count, initializingWith: body)
    }

    /// Appends the bytes that the body writes, at most `count`; the body returns how many. The checks for sharing and
    /// capacity are made once for all of them.
    @inlinable
    public mutating func append(room count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        guard count > 0 else { return }
        append(addingCapacity: count) { (span: inout OutputSpan<UInt8>) in
            span.withUnsafeMutableBufferPointer { buffer, written in
                if let start = buffer.baseAddress { written += body(start + written) }
            }
        }
    }

    /// The bytes decoded as UTF-8; invalid sequences become U+FFFD. For messages, never for keys.
    @inlinable
    public var lossyText: String { String(decoding: self, as: UTF8.self) }

    /// The bytes decoded as strict UTF-8, or nil if they are not valid.
    @inlinable
    public var strictText: String? { String(validating: self, as: UTF8.self) }
}

/// ASCII classes and case folding, for protocols that compare without regard to case (RFC 9110 §5.1).
public enum ASCII {
    /// The lower-case form of an ASCII letter; any other byte is unchanged.
    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether two texts are equal when the case of ASCII letters is ignored.
    @inlinable @inline(__always)
    public static func equalFolded(_ left: String, _ right: String) -> Bool {
        // Most compared names differ in length already. The length check is inlined into the caller.
        left.utf8.count == right.utf8.count && sameLetters(left, right)
    }

    /// Compares two texts of equal length without regard to the case of ASCII letters.
    @usableFromInline
    static func sameLetters(_ left: String, _ right: String) -> Bool {
        let result = left.utf8.withContiguousStorageIfAvailable { one in
            right.utf8.withContiguousStorageIfAvailable { other in
                for index in 0..<one.count where lowercased(one[index]) != lowercased(other[index]) { return false }
                return true
            }
        }
        return result.flatMap { $0 } ?? zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    /// Whether `text` begins with `prefix` when the case of ASCII letters is ignored.
    public static func hasPrefixFolded(_ text: Substring, _ prefix: String) -> Bool {
        var rest = text.utf8.makeIterator()
        for byte in prefix.utf8 {
            guard let other = rest.next(), lowercased(other) == lowercased(byte) else { return false }
        }
        return true
    }

    /// The same for a whole text, which is compared where it lies.
    public static func hasPrefixFolded(_ text: String, _ prefix: StaticString) -> Bool {
        text.withBytes { bytes in
            guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
            for index in 0..<prefix.utf8CodeUnitCount
            where lowercased(bytes[index]) != lowercased(prefix.utf8Start[index]) { return false }
            return true
        }
    }

    @inlinable
    public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Whether the byte is an ASCII letter of either case.
    @inlinable
    public static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    @inlinable
    public static func isLowercaseLetter(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }

    /// Whether the byte is a letter of either case or a digit.
    @inlinable
    public static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// Whether the byte is a token character (RFC 9110 §5.6.2).
    @inlinable
    public static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// Returns the text without leading and trailing spaces and tabs (OWS, RFC 9110 §5.6.3).
    public static func trimmed(_ text: Substring) -> Substring {
        var bytes = text.utf8
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return Substring(bytes)
    }

    /// Returns the bytes without leading and trailing spaces and tabs.
    @inlinable
    public static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while start < end, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// The value of a hexadecimal digit; nil for any other byte.
    @inlinable
    public static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
