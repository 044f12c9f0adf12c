// Writes the tape in one pass. Strings are most of any response. The parser skips their bytes eight at a time
// (`PlainText`) up to a byte that needs attention: a quotation mark, a backslash, a control character or a byte beyond
// ASCII.

/// One pass over the input. Must not outlive the input buffer.
struct JSONParser {
    private let input: UnsafeBufferPointer<UInt8>
    private let maxDepth: Int
    private var place = 0
    /// Manually allocated memory: an array would check for shared storage at every value.
    private var tape: UnsafeMutableBufferPointer<JSONNode>
    /// The number of values on the tape.
    private var count = 0

    /// Parses one text. The caller owns the tape that is returned.
    static func tape(of input: UnsafeBufferPointer<UInt8>, maxDepth: Int) throws(JSONError)
        -> UnsafeBufferPointer<JSONNode>
    {
        var parser = JSONParser(input: input, maxDepth: maxDepth)
        do {
            try parser.run()
        } catch {
            parser.tape.deallocate()
            throw error
        }
        return UnsafeBufferPointer(start: parser.tape.baseAddress, count: parser.count)
    }

    private init(input: UnsafeBufferPointer<UInt8>, maxDepth: Int) {
        self.input = input
        self.maxDepth = maxDepth
        // In responses of real APIs a value takes twenty bytes or more. A denser text makes the tape grow.
        tape = .allocate(capacity: input.count / 20 + 8)
    }

    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<JSONNode>.allocate(capacity: tape.count * 2)
        _ = larger.moveInitialize(fromContentsOf: tape)
        tape.deallocate()
        tape = larger
    }

    private mutating func run() throws(JSONError) {
        // A byte order mark is not part of the text, and a parser may ignore it (RFC 8259 §8.1).
        if input.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        try value(depth: 0)
        skipSpace()
        guard place == input.count else { throw JSONError(.trailingBytes, at: place) }
    }

    /// Skips white space (RFC 8259 §2) and returns the next byte without consuming it.
    @inline(__always)
    private mutating func peek() throws(JSONError) -> UInt8 {
        // Most values are preceded by nothing or by one space.
        if place < input.count, input[place] > 0x20 { return input[place] }
        if place &+ 1 < input.count, input[place] == 0x20, input[place &+ 1] > 0x20 {
            place &+= 1
            return input[place]
        }
        return try peekBehindSpace()
    }

    @inline(never)
    private mutating func peekBehindSpace() throws(JSONError) -> UInt8 {
        skipSpace()
        guard place < input.count else { throw JSONError(.endOfInput, at: place) }
        return input[place]
    }

    @inline(__always)
    private mutating func skipSpace() {
        while place < input.count {
            switch input[place] {
            case 0x20, 0x0A, 0x0D, 0x09: place &+= 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(JSONError) {
        switch try peek() {
        case 0x22: try string()
        case 0x7B: try object(depth: depth + 1)
        case 0x5B: try array(depth: depth + 1)
        case 0x2D, 0x30...0x39: try number()
        case 0x74: try literal("true", .bool, true)
        case 0x66: try literal("false", .bool, false)
        case 0x6E: try literal("null", .null, false)
        default: throw JSONError(.unexpectedByte, at: place)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) {
        let index = try open(.object, depth: depth)
        if try peek() == 0x7D { return close(index) }
        while true {
            guard try peek() == 0x22 else { throw JSONError(.unexpectedByte, at: place) }
            try string()
            guard try peek() == 0x3A else { throw JSONError(.unexpectedByte, at: place) }
            place &+= 1
            try value(depth: depth)
            let after = try peek()
            if after == 0x7D { return close(index) }
            guard after == 0x2C else { throw JSONError(.unexpectedByte, at: place) }
            place &+= 1
        }
    }

    private mutating func array(depth: Int) throws(JSONError) {
        let index = try open(.array, depth: depth)
        if try peek() == 0x5D { return close(index) }
        while true {
            try value(depth: depth)
            let after = try peek()
            if after == 0x5D { return close(index) }
            guard after == 0x2C else { throw JSONError(.unexpectedByte, at: place) }
            place &+= 1
        }
    }

    private mutating func open(_ kind: JSONKind, depth: Int) throws(JSONError) -> Int {
        guard depth <= maxDepth else { throw JSONError(.tooDeep, at: place) }
        append(kind, from: place, to: place, flag: false)
        place &+= 1
        return count &- 1
    }

    private mutating func close(_ index: Int) {
        place &+= 1
        tape[index].end = UInt32(truncatingIfNeeded: place)
        tape[index].next = Int32(truncatingIfNeeded: count)
    }

    /// Appends a value. A text has less than 2^31 bytes, and so fewer values: no offset or index is truncated.
    @inline(__always)
    private mutating func append(_ kind: JSONKind, from start: Int, to end: Int, flag: Bool) {
        if count == tape.count { grow() }
        tape.initializeElement(
            at: count,
            to: JSONNode(
                start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end),
                next: Int32(truncatingIfNeeded: count &+ 1), kind: kind, flag: flag))
        count &+= 1
    }

    private mutating func literal(_ text: StaticString, _ kind: JSONKind, _ flag: Bool) throws(JSONError) {
        let start = place
        for offset in 0..<text.utf8CodeUnitCount {
            guard place < input.count else { throw JSONError(.endOfInput, at: place) }
            guard input[place] == text.utf8Start[offset] else { throw JSONError(.invalidLiteral, at: start) }
            place += 1
        }
        append(kind, from: start, to: place, flag: flag)
    }

    /// Reads `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?` (RFC 8259 §6). The number is kept as text.
    private mutating func number() throws(JSONError) {
        let start = place
        if input[place] == 0x2D { place += 1 }
        if place < input.count, input[place] == 0x30 {
            place += 1
        } else {
            try digits(of: start)
        }
        if place < input.count, input[place] == 0x2E {
            place += 1
            try digits(of: start)
        }
        if place < input.count, input[place] | 0x20 == 0x65 {
            place += 1
            if place < input.count, input[place] == 0x2B || input[place] == 0x2D { place += 1 }
            try digits(of: start)
        }
        append(.number, from: start, to: place, flag: false)
    }

    private mutating func digits(of start: Int) throws(JSONError) {
        let first = place
        while place < input.count, ASCII.isDigit(input[place]) { place &+= 1 }
        guard place > first else { throw JSONError(place < input.count ? .invalidNumber : .endOfInput, at: place) }
    }

    private mutating func string() throws(JSONError) {
        place &+= 1
        let start = place
        var escapes = false
        while true {
            place = PlainText.end(in: input, from: place)
            guard place < input.count else { throw JSONError(.endOfInput, at: place) }
            switch input[place] {
            case 0x22:
                append(.string, from: start, to: place, flag: escapes)
                place &+= 1
                return
            case 0x5C:
                escapes = true
                try escape()
            case 0x00...0x1F: throw JSONError(.controlCharacter, at: place)
            case 0x80...0xFF: try multibyte()
            default: place &+= 1
            }
        }
    }

    private mutating func escape() throws(JSONError) {
        let start = place
        guard place + 1 < input.count else { throw JSONError(.endOfInput, at: input.count) }
        switch input[place + 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: place += 2
        // A lone surrogate is accepted and read as U+FFFD. The grammar permits it (RFC 8259 §8.2), and an API that cuts
        // texts by UTF-16 units sends it.
        case 0x75: try hexUnit()
        default: throw JSONError(.invalidEscape, at: start)
        }
    }

    /// Skips "\uXXXX" at the current position.
    private mutating func hexUnit() throws(JSONError) {
        for offset in 2..<6 {
            guard place + offset < input.count else { throw JSONError(.endOfInput, at: input.count) }
            guard ASCII.hexValue(input[place + offset]) != nil else { throw JSONError(.invalidEscape, at: place) }
        }
        place += 6
    }

    /// Skips one sequence of the table in RFC 3629 §4: no overlong forms, no surrogates, nothing above U+10FFFF.
    private mutating func multibyte() throws(JSONError) {
        let first = input[place]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONError(.invalidUTF8, at: place)
        }
        guard place + length <= input.count, second.contains(input[place + 1]) else {
            throw JSONError(.invalidUTF8, at: place)
        }
        for offset in 2..<max(2, length) where input[place + offset] & 0xC0 != 0x80 {
            throw JSONError(.invalidUTF8, at: place)
        }
        place += length
    }
}
