// One field line: as a value that can be kept, and as a view of the memory of a list.

/// One field line.
public struct HeaderField: Sendable {
    private let records: Bytes
    private let place: Int

    /// Creates a field with the name and value as they appear on the wire. A scalar above U+00FF, which only Larder's
    /// own code could produce, becomes "?".
    public init(_ name: String, _ value: String) {
        records = FieldLine.withBytes(name) { name in
            FieldLine.withBytes(value) { value in
                var record = Bytes()
                record.append(room: FieldLine.size(name, value)) {
                    FieldLine.write(FieldNameTable.shared.code(of: name), name, value, to: $0)
                }
                return record
            }
        }
        place = 0
    }

    /// The line at an offset of a list's buffer.
    init(records: Bytes, place: Int) {
        self.records = records
        self.place = place
    }

    /// The name as received, or in Larder's own spelling. Compared without regard to case.
    public var name: String { withLine { FieldLine.text($0.name) } }
    /// The value without surrounding white space, one scalar per byte.
    public var value: String { withLine { FieldLine.text($0.value) } }

    /// The same line with another value.
    public func with(value: String) -> HeaderField { HeaderField(name, value) }

    public func isNamed(_ name: FieldName) -> Bool { code == name.code }

    public func isNamed(_ name: String) -> Bool {
        FieldLine.withBytes(name) { other in withLine { FieldLine.equalFolded($0.name, other) } }
    }

    var code: UInt8 { withLine(\.code) }

    func withName<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result { withLine { body($0.name) } }

    /// What the body makes of the line's memory, which is valid only inside the body.
    public func withLine<Result>(_ body: (FieldLine) throws -> Result) rethrows -> Result {
        try records.withUnsafeBufferPointer { try body(FieldLine($0, at: place)) }
    }
}

extension HeaderField: Hashable {
    public static func == (left: HeaderField, right: HeaderField) -> Bool {
        left.withLine { left in right.withLine { left.record.elementsEqual($0.record) } }
    }

    public func hash(into hasher: inout Hasher) {
        withLine { hasher.combine(bytes: UnsafeRawBufferPointer($0.record)) }
    }
}

/// The memory of one line. Valid only while the list is borrowed: inside the body that it is given to.
public struct FieldLine {
    /// The bytes before the line itself: the number of the name (8 bits), the length of the name (24), of the value
    /// (32).
    @usableFromInline static let prefix = 8

    @usableFromInline let base: UnsafePointer<UInt8>
    @usableFromInline let head: UInt64
    @usableFromInline let place: Int

    /// The line at an offset of a buffer of records.
    @inlinable
    init(_ memory: UnsafeBufferPointer<UInt8>, at place: Int) {
        let raw = UnsafeRawBufferPointer(memory)
        head = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        base = raw.baseAddress.unsafelyUnwrapped.advanced(by: place).assumingMemoryBound(to: UInt8.self)
        self.place = place
    }

    @inlinable var code: UInt8 { UInt8(truncatingIfNeeded: head) }
    @inlinable var nameCount: Int { Int(truncatingIfNeeded: head >> 8 & 0xFF_FFFF) }
    @inlinable var valueCount: Int { Int(truncatingIfNeeded: head >> 32) }
    /// The offset behind the record.
    @inlinable var end: Int { place + Self.prefix + nameCount + valueCount + 4 }

    @inlinable
    public var name: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + Self.prefix, count: nameCount)
    }

    @inlinable
    public var value: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + Self.prefix + nameCount + 2, count: valueCount)
    }

    /// `Name: value CR LF`.
    @inlinable
    public var wire: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + Self.prefix, count: nameCount + valueCount + 4)
    }

    @inlinable
    var record: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base, count: Self.prefix + nameCount + valueCount + 4)
    }

    @inlinable
    public func isNamed(_ name: FieldName) -> Bool { code == name.code }

    /// Whether the other line has the same name, in any case.
    func hasName(of other: FieldLine) -> Bool {
        code == other.code && (code != 0 || Self.equalFolded(name, other.name))
    }

    public func isIn(_ names: FieldNameSet) -> Bool { names.contains(code, name) }

    static func size(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Int {
        prefix + name.count + value.count + 4
    }

    /// Writes a record, and returns its size.
    static func write(
        _ code: UInt8, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        to memory: UnsafeMutablePointer<UInt8>
    ) -> Int {
        precondition(name.count < 1 << 24 && value.count < 1 << 32, "a field line is too long")
        let head = UInt64(code) | UInt64(name.count) << 8 | UInt64(value.count) << 32
        UnsafeMutableRawPointer(memory).storeBytes(of: head, as: UInt64.self)
        var place = memory + prefix
        if let start = name.baseAddress { place.initialize(from: start, count: name.count) }
        place += name.count
        place[0] = 0x3A
        place[1] = 0x20
        place += 2
        if let start = value.baseAddress { place.initialize(from: start, count: value.count) }
        place += value.count
        place[0] = 0x0D
        place[1] = 0x0A
        return size(name, value)
    }

    /// Whether the name is a token and the value has no control character (RFC 9110 §5.1, §5.5). A known name is one.
    static func isSendable(
        _ code: UInt8, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if code == 0 {
            guard !name.isEmpty else { return false }
            for byte in name where !ASCII.isToken(byte) { return false }
        }
        return isValue(value)
    }

    /// Whether a value has no control character (RFC 9110 §5.5).
    static func isValue(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        // The loop always runs to the end, so that the compiler can process many bytes per step.
        var others: UInt8 = 0
        for byte in value { others |= byte &- 0x20 < 0x5F ? 0 : 1 }
        if others == 0 { return true }
        for byte in value where byte < 0x20 && byte != 0x09 || byte == 0x7F { return false }
        return true
    }

    /// Whether two names are equal when the case of ASCII letters is ignored.
    @usableFromInline
    static func equalFolded(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where ASCII.lowercased(left[index]) != ASCII.lowercased(right[index]) {
            return false
        }
        return true
    }

    /// Runs the body with the bytes that the scalars of a text stand for. A scalar above U+00FF becomes "?".
    @usableFromInline
    static func withBytes<Result>(
        _ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        let plain: Result? = try text.withBytes { utf8 in
            for byte in utf8 where byte >= 0x80 { return nil }
            return try body(utf8)
        }
        if let plain { return plain }
        var bytes = Bytes()
        HeaderField.append(text, to: &bytes)
        return try bytes.withUnsafeBufferPointer(body)
    }

    /// The text whose scalars stand for the bytes.
    @usableFromInline
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String { HeaderField.text(buffer: bytes) }
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
