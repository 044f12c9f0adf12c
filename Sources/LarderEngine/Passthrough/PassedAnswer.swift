// An answer on its way through: its head is known, its body may still be coming. One value for everyone who waits for
// the same fetch.
import LarderCache
import LarderCore
import LarderHTTP

/// What a pass-through fetch brought, beside the entry that the answer is or would be.
public struct PassedAnswer: Sendable {
    /// Where the body comes from while the entry does not hold it.
    var body: TapeBody?
    /// Of the upstream's own answer: 304 where the stored one was found to be still right.
    var upstreamStatus: Int
    var interim: [InterimHead] = []
    /// Why it is stored, or is not.
    var storing: CacheRule?
    /// The request fields that select the answer; everybody else needs another one (RFC 9111 §4.1).
    var vary: Vary
    /// The fields by which it was selected.
    var selecting: HeaderFields
    /// The whole head, for who asked: some fields are not stored and not for others.
    var ownFields: HeaderFields?
    /// The provider takes it for an answer, and not for a failure.
    var isAnswer = true
    /// Removals up to when it was asked for.
    var began: RemovalStamp
}

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
public indirect enum BodySource: Sendable {
    case bytes(Bytes)
    case large(any LargeBody)
    case tape(TapeBody)
    /// Another one with its content coding undone on the way; the length of the plain body where it is known.
    case plain(BodySource, coding: String, length: Int64?)

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
