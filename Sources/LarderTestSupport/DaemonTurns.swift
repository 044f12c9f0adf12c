// How many daemons the tests run at once. Each holds some thirty descriptors, and a test runner that begins every test of
// a suite together would have them all spent.
import LarderCore

final class DaemonTurns: Sendable {
    static let shared = DaemonTurns()
    /// Far from any limit of descriptors, and more than there are cores.
    private static let most = 12
    /// This task runs inside a daemon's turn: another daemon of the same test needs none, else two tests could wait for
    /// each other.
    @TaskLocal static var isTaken = false

    private struct State {
        var taken = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Lock(State())

    func take() async {
        await state.wait { state, waiter -> Void? in
            guard state.taken >= Self.most else {
                state.taken += 1
                return ()
            }
            state.waiters.append(waiter)
            return nil
        }
    }

    func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiters.isEmpty {
                state.taken -= 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
