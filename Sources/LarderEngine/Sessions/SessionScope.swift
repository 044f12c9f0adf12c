// One question of a session: the requests that wait for its answer, and the work that continues after an answer was
// given. All of them are notified once when a newer question supersedes it.
import LarderCache
import LarderCore

/// One question of a session.
public final class SessionScope: Sendable {
    /// The scope of the request that this task works for; nil outside a session.
    @TaskLocal public static var current: SessionScope?

    /// How long calls for this task's request are held back in case a newer question comes. Each request has its own
    /// value: another request for the same question may not want to wait.
    @TaskLocal public static var debounce = Duration.zero

    let turn: SessionTurn

    private struct State {
        var isSuperseded = false
        var hasProvisional = false
        var next: UInt64 = 0
        var listeners: [UInt64: @Sendable () -> Void] = [:]
    }
    private let state = Lock(State())

    init(turn: SessionTurn) {
        self.turn = turn
    }

    /// Whether a newer question has superseded this one.
    public var isSuperseded: Bool { state.withLock { $0.isSuperseded } }

    /// Registers a body to run when a newer question supersedes this one. If one already has, the body runs at once.
    /// - Returns: the ticket for `forget(_:)`.
    @discardableResult
    public func whenSuperseded(_ body: @escaping @Sendable () -> Void) -> UInt64 {
        let ticket = state.withLock { state -> UInt64? in
            guard !state.isSuperseded else { return nil }
            state.next += 1
            state.listeners[state.next] = body
            return state.next
        }
        if ticket == nil { body() }
        return ticket ?? 0
    }

    /// Removes a registered body.
    public func forget(_ ticket: UInt64) {
        state.withLock { $0.listeners[ticket] = nil }
    }

    /// Ends the question: a newer one superseded it, or the daemon is stopping.
    func end() {
        let listeners = state.withLock { state in
            state.isSuperseded = true
            defer { state.listeners = [:] }
            return state.listeners.values
        }
        for body in listeners { body() }
    }

    /// Returns true once. Each question gets at most one provisional answer; a repeated request waits for the real
    /// answer.
    public func takeProvisional() -> Bool {
        state.withLock { state in
            defer { state.hasProvisional = true }
            return !state.hasProvisional
        }
    }
}
