// One body under way: one producer, any number of readers, a bounded stretch of it in memory (decision 11).
//
// A piece stays in memory until it is in the archive (the store's committed pieces) or, where there is none, until every
// reader has had it. A reader that has fallen behind what memory holds goes on from the archive; so with an archive the
// producer goes at the archive's pace and a slow reader slows nobody. Without one it goes at the slowest reader's.

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

    struct Seat {
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
        var seats: [UInt64: Seat] = [:]
        var nextSeat: UInt64 = 0
        var archive: (any LargeBody)?
        var archived: Int64 = 0
        /// The archive takes no more.
        var archiveIsClosed = false
        var isFull = false
        var callbacks: Callbacks?
        var watch: Watch?
    }

    /// Someone who waits for the end, or for so many bytes.
    struct Watch: Sendable {
        var count: Int64
        var call: @Sendable () -> Void
    }

    /// Bytes that memory may hold before the producer must wait.
    public let window: Int
    /// The length that the head promised.
    public let promised: Int64?
    private static let pieceSize = 64 * 1024
    let state = Lock(State())

    public init(window: Int = 1 << 20, promised: Int64? = nil) {
        self.window = window
        self.promised = promised
    }

    public func on(_ callbacks: Callbacks) {
        state.withLock { $0.callbacks = callbacks }
    }

    // MARK: Producer

    /// Takes the next bytes. False where the producer should pause until `room` is called; what was given is taken in
    /// any case.
    public func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (waiters, watch, goesOn) = state.withLock {
            state -> ([CheckedContinuation<Void, Never>], Watch?, Bool) in
            guard state.ending == nil, !bytes.isEmpty else { return ([], nil, true) }
            if state.growing.isEmpty {
                let expected = promised.map { Int(clamping: max(0, $0 - state.end)) } ?? Self.pieceSize
                state.growing.reserveCapacity(max(bytes.count, min(expected, Self.pieceSize)))
            }
            state.growing.append(contentsOf: bytes)
            state.end += Int64(bytes.count)
            if state.growing.count >= Self.pieceSize { state.seal() }
            state.drop(window: window)
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

    /// Readers that want the body, the archivist not among them.
    public var readers: Int { state.withLock { $0.seats.values.count { !$0.isArchivist } } }

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
            guard state.start == 0 || state.archive != nil else { return nil }
            state.nextSeat += 1
            state.seats[state.nextSeat] = Seat(offset: 0, isArchivist: isArchivist)
            return BodyTapeReader(tape: self, seat: state.nextSeat)
        }
    }

    /// Ends the slowest reader's pass where it alone holds up the producer and others wait. For whoever watches the
    /// time. True where one was dropped.
    public func dropSlowest() -> Bool {
        let slowest = state.withLock { state -> UInt64? in
            guard state.isFull, state.seats.values.contains(where: { $0.waiter != nil && !$0.isArchivist }) else {
                return nil
            }
            return state.seats.filter { !$0.value.isArchivist }.min { $0.value.offset < $1.value.offset }?.key
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
            guard let seat = state.seats.removeValue(forKey: number) else { return (nil, nil, nil) }
            let isDeserted = !seat.isArchivist && !state.seats.values.contains { !$0.isArchivist }
            let deserted = isDeserted && state.ending == nil ? state.callbacks?.deserted : nil
            return (seat.waiter, state.makeRoom(window: window), deserted)
        }
        waiter?.resume()
        room?()
        deserted?()
    }
}

extension BodyTape.State {
    mutating func seal() {
        guard !growing.isEmpty else { return }
        pieces.append(growing)
        growing = Bytes()
    }

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        var waiters: [CheckedContinuation<Void, Never>] = []
        for (number, seat) in seats where seat.waiter != nil && (seat.offset < end || ending != nil) {
            if let waiter = seat.waiter { waiters.append(waiter) }
            seats[number]?.waiter = nil
        }
        return waiters
    }

    /// Forgets pieces that nobody needs from memory any more. While the archive takes more, that is what it holds, but
    /// for a tail of half a window for those who are near; else what every reader has had.
    mutating func drop(window: Int) {
        let limit: Int64
        if archive != nil, !archiveIsClosed {
            let slowest = seats.values.map(\.offset).min() ?? end
            limit = min(archived, max(slowest, end - Int64(window / 2)))
        } else {
            guard let slowest = seats.values.map(\.offset).min() else { return }
            limit = max(slowest, min(archived, end - Int64(window / 2)))
        }
        while first < pieces.count, start + Int64(pieces[first].count) <= limit {
            start += Int64(pieces[first].count)
            pieces[first] = []
            first += 1
        }
        if first > 64 {
            pieces.removeFirst(first)
            first = 0
        }
    }

    mutating func makeRoom(window: Int) -> (@Sendable () -> Void)? {
        drop(window: window)
        guard isFull, end - start < Int64(window) else { return nil }
        isFull = false
        return callbacks?.room
    }
}

/// One pass over a tape.
public final class BodyTapeReader: BodyReader {
    private let tape: BodyTape
    private let seat: UInt64

    init(tape: BodyTape, seat: UInt64) {
        self.tape = tape
        self.seat = seat
    }

    deinit { tape.leave(seat) }

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

    public func abandon() { tape.leave(seat) }

    private func look() -> Found {
        tape.state.withLock { state -> Found in
            guard let own = state.seats[seat] else { return .failed(BodyFailure("Nobody reads it any more.")) }
            if own.offset < state.start {
                guard let archive = state.archive, own.offset < state.archived else {
                    return .failed(BodyFailure("The reader fell behind what is kept."))
                }
                return .archived(archive, own.offset, Int(min(state.archived - own.offset, 256 * 1024)))
            }
            if own.offset < state.end {
                if own.offset >= state.end - Int64(state.growing.count) { state.seal() }
                var place = state.start
                for piece in state.pieces[state.first...] {
                    let end = place + Int64(piece.count)
                    if own.offset < end {
                        let skipped = Int(own.offset - place)
                        state.seats[seat]?.offset = end
                        let room = state.makeRoom(window: tape.window)
                        return .piece(skipped == 0 ? piece : Bytes(piece[skipped...]), room)
                    }
                    place = end
                }
            }
            switch state.ending {
            case .whole: return .end
            case .failed(let failure): return .failed(failure)
            case nil: return .wait
            }
        }
    }

    private func advance(by count: Int) {
        let room = tape.state.withLock { state -> (@Sendable () -> Void)? in
            state.seats[seat]?.offset += Int64(count)
            return state.makeRoom(window: tape.window)
        }
        room?()
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isDue = tape.state.withLock { state -> Bool in
                    guard let own = state.seats[seat], own.offset >= state.end, state.ending == nil, !Task.isCancelled
                    else { return true }
                    state.seats[seat]?.waiter = waiter
                    return false
                }
                if isDue { waiter.resume() }
            }
            if Task.isCancelled { tape.leave(seat) }
        } onCancel: {
            tape.leave(seat)
        }
    }
}
