// Faults that tests inject into the store's disk: failure with an SQLite error code, or standstill. Without a fault set
// by a test, each check costs one atomic load.
import LarderCore
import Synchronization

final class StoreFaults: Sendable {
    private struct State {
        var code: Int32?
        var failsChangesOnly = false
        var isHeld = false
        var markFails = false
        var markIsHeld = false
        var holdsRead: (@Sendable () -> Bool)?
        var isHolding = false
    }
    private let state = Lock(State())
    private let any = Atomic<Bool>(false)
    private let bell = WorkQueue<Int>(capacity: 1, crowd: 1, threads: 2)

    private func set(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            any.store(
                state.code != nil || state.isHeld || state.markFails || state.markIsHeld
                    || state.holdsRead != nil, ordering: .releasing)
        }
        bell.nudge()
    }

    /// Makes every commit of the writer fail with this code; nil ends that.
    /// - Parameter changesOnly: whether transactions without a change still succeed, as on a full disk.
    func fail(with code: Int32?, changesOnly: Bool = false) {
        set {
            $0.code = code
            $0.failsChangesOnly = changesOnly
        }
    }
    /// Makes every commit of the writer wait while `isHeld` is true.
    func hold(_ isHeld: Bool) { set { $0.isHeld = isHeld } }
    /// Whether a commit is waiting.
    var isHolding: Bool { state.withLock { $0.isHolding } }
    func failMark(_ fails: Bool) { set { $0.markFails = fails } }
    func holdMark(_ isHeld: Bool) { set { $0.markIsHeld = isHeld } }

    /// Makes every reader wait before its snapshot while the closure returns true.
    func holdReads(_ holds: (@Sendable () -> Bool)?) { set { $0.holdsRead = holds } }

    /// Called before each snapshot.
    func passRead() {
        guard any.load(ordering: .acquiring) else { return }
        var seen = 0
        while let holds = state.withLock({ $0.holdsRead }), holds() {
            _ = bell.take(upTo: 1, timeout: .milliseconds(20), seen: &seen)
        }
    }

    /// Called before each commit.
    func passCommit(isChange: Bool = true) throws(StoreError) {
        guard any.load(ordering: .acquiring) else { return }
        var seen = 0
        while state.withLock({ state in
            state.isHolding = state.isHeld
            return state.isHeld
        }) {
            _ = bell.take(upTo: 1, timeout: .milliseconds(100), seen: &seen)
        }
        guard let code = state.withLock({ isChange || !$0.failsChangesOnly ? $0.code : nil }) else { return }
        throw StoreError(code, "COMMIT", "made to fail")
    }

    /// Whether the mark may be written for a removal. Waits while the mark is held.
    func passMark() -> Bool {
        guard any.load(ordering: .acquiring) else { return true }
        var seen = 0
        while state.withLock({ $0.markIsHeld }) { _ = bell.take(upTo: 1, timeout: .milliseconds(100), seen: &seen) }
        return !state.withLock { $0.markFails }
    }
}
