// Reads a form with files as browsers and tools send it (RFC 7578), while it arrives. Of a part's content, only the few
// bytes that may begin a delimiter are kept, so the length of a part does not affect memory.

import LarderCore

/// Why bytes are not a valid form.
public enum MultipartFault: String, Error, Sendable, Hashable, CaseIterable {
    case badBoundary = "the boundary is missing or invalid (RFC 2046 §5.1.1)"
    case badDelimiter = "a delimiter line has other characters in it"
    case headTooLarge = "the head of a part is too large"
    case badHead = "the head of a part is malformed"
    case badDisposition = "a part has no Content-Disposition with the name of a form field"
    case codedPart = "a part's content has a transfer encoding, which is not allowed in forms (RFC 7578 §4.7)"
    case tooManyParts = "there are too many parts"
    case tooMuchBehind = "too many bytes follow the last delimiter"
    case truncated = "the form ends before its last delimiter"
}

/// What a part's head says.
public struct MultipartPart: Sendable, Hashable {
    public var name: String
    /// Only files have one. It is as sent, so it must not be used to open a file.
    public var filename: String?
    public var contentType: String?

    public init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }
}

/// Reads one form.
public struct MultipartFormReader: Sendable {
    public enum Event: Sendable, Hashable {
        case part(MultipartPart)
        /// The next bytes of the current part's content; never empty.
        case content(Bytes)
        case partEnd
        /// The last delimiter has come.
        case end
    }

    private enum Stage: Sendable {
        /// Before the first delimiter. The text there has no meaning (RFC 2046 §5.1.1).
        case preamble
        /// After a delimiter: "--" if it is the last one, otherwise white space and the end of the line.
        case delimiterEnd
        case head
        case content
        case epilogue
    }

    /// The limit in bytes for one part's head, for the text before the first delimiter, and for the text after the last
    /// one.
    public static let maxHead = 8 * 1024
    public static let maxParts = 32

    private let delimiter: Bytes
    private let search: DelimiterSearch
    private var stage = Stage.preamble
    private var buffer: Bytes
    private var parts = 0
    private var outside = 0

    /// - Throws: `badBoundary`.
    public init(boundary: String) throws(MultipartFault) {
        guard Self.isBoundary(boundary) else { throw .badBoundary }
        delimiter = Bytes(text: "\r\n--\(boundary)")
        search = DelimiterSearch(delimiter)
        // The first delimiter may stand at the very beginning, with no line end before it.
        buffer = [0x0D, 0x0A]
    }

    /// The boundary in a `Content-Type` of multipart/form-data; nil for another type or without a boundary.
    public static func boundary(of contentType: String?) -> String? {
        guard let contentType, MediaType.essence(contentType) == "multipart/form-data",
            let mark = contentType.firstIndex(of: ";")
        else { return nil }
        return parameters(contentType[contentType.index(after: mark)...])?.first { $0.name == "boundary" }?.value
    }

    /// Whether the whole form has come.
    public var isComplete: Bool { if case .epilogue = stage { true } else { false } }

    /// Reads the next bytes, in pieces of any size.
    public mutating func feed(_ bytes: Bytes) throws(MultipartFault) -> [Event] {
        var events: [Event] = []
        if case .epilogue = stage {
            outside += bytes.count
            guard outside <= Self.maxHead else { throw .tooMuchBehind }
            return events
        }
        buffer += bytes
        while try step(&events) {}
        return events
    }

    /// Reports the end of the input.
    public func finish() throws(MultipartFault) {
        guard isComplete else { throw .truncated }
    }

    /// Advances by one step; false if it needs more bytes.
    private mutating func step(_ events: inout [Event]) throws(MultipartFault) -> Bool {
        switch stage {
        case .preamble:
            guard let place = search.first(in: buffer) else {
                outside += keepTail().count
                guard outside <= Self.maxHead else { throw .badDelimiter }
                return false
            }
            drop(place + delimiter.count)
            outside = 0
            stage = .delimiterEnd
        case .delimiterEnd: return try delimiterEnd(&events)
        case .head: return try head(&events)
        case .content:
            guard let place = search.first(in: buffer) else {
                let content = keepTail()
                if !content.isEmpty { events.append(.content(content)) }
                return false
            }
            if place > 0 { events.append(.content(Bytes(buffer[..<place]))) }
            events.append(.partEnd)
            drop(place + delimiter.count)
            stage = .delimiterEnd
        case .epilogue: return false
        }
        return true
    }

    private mutating func delimiterEnd(_ events: inout [Event]) throws(MultipartFault) -> Bool {
        guard buffer.count >= 2 else { return false }
        if buffer[0] == 0x2D, buffer[1] == 0x2D {
            events.append(.end)
            stage = .epilogue
            outside = buffer.count - 2
            buffer = []
            guard outside <= Self.maxHead else { throw .tooMuchBehind }
            return false
        }
        // White space that a transport may have added (RFC 2046 §5.1.1).
        let padding = buffer.prefix { $0 == 0x20 || $0 == 0x09 }.count
        guard padding <= 256 else { throw .badDelimiter }
        guard buffer.count >= padding + 2 else { return false }
        guard buffer[padding] == 0x0D, buffer[padding + 1] == 0x0A else { throw .badDelimiter }
        parts += 1
        guard parts <= Self.maxParts else { throw .tooManyParts }
        drop(padding + 2)
        stage = .head
        return true
    }

    private mutating func head(_ events: inout [Event]) throws(MultipartFault) -> Bool {
        if buffer.starts(with: [0x0D, 0x0A]) { throw .badDisposition }
        guard let end = Self.headEnd(buffer) else {
            // The end of a head has four bytes, of which three may have come.
            guard buffer.count <= Self.maxHead + 3 else { throw .headTooLarge }
            return false
        }
        guard end <= Self.maxHead else { throw .headTooLarge }
        events.append(.part(try Self.part(buffer[..<end])))
        drop(end + 4)
        stage = .content
        return true
    }

    /// Where the empty line after the last line of a head begins.
    private static func headEnd(_ bytes: Bytes) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 0x0D && bytes[$0 + 1] == 0x0A && bytes[$0 + 2] == 0x0D && bytes[$0 + 3] == 0x0A
        }
    }

    private mutating func drop(_ count: Int) { buffer.removeFirst(count) }

    /// Removes and returns all bytes that cannot begin a delimiter.
    private mutating func keepTail() -> Bytes {
        let count = max(0, buffer.count - delimiter.count + 1)
        let taken = Bytes(buffer[..<count])
        drop(count)
        return taken
    }
}

extension MultipartFormReader {
    /// Whether a boundary has 1 to 70 permitted characters and no space at the end (RFC 2046 §5.1.1).
    static func isBoundary(_ text: String) -> Bool {
        let others = Set("'()+_,-./:=? ".utf8)
        return (1...70).contains(text.utf8.count) && text.utf8.last != 0x20
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: others.contains(byte)
                }
            }
    }

    /// Parses the lines of a part's head.
    private static func part(_ head: ArraySlice<UInt8>) throws(MultipartFault) -> MultipartPart {
        guard let text = String(validating: head, as: UTF8.self) else { throw .badHead }
        var part: MultipartPart?
        var contentType: String?
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
                line[..<colon].utf8.allSatisfy(ASCII.isToken),
                line.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F || $0.value == 0x09 })
            else { throw .badHead }
            let value = ASCII.trimmed(line[line.index(after: colon)...])
            switch line[..<colon].lowercased() {
            case "content-disposition":
                guard part == nil else { throw .badDisposition }
                part = try disposition(value)
            case "content-type": contentType = String(value)
            case "content-transfer-encoding":
                guard ["binary", "8bit", "7bit"].contains(value.lowercased()) else { throw .codedPart }
            // Other fields must be ignored (RFC 7578 §4.8).
            default: break
            }
        }
        guard var part else { throw .badDisposition }
        part.contentType = contentType
        return part
    }

    private static func disposition(_ value: Substring) throws(MultipartFault) -> MultipartPart {
        let mark = value.firstIndex(of: ";") ?? value.endIndex
        guard ASCII.trimmed(value[..<mark]).lowercased() == "form-data", mark != value.endIndex,
            let given = parameters(value[value.index(after: mark)...]),
            let name = given.first(where: { $0.name == "name" })?.value, !name.isEmpty
        else { throw .badDisposition }
        return MultipartPart(name: name, filename: given.first { $0.name == "filename" }?.value)
    }

    /// Parses `name=token; name="quoted"`; nil if the text is anything else or repeats a name.
    private static func parameters(_ text: Substring) -> [(name: String, value: String)]? {
        var found: [(name: String, value: String)] = []
        var rest = ASCII.trimmed(text)
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let name = ASCII.trimmed(rest[..<equals]).lowercased()
            guard !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken), !found.contains(where: { $0.name == name }) else {
                return nil
            }
            rest = rest[rest.index(after: equals)...]
            let value: String
            if rest.first == "\"" {
                guard let (text, behind) = quoted(rest.dropFirst()) else { return nil }
                (value, rest) = (text, behind)
            } else {
                let end = rest.firstIndex(of: ";") ?? rest.endIndex
                value = String(ASCII.trimmed(rest[..<end]))
                guard !value.isEmpty, value.utf8.allSatisfy(ASCII.isToken) else { return nil }
                rest = rest[end...]
            }
            found.append((name, value))
            rest = ASCII.trimmed(rest)
            guard rest.isEmpty || rest.first == ";" else { return nil }
            rest = ASCII.trimmed(rest.dropFirst())
        }
        return found
    }

    /// A quoted text up to its closing quote, and the rest after it (RFC 9110 §5.6.4).
    private static func quoted(_ text: Substring) -> (String, Substring)? {
        var value = ""
        var rest = text
        while let sign = rest.popFirst() {
            switch sign {
            case "\"": return (value, rest)
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                // Only these two need the backslash. Before any other character it belongs to the text, for example to
                // a path.
                if next != "\"", next != "\\" { value.append(sign) }
                value.append(next)
            default: value.append(sign)
            }
        }
        return nil
    }
}

/// Searches for one text in steps as long as the text (R. N. Horspool, 1980), so a file of tens of megabytes is not
/// examined byte by byte.
private struct DelimiterSearch: Sendable {
    private let text: Bytes
    private let steps: [Int]

    init(_ text: Bytes) {
        self.text = text
        var steps = [Int](repeating: text.count, count: 256)
        for (place, byte) in text.dropLast().enumerated() { steps[Int(byte)] = text.count - 1 - place }
        self.steps = steps
    }

    func first(in bytes: Bytes) -> Int? {
        let count = text.count
        return bytes.withUnsafeBufferPointer { bytes in
            var place = 0
            while place + count <= bytes.count {
                let last = bytes[place + count - 1]
                if last == text[count - 1], (0..<count).allSatisfy({ bytes[place + $0] == text[$0] }) { return place }
                place += steps[Int(last)]
            }
            return nil
        }
    }
}
