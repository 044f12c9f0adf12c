// Suspensions that hosts share. To an API, a fleet with one key is one client. If the API tells one host that it calls
// too often or that the key is refused, that holds for all hosts, and so does a suspension by hand. Connection failures
// concern only the host that has them. A suspension is told in the stream, so the others hear of it at once. It is also
// stored under its own key until its end, for hosts that start later. Only the latest state of each caller waits to be
// told.
import LarderCache
import LarderCore
import LarderIO

/// Identifies the fleet as a caller of an API: the provider, and what the API distinguishes its callers by.
public struct SharedCaller: Sendable, Hashable {
    public var provider: String
    /// It does not appear in any name in the engine.
    public var identity: Bytes

    public init(provider: String, identity: Bytes) {
        self.provider = provider
        self.identity = identity
    }
}

/// A suspension as one host tells it to another.
public struct SharedSuspension: Sendable, Hashable {
    public var rest: Duration
    public var failure: FailureClass
    public var step: Int

    public init(rest: Duration, failure: FailureClass, step: Int) {
        self.rest = rest
        self.failure = failure
        self.step = step
    }
}

/// News of a suspension that has not been told yet.
enum SharedOwed: Sendable, Hashable {
    case ended
    case begun(until: MonotonicTime, FailureClass, step: Int)
}

extension SharedTier {
    /// Tells the others of a suspension or, with nil, that a person has ended one. The caller does not wait. If the
    /// engine does not answer, it is told when it is back, unless the suspension is over by then.
    public func tell(_ suspension: SharedSuspension?, of caller: SharedCaller) {
        let now = loop.clock.monotonic()
        let owed = suspension.map { SharedOwed.begun(until: now + $0.rest, $0.failure, step: $0.step) } ?? .ended
        state.withLock { $0.owed[caller] = owed }
        Task(executorPreference: loop) { await self.tellSuspension(of: caller) }
    }

    /// Takes the suspensions that have not been told yet, for the next tier.
    func takeOwed() -> [SharedCaller: SharedOwed] {
        state.withLock { state in
            defer { state.owed = [:] }
            return state.owed
        }
    }

    func owe(_ owed: [SharedCaller: SharedOwed]) {
        guard !owed.isEmpty else { return }
        state.withLock { $0.owed.merge(owed) { mine, _ in mine } }
        tellLater()
    }

    /// Tells the suspensions of all callers that have not been told yet.
    func tellOwed() async {
        for caller in state.withLock({ Array($0.owed.keys) }) { await tellSuspension(of: caller) }
    }

    private func tellSuspension(of caller: SharedCaller) async {
        let (owed, clock) = state.withLock { ($0.owed[caller], $0.clock) }
        guard let owed else { return }
        let (code, key) = place(of: caller)
        var commands: [Command]?
        switch owed {
        case .ended: commands = [Command("DEL", key), entry(Self.order(code, nil))]
        case .begun(let until, let failure, let step):
            let now = loop.clock.monotonic()
            guard until > now else {
                commands = []
                break
            }
            guard let clock else { break }
            let suspension = SharedSuspension(rest: until - now, failure: failure, step: step)
            let order = Self.order(code, (clock.engine + (until - clock.at), suspension))
            let value = order + codec.code(of: order, key).bytes
            let length = Bytes(text: String((until - now).milliseconds))
            commands = [Command("SET", key, value, Bytes(text: "PX"), length), entry(order)]
        }
        guard let commands, await isTold(commands) else { return tellLater() }
        state.withLock { if $0.owed[caller] == owed { $0.owed[caller] = nil } }
    }

    private func isTold(_ commands: [Command]) async -> Bool {
        guard !commands.isEmpty else { return true }
        guard let replies = await perform("suspend", commands) else { return false }
        guard let failure = replies.lazy.compactMap(\.failure).first else { return true }
        note(failure: failure)
        return false
    }

    /// The stored suspensions of the callers, in their order.
    public func suspensions(of callers: [SharedCaller]) async -> [SharedSuspension?] {
        guard !callers.isEmpty else { return [] }
        var get = Command("MGET")
        let places = callers.map { place(of: $0) }
        get.words += places.map(\.key)
        guard let replies = await perform("suspensions", [Command("TIME"), get]),
            let now = Self.engineTime(replies[0]), let values = replies[1].elements, values.count == callers.count
        else { return callers.map { _ in nil } }
        let owed = state.withLock { $0.owed }
        return zip(callers, zip(values, places)).map { caller, found in
            let (value, place) = found
            // This host has newer information that it has not told yet.
            guard owed[caller] == nil, let bytes = value.bytes, bytes.count > 32 else { return nil }
            let order = Bytes(bytes.dropLast(32))
            guard Secrets.equal(codec.code(of: order, place.key).bytes, Bytes(bytes.suffix(32))),
                let read = Self.read(order, now: now), read.code == place.code
            else { return nil }
            return read.suspension
        }
    }

    /// Whether an order's code names this caller.
    public func isNamed(_ caller: SharedCaller, by code: Bytes) -> Bool { place(of: caller).code == code }

    private func place(of caller: SharedCaller) -> (code: Bytes, key: Bytes) {
        let code = codec.code(of: caller.identity, Bytes(text: "suspension " + caller.provider))
        let text = Base64URL.encode(code.bytes)
        return (Bytes(text: text), names.suspension(text))
    }

    // MARK: Orders

    private static let mark = Bytes(text: "S ")

    /// Whether an entry of the stream tells of a suspension.
    static func tellsOfSuspension(_ order: Bytes) -> Bool { order.starts(with: mark) }

    private static func order(_ code: Bytes, _ told: (until: WallTime, SharedSuspension)?) -> Bytes {
        var order = mark + code
        if let (until, suspension) = told {
            order += Bytes(text: " \(until.milliseconds) \(suspension.failure.rawValue) \(suspension.step)")
        }
        return order
    }

    /// Reads an order of the stream; nil if it is not a valid one or is over.
    func suspension(in order: Bytes) -> (code: Bytes, suspension: SharedSuspension?)? {
        // The follower has read the clock together with the order.
        guard let clock = state.withLock({ $0.clock }) else { return nil }
        return Self.read(order, now: clock.engine + (loop.clock.monotonic() - clock.at))
    }

    /// - Parameter now: the time by the engine's clock.
    private static func read(_ order: Bytes, now: WallTime) -> (code: Bytes, suspension: SharedSuspension?)? {
        let words = String(decoding: order, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2 || words.count == 5, words[0] == "S" else { return nil }
        let code = Bytes(text: String(words[1]))
        guard words.count == 5 else { return (code, nil) }
        guard let until = Int64(words[2]), (0..<1 << 50).contains(until),
            let failure = FailureClass(rawValue: String(words[3])), let step = Int(words[4]), (0...20).contains(step)
        else { return nil }
        let rest = min(WallTime(milliseconds: until) - now, SuspensionMachine.longestBelieved)
        // A suspension that is over says nothing.
        guard rest > .zero else { return nil }
        return (code, SharedSuspension(rest: rest, failure: failure, step: step))
    }
}
