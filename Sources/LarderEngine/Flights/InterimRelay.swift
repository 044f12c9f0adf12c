// Interim answers of an upstream on their way to who leads its flight (RFC 9110 §15.2), at once. Who joined gets them with the
// answer, since only the final head tells whether the answer is his to have. Nothing of them is stored.
//
// It changes on any thread. Listeners are called outside its lock, and only hand on what they are told.
import LarderCore
import LarderHTTP

/// Tells who leads one flight of interim answers.
public final class InterimRelay: Sendable {
    /// Takes one interim answer, filtered by nothing yet.
    public typealias Listener = @Sendable (InterimHead) -> Void

    /// The relay of the flight whose work the task is.
    @TaskLocal static var current: InterimRelay?

    private struct State {
        /// At most `ResponseHeadReader.maxInterim` of each exchange are told of.
        var heads: [InterimHead] = []
        /// By their tickets.
        var listeners: [UInt64: Listener] = [:]
    }
    private let state = Lock(State())

    func tell(_ head: InterimHead) {
        let listeners: [Listener] = state.withLock { state in
            guard state.heads.count < ResponseHeadReader.maxInterim else { return [] }
            state.heads.append(head)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(head) }
    }

    /// An asker waits for the flight from now on.
    func add(_ listener: @escaping Listener, ticket: UInt64) {
        let heads = state.withLock { state in
            state.listeners[ticket] = listener
            return state.heads
        }
        for head in heads { listener(head) }
    }

    /// And no longer.
    func remove(ticket: UInt64) {
        state.withLock { state in
            if !state.listeners.isEmpty { state.listeners[ticket] = nil }
        }
    }
}
