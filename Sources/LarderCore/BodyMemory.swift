// The memory limit for bodies that are held whole. Each such body has a hold, which grows with the body and is returned
// when its last reference is gone. A body that gets no more room is given up, so that the others can finish.
//
//  - A body of up to 64 KiB is not counted. There are at most as many of these as there are transfers, and small
//    responses must not wait for large ones.
//  - If only one body is counted, it may grow up to its own limit. So one body always makes progress, whatever the
//    bound is.
import Synchronization

/// The memory that all whole bodies share.
public final class BodyMemory: Sendable {
    /// The size in bytes up to which a body needs no room.
    public static let uncounted = 64 << 10

    private struct State {
        var limit: Int
        var held = 0
    }

    private let state: Lock<State>
    private let refusals: CounterCell

    /// - Parameters:
    ///   - limit: bytes that all counted bodies may hold together.
    ///   - refusals: counts the bodies that were given up.
    public init(limit: Int, refusals: CounterCell = CounterCell()) {
        state = Lock(State(limit: limit))
        self.refusals = refusals
    }

    /// Bytes held now.
    public var held: Int { state.withLock { $0.held } }

    /// Changes the limit. Memory that is already held stays held, even above the new limit.
    public func setLimit(_ limit: Int) {
        state.withLock { $0.limit = limit }
    }

    /// Returns an empty hold for one body.
    public func hold() -> BodyHold { BodyHold(self) }

    /// Returns the hold of a body that is already in memory. The body counts whether or not there was room for it, so
    /// later bodies find less room. Returns nil for a body that needs no room.
    public func claim(_ size: Int) -> BodyHold? {
        guard size > Self.uncounted else { return nil }
        state.withLock { $0.held += size }
        return BodyHold(self, size)
    }

    /// - Parameter own: bytes that the caller's hold already has.
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

/// The room of one body. It is passed along with the body and returned with its last reference.
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

    /// Changes the size of the hold to `size` bytes. Only the one task or thread that fills the body may call this.
    /// - Returns: false if there is no room; the hold then keeps its size.
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
