// Where a response body is read from: memory, the store, or the tape of a fetch that is still in progress.
import LarderCore

/// A body on a tape. This object keeps the beginning of the body for callers that have not begun to read. Its last
/// reference is released right after the last caller has its reader.
public final class TapeBody: Sendable {
    let tape: BodyTape
    /// The length in bytes. Nil if it is unknown until the body ends.
    public let length: Int64?
    private let held: BodyTapeReader?

    /// Keeps the beginning of the tape for later readers.
    public init(_ tape: BodyTape, length: Int64?) {
        self.tape = tape
        self.length = length
        held = tape.reader()
    }

    /// A reader of the whole body. Nil if the beginning is gone.
    public func reader() -> BodyTapeReader? { tape.reader() }
}

/// Where a response body is read from.
public enum BodySource: Sendable {
    case bytes(Bytes)
    case large(any LargeBody)
    case tape(TapeBody)
    /// Another body, decoded while it is read. The length is that of the decoded body, if it is known.
    indirect case plain(BodySource, coding: String, length: Int64?)

    /// The body, if all of it is in memory.
    public var whole: Bytes? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The length in bytes. Nil if it is unknown until the body ends.
    public var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .large(let body): body.length
        case .tape(let body): body.length
        case .plain(_, _, let length): length
        }
    }
}
