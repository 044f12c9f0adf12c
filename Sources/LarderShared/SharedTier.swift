// The tier that the hosts of a fleet share: an engine (Redis, Valkey) that may be away at any time. Nothing here is an error to a
// client: an operation that brings nothing within its time is a miss, and after some of those nobody waits at all
// (`SharedBreaker`). What may be published is decided by `SharedStorability`, what a value is worth by its generations and its code.
import LarderCache
import LarderCore
import LarderIO

/// The engine as one host uses it. From any thread.
public final class SharedTier: Sendable {
    public let settings: SharedSettings
    let loop: EventLoop
    /// This host, as the others see it.
    public let host: SharedHost
    let names: SharedNames
    let codec: SharedCodec
    let log: Logger
    let time: any TimeSource
    let keeping: any SharedKeeping
    let follower: SharedFollower
    let state = Lock(State())
    /// By provider.
    let quotas = Lock<[String: QuotaState]>([:])
    private let client: SharedClient
    let compute: ComputeGate
    private let counters: CounterRegistry

    struct State {
        var breaker = SharedBreaker()
        var openSince: WallTime?
        var lastFailure: SharedFailure?
        /// The engine's clock at an instant of this host's monotonic one.
        var clock: (engine: WallTime, at: MonotonicTime)?
        /// Answers being published.
        var publishing = 0
        var removals = SharedRemovals()
        /// What of them is written down.
        var keptRemovals = Bytes()
        var isTelling = false
        /// The marks of this host's own entries in the stream, which it need not carry out once more.
        var own: [SharedGeneration] = []
        /// What is still to be told of suspensions; one thing for each provider.
        var owed: [SharedCaller: SharedOwed] = [:]
        var isClosed = false
        /// The tier that has taken its place, to which what is removed here is told.
        var next: SharedTier?
    }

    /// - Parameters:
    ///   - loop: the connection's.
    ///   - compute: where values are made and read.
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

    /// Makes the connection before it is needed, and tells what waits to be told. `recallRemovals` comes first.
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

    /// The engine's clock less this host's, as far as it is known.
    public var ahead: Duration? {
        let now = time.wall()
        let monotonic = loop.clock.monotonic()
        return state.withLock { $0.clock.map { $0.engine + (monotonic - $0.at) - now } }
    }

    /// Ends the connections; whatever is asked later is a miss.
    /// - Parameter next: the tier in its place: removals that wait here, and those that come yet, are told by that one.
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

    /// It answers nothing any more.
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

    /// The replies, or nil where the tier is not asked or does not answer. Counts, and tells the breaker.
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
            // Where too much waits here, that says nothing of the engine. A probe must tell how it ended.
            if failure.isOfEngine || permission == .probe { settle(failure) }
            if operation == "look" { count(SharedCounters.lookups, "failed") }
        }
        counters.histogram(SharedCounters.seconds, operation, word).observe(loop.clock.monotonic() - began)
        return try? result.get()
    }

    /// The breaker learns how an operation ended.
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
                "the shared tier is left alone for a while", ["failure": failure?.rawValue ?? "", "at": settings.shown])
        } else if before != "closed", after == "closed" {
            log.notice("the shared tier answers again", ["at": settings.shown])
        }
    }

    func note(failure: SharedFailure) {
        count(SharedCounters.failures, failure.rawValue)
        state.withLock { $0.lastFailure = failure }
    }

    /// This host waits for what another fetches.
    func noteWait() { count(SharedCounters.leases, "waited") }

    /// An answer is not published: a removal passed while it was fetched.
    public func noteOvertaken() { count(SharedCounters.published, "overtaken") }

    /// It has waited in vain.
    func noteLapsed(_ seen: SharedWait.Seen) { count(SharedCounters.leases, seen == .settled ? "settled" : "lapsed") }

    func count(_ family: MetricFamily, _ label: String) { counters.cell(family, label).add() }

    // MARK: Telling

    /// What status tells.
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
