// Passes an upstream's interim responses to the leader of its flight at once (RFC 9110 §15.2). A caller that joined
// gets them with the final response, because only the final head tells whether that caller may have it. They are not
// stored.
//
// Any thread changes it. Listeners are called outside its lock, and only pass on what they get.
import LarderCore
import LarderHTTP

/// Passes on the interim responses of one flight.
public final class InterimRelay: Sendable {
    /// Takes one interim response, which nothing has filtered yet.
    public typealias Listener = @Sendable (InterimHead) -> Void

    private struct State {
        /// The interim responses so far, at most `ResponseHeadReader.maxInterim`.
        var heads: [InterimHead] = []
        /// The listeners by ticket number.
        var listeners = Numbered<Listener>()
    }
    private let state = Lock(State())

    func tell(_ head: InterimHead) {
        let listeners: [Listener] = state.withLock { state in
            guard state.heads.count < ResponseHeadReader.maxInterim else { return [] }
            state.heads.append(head)
            return state.listeners.values
        }
        for listener in listeners { listener(head) }
    }

    /// Adds a caller's listener, which also gets the responses that came before.
    func add(_ listener: @escaping Listener, ticket: UInt64) {
        let heads = state.withLock { state in
            state.listeners[ticket] = listener
            return state.heads
        }
        for head in heads { listener(head) }
    }

    /// Removes a caller's listener.
    func remove(ticket: UInt64) {
        state.withLock { state in
            if !state.listeners.isEmpty { state.listeners[ticket] = nil }
        }
    }
}
