// A request's body between the connection, which reads it off the socket on its loop, and whoever asks for it, on any
// thread. The connection reads only while little waits here, so a slow taker slows the client by TCP's own means.
import LarderCore

/// The reader of one request's body. What it calls back with wakes the connection.
final class RequestBodyReader: RestingBodyReader {
    /// The connection reads on while fewer bytes than this wait to be taken; one read adds no more than the loop's input
    /// buffer holds.
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
        /// The oldest first; few, since their bytes are.
        var pieces: [Bytes] = []
        var count = 0
        var ending: Ending?
        /// Somebody has asked for a first piece.
        var hasBegun = false
        /// Nothing is to be read for now.
        var rests = false
        var waiter: CheckedContinuation<Void, Never>?

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

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Lock(State())
    private let ask: @Sendable () -> Void

    /// - Parameter ask: called, on any thread, when the connection should read on after a pause.
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
        // Also after the end: what was not taken must not look like a body that was.
        finish(.failed(BodyFailure("Nobody reads it any more.")), isFinal: true)
    }

    func rest() { state.withLock { $0.rests = true } }

    func goOn() {
        let asks = state.withLock { state -> Bool in
            guard state.rests else { return false }
            state.rests = false
            return state.wants
        }
        // From here on the sender's time counts again.
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

    /// Whether more should be read off the socket now.
    var wants: Bool { state.withLock { $0.wants } }

    // What resumes a continuation is not inlined: inlining puts the look-up of the continuation's type on the way of every request.

    /// The next bytes of the body; dropped where nobody takes them any more.
    @inline(never)
    func give(_ piece: Bytes) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.ending == nil, !piece.isEmpty else { return nil }
            state.pieces.append(piece)
            state.count += piece.count
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// The body is whole.
    func end() { finish(.whole, isFinal: false) }

    /// The rest will not come; what waits is dropped with it. No effect after the end.
    func fail(_ failure: BodyFailure) { finish(.failed(failure), isFinal: false) }

    @inline(never)
    private func finish(_ ending: Ending, isFinal: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
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
