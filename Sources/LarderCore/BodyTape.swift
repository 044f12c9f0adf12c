// One body in transit: one producer, any number of readers, and a bounded window of it in memory (Docs/Decisions/0008).
// With an archive (pieces that the store has committed), a piece stays in memory until it is archived; without one,
// until every reader has had it. A reader that falls behind the window continues from the archive. So with an archive
// the producer runs at the archive's pace and a slow reader slows nobody; without one the slowest reader sets the pace.
//
// Small chunks are gathered into larger pieces, so that tiny chunks do not cost one memory block each. A reader that
// keeps up gets copies of the growing piece, whose memory is then reused.

/// A body that is being received.
public final class BodyTape: Sendable {
    /// Calls made when the tape changes. Each is made without a lock held, on the thread that caused the change.
    public struct Callbacks: Sendable {
        /// There is room again after `append` returned false.
        public var room: @Sendable () -> Void
        /// The last reader has left before the end of the body.
        public var deserted: @Sendable () -> Void

        public init(room: @escaping @Sendable () -> Void, deserted: @escaping @Sendable () -> Void) {
            self.room = room
            self.deserted = deserted
        }
    }

    /// Bytes that memory may hold before the producer must wait. The chunk being appended may exceed it. The archive
    /// takes pieces that are smaller than half of the window.
    public let window: Int
    /// The length that the response head promised.
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

    /// Appends the next bytes. Returns false if the producer should pause until `room` is called; the bytes are
    /// appended either way. Bytes appended after the end are dropped.
    public func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (waiters, watch, goesOn) = state.withLock { state in
            guard state.ending == nil, !bytes.isEmpty else {
                return ([TaskContinuation<Void, Never>](), Watch?.none, true)
            }
            state.append(bytes)
            return (state.takeWaiters(), state.takeWatch(), !state.isFull)
        }
        watch?.call()
        for waiter in waiters { waiter.resume() }
        return goesOn
    }

    /// Marks the body as complete.
    public func finish() { end(.whole) }

    /// Marks the body as failed: the rest will not come.
    public func fail(_ failure: BodyFailure) { end(.failed(failure)) }

    private func end(_ ending: Ending) {
        let (waiters, watch) = state.withLock { state -> ([TaskContinuation<Void, Never>], Watch?) in
            guard state.ending == nil else { return ([], nil) }
            state.ending = ending
            state.callbacks = nil
            return (state.takeWaiters(), state.watch.take())
        }
        watch?.call()
        for waiter in waiters { waiter.resume() }
    }

    /// Calls back once, when the body has ended or `count` bytes have arrived. Calls at once if that is already true.
    /// There can be only one watch at a time.
    public func watch(for count: Int64, _ call: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state -> Bool in
            if state.ending != nil || state.end >= count { return true }
            state.watch = Watch(count: count, call: call)
            return false
        }
        if isDue { call() }
    }

    // MARK: Archive

    /// From now on, archived bytes need not stay in memory. The archive must be readable up to `archived(to:)`.
    public func keep(in archive: any LargeBody) {
        state.withLock { $0.archive = archive }
    }

    /// Holds back the last byte and the end from readers until `release`. So a reader that has the whole body finds it
    /// stored. Without a promised length, only the end is held back.
    public func holdEnd() {
        state.withLock { $0.heldFrom = promised.map { max(0, $0 - 1) } ?? .max }
    }

    /// Fails a body whose end is held back, even if all of it has come. No reader gets the end.
    public func refuse(_ failure: BodyFailure) {
        let waiters = state.withLock { state -> [TaskContinuation<Void, Never>] in
            guard state.heldFrom != nil else { return [] }
            state.ending = .failed(failure)
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Stops holding back the end. The end of a body that failed stays held back.
    public func release() {
        let waiters = state.withLock { state -> [TaskContinuation<Void, Never>] in
            if case .failed = state.ending { return [] }
            guard state.heldFrom != nil else { return [] }
            state.heldFrom = nil
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The archive now holds every byte before `place`.
    public func archived(to place: Int64) {
        let room = state.withLock { state -> (@Sendable () -> Void)? in
            state.archived = max(state.archived, place)
            return state.makeRoom()
        }
        room?()
    }

    /// The archive takes no more bytes; those it holds stay readable. From now on the slowest reader sets the pace.
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

    /// Called by the producer when it hears that the last reader has left. Returns false if another reader has joined
    /// since: that reader must not be cut off. Otherwise closes the tape to new readers and returns true.
    public func closeIfDeserted() -> Bool { state.withLock { $0.closeIfDeserted() } }

    /// Bytes in memory now.
    public var held: Int { state.withLock { Int($0.end - $0.start) } }

    /// The number of readers that want the body. The archivist is not counted.
    public var readers: Int { state.withLock { $0.cursors.values.count { !$0.isArchivist } } }

    /// The whole body, if it has ended without failure and all of it is still in memory.
    public var whole: Bytes? { state.withLock { $0.whole() } }

    /// Whether the body has ended, with or without failure.
    public var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// The failure that the body ended with.
    public var failure: BodyFailure? {
        state.withLock { state in
            switch state.ending {
            case .failed(let failure): failure
            case .whole: nil
            case nil: state.isClosed ? BodyFailure("Nobody reads it any more.") : nil
            }
        }
    }

    /// Returns a reader that starts at the first byte, or nil if that byte is no longer available.
    public func reader(isArchivist: Bool = false) -> BodyTapeReader? {
        state.withLock { $0.enter(isArchivist: isArchivist) }.map { BodyTapeReader(tape: self, cursor: $0) }
    }

    /// Ends the pass of the slowest reader if that reader alone holds up the producer while others wait. The fetcher,
    /// which watches the time, calls this. Returns whether a reader was dropped.
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
