// Limits how many daemons the tests run at once. Each daemon holds about thirty descriptors. A test runner that starts
// all tests of a suite together would use up all descriptors.
import LarderCore

final class DaemonTurns: Sendable {
    static let shared = DaemonTurns()
    /// Far below any limit of descriptors, and more than the number of cores.
    private static let most = 12
    /// Whether this task runs inside a daemon's turn. A second daemon in the same test takes no turn of its own,
    /// because two such tests could otherwise wait for each other.
    @TaskLocal static var isTaken = false

    private struct State {
        var taken = 0
        var waiters: [TaskContinuation<Void, Never>] = []
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
        let next = state.withLock { state -> TaskContinuation<Void, Never>? in
            if state.waiters.isEmpty {
                state.taken -= 1
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
