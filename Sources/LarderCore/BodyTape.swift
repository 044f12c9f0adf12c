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

    /// Bytes that memory may hold before the producer must wait; what is appended at a time comes on top. An archive
    /// takes pieces that are smaller than half of it.
    public let window: Int
    /// The length that the head promised.
    public let promised: Int64?
    let state: Lock<State>

    public init(window: Int = 1 << 20, promised: Int64? = nil) {
        self.window = window
        self.promised = promised
        state = Lock(State(window: window, promised: promised))
    }

    public func on(_ callbacks: Callbacks) {
        state.withLock { $0.callbacks = callbacks }
    }

    // MARK: Producer

    /// Takes the next bytes. False where the producer should pause until `room` is called; what was given is taken in
    /// any case. After the end it is dropped.
    public func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (waiters, watch, goesOn) = state.withLock { state in
            guard state.ending == nil, !bytes.isEmpty else {
                return ([CheckedContinuation<Void, Never>](), Watch?.none, true)
            }
            state.append(bytes)
            return (state.takeWaiters(), state.takeWatch(), !state.isFull)
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
            return state.makeRoom()
        }
        room?()
    }

    /// The archive takes no more; what it holds stays readable. From here on the slowest reader sets the pace.
    public func archiveEnded() {
        let room = state.withLock { state -> (@Sendable () -> Void)? in
            state.archiveIsClosed = true
            return state.makeRoom()
        }
        room?()
    }

    // MARK: Readers

    /// Bytes received so far.
    public var count: Int64 { state.withLock { $0.end } }

    /// For the producer, when it hears that the last reader has left: false where another has come since, who must not be cut off.
    /// Otherwise it takes no reader any more.
    public func closeIfDeserted() -> Bool { state.withLock { $0.closeIfDeserted() } }

    /// Bytes in memory now.
    public var held: Int { state.withLock { Int($0.end - $0.start) } }

    /// Readers that want the body, the archivist not among them.
    public var readers: Int { state.withLock { $0.cursors.values.count { !$0.isArchivist } } }

    /// The whole body where it has ended well and all of it is still in memory.
    public var whole: Bytes? { state.withLock { $0.whole() } }

    /// Whether it has ended, well or not.
    public var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// The failure it ended with.
    public var failure: BodyFailure? {
        state.withLock { state in
            switch state.ending {
            case .failed(let failure): failure
            case .whole: nil
            case nil: state.isClosed ? BodyFailure("Nobody reads it any more.") : nil
            }
        }
    }

    /// A reader from the first byte; nil where that is gone for good.
    public func reader(isArchivist: Bool = false) -> BodyTapeReader? {
        state.withLock { $0.enter(isArchivist: isArchivist) }.map { BodyTapeReader(tape: self, cursor: $0) }
    }

    /// Ends the slowest reader's pass where it alone holds up the producer and others wait. For whoever watches the
    /// time. True where one was dropped.
    public func dropSlowest() -> Bool {
        guard let slowest = state.withLock({ $0.obstacle }) else { return false }
        leave(slowest)
        return true
    }

    func leave(_ number: UInt64) {
        let left = state.withLock { $0.leave(number) }
        left?.waiter?.resume()
        left?.room?()
        left?.deserted?()
    }
}
