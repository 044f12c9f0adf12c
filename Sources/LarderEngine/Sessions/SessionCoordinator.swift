// The only owner of sessions. A newer request supersedes older ones that carry the same `X-Larder-Session`. A call to a
// provider is held back for a moment, because a newer request of the session often makes it unnecessary.
//
// Requests arrive on every loop, so the table is behind a lock, which is held only for a look-up. Superseded requests
// are notified after the lock is released.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders

/// The only owner of sessions.
public final class SessionCoordinator: Sendable {
    /// A request's session and the options of that request.
    public struct Wish: Sendable, Hashable {
        var session: String
        /// Grows in the order in which the client sends its questions; nil if the client does not number them.
        var sequence: UInt64?
        /// How long to hold calls back; nil for the configured duration.
        var debounce: Duration?
    }

    /// The field that names a session.
    public static let field = "X-Larder-Session"
    /// The field that sets how long calls are held back.
    public static let debounceField = "X-Larder-Debounce"
    private static let sequenceName = "seq="
    private static let name = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}"
    /// The record of `field`. A number is written like a parameter of a structured field (RFC 9651 §3.1.2).
    public static let session = QuestionParameter(
        field, .pattern("^\(name)$|^\(name); *\(sequenceName)[0-9]{1,15}$"),
        "One name for all requests of a person who types. ;seq= and an increasing number give their order.",
        example: "person-1;seq=2"
    ).saying(
        "\"\(field)\" is one name of 1 to 64 token characters (RFC 9110 section 5.6.2), and after it \";\(sequenceName)\" "
            + "and 1 to 15 digits, or nothing.")
    /// The record of `debounceField`.
    public static let debounce = QuestionParameter(
        debounceField, .pattern("^0$|^[0-9]{1,4}ms$|^10000ms$|^[0-9]s$|^[0-9][.][0-9]{1,3}s$|^10s$"),
        "How long to wait for a newer request: 0, or a duration of at most 10s.", example: "150ms"
    ).saying("\"\(debounceField)\" is 0 or a duration up to 10s.")
    /// A session unused for this long is forgotten.
    static let lifetime: Duration = .seconds(600)

    private struct State {
        var table: SessionTable
        var scopes: [SessionTurn: SessionScope] = [:]
        /// Calls held back now.
        var pauses: [UInt64: Pause] = [:]
        var nextPause: UInt64 = 0
        var holds = true
    }
    private let state: Lock<State>
    /// The loop whose timers time the pauses.
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

    /// Answers a request of a session, or throws 409 as soon as a newer one supersedes it.
    ///
    /// - Parameters:
    ///   - target: the target of the request. The same target is the same question.
    ///   - standard: how long to hold calls back if the request does not say.
    ///   - work: makes the answer. It runs with `SessionScope.current` set and is cancelled when the request is
    ///     superseded.
    public func serve<Response: Sendable>(
        _ wish: Wish, asking target: Bytes, debounce standard: Duration,
        _ work: @escaping @Sendable () async throws(ClientFacingError) -> Response
    ) async throws(ClientFacingError) -> Response {
        guard let scope = enter(wish, asking: Digest(of: target).bytes) else {
            entered.add()
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
            // The first of the two tasks ends the group; the other is cancelled.
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        // Superseding also cancels the work. Its result is then unreliable and must not be used.
        guard !scope.isSuperseded, let ending else {
            // If the client left, the wait ends here too, and nobody gets this error.
            if scope.isSuperseded { superseded.add() }
            throw Self.outdated
        }
        return try ending.get()
    }

    /// - Returns: the scope of the question; nil if a newer question came before it.
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
        // Counted only now, after the older requests were superseded, so the figure implies it.
        entered.add()
        return scope
    }

    /// Holds a call back for a duration.
    /// - Returns: whether to make the call: nothing superseded the question, and the task was not cancelled.
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

    /// Releases all calls that are held back, and holds back no more. Used when the daemon stops, because the stop
    /// waits for their answers.
    public func letGo() {
        let pauses = state.withLock { state in
            state.holds = false
            return Array(state.pauses.values)
        }
        for pause in pauses { pause.pass() }
    }

    /// Ends all requests and waits of all sessions. Used when the daemon stops.
    public func close() {
        let scopes = state.withLock { state in
            defer { state.scopes = [:] }
            return state.scopes.values
        }
        for scope in scopes { scope.end() }
    }

    static let outdated = ClientFacingError(
        status: 409, code: "superseded", detail: "A newer request of the same session replaced this one.",
        retryable: false)

    /// Reads a request's session fields. Returns nil if the request belongs to no session.
    /// - Parameter listener: the number of the listener that accepted the request.
    /// - Throws: 400 if a field is not valid.
    public static func wish(_ fields: HeaderFields, from peer: Peer, listener: UInt16) throws(ClientFacingError)
        -> Wish?
    {
        let names = fields.all(field)
        guard let value = names.first else { return nil }
        guard names.count == 1 else { throw .repeated(field) }
        try session.check(field: value)
        let parts = value.split(separator: ";")
        var wish = Wish(session: scope(peer, listener) + ASCII.trimmed(parts.first ?? ""))
        if parts.count > 1 { wish.sequence = UInt64(ASCII.trimmed(parts[1]).dropFirst(sequenceName.count)) }
        if let text = fields.combined(debounceField) {
            try debounce.check(field: text)
            wish.debounce = try? Units.duration(text)
        }
        return wish
    }

    /// Returns the prefix of a session's name. Clients choose the names, so clients that cannot be the same one must be
    /// kept apart. The process id is no part of it: one person's typing may come from a new process with each request.
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
