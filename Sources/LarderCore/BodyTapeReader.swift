// One reader of a tape. It takes pieces from memory if they are there, reads older ones from the archive, and waits for
// new ones.

/// One pass over a tape.
public final class BodyTapeReader: BodyReader {
    private let tape: BodyTape
    private let cursor: UInt64

    init(tape: BodyTape, cursor: UInt64) {
        self.tape = tape
        self.cursor = cursor
    }

    deinit { tape.leave(cursor) }

    public func next() async throws(BodyFailure) -> Bytes? {
        while true {
            switch tape.state.withLock({ $0.next(for: cursor) }) {
            case .piece(let piece, let room):
                room?()
                return piece
            case .archived(let archive, let offset, let count):
                let piece = try await archive.read(at: offset, atMost: count)
                tape.state.withLock { $0.advance(cursor, by: piece.count) }?()
                return piece
            case .end: return nil
            case .failed(let failure): throw failure
            case .wait: await wait()
            }
        }
    }

    public func abandon() { tape.leave(cursor) }

    private func wait() async {
        await tape.state.wait {
            $0.keep($1, of: cursor)
        } onCancel: {
            abandon()
        }
    }
}
