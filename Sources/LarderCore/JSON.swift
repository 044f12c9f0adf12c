// A strict JSON reader (RFC 8259) for what comes from outside: nothing is repaired, everything has a limit. The text is
// not turned into a tree: parsing leaves a flat tape of places over the bytes, and texts are made only when asked for.
// Where an object repeats a name, the last member counts (RFC 8259 §4 leaves it open; this is what browsers do).

/// Reading JSON.
public enum JSON {
    /// The default limit of nesting: far more than any API here uses, far less than a stack.
    public static let defaultMaxDepth = 64

    /// Parses one JSON text. White space may surround it; anything else may not.
    ///
    /// - Parameters:
    ///   - bytes: at most 2 GiB of UTF-8; a byte order mark before it is ignored, as RFC 8259 §8.1 permits.
    ///   - maxDepth: how many arrays and objects may be open at once, at most 512.
    /// - Throws: `JSONError` with the place of the first fault.
    public static func parse(_ bytes: Bytes, maxDepth: Int = defaultMaxDepth) throws(JSONError) -> JSONValue {
        guard bytes.count < 1 << 31 else { throw JSONError(.tooLarge, at: 0) }
        let tape = try bytes.withUnsafeBufferPointer { (input) throws(JSONError) in
            try JSONParser.tape(of: input, maxDepth: min(maxDepth, 512))
        }
        return JSONValue(document: JSONDocument(bytes: bytes, tape: tape), index: 0)
    }
}

/// Why a text is not JSON, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case endOfInput = "the text ends too early"
        case unexpectedByte = "a byte that cannot stand here"
        case invalidNumber = "not a number as JSON writes it"
        case invalidLiteral = "not true, false or null"
        case invalidEscape = "an unknown escape"
        case controlCharacter = "a control character in a string"
        case invalidUTF8 = "not UTF-8"
        case tooDeep = "nested too deeply"
        case trailingBytes = "something after the end"
        case tooLarge = "larger than 2 GiB"
        case notAnArray = "not an array"
    }

    public let reason: Reason
    /// The offset of the byte at fault, from 0.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}

/// What kind of value stands at a place.
public enum JSONKind: UInt8, Sendable, Hashable {
    case null
    case bool
    case number
    case string
    case array
    case object
}

/// One value on the tape.
@usableFromInline
struct JSONNode: Sendable {
    /// The first byte: of a string the one after the quotation mark, of a container its bracket.
    @usableFromInline var start: UInt32
    /// The byte behind the value: of a string its closing quotation mark.
    @usableFromInline var end: UInt32
    /// The place on the tape behind this value and all inside it.
    @usableFromInline var next: Int32
    @usableFromInline var kind: JSONKind
    /// Of a string: whether a backslash is in it. Of a bool: its value.
    @usableFromInline var flag: Bool

    @usableFromInline
    init(start: UInt32, end: UInt32, next: Int32, kind: JSONKind, flag: Bool) {
        self.start = start
        self.end = end
        self.next = next
        self.kind = kind
        self.flag = flag
    }
}

/// The bytes and their tape, shared by all values of one text. Immutable, and so Sendable; the compiler, which cannot see
/// that nobody writes the tape any more, leaves it unchecked.
@usableFromInline
final class JSONDocument: @unchecked Sendable {
    @usableFromInline let bytes: Bytes
    /// The document's own memory, given back with it. Every place that is looked up comes from the tape itself, so it is in it.
    @usableFromInline let tape: UnsafeBufferPointer<JSONNode>

    /// - Parameter tape: taken over.
    init(bytes: Bytes, tape: UnsafeBufferPointer<JSONNode>) {
        self.bytes = bytes
        self.tape = tape
    }

    deinit { tape.deallocate() }

    @inlinable
    subscript(_ index: Int) -> JSONNode { withExtendedLifetime(self) { tape[index] } }

    /// Gives the bytes of a value as they lie in the text, of a string without its quotation marks.
    @inlinable
    func withBytes<Result>(of node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)]))
        }
    }

    /// The same as a text, nothing decoded.
    func text(of node: JSONNode) -> String {
        withBytes(of: node) { String(decoding: $0, as: UTF8.self) }
    }
}
