// Splits a GraphQL document into tokens (GraphQL specification, appendix "Lexical Tokens"). It reads only as much as is
// needed to find where an operation begins and ends. The contents of values are not interpreted. A byte with which no
// token can begin is a fault.
import LarderCore

/// One token.
enum GraphQLToken: Sendable, Hashable {
    case name(String)
    /// One of `! $ & ( ) : = @ [ ] { | }`.
    case mark(UInt8)
    /// Three dots.
    case spread
    /// A string or a block string.
    case string
    case number
    case end
}

/// Reads tokens one after the other. Each byte is examined a bounded number of times.
struct GraphQLLexer {
    /// The text is not a valid token.
    struct Fault: Error {}

    private let text: Bytes
    private var place = 0

    init(_ text: Bytes) {
        self.text = text
    }

    /// Reads the next token. After the last token it returns `end` each time.
    mutating func next() throws(Fault) -> GraphQLToken {
        try skipIgnored()
        guard place < text.count else { return .end }
        let byte = text[place]
        switch byte {
        case 0x21, 0x24, 0x26, 0x28, 0x29, 0x3A, 0x3D, 0x40, 0x5B, 0x5D, 0x7B, 0x7C, 0x7D:
            place += 1
            return .mark(byte)
        case 0x2E:
            guard has("...", at: place) else { throw Fault() }
            place += 3
            return .spread
        case 0x22:
            if has("\"\"\"", at: place) { try blockString() } else { try string() }
            return .string
        case 0x2D, 0x30...0x39:
            try number()
            return .number
        case _ where Self.beginsName(byte):
            let start = place
            while place < text.count, Self.continuesName(text[place]) { place += 1 }
            return .name(String(decoding: text[start..<place], as: UTF8.self))
        default: throw Fault()
        }
    }

    /// Skips byte order marks, white space, line ends, commas and comments.
    private mutating func skipIgnored() throws(Fault) {
        while place < text.count {
            switch text[place] {
            case 0x09, 0x0A, 0x0D, 0x20, 0x2C: place += 1
            case 0xEF where has("\u{FEFF}", at: place): place += 3
            case 0x23: try comment()
            default: return
            }
        }
    }

    /// Skips a comment up to the end of its line. Early editions of the specification also ended lines at U+2028 and
    /// U+2029. A comment that editions read differently is a fault.
    private mutating func comment() throws(Fault) {
        while place < text.count, text[place] != 0x0A, text[place] != 0x0D {
            if text[place] < 0x20, text[place] != 0x09 { throw Fault() }
            if has("\u{2028}", at: place) || has("\u{2029}", at: place) { throw Fault() }
            place += 1
        }
    }

    private mutating func string() throws(Fault) {
        place += 1
        while place < text.count {
            switch text[place] {
            case 0x22:
                place += 1
                return
            case 0x0A, 0x0D: throw Fault()
            case 0x5C:
                guard place + 1 < text.count, text[place + 1] != 0x0A, text[place + 1] != 0x0D else { throw Fault() }
                place += 2
            default: place += 1
            }
        }
        throw Fault()
    }

    private mutating func blockString() throws(Fault) {
        place += 3
        while place < text.count {
            if has("\\\"\"\"", at: place) {
                place += 4
            } else if has("\"\"\"", at: place) {
                place += 3
                return
            } else {
                place += 1
            }
        }
        throw Fault()
    }

    /// Reads `-? digits (. digits)? ([eE] [+-]? digits)?`. A name or a dot must not follow directly.
    private mutating func number() throws(Fault) {
        if text[place] == 0x2D { place += 1 }
        try digits()
        if place < text.count, text[place] == 0x2E {
            place += 1
            try digits()
        }
        if place < text.count, text[place] | 0x20 == 0x65 {
            place += 1
            if place < text.count, text[place] == 0x2B || text[place] == 0x2D { place += 1 }
            try digits()
        }
        if place < text.count, text[place] == 0x2E || Self.beginsName(text[place]) { throw Fault() }
    }

    private mutating func digits() throws(Fault) {
        let start = place
        while place < text.count, ASCII.isDigit(text[place]) { place += 1 }
        if place == start { throw Fault() }
    }

    private func has(_ wanted: StaticString, at start: Int) -> Bool {
        guard text.count - start >= wanted.utf8CodeUnitCount else { return false }
        for offset in 0..<wanted.utf8CodeUnitCount where text[start + offset] != wanted.utf8Start[offset] {
            return false
        }
        return true
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        byte == 0x5F || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || ASCII.isDigit(byte) }
}
