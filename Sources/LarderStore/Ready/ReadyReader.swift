// One loop's reader of kept-ready rows. It reads on the loop, without a task, and never waits for the disk: its
// connection uses `NoWaitVFS`, and if a page is not in the kernel's page cache the request goes the slow way.
//
// The connection is made on a reader's thread, and closed there or on the writer's. Its loop holds the lock while it
// looks. Other threads hold it for an assignment only, and never while they open or close. So the loop waits for
// nobody.
import LarderCore
import Synchronization

/// An answer that was found, and what it depends on.
public struct ReadyFound: Sendable {
    public internal(set) var response: ReadyResponse
    public let takesGzip: Bool?
    public let entry: Digest
    /// The URL of a variant. `parents` are what the entry was made from.
    public let url: Digest?
    let parents: [Digest]
    public let provider: String
    /// What was in force when the look began.
    let moment: ReadyMoment
}

final class ReadyReader: Sendable {
    /// Bodies up to this size, in bytes, are read on a loop. A larger one is read in pieces as its client takes it.
    static let largestBody = SQLiteStore.openSize

    /// The result of one look.
    enum Outcome {
        case found(ReadyFound)
        /// There is no row, or none that fits.
        case absent
        /// A page would have to be read from the disk, or somebody has locked the database.
        case cold
        /// The row is damaged (nil), or the database failed.
        case failed(StoreError?)
        /// There is no connection at present.
        case closed
    }

    private enum State {
        case closed(until: MonotonicTime)
        /// A reader's thread was asked to open the connection.
        case opening
        case open(ReadyConnection)
        /// A reader's thread was asked to close the connection.
        case failed(ReadyConnection)
    }

    private let hasConnection = Atomic<Bool>(false)
    private let state = Lock(State.closed(until: .distantPast))
    private let shared: StoreShared
    let number: Int

    init(_ shared: StoreShared, number: Int) {
        self.shared = shared
        self.number = number
    }

    // MARK: The connection

    /// Takes over a connection that was made for this reader, unless the gate was shut meanwhile.
    /// - Returns: whether it was taken. If not, the caller closes it.
    func take(_ made: ReadyConnection) -> Bool {
        state.withLock { state in
            // A thread that shuts the gate looks here afterwards.
            guard shared.gate.mayStay() else {
                state = .closed(until: .distantPast)
                return false
            }
            state = .open(made)
            hasConnection.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Notes that no connection could be made. It is tried again after `time`.
    func staysClosed(for time: Duration) {
        let until = shared.time.monotonic() + time
        state.withLock { $0 = .closed(until: until) }
    }

    /// Closes the connection. Not on a loop. The next look asks for another.
    /// - Parameter time: how long no connection is asked for.
    func close(for time: Duration = .zero) {
        let until = time == .zero ? MonotonicTime.distantPast : shared.time.monotonic() + time
        let open = state.withLock { state -> ReadyConnection? in
            switch state {
            case .open(let connection), .failed(let connection):
                state = .closed(until: until)
                return connection
            case .closed, .opening: return nil
            }
        }
        guard let open else { return }
        hasConnection.store(false, ordering: .relaxed)
        open.close()
        shared.gate.leave()
    }

    /// For figures. Read without the lock, which the loop holds while it reads.
    var isOpen: Bool { hasConnection.load(ordering: .relaxed) }

    /// Reads of the present connection that were refused because they would have waited for the disk. For tests.
    var refusedReads: Int {
        state.withLock { state in
            if case .open(let open) = state { open.refusedReads } else { 0 }
        }
    }

    /// Treats every page as not in memory. For tests.
    func refuseAll(_ refuses: Bool) {
        state.withLock { if case .open(let open) = $0 { open.refusesAll = refuses } }
    }

    /// Asks for a connection before the first look, which would find nothing without one.
    func open() {
        let isClosed = state.withLock { state in
            guard case .closed(let until) = state, until == .distantPast else { return false }
            state = .opening
            return true
        }
        if isClosed { askForConnection() }
    }

    private func askForConnection() {
        if !shared.reads.insist(.openLoopReader(number), weight: 1) { staysClosed(for: .seconds(3600)) }
    }

    // MARK: Looking

    /// - Parameter wantsBytes: whether a body of that length, which lies in a file, is wanted in memory.
    func look(
        _ query: ReadyQuery, at place: ReadyPlace, _ moment: ReadyMoment, _ readers: ReadyReaders,
        wantsBytes: (Int) -> Bool
    ) -> Outcome {
        let (outcome, generation) = state.withLock { state -> (Outcome, Int) in
            switch state {
            case .open(let open):
                let outcome = open.look(query, at: place, moment, readers, wantsBytes)
                // A connection that failed is of no more use.
                if case .failed(.some) = outcome { state = .failed(open) }
                return (outcome, open.generation)
            case .opening, .failed: return (.closed, 0)
            case .closed(let until):
                if until > .distantPast, shared.time.monotonic() < until { return (.closed, 0) }
                state = .opening
                return (.closed, -1)
            }
        }
        switch outcome {
        case .closed where generation < 0:
            askForConnection()
        case .failed(let error?):
            // After the end of the readers the writer closes it.
            _ = shared.reads.insist(.closeLoopReader(number), weight: 1)
            if error.isDamage {
                shared.meters.damage.add()
                _ = shared.writes.insist(.damaged(generation: generation, error))
            }
        default: break
        }
        return outcome
    }
}
