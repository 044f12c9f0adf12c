// One loop's look at what is kept ready. It reads on the loop, without a task, and never waits for the disk: its connection is
// one of `NoWaitVFS`, and where a page is not in the kernel's memory the request goes the slow way.
//
// The connection is made on a reader's thread, and closed there or on the writer's. The lock that guards it is held by its loop
// while it looks, and by the others for an assignment only: never while they open or close. So the loop waits for nobody.
import CSQLite
import LarderCore
import Synchronization

/// An answer that was found, and what it depends on.
public struct ReadyFound: Sendable {
    public internal(set) var response: ReadyResponse
    public let takesGzip: Bool?
    public let entry: Digest
    /// The list of variants that chose it, and what the entry was made from.
    public let list: Digest?
    let parents: [Digest]
    public let provider: String
    /// What was in force when the look began.
    let moment: ReadyMoment
}

final class ReadyReader: Sendable {
    /// Bodies up to this size are read on a loop. A larger one is read in pieces as its client takes it.
    static let largestBody = SQLiteStore.openSize

    /// What one look came to.
    enum Outcome {
        case found(ReadyFound)
        /// There is none, or none that fits.
        case absent
        /// A page would have to be read from the disk, or somebody has the database locked.
        case cold
        /// It is not what was written, or the database failed.
        case failed(StoreError?)
        /// There is no connection at present.
        case closed
    }

    private enum State {
        case closed(until: MonotonicTime)
        /// A reader's thread was asked to open it.
        case opening
        case open(ReadyConnection)
        /// A reader's thread was asked to close it.
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

    /// A connection was made for it. It is given back where the gate was shut meanwhile.
    /// - Returns: whether it was taken.
    func take(_ made: ReadyConnection) -> Bool {
        state.withLock { state in
            // Whoever shuts the gate looks here afterwards.
            guard shared.gate.mayStay() else {
                state = .closed(until: .distantPast)
                return false
            }
            state = .open(made)
            hasConnection.store(true, ordering: .relaxed)
            return true
        }
    }

    /// None could be made: tried again after a while.
    func staysClosed(for time: Duration) {
        let until = shared.time.monotonic() + time
        state.withLock { $0 = .closed(until: until) }
    }

    /// Closes the connection, not on a loop. The next look asks for another.
    /// - Parameter time: none is asked for within it.
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

    /// For figures: asked without the lock, which its loop holds while it reads.
    var isOpen: Bool { hasConnection.load(ordering: .relaxed) }

    /// Takes every page for one that is not in memory: for tests.
    func refuseAll(_ refuses: Bool) {
        state.withLock { if case .open(let open) = $0 { open.refusesAll = refuses } }
    }

    // MARK: Looking

    func look(_ query: ReadyQuery, _ moment: ReadyMoment, _ readers: ReadyReaders) -> Outcome {
        let (outcome, generation) = state.withLock { state -> (Outcome, Int) in
            switch state {
            case .open(let open):
                let outcome = open.look(query, moment, readers)
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
            if !shared.reads.insist(.openShelf(number), weight: 1) { staysClosed(for: .seconds(3600)) }
        case .failed(let error?):
            // After the end of the readers the writer closes it.
            _ = shared.reads.insist(.closeShelf(number), weight: 1)
            if error.isDamage {
                shared.meters.damage.add()
                _ = shared.writes.insist(.damaged(generation: generation, error))
            }
        default: break
        }
        return outcome
    }
}
