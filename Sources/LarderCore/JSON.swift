// A strict JSON reader (RFC 8259) for input from outside. It repairs nothing and limits everything. Parsing builds no
// tree: it leaves a flat tape of positions over the bytes, and texts are made only on request. If an object repeats a
// name, the last member counts (RFC 8259 §4 leaves this open; browsers do the same).

/// Reading JSON.
public enum JSON {
    /// The default nesting limit: far more than any API here uses, and far less than would exhaust the stack.
    public static let defaultMaxDepth = 64

    /// Parses one JSON text. White space may surround it; nothing else may.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, less than 2 GiB. A byte order mark before the text is ignored, as RFC 8259 §8.1 permits.
    ///   - maxDepth: the number of arrays and objects that may be open at once, at most 512.
    /// - Throws: `JSONError` with the offset of the first fault.
    public static func parse(_ bytes: Bytes, maxDepth: Int = defaultMaxDepth) throws(JSONError) -> JSONValue {
        guard bytes.count < 1 << 31 else { throw JSONError(.tooLarge, at: 0) }
        let tape = try bytes.withUnsafeBufferPointer { (input) throws(JSONError) in
            try JSONParser.tape(of: input, maxDepth: min(maxDepth, 512))
        }
        return JSONValue(document: JSONDocument(bytes: bytes, tape: tape), index: 0)
    }
}

/// Why a text is not valid JSON, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case endOfInput = "the text ends too early"
        case unexpectedByte = "an unexpected byte"
        case invalidNumber = "not a JSON number"
        case invalidLiteral = "not true, false or null"
        case invalidEscape = "an unknown escape"
        case controlCharacter = "a control character in a string"
        case invalidUTF8 = "not UTF-8"
        case tooDeep = "nested too deeply"
        case trailingBytes = "bytes after the end"
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

/// The kind of a JSON value.
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
    /// The first byte. For a string, the byte after the quotation mark; for a container, its bracket.
    @usableFromInline var start: UInt32
    /// The byte after the value. For a string, its closing quotation mark.
    @usableFromInline var end: UInt32
    /// The index on the tape after this value and everything inside it.
    @usableFromInline var next: Int32
    @usableFromInline var kind: JSONKind
    /// For a string, whether it contains a backslash. For a bool, its value.
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

/// The bytes and their tape, shared by all values of one text. Immutable and therefore Sendable. The conformance is
/// unchecked because the compiler cannot see that nothing writes to the tape any more.
@usableFromInline
final class JSONDocument: @unchecked Sendable {
    @usableFromInline let bytes: Bytes
    /// The document's own memory, freed with it. Every index that is looked up comes from the tape itself, so it is in
    /// range.
    @usableFromInline let tape: UnsafeBufferPointer<JSONNode>

    /// - Parameter tape: memory that the document takes over and frees.
    init(bytes: Bytes, tape: UnsafeBufferPointer<JSONNode>) {
        self.bytes = bytes
        self.tape = tape
    }

    deinit { tape.deallocate() }

    @inlinable
    subscript(_ index: Int) -> JSONNode { withExtendedLifetime(self) { tape[index] } }

    /// Calls the body with the bytes of a value in the text. For a string, these exclude its quotation marks.
    @inlinable
    func withBytes<Result>(of node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)]))
        }
    }

    /// The bytes of a value as a text, with escapes left as they are.
    func text(of node: JSONNode) -> String {
        withBytes(of: node) { String(decoding: $0, as: UTF8.self) }
    }
}
