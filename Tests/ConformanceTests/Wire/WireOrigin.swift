// An origin on its own threads that sends exactly what a clause specifies. The latest conversation set by the clause
// answers each request.
import Glibc
import LarderCore
import LarderTestSupport

extension Gate {
    /// Waits until the gate opens, but not forever, so that a failing clause ends.
    func waitPatiently() { _ = opens(within: .seconds(Wire.patience)) }
}

/// A counter that any thread may increase.
final class Tally: Sendable {
    private let number = Lock(0)
    private let goal: Int
    private let reached: @Sendable () -> Void

    /// - Parameter reached: called once, when the count reaches the goal.
    init(_ goal: Int = -1, reached: @escaping @Sendable () -> Void = {}) {
        self.goal = goal
        self.reached = reached
    }

    var count: Int { number.withLock { $0 } }

    func add() {
        let isGoal = number.withLock { number -> Bool in
            number += 1
            return number == goal
        }
        if isGoal { reached() }
    }
}

final class WireOrigin: Sendable {
    typealias Conversation = @Sendable (Wire) throws -> Void

    /// Kept after the origin is stopped, so that its port refuses connections.
    private let place = LoopbackPort()
    var port: UInt16 { place.number }
    private let listener: Int32
    private struct State {
        var conversation: Conversation = { _ in }
        var requests: [WireMessage] = []
        var wires: [Wire] = []
        var threads: [SystemThread] = []
        var isStopped = false
    }
    private let state = Lock(State())

    init() {
        listener = place.listen()
        spawn { $0.acceptAll() }
    }

    /// From now on, this conversation answers each request after its head is read.
    func converse(_ conversation: @escaping Conversation) { state.withLock { $0.conversation = conversation } }

    /// All requests, in the order in which their heads arrived.
    var requests: [WireMessage] { state.withLock { $0.requests } }
    var connections: Int { state.withLock { $0.wires.count } }

    /// Sends text on the newest connection without a request.
    func sayUnasked(_ text: String) { try? state.withLock { $0.wires.last }?.send(text) }

    /// Stops accepting connections and ends the existing ones.
    func stop() {
        let threads = state.withLock { state -> [SystemThread] in
            guard !state.isStopped else { return [] }
            state.isStopped = true
            return state.threads
        }
        guard !threads.isEmpty else { return }
        // The port refuses connections from here on. The descriptor stays open until no thread can accept from it,
        // because its number could be reused for another listener.
        shutdown(listener, Int32(SHUT_RDWR))
        for wire in state.withLock({ $0.wires }) { wire.wake() }
        for thread in threads { thread.join() }
        close(listener)
    }

    private func spawn(_ body: @escaping @Sendable (WireOrigin) -> Void) {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.threads.append(startThread { body(self) })
        }
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let wire = Wire(accepted: descriptor)
            let number: Int? = state.withLock { state in
                if state.isStopped { return nil }
                state.wires.append(wire)
                return state.wires.count - 1
            }
            guard let number else { return }
            spawn { $0.serve(wire, number) }
        }
    }

    private func serve(_ wire: Wire, _ number: Int) {
        while var head = try? wire.receiveHead() {
            head.connection = number
            head.isWhole = head["Transfer-Encoding"] == nil && (head["Content-Length"] ?? "0") == "0"
            let (place, conversation) = state.withLock { state -> (Int, Conversation) in
                state.requests.append(head)
                return (state.requests.count - 1, state.conversation)
            }
            wire.given = head
            wire.record = { [state] request in state.withLock { $0.requests[place] = request } }
            guard (try? conversation(wire)) != nil else { break }
        }
        wire.close()
    }
}
