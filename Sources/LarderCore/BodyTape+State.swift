// The state of a tape and its steps. Each step runs whole under the tape's lock and calls nobody. A step returns the
// waiters to resume and the callbacks to make; the tape makes them after the lock is released.

extension BodyTape {
    enum Ending: Sendable {
        case whole
        case failed(BodyFailure)
    }

    struct Cursor {
        var offset: Int64
        /// The store's own reader. It counts for the pace, but not as a reader that wants the body.
        var isArchivist: Bool
        var waiter: TaskContinuation<Void, Never>?
    }

    /// A callback for the end of the body, or for the arrival of `count` bytes.
    struct Watch: Sendable {
        var count: Int64
        var call: @Sendable () -> Void
    }

    struct State {
        /// Sealed pieces, the oldest first. Those before index `first` are gone.
        var pieces: [Bytes] = []
        var first = 0
        /// Offsets: `start` is where the oldest piece in memory begins, `end` is where the last byte ends.
        var start: Int64 = 0
        var end: Int64 = 0
        /// The piece that is still growing. Its bytes are part of `end`.
        var growing = Bytes()
        var ending: Ending?
        var cursors = Numbered<Cursor>()
        var nextCursor: UInt64 = 0
        var archive: (any LargeBody)?
        var archived: Int64 = 0
        /// The archive takes no more bytes.
        var archiveIsClosed = false
        var isFull = false
        /// The producer is being stopped because nobody read the body. The tape takes no more readers.
        var isClosed = false
        /// The number of cursors with a waiter.
        var waiting = 0
        var callbacks: Callbacks?
        var watch: Watch?
        /// From this offset on only the archivist reads, until `release`.
        var heldFrom: Int64?

        private let window: Int
        private let promised: Int64?
        /// A growing piece of this size is sealed.
        private let pieceSize: Int
        /// The bytes in memory from which it is worth looking for pieces that nobody needs.
        private let idle: Int64
        /// A growing piece of this size is sealed and handed out as it is; a smaller one is copied and keeps growing.
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

    /// Takes the watch if its bytes have arrived now.
    mutating func takeWatch() -> BodyTape.Watch? {
        guard let due = watch, end >= due.count else { return nil }
        watch = nil
        return due
    }

    mutating func seal() {
        guard !growing.isEmpty else { return }
        // Unused reserved capacity would be held, uncounted, for as long as the piece is.
        pieces.append(growing.capacity > 2 * growing.count ? growing.withUnsafeBufferPointer { Bytes($0) } : growing)
        growing = Bytes()
    }

    /// The whole body, if it has ended without failure and all of it is still in memory.
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

    /// Adds a reader at the first byte and returns its number, or nil if that byte is no longer available.
    mutating func enter(isArchivist: Bool) -> UInt64? {
        if isClosed { return nil }
        // After the archive has closed, memory continues without it, and there may be a gap between the two.
        guard start == 0 || archive != nil && archived >= start else { return nil }
        nextCursor += 1
        cursors[nextCursor] = BodyTape.Cursor(offset: 0, isArchivist: isArchivist)
        return nextCursor
    }

    /// The waiter to resume and the callbacks to make after a reader has left.
    struct Leaving {
        var waiter: TaskContinuation<Void, Never>?
        var room: (@Sendable () -> Void)?
        var deserted: (@Sendable () -> Void)?
    }

    /// Returns nil if the reader had already left.
    mutating func leave(_ number: UInt64) -> Leaving? {
        guard let cursor = cursors.removeValue(forKey: number) else { return nil }
        if cursor.waiter != nil { waiting -= 1 }
        let isDeserted = !cursor.isArchivist && !cursors.values.contains { !$0.isArchivist }
        let deserted = isDeserted && ending == nil ? callbacks?.deserted : nil
        return Leaving(waiter: cursor.waiter, room: makeRoom(), deserted: deserted)
    }

    /// Closes the tape to new readers, unless a reader wants the body.
    mutating func closeIfDeserted() -> Bool {
        if cursors.values.contains(where: { !$0.isArchivist }) { return false }
        isClosed = true
        return true
    }

    /// The number of the reader that alone holds up the producer while others wait.
    var obstacle: UInt64? {
        guard isFull, waiting > 0 else { return nil }
        // While the archive takes bytes, the archive sets the pace, not the readers.
        guard archive == nil || archiveIsClosed else { return nil }
        let readers = cursors.numbers.compactMap { number in cursors[number].map { (number, $0) } }
        guard let (number, slowest) = readers.min(by: { $0.1.offset < $1.1.offset }), !slowest.isArchivist,
            slowest.waiter == nil
        else { return nil }
        return number
    }

    /// The offset up to which the reader may read now.
    func limit(of cursor: BodyTape.Cursor) -> Int64 {
        guard let heldFrom, !cursor.isArchivist else { return end }
        return min(end, heldFrom)
    }

    /// Whether the reader can get something now: bytes, the end, or the failure.
    func isDue(_ cursor: BodyTape.Cursor) -> Bool {
        if cursor.offset < limit(of: cursor) { return true }
        return switch ending {
        case nil: false
        case .failed: true
        case .whole: heldFrom == nil || cursor.isArchivist
        }
    }

    /// The result of `next(for:)`.
    enum Found {
        /// The next bytes, and the callback to make because reading them made room.
        case piece(Bytes, (@Sendable () -> Void)?)
        /// Read from the archive: the offset and the number of bytes.
        case archived(any LargeBody, Int64, Int)
        case end
        case failed(BodyFailure)
        case wait
    }

    /// Finds the next step for a reader. A piece from memory counts as read.
    mutating func next(for number: UInt64) -> Found {
        guard let own = cursors[number] else { return .failed(BodyFailure("Nobody reads it any more.")) }
        let limit = limit(of: own)
        if own.offset < start {
            guard let archive, own.offset < archived else {
                return .failed(BodyFailure("The reader was too slow: the bytes it needs are no longer kept."))
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

    /// The bytes from `offset` up to `limit`, but at most to the end of the piece of memory that holds them.
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

    /// Advances the reader by bytes that it read from the archive.
    mutating func advance(_ number: UInt64, by count: Int) -> (@Sendable () -> Void)? {
        cursors[number]?.offset += Int64(count)
        return makeRoom()
    }

    /// Keeps the waiter, unless the reader can get something now. Returns nil if the waiter was kept.
    mutating func keep(_ waiter: TaskContinuation<Void, Never>, of number: UInt64) -> Void? {
        guard let own = cursors[number], !isDue(own) else { return () }
        cursors[number]?.waiter = waiter
        waiting += 1
        return nil
    }

    /// Takes the waiters whose readers can get something now.
    mutating func takeWaiters() -> [TaskContinuation<Void, Never>] {
        guard waiting > 0 else { return [] }
        var waiters: [TaskContinuation<Void, Never>] = []
        for number in cursors.numbers {
            guard let cursor = cursors[number], let waiter = cursor.waiter, isDue(cursor) else { continue }
            waiters.append(waiter)
            cursors[number]?.waiter = nil
            waiting -= 1
        }
        return waiters
    }

    // MARK: Room

    /// The offset of the slowest reader; nil if there is no reader.
    private var slowest: Int64? {
        var least: Int64?
        for cursor in cursors.values where cursor.offset < least ?? .max { least = cursor.offset }
        return least
    }

    /// Drops pieces that nobody needs from memory any more. While the archive takes bytes, these are the archived
    /// pieces, except a tail of half a window for readers that are close behind. Otherwise they are the pieces every
    /// reader has had.
    mutating func drop() {
        if archive != nil, !archiveIsClosed {
            forget(before: min(archived, max(slowest ?? end, end - Int64(window / 2))))
            // Keeping the tail is optional; keeping the producer's pace is not.
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
