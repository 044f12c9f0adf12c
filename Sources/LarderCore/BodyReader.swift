// Bodies that are read piece by piece and passed on. A reader holds only a piece or two at a time, so memory use does
// not depend on the length of the body.

/// Why the rest of a body will not come. Code that passes the body on must cut its receiver's connection: a clean end
/// would make a partial body look whole (RFC 9112 §8).
public struct BodyFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for a person, without secrets.
    public var reason: String
    /// How the fetch of the body failed, if that is why.
    public var fetch: FetchError?

    public init(_ reason: String) {
        self.reason = reason
    }

    /// The failure of a body whose fetch failed.
    public init(_ fetch: FetchError) {
        reason = fetch.message
        self.fetch = fetch
    }

    public var description: String { reason }
}

/// One pass over one body. Only one caller may use it at a time.
public protocol BodyReader: AnyObject, Sendable {
    /// Returns the next piece, waiting until there is one. A piece is never empty and has at most a few hundred
    /// kilobytes. Returns nil at the clean end. Cancelling the waiting task ends the wait with a failure.
    func next() async throws(BodyFailure) -> Bytes?
    /// Ends the pass. May be called at any time and more than once; a `next` that is waiting ends with a failure.
    func abandon()
}

/// A body whose sender can be paused. Reading stops at once, and the pause does not count against the sender's time
/// limits.
public protocol RestingBodyReader: BodyReader {
    /// Stops reading from the sender. Bytes already received can still be read.
    func rest()
    func goOn()
}

/// A body that is not in memory. Many callers can read it at once, each from any offset.
public protocol LargeBody: Sendable {
    var length: Int64 { get }
    /// Returns at least one and at most `count` bytes, starting at `offset`. Throws if the bytes are gone.
    func read(at offset: Int64, atMost count: Int) async throws(BodyFailure) -> Bytes
    /// Whether the bytes at `offset` are intact and can be read soon. Asked before a response head promises them.
    func canBegin(at offset: Int64) async -> Bool
    /// Returns a reader for one pass over part of the body.
    /// - Parameter range: inside the body.
    func reader(_ range: Range<Int64>) -> any BodyReader
}

extension LargeBody {
    public func reader(_ range: Range<Int64>) -> any BodyReader { LargeBodyReader(self, range: range) }

    public func canBegin(at offset: Int64) async -> Bool { offset < length }
}

/// Reads a range of a large body in pieces.
public final class LargeBodyReader: BodyReader {
    /// The size of one piece in bytes.
    public static let pieceSize = 256 * 1024

    private struct State {
        var offset: Int64
        var isAbandoned = false
    }
    private let body: any LargeBody
    private let end: Int64
    private let state: Lock<State>

    /// - Parameter range: inside the body; nil for all of it.
    public init(_ body: any LargeBody, range: Range<Int64>? = nil) {
        self.body = body
        end = min(range?.upperBound ?? body.length, body.length)
        state = Lock(State(offset: range?.lowerBound ?? 0))
    }

    public func next() async throws(BodyFailure) -> Bytes? {
        let (offset, isAbandoned) = state.withLock { ($0.offset, $0.isAbandoned) }
        if isAbandoned { throw BodyFailure("Nobody reads it any more.") }
        guard offset < end else { return nil }
        let piece = try await body.read(at: offset, atMost: Int(min(end - offset, Int64(Self.pieceSize))))
        guard !piece.isEmpty else { throw BodyFailure("The stored body is shorter than announced.") }
        state.withLock { $0.offset += Int64(piece.count) }
        return piece
    }

    public func abandon() {
        state.withLock { $0.isAbandoned = true }
    }
}

/// A reader of a body that is already complete in memory.
public final class WholeBodyReader: BodyReader {
    private let rest: Lock<Bytes?>

    public init(_ bytes: Bytes) {
        rest = Lock(bytes.isEmpty ? nil : bytes)
    }

    public func next() async throws(BodyFailure) -> Bytes? {
        rest.withLock { $0.take() }
    }

    public func abandon() {
        rest.withLock { $0 = nil }
    }
}

/// A reader that fails at once. Used when a receiver has been promised a body that will not come.
public final class FailingBodyReader: BodyReader {
    private let failure: BodyFailure

    public init(_ reason: String) {
        failure = BodyFailure(reason)
    }

    public func next() async throws(BodyFailure) -> Bytes? { throw failure }

    public func abandon() {}
}

/// The bodies of several readers, one after the other.
public final class ChainedBodyReader: BodyReader {
    private let rest: Lock<[any BodyReader]>

    public init(_ parts: [any BodyReader]) {
        rest = Lock(parts.reversed())
    }

    public func next() async throws(BodyFailure) -> Bytes? {
        while let part = rest.withLock({ $0.last }) {
            if let piece = try await part.next() { return piece }
            rest.withLock { parts in if !parts.isEmpty { parts.removeLast() } }
        }
        return nil
    }

    public func abandon() {
        for part in rest.withLock({ $0 }) { part.abandon() }
    }
}

/// A range of another reader's body. Bytes before the range are skipped; bytes after it are not requested.
public final class RangeBodyReader: BodyReader {
    private struct State {
        var place: Int64 = 0
    }
    private let base: any BodyReader
    private let range: Range<Int64>
    private let state = Lock(State())

    public init(_ base: any BodyReader, range: Range<Int64>) {
        self.base = base
        self.range = range
    }

    public func next() async throws(BodyFailure) -> Bytes? {
        while true {
            let place = state.withLock { $0.place }
            guard place < range.upperBound else {
                base.abandon()
                return nil
            }
            guard let piece = try await base.next() else { throw BodyFailure("The body ended before its range did.") }
            let end = place + Int64(piece.count)
            state.withLock { $0.place = end }
            if end <= range.lowerBound { continue }
            let from = Int(max(0, range.lowerBound - place))
            let to = Int(min(Int64(piece.count), range.upperBound - place))
            return from == 0 && to == piece.count ? piece : Bytes(piece[from..<to])
        }
    }

    public func abandon() { base.abandon() }
}
