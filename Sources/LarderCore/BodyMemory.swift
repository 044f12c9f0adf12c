// The bound on bodies that are held whole. Each such body has a hold, which grows with it and is given back when nobody has
// the hold any more. Whoever gets no more room gives up its body, so that the others can end.
//
//  - A body of up to 64 KiB is not counted: there are only as many of those as there are transfers, and small answers must
//    not wait for large ones.
//  - The only body that is counted may grow as far as its own limit says. So one of them always goes on, whatever the bound.
import Synchronization

/// How much memory whole bodies have together.
public final class BodyMemory: Sendable {
    /// A body of up to this size needs no room.
    public static let uncounted = 64 << 10

    private struct State {
        var limit: Int
        var held = 0
    }

    private let state: Lock<State>
    private let refusals: CounterCell

    /// - Parameter refusals: counts the bodies that were given up.
    public init(limit: Int, refusals: CounterCell = CounterCell()) {
        state = Lock(State(limit: limit))
        self.refusals = refusals
    }

    /// Bytes that are held now.
    public var held: Int { state.withLock { $0.held } }

    /// What is held stays, also where it is more.
    public func setLimit(_ limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// The hold of one body, which is nothing yet.
    public func hold() -> BodyHold { BodyHold(self) }

    /// The hold of a body that is in memory already: it counts, whether there was room for it or not, so that what comes
    /// next finds less. Nil where it needs none.
    public func claim(_ size: Int) -> BodyHold? {
        guard size > Self.uncounted else { return nil }
        state.withLock { $0.held += size }
        return BodyHold(self, size)
    }

    /// - Parameter own: what the asker holds of it already.
    fileprivate func grow(by amount: Int, own: Int) -> Bool {
        let fits = state.withLock { state in
            guard state.held == own || state.held + amount <= state.limit else { return false }
            state.held += amount
            return true
        }
        if !fits { refusals.add() }
        return fits
    }

    fileprivate func release(_ amount: Int) {
        state.withLock { $0.held -= amount }
    }
}

/// The room of one body. It goes along with the body and is given back with its last reference.
public final class BodyHold: Sendable {
    private let memory: BodyMemory
    private let amount: Atomic<Int>

    fileprivate init(_ memory: BodyMemory, _ amount: Int = 0) {
        self.memory = memory
        self.amount = Atomic(amount)
    }

    deinit {
        memory.release(amount.load(ordering: .relaxed))
    }

    /// Makes it that large, or smaller. By whoever fills the body, alone.
    /// - Returns: false, and nothing changes, where there is no room for that.
    public func resize(to size: Int) -> Bool {
        let old = amount.load(ordering: .relaxed)
        if size > old {
            guard memory.grow(by: size - old, own: old) else { return false }
        } else {
            memory.release(old - size)
        }
        amount.store(size, ordering: .relaxed)
        return true
    }
}
