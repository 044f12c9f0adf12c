// Header fields keep their order and spelling because pass-through must forward what it received (RFC 9110 §5.3).
//
// A value may contain any byte except control characters. It is kept as a text whose scalars U+0000…U+00FF stand for
// the bytes (ISO 8859-1), so bytes that are not valid UTF-8 pass through unchanged.

/// One field line.
public struct HeaderField: Sendable, Hashable {
    /// The name as received, or in Larder's own spelling. Compared without regard to case.
    public var name: String
    /// The value without surrounding white space, one scalar per byte.
    public var value: String

    /// Creates a field with the name and value as they appear on the wire.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An ordered list of field lines.
public struct HeaderFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The lines in their order.
    public var lines: [HeaderField]

    /// Creates a list from lines.
    public init(_ lines: [HeaderField] = []) {
        self.lines = lines
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.lines = elements.map { HeaderField($0.0, $0.1) }
    }

    /// The value of the first line with that name; nil if there is none.
    public func first(_ name: String) -> String? {
        for index in lines.indices where ASCII.equalFolded(lines[index].name, name) { return lines[index].value }
        return nil
    }

    /// The values of all lines with that name, in order.
    public func all(_ name: String) -> [String] {
        var values: [String] = []
        for index in lines.indices where ASCII.equalFolded(lines[index].name, name) {
            values.append(lines[index].value)
        }
        return values
    }

    /// All values of that name joined by ", " (RFC 9110 §5.3); nil if there is no such line.
    public func combined(_ name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Whether there is a line with that name.
    public func contains(_ name: String) -> Bool {
        for index in lines.indices where ASCII.equalFolded(lines[index].name, name) { return true }
        return false
    }

    /// Appends a line, even if there are lines with that name already.
    public mutating func add(_ name: String, _ value: String) {
        lines.append(HeaderField(name, value))
    }

    /// Replaces all lines with that name by one, at the place of the first of them. Appends a line if there is none.
    public mutating func set(_ name: String, _ value: String) {
        guard let place = lines.firstIndex(where: { ASCII.equalFolded($0.name, name) }) else {
            return add(name, value)
        }
        lines[place].value = value
        var index = lines.count - 1
        while index > place {
            if ASCII.equalFolded(lines[index].name, name) { lines.remove(at: index) }
            index -= 1
        }
    }

    /// Removes every line with that name.
    public mutating func remove(_ name: String) {
        // Mostly there is no such line. Then nothing is moved or copied.
        guard contains(name) else { return }
        lines.removeAll { ASCII.equalFolded($0.name, name) }
    }
}

extension HeaderField {
    /// Appends a text whose scalars stand for bytes. A scalar above U+00FF, which only Larder's own code could produce,
    /// becomes "?".
    public static func append(_ text: String, to bytes: inout Bytes) {
        let isPlain =
            text.utf8.withContiguousStorageIfAvailable { utf8 -> Bool in
                for byte in utf8 where byte >= 0x80 { return false }
                bytes.append(contentsOf: utf8)
                return true
            } ?? false
        if !isPlain {
            for scalar in text.unicodeScalars {
                bytes.append(scalar.value < 0x100 ? UInt8(truncatingIfNeeded: scalar.value) : 0x3F)
            }
        }
    }

    /// Returns the text whose scalars stand for the bytes.
    @inlinable
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable(text(buffer:)) ?? Array(bytes).withUnsafeBufferPointer(text(buffer:))
    }

    // Not generic: it runs for every field of every head, and an unspecialised version would take many times as long.
    @usableFromInline
    static func text(buffer bytes: UnsafeBufferPointer<UInt8>) -> String {
        for byte in bytes where byte >= 0x80 {
            var text = String.UnicodeScalarView()
            for byte in bytes { text.append(Unicode.Scalar(byte)) }
            return String(text)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
