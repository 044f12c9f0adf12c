// The tier that the hosts of a fleet share: an engine (Redis, Valkey) that may be away at any time. Nothing here is an
// error to a client. An operation that brings nothing within its time is a miss, and after several such operations the
// tier is not asked at all (`SharedBreaker`). `SharedStorability` decides what may be published. Generations and the
// code decide whether a value counts.
import LarderCache
import LarderCore
import LarderIO

/// The engine as one host uses it. May be used from any thread.
public final class SharedTier: Sendable {
    public let settings: SharedSettings
    let loop: EventLoop
    /// This host as the other hosts see it.
    public let host: SharedHost
    let names: SharedNames
    let codec: SharedCodec
    let log: Logger
    let time: any TimeSource
    let keeping: any SharedKeeping
    let follower: SharedFollower
    let state = Lock(State())
    /// The budgets of this host by provider.
    let quotas = Lock<[String: QuotaState]>([:])
    private let client: SharedClient
    let compute: ComputeGate
    let counters: CounterRegistry

    struct State {
        var breaker = SharedBreaker()
        var openSince: WallTime?
        var lastFailure: SharedFailure?
        /// The engine's clock at an instant of this host's monotonic clock.
        var clock: (engine: WallTime, at: MonotonicTime)?
        /// The number of responses being published.
        var publishing = 0
        var removals = SharedRemovals()
        /// The removals as they are written down.
        var keptRemovals = Bytes()
        var isTelling = false
        /// The nonces of this host's own entries in the stream, which it need not carry out again.
        var own: [SharedGeneration] = []
        /// News of suspensions that has not been told yet, one item for each caller.
        var owed: [SharedCaller: SharedOwed] = [:]
        /// When each text of `noteRarely` was last logged.
        var noted: [String: MonotonicTime] = [:]
        /// Whether everything that was heard survives a restart.
        var newsSurvive = true
        var isClosed = false
        /// The tier that has replaced this one. Removals made here are told to it.
        var next: SharedTier?
    }

    /// - Parameters:
    ///   - loop: the loop of the connections.
    ///   - compute: where values are encoded and decoded.
    // More than six parameters: what the tier stands on, each from another part of the daemon.
    public init(
        _ settings: SharedSettings, host: SharedHost, keeping: any SharedKeeping, on loop: EventLoop,
        compute: ComputeGate, counters: CounterRegistry, log: Logger, time: any TimeSource
    ) {
        self.settings = settings
        self.host = host
        self.keeping = keeping
        names = SharedNames(prefix: settings.prefix)
        self.loop = loop
        self.compute = compute
        self.counters = counters
        self.log = log
        self.time = time
        client = SharedClient(settings, on: loop)
        codec = SharedCodec(key: settings.key)
        follower = SharedFollower(SharedClient(settings, on: loop), settings, loop)
    }

    /// Connects before the connection is needed, and tells what waits to be told. `recallRemovals` must be called
    /// first.
    public func open() async {
        await tellRecalled()
        await readClock()
    }

    /// Reads the engine's clock.
    func readClock() async {
        guard let reply = await perform("time", [Command("TIME")])?.first, let engine = Self.engineTime(reply) else {
            return
        }
        state.withLock { $0.clock = (engine, loop.clock.monotonic()) }
    }

    /// The engine's clock minus this host's, if it is known.
    public var ahead: Duration? {
        let now = time.wall()
        let monotonic = loop.clock.monotonic()
        return state.withLock { $0.clock.map { $0.engine + (monotonic - $0.at) - now } }
    }

    /// Closes the connections. Every later look-up is a miss.
    /// - Parameter next: the tier that replaces this one. It tells the removals that wait here and those still to come.
    public func close(next: SharedTier? = nil) async {
        let waiting = state.withLock { state -> SharedRemovals in
            state.isClosed = true
            state.next = next
            guard next != nil else { return SharedRemovals() }
            defer { state.removals = SharedRemovals() }
            return state.removals
        }
        follower.close()
        client.close()
        guard let next else { return }
        if !waiting.isEmpty { _ = await next.remove { $0.merge(waiting) } }
        next.owe(takeOwed())
    }

    /// Whether the tier has been closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    static func engineTime(_ reply: Reply) -> WallTime? {
        guard let parts = reply.elements, parts.count == 2,
            let seconds = parts[0].bytes.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }),
            let micros = parts[1].bytes.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }),
            (0..<1 << 40).contains(seconds), (0..<1_000_000).contains(micros)
        else { return nil }
        return WallTime(milliseconds: seconds * 1000 + micros / 1000)
    }

    // MARK: One operation

    /// Performs commands. Returns nil if the tier is not asked or does not answer. Counts the operation and informs the
    /// breaker.
    func perform(_ operation: String, _ commands: [Command]) async -> [Reply]? {
        let began = loop.clock.monotonic()
        let permission = state.withLock { $0.isClosed ? .no : $0.breaker.permission(now: began) }
        guard permission != .no else {
            if operation == "look" { count(SharedCounters.lookups, "notAsked") }
            return nil
        }
        let result = await client.perform(commands, within: settings.timeout)
        let word: String
        switch result {
        case .success(let replies):
            let failure = replies.lazy.compactMap(\.failure).first
            word = failure == nil ? "done" : "refused"
            settle(failure.flatMap { $0.isOfEngine ? $0 : nil })
        case .failure(let failure):
            word = failure == .timedOut ? "timedOut" : "failed"
            note(failure: failure)
            // A full queue on this host says nothing about the engine. A probe must report how it ended.
            if failure.isOfEngine || permission == .probe { settle(failure) }
            if operation == "look" { count(SharedCounters.lookups, "failed") }
        }
        counters.histogram(SharedCounters.seconds, operation, word).observe(loop.clock.monotonic() - began)
        return try? result.get()
    }

    /// Informs the breaker how an operation ended.
    private func settle(_ failure: SharedFailure?) {
        let now = loop.clock.monotonic()
        let (before, after) = state.withLock { state -> (String, String) in
            let before = state.breaker.word
            if failure != nil {
                state.breaker.failed(now: now, random: .random(in: 0 ... .max))
            } else {
                state.breaker.succeeded()
            }
            let isOpen = state.breaker.word != "closed"
            state.openSince = isOpen ? state.openSince ?? time.wall() : nil
            return (before, state.breaker.word)
        }
        counters.cell(SharedCounters.breaker).set(after == "closed" ? 0 : 1)
        if before == "closed", after == "open" {
            log.warning(
                "the shared tier is not used for a while after failures",
                ["failure": failure?.rawValue ?? "", "at": settings.shown])
        } else if before != "closed", after == "closed" {
            log.notice("the shared tier answers again", ["at": settings.shown])
        }
    }

    func note(failure: SharedFailure) {
        count(SharedCounters.failures, failure.rawValue)
        state.withLock { $0.lastFailure = failure }
    }

    /// Counts a wait for another host's fetch.
    func noteWait() { count(SharedCounters.leases, "waited") }

    /// Counts a response that is not published because a removal happened while it was fetched.
    public func noteOvertaken() { count(SharedCounters.published, "overtaken") }

    /// Counts a wait that ended without a published response.
    func noteLapsed(_ seen: SharedWait.Seen) { count(SharedCounters.leases, seen == .settled ? "settled" : "lapsed") }

    func count(_ family: MetricFamily, _ label: String) { counters.cell(family, label).add() }

    // MARK: Telling

    /// The report for status.
    public func report() async -> SharedReport {
        let isConnected = await client.isConnected()
        var report = state.withLock { state in
            SharedReport(
                url: settings.shown, breaker: state.breaker.word, openSince: state.openSince,
                lastFailure: state.lastFailure?.rawValue, isRemovalWaiting: !state.removals.isEmpty)
        }
        report.isConnected = isConnected
        report.isFollowing = follower.isFollowing
        report.hits = counters.cell(SharedCounters.lookups, "hit").current
        for word in ["absent", "forged", "unreadable", "otherKey", "removed"] {
            report.misses += counters.cell(SharedCounters.lookups, word).current
        }
        report.published = counters.cell(SharedCounters.published, "done").current
        return report
    }
}
