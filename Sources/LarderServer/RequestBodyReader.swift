// Carries a request body from the connection, which reads the socket on its loop, to a consumer on any thread. The
// connection reads only while few bytes wait here, so a slow consumer slows the client through TCP back-pressure.
import LarderCore

/// The reader of one request's body. Its callback wakes the connection.
final class RequestBodyReader: RestingBodyReader {
    /// The connection reads on while fewer bytes than this wait. One read adds at most one full input buffer.
    static let window = 128 * 1024

    private enum Ending {
        case whole
        case failed(BodyFailure)
    }

    private enum Found {
        case piece(Bytes)
        case end
        case failed(BodyFailure)
        case wait
    }

    private struct State {
        /// The oldest first. There are few of them because their bytes are limited by the window.
        var pieces: [Bytes] = []
        var count = 0
        var ending: Ending?
        /// Whether the consumer has asked for a first piece.
        var hasBegun = false
        /// Whether reading is paused.
        var rests = false
        var waiter: TaskContinuation<Void, Never>?

        var wants: Bool { hasBegun && !rests && ending == nil && count < RequestBodyReader.window }

        mutating func look() -> Found {
            hasBegun = true
            if !pieces.isEmpty {
                let piece = pieces.removeFirst()
                count -= piece.count
                return .piece(piece)
            }
            return switch ending {
            case .whole: .end
            case .failed(let failure): .failed(failure)
            case nil: .wait
            }
        }

        mutating func takeWaiter() -> TaskContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Lock(State())
    private let ask: @Sendable () -> Void

    /// - Parameter ask: called on any thread when the connection should read on after a pause.
    init(ask: @escaping @Sendable () -> Void) {
        self.ask = ask
    }

    // MARK: The taker

    func next() async throws(BodyFailure) -> Bytes? {
        while true {
            let (found, asks) = state.withLock { state -> (Found, Bool) in
                let wanted = state.wants
                let found = state.look()
                return (found, !wanted && state.wants)
            }
            if asks { ask() }
            switch found {
            case .piece(let piece): return piece
            case .end: return nil
            case .failed(let failure): throw failure
            case .wait: await wait()
            }
        }
    }

    func abandon() {
        // Overrides a clean end too: a body that was not taken must not look like one that was.
        finish(.failed(BodyFailure("Nobody reads it any more.")), isFinal: true)
    }

    func rest() { state.withLock { $0.rests = true } }

    func goOn() {
        let asks = state.withLock { state -> Bool in
            guard state.rests else { return false }
            state.rests = false
            return state.wants
        }
        // From here on, the time-out counts against the sender again.
        if asks { ask() }
    }

    private func wait() async {
        await state.wait { state, waiter -> Void? in
            guard state.pieces.isEmpty, state.ending == nil else { return () }
            state.waiter = waiter
            return nil
        } onCancel: {
            abandon()
        }
    }

    // MARK: The connection

    /// Whether the connection should read more from the socket now.
    var wants: Bool { state.withLock { $0.wants } }

    // `give` and `finish` are not inlined: otherwise every request would look up the continuation's type.

    /// Adds the next bytes of the body. They are dropped if the body has ended.
    @inline(never)
    func give(_ piece: Bytes) {
        let waiter = state.withLock { state -> TaskContinuation<Void, Never>? in
            guard state.ending == nil, !piece.isEmpty else { return nil }
            state.pieces.append(piece)
            state.count += piece.count
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Marks the body as complete.
    func end() { finish(.whole, isFinal: false) }

    /// Ends the body with an error and drops the waiting pieces. No effect after the end.
    func fail(_ failure: BodyFailure) { finish(.failed(failure), isFinal: false) }

    @inline(never)
    private func finish(_ ending: Ending, isFinal: Bool) {
        let waiter = state.withLock { state -> TaskContinuation<Void, Never>? in
            guard state.ending == nil || isFinal else { return nil }
            state.ending = ending
            if case .failed = ending {
                state.pieces = []
                state.count = 0
            }
            return state.takeWaiter()
        }
        waiter?.resume()
    }
}
