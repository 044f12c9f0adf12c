// The one owner of sessions: requests that carry the same `X-Larder-Session` supersede each other, and a call to a
// provider is held back for a moment in which a newer request of the session makes it needless.
//
// Requests come in on every loop, so that the table is behind a lock that is held for a look-up; who is superseded is
// told after it is given back.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO

/// The one owner of sessions.
public final class SessionCoordinator: Sendable {
    /// Which session a request belongs to, and how it wishes to be treated.
    public struct Wish: Sendable, Hashable {
        var session: String
        /// Grows in the order in which the client sends its questions; nil where they are not numbered.
        var sequence: UInt64?
        /// nil for the configured one.
        var debounce: Duration?
    }

    /// The field that names a session.
    public static let field = "X-Larder-Session"
    /// The field that says how long its calls are held back.
    public static let debounceField = "X-Larder-Debounce"
    static let longestName = 64
    private static let sequenceName = "seq="
    static let longestDebounce: Duration = .seconds(10)
    /// A session that was not used for so long is forgotten.
    static let lifetime: Duration = .seconds(600)

    private struct State {
        var table: SessionTable
        var scopes: [SessionTurn: SessionScope] = [:]
        /// Calls that are held back now.
        var pauses: [UInt64: Pause] = [:]
        var nextPause: UInt64 = 0
        var holds = true
    }
    private let state: Lock<State>
    /// Where pauses are timed.
    private let loop: EventLoop
    private let time: any TimeSource
    private let entered: CounterCell
    private let superseded: CounterCell
    private let forgotten: CounterCell
    private let known: CounterCell
    private let debounced: (passed: CounterCell, spared: CounterCell)

    init(loop: EventLoop, time: any TimeSource, counters: CounterRegistry, maxSessions: Int) {
        state = Lock(State(table: SessionTable(maxSessions: maxSessions, lifetime: Self.lifetime)))
        self.loop = loop
        self.time = time
        entered = counters.cell(TypingCounters.requests)
        superseded = counters.cell(TypingCounters.superseded)
        forgotten = counters.cell(TypingCounters.forgotten)
        known = counters.cell(TypingCounters.sessions)
        debounced = (
            counters.cell(TypingCounters.debounced, "passed"), counters.cell(TypingCounters.debounced, "spared")
        )
    }

    /// Answers a request of a session, or says 409 as soon as a newer one takes its place.
    ///
    /// - Parameters:
    ///   - target: what the request asks for; the same target is the same question.
    ///   - standard: how long calls are held back where the wish says nothing.
    ///   - work: makes the answer. It runs with `SessionScope.current` set, and is cancelled when it is superseded.
    public func serve<Response: Sendable>(
        _ wish: Wish, asking target: Bytes, debounce standard: Duration,
        _ work: @escaping @Sendable () async throws(ClientFacingError) -> Response
    ) async throws(ClientFacingError) -> Response {
        guard let scope = enter(wish, asking: Digest(of: target).bytes) else {
            superseded.add()
            throw Self.outdated
        }
        let newer = Pause()
        let ticket = scope.whenSuperseded { newer.breakOff() }
        defer { scope.forget(ticket) }
        typealias Ending = Result<Response, ClientFacingError>
        let ending = await withTaskGroup(of: Ending?.self) { group in
            group.addTask {
                await SessionScope.$debounce.withValue(wish.debounce ?? standard) {
                    await SessionScope.$current.withValue(scope) { () async -> Ending in
                        do throws(ClientFacingError) {
                            return .success(try await work())
                        } catch {
                            return .failure(error)
                        }
                    }
                }
            }
            group.addTask {
                await newer.wait()
                return nil
            }
            // Whichever is first; the other is cancelled, and ends for it.
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        // Being superseded ends the work as well: whatever it came to then is not what it would have been.
        guard !scope.isSuperseded, let ending else {
            // A client that has left ends the wait too, and hears nothing.
            if scope.isSuperseded { superseded.add() }
            throw Self.outdated
        }
        return try ending.get()
    }

    /// - Returns: nil where a newer question came before.
    private func enter(_ wish: Wish, asking question: Bytes) -> SessionScope? {
        let now = time.monotonic()
        let (scope, outdated) = state.withLock { state -> (SessionScope?, SessionScope?) in
            let entrance = state.table.enter(wish.session, asking: question, sequence: wish.sequence, now: now)
            guard !entrance.isOutdated else { return (nil, nil) }
            for turn in entrance.forgotten { state.scopes[turn] = nil }
            forgotten.add(entrance.displaced)
            known.set(state.table.count)
            if !entrance.isNew, let scope = state.scopes[entrance.turn] { return (scope, nil) }
            let scope = SessionScope(turn: entrance.turn)
            state.scopes[entrance.turn] = scope
            return (scope, entrance.superseded.flatMap { state.scopes.removeValue(forKey: $0) })
        }
        outdated?.end()
        // Counted when it has taken its place: whoever sees the figure knows that the older ones have lost theirs.
        entered.add()
        return scope
    }

    /// Holds a call back for that long.
    /// - Returns: whether it is to be made: nothing took its place, and its task was not cancelled.
    func hold(_ scope: SessionScope, for debounce: Duration) async -> Bool {
        let pause = Pause()
        let (number, holds) = state.withLock { state in
            state.nextPause += 1
            if state.holds { state.pauses[state.nextPause] = pause }
            return (state.nextPause, state.holds)
        }
        if !holds { pause.pass() }
        defer { state.withLock { $0.pauses[number] = nil } }
        let ticket = scope.whenSuperseded { pause.breakOff() }
        defer { scope.forget(ticket) }
        guard await pause.wait(debounce, on: loop, by: time) else {
            debounced.spared.add()
            return false
        }
        debounced.passed.add()
        return true
    }

    /// Lets every call go that is held back, and holds back no more. For the daemon's stop, which waits for the answers.
    public func letGo() {
        let pauses = state.withLock { state in
            state.holds = false
            return Array(state.pauses.values)
        }
        for pause in pauses { pause.pass() }
    }

    /// Ends what waits or goes on for any session. For the daemon's stop.
    public func close() {
        let scopes = state.withLock { state in
            defer { state.scopes = [:] }
            return state.scopes.values
        }
        for scope in scopes { scope.end() }
    }

    static let outdated = ClientFacingError(
        status: 409, code: "superseded", detail: "A newer request of the same session took this one's place.",
        retryable: false)

    /// What a request's fields say; nil where it is of no session.
    /// - Parameter listener: the number of the listener that it came in by.
    /// - Throws: 400 for fields that say it wrongly.
    public static func wish(_ fields: HeaderFields, from peer: Peer, listener: UInt16) throws(ClientFacingError)
        -> Wish?
    {
        let names = fields.all(field)
        guard let value = names.first else { return nil }
        let parts = value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard names.count == 1, (1...longestName).contains(name.utf8.count), name.utf8.allSatisfy(ASCII.isToken) else {
            throw .invalid(
                field, "\"\(field)\" is one name of 1 to \(longestName) token characters (RFC 9110 section 5.6.2).")
        }
        var wish = Wish(session: scope(peer, listener) + name)
        if parts.count > 1 { wish.sequence = try sequence(parts[1]) }
        if let text = fields.combined(debounceField) {
            do {
                let duration = text == "0" ? .zero : try Units.duration(text)
                guard duration >= .zero, duration <= longestDebounce else { throw UnitError("out of range") }
                wish.debounce = duration
            } catch {
                throw .invalid(
                    debounceField,
                    "\"\(debounceField)\" is 0 or a duration up to \(Units.format(duration: longestDebounce)).",
                    allowed: ["0", "150ms"])
            }
        }
        return wish
    }

    /// The number of a question, written like a parameter of a structured field (RFC 9651 §3.1.2): `;seq=12`.
    private static func sequence(_ parameter: Substring) throws(ClientFacingError) -> UInt64 {
        let text = parameter.drop { $0 == " " }
        let digits = text.dropFirst(sequenceName.count)
        guard text.hasPrefix(sequenceName), (1...15).contains(digits.count), digits.utf8.allSatisfy(ASCII.isDigit),
            let number = UInt64(digits)
        else {
            throw .invalid(
                field, "After its name \"\(field)\" has \";\(sequenceName)\" and 1 to 15 digits, or nothing.")
        }
        return number
    }

    /// Whose session it is: names are chosen by clients, and those who cannot be the same client must not meet. Programs
    /// come and go between two requests of one person's typing, so a process's number tells nothing.
    private static func scope(_ peer: Peer, _ listener: UInt16) -> String {
        switch peer {
        case .unix(let uid, _): "\(listener) uid \(uid) "
        case .tcp(let address): "\(listener) \(host(address)) "
        case .probe: "\(listener) probe "
        }
    }

    private static func host(_ address: Address?) -> String {
        switch address {
        case .ipv4(let bytes, _), .ipv6(let bytes, _): Hex.encode(bytes)
        case .unix, nil: "-"
        }
    }
}
