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
    private let compute: ComputeGate
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
        var isClosed = false
    }

    /// Answers on their way at once; more are dropped.
    private static let mostPublishing = 64

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

    /// Makes the connection before it is needed, and tells what an earlier run could not tell.
    public func open() async {
        await recallRemovals()
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
    public func close() {
        state.withLock { $0.isClosed = true }
        follower.close()
        client.close()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: Looking up

    /// What a look-up brought.
    public struct Look: Sendable {
        /// The answer, fresh or not; by this host's clock.
        public var entry: StoredResponse?
        /// With which an answer that is fetched now may be published; nil where none may.
        public var ticket: Ticket?
        /// How the tier took part.
        public var part: SharedPart
    }

    /// The right to publish one answer, as long as nothing of it is removed.
    public struct Ticket: Sendable {
        let name: Bytes
        let provider: String
        let generations: SharedGenerations
    }

    /// Looks an answer up. Returns within the tier's time.
    /// - Parameter scope: of the provider (`SharedNames`).
    public func look(_ key: CacheKey, scope: Digest, provider: String) async -> Look {
        guard key.isEverybodys else { return Look(part: .notForIt) }
        guard state.withLock({ $0.removals.isEmpty }) else {
            count(SharedCounters.lookups, "notAsked")
            return Look(part: .removalWaits)
        }
        let name = names.value(key.digest, scope: scope)
        let generations = [names.global, names.generation(of: provider)]
        var get = Command("MGET", name)
        get.words += generations
        guard let replies = await perform("look", [Command("TIME"), get]) else {
            let isOpen = state.withLock { $0.breaker.word != "closed" }
            return Look(part: isOpen ? .breakerOpen : .failed)
        }
        guard let engine = Self.engineTime(replies[0]), let values = replies[1].elements, values.count == 3 else {
            note(failure: replies.lazy.compactMap(\.failure).first ?? .garbage)
            count(SharedCounters.lookups, "failed")
            return Look(part: .failed)
        }
        let now = time.wall()
        state.withLock { $0.clock = (engine, loop.clock.monotonic()) }
        let known = values[1...].map { $0.bytes.flatMap(SharedGeneration.init(text:)) }
        guard let global = known[0], let own = known[1] else {
            let made = await makeGenerations(generations, known)
            count(SharedCounters.lookups, "absent")
            return Look(ticket: made.map { Ticket(name: name, provider: provider, generations: $0) }, part: .absent)
        }
        let ticket = Ticket(
            name: name, provider: provider, generations: SharedGenerations(global: global, provider: own))
        guard let value = values[0].bytes else {
            count(SharedCounters.lookups, "absent")
            return Look(ticket: ticket, part: .absent)
        }
        return await read(value, key, ticket, ahead: engine - now)
    }

    private func read(_ value: Bytes, _ key: CacheKey, _ ticket: Ticket, ahead: Duration) async -> Look {
        let question = SharedCodec.Question(
            key: key, name: ticket.name, generations: ticket.generations, ahead: ahead, maxObject: settings.maxObject)
        let entry = await compute.run(reading: value.count) { [codec] () -> Result<StoredResponse, SharedCodec.Miss> in
            do throws(SharedCodec.Miss) {
                return .success(try codec.decode(value, question))
            } catch {
                return .failure(error)
            }
        }
        switch entry {
        case .success(let entry):
            count(SharedCounters.lookups, "hit")
            return Look(entry: entry, ticket: ticket, part: .hit)
        case .failure(let miss):
            count(SharedCounters.lookups, miss.rawValue)
            if miss == .forged {
                log.warning("a value of the shared tier is not of this fleet's key", ["provider": ticket.provider])
            }
            return Look(ticket: ticket, part: .absent)
        }
    }

    /// Generations that the engine does not have, or has lost, are made by chance; of several hosts the first makes them.
    private func makeGenerations(_ names: [Bytes], _ read: [SharedGeneration?]) async -> SharedGenerations? {
        var commands: [Command] = []
        var random = SystemRandomNumberGenerator()
        for (name, known) in zip(names, read) where known == nil {
            commands.append(Command("SET", name, SharedGeneration.random(&random).text, Bytes(text: "NX")))
        }
        var get = Command("MGET")
        get.words += names
        guard let replies = await perform("generations", commands + [get]), let values = replies.last?.elements,
            let global = values.first?.bytes.flatMap(SharedGeneration.init(text:)),
            let own = values.last?.bytes.flatMap(SharedGeneration.init(text:))
        else { return nil }
        for reply in replies { if let failure = reply.failure { note(failure: failure) } }
        return SharedGenerations(global: global, provider: own)
    }

    static func engineTime(_ reply: Reply) -> WallTime? {
        guard let parts = reply.elements, parts.count == 2,
            let seconds = parts[0].bytes.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }),
            let micros = parts[1].bytes.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }),
            (0..<1 << 40).contains(seconds), (0..<1_000_000).contains(micros)
        else { return nil }
        return WallTime(milliseconds: seconds * 1000 + micros / 1000)
    }

    // MARK: Publishing

    /// Sets the value while its generations are still those.
    private static let publish = """
        if redis.call('GET',KEYS[2])~=ARGV[1] or redis.call('GET',KEYS[3])~=ARGV[2] then return 0 end \
        redis.call('SET',KEYS[1],ARGV[3],'PX',ARGV[4]) return 1
        """

    /// Publishes an answer, behind whoever asked. Nothing of it is waited for.
    /// - Parameter lease: given back when the answer is there, or when it is not to be.
    public func publish(_ entry: StoredResponse, _ ticket: Ticket, _ lease: SharedLease? = nil) {
        if let obstacle = SharedStorability.obstacle(entry, maxObject: settings.maxObject, now: time.wall()) {
            if let lease { release(lease, isSettled: true) }
            return count(SharedCounters.published, obstacle.rawValue)
        }
        let mayGo = state.withLock { state -> Bool in
            guard state.publishing < Self.mostPublishing, !state.isClosed else { return false }
            state.publishing += 1
            return true
        }
        guard mayGo else {
            if let lease { release(lease, isSettled: true) }
            return count(SharedCounters.published, "dropped")
        }
        Task(executorPreference: loop) {
            let result = await self.put(entry, ticket)
            self.state.withLock { $0.publishing -= 1 }
            if let lease { self.release(lease, isSettled: result != "done") }
            self.count(SharedCounters.published, result)
        }
    }

    private func put(_ entry: StoredResponse, _ ticket: Ticket) async -> String {
        let now = time.wall()
        let (clock, isRemoving) = state.withLock { ($0.clock, !$0.removals.isEmpty) }
        // What is removed and not told yet is not to be put back by what began before.
        guard !isRemoving else { return "overtaken" }
        guard let clock else { return "failed" }
        let engine = clock.engine + (loop.clock.monotonic() - clock.at)
        let left = (entry.staleUntil - now).milliseconds
        guard left > 0 else { return SharedStorability.Obstacle.expired.rawValue }
        let value = await compute.run(reading: entry.body.count) { [codec] in
            codec.encode(entry, ticket.generations, name: ticket.name, ahead: engine - now)
        }
        let script = Command(
            "EVAL", Bytes(text: Self.publish), Bytes(text: "3"), ticket.name, names.global,
            names.generation(of: ticket.provider), ticket.generations.global.text, ticket.generations.provider.text,
            value, Bytes(text: String(left)))
        switch await perform("publish", [script])?.first {
        case .integer(1): return "done"
        case .integer(0): return "overtaken"
        case let reply:
            if let reply { note(failure: reply.failure ?? .garbage) }
            return "failed"
        }
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
