// One body under way: one producer, any number of readers, a bounded stretch of it in memory (Docs/Decisions/0008).
//
// A piece stays in memory until it is in the archive (the store's committed pieces) or, where there is none, until every
// reader has had it. A reader that has fallen behind what memory holds goes on from the archive; so with an archive the
// producer goes at the archive's pace and a slow reader slows nobody. Without one it goes at the slowest reader's.
//
// Bytes are gathered into pieces of some size, so that a body that comes in crumbs does not cost a block of memory for
// each of them. A reader that keeps up gets copies of the piece that still grows, whose memory is then used again.

/// A body that is being received.
public final class BodyTape: Sendable {
    /// What is to be done when the tape changes; each is called without a lock held, on whichever thread caused it.
    public struct Callbacks: Sendable {
        /// There is room again after `append` said there was none.
        public var room: @Sendable () -> Void
        /// The last reader has left before the end.
        public var deserted: @Sendable () -> Void

        public init(room: @escaping @Sendable () -> Void, deserted: @escaping @Sendable () -> Void) {
            self.room = room
            self.deserted = deserted
        }
    }

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
        /// Cursors with a waiter.
        var waiting = 0
        var callbacks: Callbacks?
        var watch: Watch?
        /// From here on only the archivist reads, until `release`.
        var heldFrom: Int64?
    }

    /// Someone who waits for the end, or for so many bytes.
    struct Watch: Sendable {
        var count: Int64
        var call: @Sendable () -> Void
    }

    /// Bytes that memory may hold before the producer must wait; what is appended at a time comes on top. An archive
    /// takes pieces that are smaller than half of it.
    public let window: Int
    /// The length that the head promised.
    public let promised: Int64?
    /// A piece that has grown to this is sealed.
    private let pieceSize: Int
    /// Bytes in memory from which it is worth looking for some that nobody needs.
    private let idle: Int64
    /// A growing piece of this size is handed out as it is; a smaller one is copied and grows on.
    fileprivate let leastPiece: Int
    let state = Lock(State())

    public init(window: Int = 1 << 20, promised: Int64? = nil) {
        self.window = window
        self.promised = promised
        pieceSize = min(64 * 1024, max(1, window / 8))
        leastPiece = min(16 * 1024, pieceSize)
        idle = Int64(min(pieceSize, window))
    }

    public func on(_ callbacks: Callbacks) {
        state.withLock { $0.callbacks = callbacks }
    }

    // MARK: Producer

    /// Takes the next bytes. False where the producer should pause until `room` is called; what was given is taken in
    /// any case. After the end it is dropped.
    public func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (waiters, watch, goesOn) = state.withLock {
            state -> ([CheckedContinuation<Void, Never>], Watch?, Bool) in
            guard state.ending == nil, !bytes.isEmpty else { return ([], nil, true) }
            if state.growing.isEmpty {
                let expected = promised.map { Int(clamping: max(0, $0 - state.end)) } ?? pieceSize
                state.growing.reserveCapacity(max(bytes.count, min(expected, pieceSize)))
            }
            state.growing.append(contentsOf: bytes)
            state.end += Int64(bytes.count)
            if state.growing.count >= pieceSize { state.seal() }
            if state.end - state.start >= idle { state.drop(window: window) }
            state.isFull = state.end - state.start >= Int64(window)
            let watch = state.watch.flatMap { state.end >= $0.count ? $0 : nil }
            if watch != nil { state.watch = nil }
            return (state.takeWaiters(), watch, !state.isFull)
        }
        watch?.call()
        for waiter in waiters { waiter.resume() }
        return goesOn
    }

    /// The body is whole.
    public func finish() { end(.whole) }

    /// The rest will not come.
    public func fail(_ failure: BodyFailure) { end(.failed(failure)) }

    private func end(_ ending: Ending) {
        let (waiters, watch) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Watch?) in
            guard state.ending == nil else { return ([], nil) }
            state.ending = ending
            state.callbacks = nil
            return (state.takeWaiters(), state.watch.take())
        }
        watch?.call()
        for waiter in waiters { waiter.resume() }
    }

    /// Calls once, when the body has ended or so many bytes have come; at once where that is so already. One at a time.
    public func watch(for count: Int64, _ call: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state -> Bool in
            if state.ending != nil || state.end >= count { return true }
            state.watch = Watch(count: count, call: call)
            return false
        }
        if isDue { call() }
    }

    // MARK: Archive

    /// From now on, what has been archived need not stay in memory. The archive must be readable up to `archived(to:)`.
    public func keep(in archive: any LargeBody) {
        state.withLock { $0.archive = archive }
    }

    /// Readers get neither the last byte nor the end before `release`: whoever has the whole body finds it stored.
    public func holdEnd() {
        state.withLock { $0.heldFrom = promised.map { max(0, $0 - 1) } ?? .max }
    }

    /// The end is no longer held back.
    public func release() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.heldFrom != nil else { return [] }
            state.heldFrom = nil
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The archive holds everything before that place.
    public func archived(to place: Int64) {
        let room = state.withLock { state -> (@Sendable () -> Void)? in
            state.archived = max(state.archived, place)
            return state.makeRoom(window: window)
        }
        room?()
    }

    /// The archive takes no more; what it holds stays readable. From here on the slowest reader sets the pace.
    public func archiveEnded() {
        let room = state.withLock { state -> (@Sendable () -> Void)? in
            state.archiveIsClosed = true
            return state.makeRoom(window: window)
        }
        room?()
    }

    // MARK: Readers

    /// Bytes received so far.
    public var count: Int64 { state.withLock { $0.end } }

    /// Bytes in memory now.
    public var held: Int { state.withLock { Int($0.end - $0.start) } }

    /// Readers that want the body, the archivist not among them.
    public var readers: Int { state.withLock { $0.cursors.values.count { !$0.isArchivist } } }

    /// The whole body where it has ended well and all of it is still in memory.
    public var whole: Bytes? {
        state.withLock { state in
            guard case .whole = state.ending, state.start == 0 else { return nil }
            state.seal()
            if state.pieces.count - state.first == 1 { return state.pieces[state.first] }
            var out = Bytes()
            out.reserveCapacity(Int(state.end))
            for piece in state.pieces[state.first...] { out += piece }
            return out
        }
    }

    /// Whether it has ended, well or not.
    public var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// The failure it ended with.
    public var failure: BodyFailure? {
        state.withLock { if case .failed(let failure) = $0.ending { failure } else { nil } }
    }

    /// A reader from the first byte; nil where that is gone for good.
    public func reader(isArchivist: Bool = false) -> BodyTapeReader? {
        state.withLock { state in
            // Once the archive is closed memory goes on without it, and between the two may be a gap.
            guard state.start == 0 || state.archive != nil && state.archived >= state.start else { return nil }
            state.nextCursor += 1
            state.cursors[state.nextCursor] = Cursor(offset: 0, isArchivist: isArchivist)
            return BodyTapeReader(tape: self, cursor: state.nextCursor)
        }
    }

    /// Ends the slowest reader's pass where it alone holds up the producer and others wait. For whoever watches the
    /// time. True where one was dropped.
    public func dropSlowest() -> Bool {
        let slowest = state.withLock { state -> UInt64? in
            guard state.isFull, state.waiting > 0 else { return nil }
            // While the archive takes more, the pace is its own, whoever reads.
            guard state.archive == nil || state.archiveIsClosed else { return nil }
            guard let slowest = state.cursors.min(by: { $0.value.offset < $1.value.offset }),
                !slowest.value.isArchivist, slowest.value.waiter == nil
            else { return nil }
            return slowest.key
        }
        guard let slowest else { return false }
        leave(slowest)
        return true
    }

    func leave(_ number: UInt64) {
        let (waiter, room, deserted) = state.withLock {
            state -> (
                CheckedContinuation<Void, Never>?, (@Sendable () -> Void)?, (@Sendable () -> Void)?
            ) in
            guard let cursor = state.cursors.removeValue(forKey: number) else { return (nil, nil, nil) }
            if cursor.waiter != nil { state.waiting -= 1 }
            let isDeserted = !cursor.isArchivist && !state.cursors.values.contains { !$0.isArchivist }
            let deserted = isDeserted && state.ending == nil ? state.callbacks?.deserted : nil
            return (cursor.waiter, state.makeRoom(window: window), deserted)
        }
        waiter?.resume()
        room?()
        deserted?()
    }
}

extension BodyTape.State {
    mutating func seal() {
        guard !growing.isEmpty else { return }
        // Room reserved for more than came would be held, and not be counted, for as long as the piece is.
        pieces.append(growing.capacity > 2 * growing.count ? growing.withUnsafeBufferPointer { Bytes($0) } : growing)
        growing = Bytes()
    }

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

    /// Where the slowest reader is; nil where there is none.
    private var slowest: Int64? {
        var least: Int64?
        for cursor in cursors.values where cursor.offset < least ?? .max { least = cursor.offset }
        return least
    }

    /// Forgets pieces that nobody needs from memory any more. While the archive takes more, that is what it holds, but
    /// for a tail of half a window for those who are near; else what every reader has had.
    mutating func drop(window: Int) {
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

    mutating func makeRoom(window: Int) -> (@Sendable () -> Void)? {
        guard isFull else { return nil }
        drop(window: window)
        guard end - start < Int64(window) else { return nil }
        isFull = false
        return callbacks?.room
    }
}

/// One pass over a tape.
public final class BodyTapeReader: BodyReader {
    private let tape: BodyTape
    private let cursor: UInt64

    init(tape: BodyTape, cursor: UInt64) {
        self.tape = tape
        self.cursor = cursor
    }

    deinit { tape.leave(cursor) }

    private enum Found {
        case piece(Bytes, (@Sendable () -> Void)?)
        case archived(any LargeBody, Int64, Int)
        case end
        case failed(BodyFailure)
        case wait
    }

    public func next() async throws(BodyFailure) -> Bytes? {
        while true {
            switch look() {
            case .piece(let piece, let room):
                room?()
                return piece
            case .archived(let archive, let offset, let count):
                let piece = try await archive.read(at: offset, atMost: count)
                advance(by: piece.count)
                return piece
            case .end: return nil
            case .failed(let failure): throw failure
            case .wait: await wait()
            }
        }
    }

    public func abandon() { tape.leave(cursor) }

    private func look() -> Found {
        tape.state.withLock { state -> Found in
            guard let own = state.cursors[cursor] else { return .failed(BodyFailure("Nobody reads it any more.")) }
            let limit = state.limit(of: own)
            if own.offset < state.start {
                guard let archive = state.archive, own.offset < state.archived else {
                    return .failed(BodyFailure("The reader fell behind what is kept."))
                }
                let most = min(state.archived, limit) - own.offset
                return most > 0 ? .archived(archive, own.offset, Int(min(most, 256 * 1024))) : .wait
            }
            if own.offset < limit {
                let sealed = state.end - Int64(state.growing.count)
                if own.offset >= sealed {
                    if state.growing.count < tape.leastPiece, state.ending == nil {
                        let piece = state.growing[Int(own.offset - sealed)..<Int(limit - sealed)]
                            .withUnsafeBufferPointer { Bytes($0) }
                        state.cursors[cursor]?.offset = limit
                        return .piece(piece, state.makeRoom(window: tape.window))
                    }
                    state.seal()
                }
                var place = state.start
                for piece in state.pieces[state.first...] {
                    let end = place + Int64(piece.count)
                    if own.offset < end {
                        let skipped = Int(own.offset - place)
                        let used = Int(min(end, limit) - place)
                        state.cursors[cursor]?.offset = min(end, limit)
                        let room = state.makeRoom(window: tape.window)
                        let isWhole = skipped == 0 && used == piece.count
                        return .piece(isWhole ? piece : Bytes(piece[skipped..<used]), room)
                    }
                    place = end
                }
            }
            switch state.ending {
            case .whole: return state.isDue(own) ? .end : .wait
            case .failed(let failure): return .failed(failure)
            case nil: return .wait
            }
        }
    }

    private func advance(by count: Int) {
        let room = tape.state.withLock { state -> (@Sendable () -> Void)? in
            state.cursors[cursor]?.offset += Int64(count)
            return state.makeRoom(window: tape.window)
        }
        room?()
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await handover { waiter in
                let isDue = tape.state.withLock { state -> Bool in
                    guard let own = state.cursors[cursor], !state.isDue(own), !Task.isCancelled else { return true }
                    state.cursors[cursor]?.waiter = waiter
                    state.waiting += 1
                    return false
                }
                if isDue { waiter.resume() }
            }
            if Task.isCancelled { tape.leave(cursor) }
        } onCancel: {
            tape.leave(cursor)
        }
    }
}
