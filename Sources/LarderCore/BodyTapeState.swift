// What a tape knows, and its steps. Each is taken whole under the tape's lock and calls nobody: whom it finds to be woken or told,
// it returns, and the tape does that when the lock is free.

extension BodyTape {
    enum Ending: Sendable {
        case whole
        case failed(BodyFailure)
    }

    struct Cursor {
        var offset: Int64
        /// The store's own reader: it counts for the pace, not as somebody who wants the body.
        var isArchivist: Bool
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Someone who waits for the end, or for so many bytes.
    struct Watch: Sendable {
        var count: Int64
        var call: @Sendable () -> Void
    }

    struct State {
        /// Sealed pieces, the oldest first; those before `first` are gone.
        var pieces: [Bytes] = []
        var first = 0
        /// Where the oldest piece in memory begins; where the last byte ends.
        var start: Int64 = 0
        var end: Int64 = 0
        /// The piece that still grows: its bytes are part of `end`.
        var growing = Bytes()
        var ending: Ending?
        var cursors: [UInt64: Cursor] = [:]
        var nextCursor: UInt64 = 0
        var archive: (any LargeBody)?
        var archived: Int64 = 0
        /// The archive takes no more.
        var archiveIsClosed = false
        var isFull = false
        /// Its producer is being stopped, since nobody read it: it takes no reader any more.
        var isClosed = false
        /// Cursors with a waiter.
        var waiting = 0
        var callbacks: Callbacks?
        var watch: Watch?
        /// From here on only the archivist reads, until `release`.
        var heldFrom: Int64?

        private let window: Int
        private let promised: Int64?
        /// A piece that has grown to this is sealed.
        private let pieceSize: Int
        /// Bytes in memory from which it is worth looking for some that nobody needs.
        private let idle: Int64
        /// A growing piece of this size is handed out as it is; a smaller one is copied and grows on.
        private let leastPiece: Int

        init(window: Int, promised: Int64?) {
            self.window = window
            self.promised = promised
            pieceSize = min(64 * 1024, max(1, window / 8))
            leastPiece = min(16 * 1024, pieceSize)
            idle = Int64(min(pieceSize, window))
        }
    }
}

extension BodyTape.State {
    // MARK: Bytes that come

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if growing.isEmpty {
            let expected = promised.map { Int(clamping: max(0, $0 - end)) } ?? pieceSize
            growing.reserveCapacity(max(bytes.count, min(expected, pieceSize)))
        }
        growing.append(contentsOf: bytes)
        end += Int64(bytes.count)
        if growing.count >= pieceSize { seal() }
        if end - start >= idle { drop() }
        isFull = end - start >= Int64(window)
    }

    /// Who waits for bytes that have come now.
    mutating func takeWatch() -> BodyTape.Watch? {
        guard let due = watch, end >= due.count else { return nil }
        watch = nil
        return due
    }

    mutating func seal() {
        guard !growing.isEmpty else { return }
        // Room reserved for more than came would be held, and not be counted, for as long as the piece is.
        pieces.append(growing.capacity > 2 * growing.count ? growing.withUnsafeBufferPointer { Bytes($0) } : growing)
        growing = Bytes()
    }

    /// The whole body where it has ended well and all of it is still in memory.
    mutating func whole() -> Bytes? {
        guard case .whole = ending, start == 0 else { return nil }
        seal()
        if pieces.count - first == 1 { return pieces[first] }
        var out = Bytes()
        out.reserveCapacity(Int(end))
        for piece in pieces[first...] { out += piece }
        return out
    }

    // MARK: Readers

    /// The number of a new reader from the first byte; nil where that is gone for good.
    mutating func enter(isArchivist: Bool) -> UInt64? {
        if isClosed { return nil }
        // Once the archive is closed memory goes on without it, and between the two may be a gap.
        guard start == 0 || archive != nil && archived >= start else { return nil }
        nextCursor += 1
        cursors[nextCursor] = BodyTape.Cursor(offset: 0, isArchivist: isArchivist)
        return nextCursor
    }

    /// Who is to be woken and told when a reader has left.
    struct Leaving {
        var waiter: CheckedContinuation<Void, Never>?
        var room: (@Sendable () -> Void)?
        var deserted: (@Sendable () -> Void)?
    }

    /// Nil where it had left before.
    mutating func leave(_ number: UInt64) -> Leaving? {
        guard let cursor = cursors.removeValue(forKey: number) else { return nil }
        if cursor.waiter != nil { waiting -= 1 }
        let isDeserted = !cursor.isArchivist && !cursors.values.contains { !$0.isArchivist }
        let deserted = isDeserted && ending == nil ? callbacks?.deserted : nil
        return Leaving(waiter: cursor.waiter, room: makeRoom(), deserted: deserted)
    }

    /// Takes no reader from now on, unless somebody wants the body.
    mutating func closeIfDeserted() -> Bool {
        if cursors.values.contains(where: { !$0.isArchivist }) { return false }
        isClosed = true
        return true
    }

    /// The reader that alone holds up the producer while others wait.
    var obstacle: UInt64? {
        guard isFull, waiting > 0 else { return nil }
        // While the archive takes more, the pace is its own, whoever reads.
        guard archive == nil || archiveIsClosed else { return nil }
        guard let slowest = cursors.min(by: { $0.value.offset < $1.value.offset }),
            !slowest.value.isArchivist, slowest.value.waiter == nil
        else { return nil }
        return slowest.key
    }

    /// How far that reader may read now.
    func limit(of cursor: BodyTape.Cursor) -> Int64 {
        guard let heldFrom, !cursor.isArchivist else { return end }
        return min(end, heldFrom)
    }

    /// Whether there is something for that reader: bytes, or the end.
    func isDue(_ cursor: BodyTape.Cursor) -> Bool {
        if cursor.offset < limit(of: cursor) { return true }
        return switch ending {
        case nil: false
        case .failed: true
        case .whole: heldFrom == nil || cursor.isArchivist
        }
    }

    /// What there is for a reader.
    enum Found {
        /// The next bytes, and whom to tell that they made room.
        case piece(Bytes, (@Sendable () -> Void)?)
        /// So many bytes at that place of the archive.
        case archived(any LargeBody, Int64, Int)
        case end
        case failed(BodyFailure)
        case wait
    }

    /// Finds the next for that reader. A piece from memory is taken with it.
    mutating func next(for number: UInt64) -> Found {
        guard let own = cursors[number] else { return .failed(BodyFailure("Nobody reads it any more.")) }
        let limit = limit(of: own)
        if own.offset < start {
            guard let archive, own.offset < archived else {
                return .failed(BodyFailure("The reader fell behind what is kept."))
            }
            let most = min(archived, limit) - own.offset
            return most > 0 ? .archived(archive, own.offset, Int(min(most, 256 * 1024))) : .wait
        }
        if own.offset < limit, let piece = piece(at: own.offset, before: limit) {
            cursors[number]?.offset = own.offset + Int64(piece.count)
            return .piece(piece, makeRoom())
        }
        return switch ending {
        case .whole: isDue(own) ? .end : .wait
        case .failed(let failure): .failed(failure)
        case nil: .wait
        }
    }

    /// The bytes from that place on, as far as one piece of memory goes.
    private mutating func piece(at offset: Int64, before limit: Int64) -> Bytes? {
        let sealed = end - Int64(growing.count)
        if offset >= sealed {
            if growing.count < leastPiece, ending == nil {
                return growing[Int(offset - sealed)..<Int(limit - sealed)].withUnsafeBufferPointer { Bytes($0) }
            }
            seal()
        }
        var place = start
        for piece in pieces[first...] {
            let end = place + Int64(piece.count)
            if offset < end {
                let skipped = Int(offset - place)
                let used = Int(min(end, limit) - place)
                return skipped == 0 && used == piece.count ? piece : Bytes(piece[skipped..<used])
            }
            place = end
        }
        return nil
    }

    /// The reader has had so many bytes from the archive.
    mutating func advance(_ number: UInt64, by count: Int) -> (@Sendable () -> Void)? {
        cursors[number]?.offset += Int64(count)
        return makeRoom()
    }

    /// Keeps who waits for the next, unless there is something for that reader.
    mutating func keep(_ waiter: CheckedContinuation<Void, Never>, of number: UInt64) -> Void? {
        guard let own = cursors[number], !isDue(own) else { return () }
        cursors[number]?.waiter = waiter
        waiting += 1
        return nil
    }

    /// Those for whom there is something now.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        guard waiting > 0 else { return [] }
        var waiters: [CheckedContinuation<Void, Never>] = []
        var place = cursors.startIndex
        while place != cursors.endIndex {
            let cursor = cursors.values[place]
            if let waiter = cursor.waiter, isDue(cursor) {
                waiters.append(waiter)
                cursors.values[place].waiter = nil
                waiting -= 1
            }
            cursors.formIndex(after: &place)
        }
        return waiters
    }

    // MARK: Room

    /// Where the slowest reader is; nil where there is none.
    private var slowest: Int64? {
        var least: Int64?
        for cursor in cursors.values where cursor.offset < least ?? .max { least = cursor.offset }
        return least
    }

    /// Forgets pieces that nobody needs from memory any more. While the archive takes more, that is what it holds, but
    /// for a tail of half a window for those who are near; else what every reader has had.
    mutating func drop() {
        if archive != nil, !archiveIsClosed {
            forget(before: min(archived, max(slowest ?? end, end - Int64(window / 2))))
            // The tail is a kindness, the pace a promise.
            if end - start >= Int64(window) { forget(before: archived) }
        } else if let slowest {
            forget(before: max(slowest, min(archived, end - Int64(window / 2))))
        }
    }

    private mutating func forget(before limit: Int64) {
        while first < pieces.count, start + Int64(pieces[first].count) <= limit {
            start += Int64(pieces[first].count)
            pieces[first] = []
            first += 1
        }
        if first == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            first = 0
            if limit >= end {
                growing.removeAll(keepingCapacity: true)
                start = end
            }
        } else if first > 64 {
            pieces.removeFirst(first)
            first = 0
        }
    }

    mutating func makeRoom() -> (@Sendable () -> Void)? {
        guard isFull else { return nil }
        drop()
        guard end - start < Int64(window) else { return nil }
        isFull = false
        return callbacks?.room
    }
}
