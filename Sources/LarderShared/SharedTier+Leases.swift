// Leases of fetches: how they are taken, renewed and given back. Each lease names its owner by a random number, and
// only its owner changes it.
import LarderCache
import LarderCore
import LarderIO

/// The right to fetch one response for the fleet. It is given back once, by `SharedTier.release` or after publishing.
public final class SharedLease: Sendable {
    let name: Bytes
    let owner: Bytes
    private let ended = Lock(false)

    init(name: Bytes) {
        self.name = name
        owner = SharedGeneration.random().text
    }

    var isEnded: Bool { ended.withLock { $0 } }

    /// Returns true on the first call only.
    func end() -> Bool {
        ended.withLock { ended in
            defer { ended = true }
            return !ended
        }
    }
}

extension SharedTier {
    private static let settled = Bytes(text: "!")
    private static let renewal = """
        if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) end return 0
        """
    private static let settling = """
        if redis.call('GET',KEYS[1])==ARGV[1] then redis.call('SET',KEYS[1],'!','PX',ARGV[2]) return 1 end return 0
        """
    private static let returning = """
        if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0
        """

    /// Takes the lease for a response that was not found, or waits for the host that holds it.
    /// - Parameters:
    ///   - first: the first look-up. It stands if it found a good response or gave no ticket.
    ///   - patience: the maximum wait, if it is shorter than `SharedTimes.leasePatience`.
    ///   - look: looks up the response again.
    ///   - isGood: whether a response that `look` found ends the wait.
    /// - Returns: what was found, and the lease if this host fetches for the fleet.
    public func turn(
        after first: Look, patience: Duration, look: () async -> Look, isGood: (Look) -> Bool
    ) async -> (Look, SharedLease?) {
        guard settings.hasLeases, !isGood(first), let ticket = first.ticket else { return (first, nil) }
        let name = SharedNames.lease(of: ticket.name)
        let began = loop.clock.monotonic()
        var wait = SharedWait(began: began, patience: min(patience, settings.times.leasePatience))
        var hasWaited = false
        while true {
            let (lease, seen, isThere) = await take(name, ticket)
            if let lease {
                keep(lease)
                // The response may have been published between the look-up and the lease, if another host held the
                // lease until then.
                guard hasWaited || isThere else { return (first, lease) }
                let found = await look()
                guard isGood(found) else { return (first, lease) }
                release(lease, isSettled: false)
                return (found, nil)
            }
            // The request no longer waits.
            if Task.isCancelled { return (first, nil) }
            if hasWaited, seen != .held {
                let found = await look()
                if isGood(found) { return (found, nil) }
            }
            switch wait.next(seen, now: loop.clock.monotonic(), random: .random(in: 0 ... .max)) {
            case .take: break
            case .goAlone:
                if hasWaited { noteLapsed(seen) }
                return (first, nil)
            case .pause(let pause):
                if !hasWaited { noteWait() }
                hasWaited = true
                await self.pause(pause)
            }
        }
    }

    /// - Returns: the lease, or what was found in its place; and whether the response may be there by now.
    private func take(_ name: Bytes, _ ticket: Ticket) async -> (SharedLease?, SharedWait.Seen, Bool) {
        let lease = SharedLease(name: name)
        let set = Command("SET", name, lease.owner, Bytes(text: "NX"), Bytes(text: "PX"), term)
        // Another response has other instants, and the engine's value of a URL grows with the first response of each
        // list of names.
        var look = [SharedCodec.instants(of: ticket.name)]
        if let url = ticket.url { look.append(Command("STRLEN", url.name)) }
        guard let replies = await perform("lease", [set, Command("GET", name)] + look) else {
            return (nil, .unknown, false)
        }
        if let failure = replies.lazy.compactMap(\.failure).first { note(failure: failure) }
        let isThere =
            replies[2] != .bytes(ticket.instants) || replies.count > 3 && replies[3] != .integer(Int64(ticket.length))
        if case .status = replies[0] { return (lease, .free, isThere) }
        switch replies[1] {
        case .bytes(Self.settled): return (nil, .settled, isThere)
        case .bytes: return (nil, .held, isThere)
        case .none: return (nil, replies[0] == .none ? .free : .unknown, isThere)
        default: return (nil, .unknown, isThere)
        }
    }

    private var term: Bytes { Bytes(text: String(settings.times.leaseTerm.milliseconds)) }

    /// Renews the lease until it is given back.
    private func keep(_ lease: SharedLease) {
        let third = settings.times.leaseTerm / 3
        loop.post { [weak self, loop] in
            _ = loop.schedule(at: loop.monotonic + third) { self?.renew(lease) }
        }
    }

    private func renew(_ lease: SharedLease) {
        guard !lease.isEnded else { return }
        Task(executorPreference: loop) {
            _ = await self.perform(
                "lease",
                [Command("EVAL", Bytes(text: Self.renewal), Bytes(text: "1"), lease.name, lease.owner, self.term)])
        }
        keep(lease)
    }

    /// Gives the lease back. Does not wait for the engine.
    /// - Parameter isSettled: tells the waiting hosts that nothing was published.
    public func release(_ lease: SharedLease, isSettled: Bool) {
        guard lease.end() else { return }
        var command = Command(
            "EVAL", Bytes(text: isSettled ? Self.settling : Self.returning), Bytes(text: "1"), lease.name, lease.owner)
        if isSettled { command.words.append(Bytes(text: String(settings.times.settledFor.milliseconds))) }
        let order = command
        Task(executorPreference: loop) { _ = await self.perform("lease", [order]) }
    }

    func pause(_ pause: Duration) async {
        let promise = Promise<Void>()
        loop.post { [loop] in _ = loop.schedule(at: loop.monotonic + pause) { promise.fulfil() } }
        await promise.wait()
    }
}
