// Header fields keep their order and spelling because pass-through must forward what it received (RFC 9110 §5.3).
//
// A list is one buffer. Each line is a record: its number of name and its lengths in eight bytes, then the line as it
// is sent, `Name: value CR LF`. So a line is searched for by its number, and is sent or stored by copying its bytes. A
// text is made only if somebody asks for one. A value may contain any byte except control characters. In a text each
// byte is the scalar U+0000…U+00FF (ISO 8859-1), so bytes that are not valid UTF-8 pass through unchanged.

/// An ordered list of field lines.
public struct HeaderFields: Sendable, Hashable {
    @usableFromInline var records = Bytes()
    /// The numbers of all names of the list.
    @usableFromInline var present = FieldNameBits()
    /// The number of lines.
    public private(set) var count = 0
    /// Whether each name is a token and no value has a control character, so that the lines can be sent as they are.
    public private(set) var isSendable = true

    /// Creates an empty list.
    public init() {}

    /// Creates a list of lines.
    public init(_ lines: some Sequence<HeaderField>) {
        for line in lines { add(line) }
    }

    public var isEmpty: Bool { count == 0 }

    /// The bytes of all lines as they are sent, without the empty line after them.
    public var wireSize: Int { records.count - count * FieldLine.prefix }

    /// The bytes of all names and values.
    public var textSize: Int { records.count - count * (FieldLine.prefix + 4) }

    /// Makes room for more lines.
    public mutating func reserve(lines: Int, bytes: Int) {
        records.reserveCapacity(records.count + bytes + lines * (FieldLine.prefix + 4))
    }

    /// The value of the first line with that name; nil if there is none.
    public func first(_ name: FieldName) -> String? { withFirst(name, FieldLine.text) }

    public func first(_ name: String) -> String? {
        var value: String?
        visit(name) { line in
            value = FieldLine.text(line.value)
            return false
        }
        return value
    }

    /// The values of all lines with that name, in order.
    public func all(_ name: FieldName) -> [String] {
        var values: [String] = []
        visit(name) { line in
            values.append(FieldLine.text(line.value))
            return true
        }
        return values
    }

    public func all(_ name: String) -> [String] {
        var values: [String] = []
        visit(name) { line in
            values.append(FieldLine.text(line.value))
            return true
        }
        return values
    }

    /// All values of that name joined by ", " (RFC 9110 §5.3); nil if there is no such line.
    public func combined(_ name: FieldName) -> String? { Self.joined(all(name)) }

    public func combined(_ name: String) -> String? { Self.joined(all(name)) }

    private static func joined(_ values: [String]) -> String? {
        values.count < 2 ? values.first : values.joined(separator: ", ")
    }

    /// Whether there is a line with that name.
    @inlinable
    public func contains(_ name: FieldName) -> Bool { present.contains(name.code) }

    public func contains(_ name: String) -> Bool {
        var isFound = false
        visit(name) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// Whether there is a line with the name of that line.
    public func contains(_ line: FieldLine) -> Bool {
        guard present.contains(line.code) else { return false }
        if line.code != 0 { return true }
        var isFound = false
        visit { other in
            isFound = other.hasName(of: line)
            return !isFound
        }
        return isFound
    }

    /// Whether there is a line whose name is in the set.
    public func contains(anyOf names: FieldNameSet) -> Bool {
        guard present.intersects(names.bits) else { return false }
        var isFound = false
        visit { line in
            isFound = names.contains(line.code, line.name)
            return !isFound
        }
        return isFound
    }

    /// Appends a line, even if there are lines with that name already.
    public mutating func add(_ name: FieldName, _ value: String) {
        FieldLine.withBytes(name.rawValue) { spelled in
            FieldLine.withBytes(value) { add(name.code, spelled, $0, isSendable: FieldLine.isValue($0)) }
        }
    }

    public mutating func add(_ name: String, _ value: String) {
        FieldLine.withBytes(name) { name in
            FieldLine.withBytes(value) { value in
                add(name: name, value: value)
            }
        }
    }

    public mutating func add(_ line: HeaderField) {
        line.withLine { add(copy: $0, isSendable: false) }
    }

    /// Appends a line whose name is a token and whose value has no control character.
    public mutating func add(checkedName name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        add(FieldNameTable.shared.code(of: name), name, value, isSendable: true)
    }

    /// Appends all lines of another list.
    public mutating func add(_ other: HeaderFields) {
        if isEmpty {
            self = other
        } else if !other.isEmpty {
            records += other.records
            present.formUnion(other.present)
            count += other.count
            isSendable = isSendable && other.isSendable
        }
    }

    /// Appends a line of UTF-8 texts whose scalars stand for the bytes. The bytes need not be valid UTF-8.
    public mutating func add(utf8Name name: UnsafeRawBufferPointer, utf8Value value: UnsafeRawBufferPointer) {
        let name = name.assumingMemoryBound(to: UInt8.self)
        let value = value.assumingMemoryBound(to: UInt8.self)
        var others = 0
        for byte in name { others += Int(byte >> 7) }
        for byte in value { others += Int(byte >> 7) }
        if others == 0 {
            add(name: name, value: value)
        } else {
            add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    private mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        let code = FieldNameTable.shared.code(of: name)
        add(code, name, value, isSendable: FieldLine.isSendable(code, name, value))
    }

    private mutating func add(
        _ code: UInt8, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isSendable: Bool
    ) {
        records.append(room: FieldLine.size(name, value)) { FieldLine.write(code, name, value, to: $0) }
        present.insert(code)
        count += 1
        if !isSendable { self.isSendable = false }
    }

    /// Replaces all lines with that name by one, at the place of the first of them. Appends a line if there is none.
    public mutating func set(_ name: FieldName, _ value: String) {
        contains(name) ? replace(name.rawValue, value) : add(name, value)
    }

    public mutating func set(_ name: String, _ value: String) {
        contains(name) ? replace(name, value) : add(name, value)
    }

    private mutating func replace(_ name: String, _ value: String) {
        var isSet = false
        self = changed { line in
            guard line.isNamed(name) else { return line }
            defer { isSet = true }
            return isSet ? nil : HeaderField(line.name, value)
        }
    }

    /// Replaces the lines of each name that the other list has by the lines there, at the place of the first of them.
    /// Lines with new names come last.
    public mutating func replace(with other: HeaderFields) {
        var result = HeaderFields()
        result.records.reserveCapacity(records.count + other.records.count)
        visit { line in
            if !other.contains(line) {
                result.add(copy: line, isSendable: isSendable)
            } else if !result.contains(line) {
                result.add(other.filtered { $0.hasName(of: line) })
            }
            return true
        }
        result.add(other.filtered { !contains($0) })
        self = result
    }

    /// Removes every line with that name.
    public mutating func remove(_ name: FieldName) {
        // Mostly there is no such line. Then nothing is moved or copied.
        if contains(name) { self = filtered { $0.code != name.code } }
    }

    public mutating func remove(_ name: String) {
        if contains(name) { remove(FieldNameSet([name])) }
    }

    /// Removes every line whose name is in the set.
    public mutating func remove(_ names: FieldNameSet) {
        guard contains(anyOf: names) else { return }
        self = filtered { !names.contains($0.code, $0.name) }
    }

    /// Removes every line for which the body is true.
    public mutating func removeAll(where isUnwanted: (HeaderField) throws -> Bool) rethrows {
        self = try changed { try isUnwanted($0) ? nil : $0 }
    }

    /// The list with each line replaced by what the body gives for it; nil leaves it out.
    public func changed(_ body: (HeaderField) throws -> HeaderField?) rethrows -> HeaderFields {
        var result = HeaderFields()
        result.records.reserveCapacity(records.count)
        for line in self {
            if let line = try body(line) { result.add(line) }
        }
        return result
    }

    /// The lines for which the body is true.
    public func filtered(_ isKept: (FieldLine) -> Bool) -> HeaderFields {
        var result = HeaderFields()
        result.records.reserveCapacity(records.count)
        visit { line in
            if isKept(line) { result.add(copy: line, isSendable: isSendable) }
            return true
        }
        return result
    }

    private mutating func add(copy line: FieldLine, isSendable known: Bool) {
        records.append(contentsOf: line.record)
        present.insert(line.code)
        count += 1
        if !known, !FieldLine.isSendable(line.code, line.name, line.value) { isSendable = false }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }
}

extension HeaderFields {
    /// Calls the body with each line until it returns false. The line is valid only inside the body.
    @inlinable
    public func visit(_ body: (FieldLine) throws -> Bool) rethrows {
        try records.withUnsafeBufferPointer { memory in
            var place = 0
            while place < memory.count {
                let line = FieldLine(memory, at: place)
                guard try body(line) else { return }
                place = line.end
            }
        }
    }

    /// Calls the body with each line of that name until it returns false.
    @inlinable
    public func visit(_ name: FieldName, _ body: (FieldLine) throws -> Bool) rethrows {
        let code = name.code
        guard present.contains(code) else { return }
        try visit { try $0.code == code ? body($0) : true }
    }

    /// Calls the body with each line of that name, in any case, until it returns false.
    public func visit(_ name: String, _ body: (FieldLine) throws -> Bool) rethrows {
        guard !isEmpty else { return }
        try FieldLine.withBytes(name) { name in
            let code = FieldNameTable.shared.code(of: name)
            guard present.contains(code) else { return }
            try visit { line in
                guard line.code == code, code != 0 || FieldLine.equalFolded(line.name, name) else { return true }
                return try body(line)
            }
        }
    }

    /// What the body makes of the first value with that name; nil if there is none.
    @inlinable
    public func withFirst<Result>(_ name: FieldName, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        var result: Result?
        visit(name) { line in
            result = body(line.value)
            return false
        }
        return result
    }
}

extension HeaderFields: Sequence {
    public struct Iterator: IteratorProtocol {
        let records: Bytes
        var place = 0

        public mutating func next() -> HeaderField? {
            guard place < records.count else { return nil }
            let line = HeaderField(records: records, place: place)
            place = line.withLine(\.end)
            return line
        }
    }

    public func makeIterator() -> Iterator { Iterator(records: records) }

    public var underestimatedCount: Int { count }
}
