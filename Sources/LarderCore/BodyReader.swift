// A body that comes piece by piece, for who writes it on. Nobody holds more of it than a piece or two, so a body's length
// is no question of memory.

/// Why the rest of a body will not come. Whoever passes the body on must cut its receiver's connection: a clean end would
/// make a part look whole (RFC 9112 §8).
public struct BodyFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for a person, without secrets.
    public var reason: String

    public init(_ reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}

/// One pass over one body. One caller at a time.
public protocol BodyReader: AnyObject, Sendable {
    /// The next piece, never empty and at most a few hundred kilobytes; nil at the clean end. Waits until there is one.
    /// Cancelling the waiting task ends the wait with a failure.
    func next() async throws(BodyFailure) -> Bytes?
    /// No more will be asked for. Safe to call at any time, also twice; a wait under way ends with a failure.
    func abandon()
}

/// A body that its sender can be kept from sending: reading stops at once, and time does not count against the sender
/// meanwhile.
public protocol RestingBodyReader: BodyReader {
    /// Reads no more from the sender. What is here already can still be had.
    func rest()
    func goOn()
}

/// A body that lies somewhere else than in memory and can be read from any place in it, by many at once.
public protocol LargeBody: Sendable {
    var length: Int64 { get }
    /// The bytes from that place on, at least one and at most so many. Throws where they are gone.
    func read(at offset: Int64, atMost count: Int) async throws(BodyFailure) -> Bytes
    /// Whether what lies there is what was stored, and can be had soon: asked before a head promises it.
    func canBegin(at offset: Int64) async -> Bool
    /// One pass over a stretch of it.
    /// - Parameter range: inside the body.
    func reader(_ range: Range<Int64>) -> any BodyReader
}

extension LargeBody {
    public func reader(_ range: Range<Int64>) -> any BodyReader { LargeBodyReader(self, range: range) }

    public func canBegin(at offset: Int64) async -> Bool { offset < length }
}

/// Reads a stretch of a large body in pieces.
public final class LargeBodyReader: BodyReader {
    /// Bytes of one piece.
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
        guard !piece.isEmpty else { throw BodyFailure("The stored body is shorter than was said.") }
        state.withLock { $0.offset += Int64(piece.count) }
        return piece
    }

    public func abandon() {
        state.withLock { $0.isAbandoned = true }
    }
}

/// A reader of bytes that are all there.
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

/// A body of which nothing will come: for a receiver that has been promised one.
public final class FailingBodyReader: BodyReader {
    private let failure: BodyFailure

    public init(_ reason: String) {
        failure = BodyFailure(reason)
    }

    public func next() async throws(BodyFailure) -> Bytes? { throw failure }

    public func abandon() {}
}

/// Several readers' bodies, one after the other.
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

/// A stretch of another reader's body: what comes before is passed over, what comes after is not asked for.
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
