// The life of the daemon: parts start in order, each needing only those before it, and stop in reverse within a stated
// deadline. READY is said when the listeners are open and the databases are there; STOPPING before anything is closed.
import Glibc
import LarderCache
import LarderCore
import LarderEngine
import LarderFetch
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings
import LarderStore

/// A failure to start, with the stage and a sentence for the person who starts it.
public struct DaemonError: Error, Sendable, CustomStringConvertible {
    public var stage: String
    public var message: String

    public init(stage: String, message: String) {
        self.stage = stage
        self.message = message
    }

    public var description: String { "\(stage): \(message)" }
}

/// One running daemon.
public final class Daemon: Sendable {
    /// How it reaches what is outside: replaced in tests.
    public struct Surroundings: Sendable {
        public var time: any TimeSource
        public var log: Logger
        /// All counters of the process; whoever starts the daemon may have begun some.
        public var counters: CounterRegistry
        /// Reads the settings again, for SIGHUP.
        public var reload: @Sendable () throws -> Settings
        /// Sockets the service manager opened.
        public var inherited: [InheritedSocket]
        /// Raises the limit of open files as far as is permitted, and tells it; 0 where it is not known.
        public var raiseOpenFiles: @Sendable () -> Int
        /// How long a stop waits for what comes after the answers in hand.
        public var stopPatience = Duration.seconds(8)

        public init(
            time: any TimeSource = SystemTime(), log: Logger, counters: CounterRegistry = CounterRegistry(),
            inherited: [InheritedSocket] = [], raiseOpenFiles: @escaping @Sendable () -> Int = Syscall.raiseOpenFiles,
            reload: @escaping @Sendable () throws -> Settings
        ) {
            self.time = time
            self.log = log
            self.counters = counters
            self.inherited = inherited
            self.raiseOpenFiles = raiseOpenFiles
            self.reload = reload
        }
    }

    /// The addresses that were bound, in the order of `listen`.
    public let addresses: [String]
    let loops: [EventLoop]
    let homeLoop: EventLoop
    /// Where signals and the watchdog's timer live.
    var controlLoop: EventLoop { homeLoop }
    let fetcher: CurlUpstream
    private let secrets: SecretBook
    let server: HTTPServer
    let parts: DaemonParts
    var engine: Engine { parts.engine }
    let surroundings: Surroundings
    /// The settings of the start: some of them stay in force whatever a reload brings.
    private let started: Settings
    private let descriptors: DescriptorBudget
    /// Open when a stop need not wait for answers any longer.
    let drained = Latch()

    /// Makes and opens this daemon's artwork handles.
    public var artworkSigner: ArtworkSigner { engine.signer }

    /// Starts everything; requests are answered when it returns.
    public static func start(_ settings: Settings, _ surroundings: Surroundings) async throws(DaemonError) -> Daemon {
        // A connection and an upstream call are a descriptor each; the usual soft limit of 1024 is soon reached.
        let openFiles = surroundings.raiseOpenFiles()
        let counters = surroundings.counters
        let log = surroundings.log
        let listeners = try listenerSpecs(settings, surroundings.inherited)
        let descriptors = try descriptors(settings, openFiles: openFiles, listeners: listeners.count, log)
        let time = surroundings.time
        let (store, state) = try openDatabases(settings, surroundings, counters)
        let homeLoop: EventLoop
        var loops: [EventLoop] = []
        do {
            homeLoop = try EventLoop(name: "home", index: UInt16.max)
            try homeLoop.start()
            // One of them is the home loop.
            for index in 0..<(descriptors.loops - 1) {
                let loop = try EventLoop(name: "loop-\(index)", index: UInt16(index), wall: time)
                try loop.start()
                loops.append(loop)
            }
        } catch {
            throw DaemonError(stage: "loops", message: "\(error)")
        }
        let secret: Bytes
        do {
            secret = try await state.secret("artwork", length: 32)
        } catch {
            throw DaemonError(stage: "state database", message: "\(error)")
        }
        let fetcher = CurlUpstream(
            loop: homeLoop, clients: loops,
            settings: fetchSettings(settings, keptByLoop: descriptors.keptByLoop), log: log.labelled("fetch"),
            counters: counters, time: time)
        let compute = ComputeGate(width: loops.count)
        let secrets = SecretBook(settings)
        // Nobody but this gate speaks to the fetcher: what comes through it repeats no secret.
        let gate = RedactingUpstream(
            upstream: fetcher, secrets: secrets, compute: compute, bodies: fetcher.memory, time: time)
        let accounts = AccountDesk(
            loop: homeLoop, upstream: gate, store: state, secrets: secrets, time: time, log: log.labelled("account"),
            counters: counters)
        let snapshot = Snapshot(settings, standings: await accounts.open(settings))
        let upstream = UpstreamDesk(
            loop: homeLoop, upstream: gate, accounts: accounts, state: state, compute: compute, time: time,
            log: log.labelled("upstream"), counters: counters)
        await upstream.open(snapshot.providers)
        let cache = EntryCache(
            store: store, memory: MemoryTier(budget: Int(clamping: settings.cache.memorySize)), log: log, time: time)
        let engine = Engine(
            snapshot: snapshot, cache: cache,
            flights: FlightDesk(
                loop: homeLoop, time: time, memory: cache.memory, counters: counters,
                failurePause: settings.fetch.failurePause),
            upstream: upstream, accounts: accounts, compute: compute, bodies: fetcher.memory,
            signer: ArtworkSigner(key: secret), counters: counters, log: log, time: time)
        engine.cache.memory.register(in: counters)
        accounts.listen { [weak engine] in engine?.accountChanged($0, $1) }
        let parts = DaemonParts(engine, state: state)
        let dispatch = RequestDispatch(parts)
        store.permitOpenBodies(descriptors.bodies)
        let shelves = store.looks(
            ReadySettings(
                loops: loops.count, bodies: fetcher.memory, skew: Reuse.clockSkew.milliseconds,
                hits: { counters.cell(EngineCounters.outcomes, $0, CacheOutcome.hit.rawValue) },
                acceptsGzip: { ContentCoding.acceptsGzip($0) }), counters)
        let ready = StoredReadySource(
            memory: cache.memory, store: store, shelves: shelves,
            hits: { counters.cell(DaemonCounters.memoryHits, $0) })
        let server = HTTPServer(
            loops: loops, listeners: listeners, ready: ready,
            handler: dispatch, settings: serverSettings(settings, descriptors, log), log: log.labelled("server"),
            counters: counters, time: time)
        parts.tellOfProviders()
        parts.hits.withLock { $0 = { [weak server] id in await server?.hit(id) } }
        // Before the first request: on an inherited socket clients may wait already.
        parts.readiness.set(true)
        let addresses: [String]
        do {
            addresses = try server.start().map(\.description)
        } catch {
            throw DaemonError(stage: "listen", message: "\(error)")
        }
        log.notice(
            "started", ["version": LarderVersion.text, "listening": addresses.joined(separator: " ")])
        for note in settings.notes { log.warning(note) }
        return Daemon(
            addresses, loops, homeLoop, fetcher, secrets, server, parts, surroundings, descriptors)
    }

    private init(
        _ addresses: [String], _ loops: [EventLoop], _ homeLoop: EventLoop, _ fetcher: CurlUpstream,
        _ secrets: SecretBook, _ server: HTTPServer, _ parts: DaemonParts,
        _ surroundings: Surroundings, _ descriptors: DescriptorBudget
    ) {
        self.addresses = addresses
        self.loops = loops
        self.homeLoop = homeLoop
        self.fetcher = fetcher
        self.secrets = secrets
        self.server = server
        self.parts = parts
        self.surroundings = surroundings
        self.descriptors = descriptors
        started = parts.engine.snapshot.settings
    }

    /// Reads the configuration again. A bad file leaves everything as it is, and the log says why.
    public func reload() async {
        let settings: Settings
        do {
            settings = try surroundings.reload()
        } catch {
            engine.counters.cell(DaemonCounters.reloads, "refused").add()
            engine.log.error("the configuration is not used; the old one stays in force", ["error": "\(error)"])
            return
        }
        let old = engine.snapshot.settings
        let waiting = settings.changes(since: started).filter(\.needsRestart)
        if !waiting.isEmpty {
            engine.log.warning(
                "some settings take effect at the next start only",
                ["settings": waiting.map(\.path).joined(separator: ", ")])
        }
        if old.log.level != settings.log.level { surroundings.log.threshold = settings.log.level }
        secrets.configure(settings)
        // Of a provider that was off until now the kept sign-in is known only from here on.
        let opened = await engine.accounts.open(settings)
        func renewed(_ current: Snapshot) -> Snapshot {
            Snapshot(settings, standings: current.standings.merging(opened) { present, _ in present })
        }
        // A provider's budget is known before anybody can ask for it.
        await engine.upstream.open(renewed(engine.snapshot).providers)
        engine.replace(renewed)
        engine.flights.forgetFailures(pause: settings.fetch.failurePause)
        await engine.refreshes.apply(limit: settings.fetch.refreshOnReturn)
        engine.cache.store.apply(Self.storeSettings(settings))
        fetcher.apply(Self.fetchSettings(settings, keptByLoop: descriptors.keptByLoop))
        engine.cache.memory.setBudget(Int(clamping: settings.cache.memorySize))
        parts.eventSeats.setLimit(settings.server.maxEventStreams)
        parts.searches.setLimits(settings.searchLimits)
        engine.cache.settingsChanged()
        await server.apply(Self.serverSettings(settings, descriptors, engine.log))
        engine.counters.cell(DaemonCounters.reloads, "done").add()
        engine.log.notice("configuration read again")
        for note in settings.notes { engine.log.warning(note) }
    }

    /// Tells the store which entries memory answered from since the last time, so that eviction spares them, and adds
    /// up the totals.
    public func noteUses() async {
        parts.searches.expire()
        touchUsed()
        await saveTotals()
    }

    func touchUsed() {
        engine.cache.noteUsesOfMemory()
    }

    func saveTotals() async {
        await parts.totals.save(engine.snapshot.providers.all.map(\.name))
    }

    /// Whether the daemon is alive, by a request of its own through every loop down to the store.
    public func probe() async -> Bool {
        await server.probe()
    }
}
