// A door that opens once: who waits for it goes on then, and who comes later does not wait at all.
import LarderCore

/// Opened once, by anyone; waited for by one task.
public final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let state = Lock(State())

    /// A closed door.
    public init() {}

    /// Opening it again does nothing.
    public func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isOpen = true
            return state.waiting
        }
        waiting?.resume()
    }

    /// Returns when it is open. One task at a time.
    public func wait() async {
        await handover { (continuation: CheckedContinuation<Void, Never>) in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
