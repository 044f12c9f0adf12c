// Bytes that the socket has not taken yet. Pieces keep their own storage: the body of a ready response is not copied.
// The accounting is a separate value, so tests can run any sequence of short writes without a socket.
import LarderCore

/// A queue of bytes to write, in order, each exactly once.
struct PendingWrites {
    private enum Piece {
        case bytes(Bytes)
        /// The end of a body, with an object that is held until the body is written.
        case last(Bytes, any AnyObject & Sendable)
        /// A slice of a ready response's body, which may lie in a file.
        case body(ReadyResponse, Range<Int>)

        var count: Int {
            switch self {
            case .bytes(let bytes), .last(let bytes, _): bytes.count
            case .body(_, let stretch): stretch.count
            }
        }

        var isInFile: Bool { if case .body(let response, _) = self { response.file != nil } else { false } }

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            switch self {
            case .bytes(let bytes), .last(let bytes, _): bytes.withUnsafeBytes(body)
            case .body(let response, let stretch):
                // A file is never read here: see `withNext`.
                response.body.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[stretch])) }
            }
        }
    }

    private var pieces: [Piece] = []
    /// The number of pieces that are completely written.
    private var first = 0
    /// The number of bytes of the first unwritten piece that are written.
    private var offset = 0
    /// The length of the array of pieces, including written ones.
    var places: Int { pieces.count }
    /// The number of bytes still to be written.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Appends bytes, from `start` on.
    mutating func append(_ bytes: Bytes, from start: Int = 0) {
        append(.bytes(bytes), from: start)
    }

    /// Appends bytes. `hold` is released when the last of them is written.
    mutating func append(_ bytes: Bytes, keeping hold: (any AnyObject & Sendable)?) {
        if let hold { append(.last(bytes, hold), from: 0) } else { append(.bytes(bytes), from: 0) }
    }

    /// Appends a ready response's body, from `start` to `end` or to its own end.
    mutating func append(bodyOf response: ReadyResponse, from start: Int, to end: Int? = nil) {
        append(.body(response, start..<(end ?? response.length)), from: 0)
    }

    /// The file that the next bytes lie in, and where; nil if they are in memory.
    var nextInFile: (file: any FileBody, stretch: Range<Int>)? {
        guard first < pieces.count, case .body(let response, let stretch) = pieces[first], let file = response.file
        else { return nil }
        return (file, (stretch.lowerBound + offset)..<stretch.upperBound)
    }

    private mutating func append(_ piece: Piece, from start: Int) {
        let left = piece.count - start
        guard left > 0 else { return }
        if isEmpty {
            pieces.removeAll(keepingCapacity: pieces.capacity <= 16)
            first = 0
            offset = start
            pieces.append(piece)
        } else if start == 0 {
            pieces.append(piece)
        } else {
            // Only the first piece may begin inside its storage. The server itself never takes this path.
            piece.withBytes { pieces.append(.bytes(Bytes($0[start...]))) }
        }
        count += left
    }

    /// Marks that many bytes as written. There must be that many.
    mutating func wrote(_ written: Int) {
        precondition(written >= 0 && written <= count, "more written than there was")
        count -= written
        offset += written
        while first < pieces.count, offset >= pieces[first].count {
            offset -= pieces[first].count
            // Release the storage as soon as it is written.
            pieces[first] = .bytes([])
            first += 1
        }
        if isEmpty {
            removeAll()
        } else if first >= 64 {
            // A stream whose next piece always comes before the last is written would otherwise grow the array forever.
            pieces.removeFirst(first)
            first = 0
        }
    }

    mutating func removeAll() {
        pieces.removeAll(keepingCapacity: pieces.capacity <= 16)
        (first, offset, count) = (0, 0, 0)
    }

    /// Calls the body with the next pieces in memory: at most `limit` pieces and about `most` bytes, and none behind a
    /// piece that lies in a file.
    func withNext<Result>(
        pieces limit: Int = 16, bytes most: Int = 1 << 20,
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: limit) { list in
            gather(into: list, filled: 0, bytes: most, body)
        }
    }

    /// A piece's address is valid only inside its own closure, so the closures nest.
    private func gather<Result>(
        into list: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, filled: Int, bytes: Int,
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
    ) -> Result {
        guard filled < list.count, first + filled < pieces.count, bytes > 0, !pieces[first + filled].isInFile else {
            return body(UnsafeBufferPointer(rebasing: list[..<filled]))
        }
        return pieces[first + filled].withBytes { raw in
            let start = filled == 0 ? offset : 0
            let end = start + min(raw.count - start, bytes)
            list.initializeElement(at: filled, to: UnsafeRawBufferPointer(rebasing: raw[start..<end]))
            return gather(into: list, filled: filled + 1, bytes: bytes - (end - start), body)
        }
    }
}
