// Where an answer's body is read from: memory, the store, or the tape of a fetch that is still under way.
import LarderCore

/// A body on a tape. For as long as somebody may still begin to read it, its beginning stays where it is: the last copy of
/// this value is gone right after the last asker has its reader.
public final class TapeBody: Sendable {
    let tape: BodyTape
    /// Bytes in all; nil where it ends when it ends.
    public let length: Int64?
    private let held: BodyTapeReader?

    /// Keeps the tape's beginning for those who come later.
    public init(_ tape: BodyTape, length: Int64?) {
        self.tape = tape
        self.length = length
        held = tape.reader()
    }

    /// A pass over the whole body; nil where its beginning is gone.
    public func reader() -> BodyTapeReader? { tape.reader() }
}

/// Where an answer's body is read from.
public enum BodySource: Sendable {
    case bytes(Bytes)
    case large(any LargeBody)
    case tape(TapeBody)
    /// Another one with its content coding undone on the way; the length of the plain body where it is known.
    indirect case plain(BodySource, coding: String, length: Int64?)

    /// The body, where all of it is in memory.
    public var whole: Bytes? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// Nil where it ends when it ends.
    public var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .large(let body): body.length
        case .tape(let body): body.length
        case .plain(_, _, let length): length
        }
    }
}
