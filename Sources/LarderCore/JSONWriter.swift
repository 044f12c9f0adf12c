// Writes JSON text directly to bytes (RFC 8259). Members keep the order in which they are written: the bytes of a
// response, and so its entity tag, must not depend on the order of a dictionary.

/// Writes one JSON text. The writer places the commas; the caller must nest correctly.
public struct JSONWriter: Sendable {
    public private(set) var bytes: Bytes = []
    private var needsComma = false

    public init() {}

    public init(reserving capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    public mutating func beginObject() { open(0x7B) }
    public mutating func endObject() { close(0x7D) }
    public mutating func beginArray() { open(0x5B) }
    public mutating func endArray() { close(0x5D) }

    /// Writes an object as a value: `writer.object { $0.member("a", 1) }`.
    public mutating func object(_ body: (inout JSONWriter) -> Void) {
        beginObject()
        body(&self)
        endObject()
    }

    /// Writes an array as a value.
    public mutating func array(_ body: (inout JSONWriter) -> Void) {
        beginArray()
        body(&self)
        endArray()
    }

    /// Writes the name of a member. Its value must follow.
    public mutating func name(_ name: String) {
        separate()
        quoted(name)
        bytes.append(0x3A)
        needsComma = false
    }

    public mutating func string(_ value: String) {
        separate()
        quoted(value)
        needsComma = true
    }

    public mutating func integer(_ value: some BinaryInteger) { plain(String(value)) }
    public mutating func bool(_ value: Bool) { plain(value ? "true" : "false") }
    public mutating func null() { plain("null") }

    /// Writes a number. NaN and infinities, which JSON lacks, become null. Whole numbers are written without a
    /// fraction.
    public mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 {
            plain(String(Int64(value)))
        } else {
            plain("\(value)")
        }
    }

    /// Writes a number or any other JSON text unchanged. The text must be valid.
    public mutating func raw(_ text: Bytes) {
        separate()
        bytes.append(contentsOf: text)
        needsComma = true
    }

    public mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }
    public mutating func member(_ name: String, _ value: some BinaryInteger) {
        self.name(name)
        integer(value)
    }
    public mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }
    public mutating func member(_ name: String, number value: Double) {
        self.name(name)
        number(value)
    }
    public mutating func member(_ name: String, raw value: Bytes) {
        self.name(name)
        raw(value)
    }
    /// Writes a member, or nothing if the value is nil.
    public mutating func member(ifPresent name: String, _ value: String?) {
        if let value { member(name, value) }
    }
    public mutating func member(_ name: String, strings values: [String]) {
        self.name(name)
        array { writer in
            for value in values { writer.string(value) }
        }
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func plain(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(0x2C) }
    }

    /// Writes a quoted string. DEL and C1 need no escape in JSON (RFC 8259 §7), but they are escaped: JSON is also read
    /// on terminals and in logs.
    private mutating func quoted(_ text: String) {
        bytes.append(0x22)
        var last: UInt8 = 0
        for byte in text.utf8 {
            defer { last = byte }
            switch byte {
            case 0x22: bytes.append(contentsOf: [0x5C, 0x22])
            case 0x5C: bytes.append(contentsOf: [0x5C, 0x5C])
            case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
            case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
            case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
            case 0x80..<0xA0 where last == 0xC2:
                // The second byte of U+0080 to U+009F equals the number of the character.
                bytes.removeLast()
                fallthrough
            case 0x00...0x1F, 0x7F:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: Hex.encode([byte]).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }
}
