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
import LarderShared
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
    let base: DaemonBase
    let server: HTTPServer
    let parts: DaemonParts
    var engine: Engine { parts.engine }
    var loops: [EventLoop] { base.loops }
    var homeLoop: EventLoop { base.homeLoop }
    var surroundings: Surroundings { base.surroundings }
    /// The settings of the start: some of them stay in force whatever a reload brings.
    private var started: Settings { base.settings }
    /// Open when a stop need not wait for answers any longer.
    let drained = Promise<Void>()

    /// Makes and opens this daemon's artwork handles.
    public var artworkSigner: ArtworkSigner { engine.signer }

    /// Starts everything; requests are answered when it returns.
    public static func start(_ settings: Settings, _ surroundings: Surroundings) async throws(DaemonError) -> Daemon {
        let base = try DaemonBase(settings, surroundings)
        let engine = try await base.makeEngine()
        let parts = DaemonParts(engine, state: base.state, secrets: base.secrets)
        let server = base.makeServer(engine, handler: RequestDispatch(parts))
        parts.tellOfProviders()
        await parts.history.open()
        parts.hits.withLock { $0 = { [weak server] id in await server?.hit(id) } }
        parts.recentHits.withLock { $0 = { [weak server] in await server?.hits(after: $0, atMost: $1) } }
        // Before the first request: on an inherited socket clients may wait already.
        parts.readiness.set(true)
        let addresses: [String]
        do {
            addresses = try server.start().map(\.description)
        } catch {
            throw DaemonError(stage: "listen", message: "\(error)")
        }
        surroundings.log.notice(
            "started", ["version": LarderVersion.text, "listening": addresses.joined(separator: " ")])
        for note in settings.notes { surroundings.log.warning(note) }
        return Daemon(addresses, base, server, parts)
    }

    private init(_ addresses: [String], _ base: DaemonBase, _ server: HTTPServer, _ parts: DaemonParts) {
        self.addresses = addresses
        self.base = base
        self.server = server
        self.parts = parts
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
        base.secrets.configure(settings)
        // Of a provider that was off until now the kept sign-in is known only from here on.
        let opened = await engine.accounts.open(settings)
        func renewed(_ current: Snapshot) -> Snapshot {
            Snapshot(settings, standings: current.standings.merging(opened) { present, _ in present })
        }
        await engine.cache.shared?.setApart(DaemonBase.apart(settings))
        // A provider's budget is known before anybody can ask for it.
        await engine.upstream.open(renewed(engine.snapshot).providers)
        engine.replace(renewed)
        engine.flights.forgetFailures(pause: settings.fetch.failurePause)
        await engine.refreshes.apply(limit: settings.fetch.refreshOnReturn)
        engine.cache.store.apply(Self.storeSettings(settings))
        base.fetcher.apply(Self.fetchSettings(settings, keptByLoop: base.descriptors.keptByLoop))
        engine.cache.memory.setBudget(Int(clamping: settings.cache.memorySize))
        parts.eventStreams.setLimit(settings.server.maxEventStreams)
        parts.searches.setLimits(settings.searchLimits)
        if old.shared != settings.shared {
            if let shared = settings.shared { await base.share(shared, engine) } else { await base.unshare(engine) }
        }
        engine.cache.settingsChanged()
        await server.apply(Self.serverSettings(settings, base.descriptors, engine.log))
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

    /// Takes a look at the counters for the figures over time. For a timer.
    public func noteHistory() { parts.history.look() }

    /// Writes the figures over time that are not written yet.
    public func saveHistory() async { await parts.history.save() }

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
