// Large bodies for their readers: a stored body, and one that is still being written. A reader thread does each read,
// from a file that stays open for as long as somebody has the body.
import LarderCore

/// A request for a stretch of a body, all of which is in its file.
struct StretchQuestion: Sendable {
    var file: BodyFile
    var offset: Int64
    var count: Int
}

/// The body of a stored entry.
struct StoredBody: LargeBody {
    /// The most bytes that one read returns.
    static let readSize = 256 << 10

    let file: BodyFile
    let length: Int64

    func read(at offset: Int64, atMost count: Int) async throws(BodyFailure) -> Bytes {
        guard offset >= 0, offset < length, count > 0 else { throw BodyFailure.outside }
        let most = min(Int64(count), length - offset, Int64(Self.readSize))
        return try await file.shared.stretch(StretchQuestion(file: file, offset: offset, count: Int(most)))
    }

    /// Reads one byte, which checks the whole piece against its checksum.
    func canBegin(at offset: Int64) async -> Bool {
        guard offset >= 0, offset < length else { return false }
        let question = StretchQuestion(file: file, offset: offset, count: 1)
        return (try? await file.shared.stretch(question, within: .read)) != nil
    }
}

/// A body that is being written: whole pieces are in its file, the beginning of the next one is in memory.
final class GrowingBody: LargeBody {
    private struct State {
        var committed: Int64 = 0
        var tail = Bytes()
    }
    let file: BodyFile
    private let state = Lock(State())

    init(_ file: BodyFile) { self.file = file }

    var length: Int64 { state.withLock { $0.committed + Int64($0.tail.count) } }

    func read(at offset: Int64, atMost count: Int) async throws(BodyFailure) -> Bytes {
        guard offset >= 0, count > 0 else { throw BodyFailure.outside }
        let (committed, near) = state.withLock { state -> (Int64, Bytes) in
            guard offset >= state.committed else { return (state.committed, []) }
            let place = offset - state.committed
            guard place < Int64(state.tail.count) else { return (state.committed, []) }
            let end = min(state.tail.count, Int(place) + min(count, StoredBody.readSize))
            return (state.committed, Bytes(state.tail[Int(place)..<end]))
        }
        if !near.isEmpty { return near }
        guard offset < committed else { throw BodyFailure.outside }
        let most = min(Int64(count), committed - offset, Int64(StoredBody.readSize))
        return try await file.shared.stretch(StretchQuestion(file: file, offset: offset, count: Int(most)))
    }

    // MARK: The writer's side

    var parts: (committed: Int64, tail: Bytes) { state.withLock { ($0.committed, $0.tail) } }

    func extend(_ bytes: ArraySlice<UInt8>) {
        state.withLock { state in
            if state.tail.isEmpty { state.tail.reserveCapacity(min(CacheSchema.pieceSize, bytes.count * 2)) }
            state.tail.append(contentsOf: bytes)
        }
    }

    /// Notes that the tail, and what followed it up to the end of a piece, are in the file.
    func committed(_ count: Int) {
        state.withLock { state in
            state.committed += Int64(count)
            state.tail = []
        }
    }
}

/// The body of a writer that gave up.
struct AbandonedBody: LargeBody {
    var length: Int64 { 0 }

    func read(at offset: Int64, atMost count: Int) async throws(BodyFailure) -> Bytes {
        throw BodyFailure("Reading the body was cancelled.")
    }
}

extension BodyFailure {
    static let outside = BodyFailure("The stored body has no bytes there.")
    static let gone = BodyFailure("The stored body is gone.")
}

extension StoreShared {
    /// Reads a stretch of a body. Never refused for overload: a body that is being sent must not be cut for it, and
    /// each reader of a body asks for one stretch at a time.
    func stretch(
        _ question: StretchQuestion, within length: BoundedWaits.Length = .stretch
    ) async throws(BodyFailure) -> Bytes {
        let answer: Result<Bytes, BodyFailure> = await waits.ask(
            length, late: { self.lateStretch() }, refused: { .failure(BodyFailure("The store is closed.")) }
        ) { reads.insist(.stretch(question, $0), weight: 1) }
        return try answer.get()
    }
}
