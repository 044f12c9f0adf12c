// What belongs to one question of a session: those who wait for its answer, and what goes on for it after one was given.
// When a newer question takes its place all of it is told, once.
import LarderCache
import LarderCore

/// One question of a session.
public final class SessionScope: Sendable {
    /// The scope of the request that this task works for, where it is one of a session.
    @TaskLocal public static var current: SessionScope?

    /// How long a call for this task's request is held back, should a newer question come. Each request's own: the same
    /// question may be asked again by somebody who will not wait.
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

    /// Whether a newer question took its place.
    public var isSuperseded: Bool { state.withLock { $0.isSuperseded } }

    /// Has the body run when a newer question takes its place; at once where one has.
    /// - Returns: what takes it back.
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

    /// Nothing is to be told any more.
    public func forget(_ ticket: UInt64) {
        state.withLock { $0.listeners[ticket] = nil }
    }

    /// A newer question took its place, or the daemon stops.
    func end() {
        let listeners = state.withLock { state in
            state.isSuperseded = true
            defer { state.listeners = [:] }
            return state.listeners.values
        }
        for body in listeners { body() }
    }

    /// True once: to each question one provisional answer is given, and who asks again waits for the real one.
    public func takeProvisional() -> Bool {
        state.withLock { state in
            defer { state.hasProvisional = true }
            return !state.hasProvisional
        }
    }
}
