// The life of the daemon. Parts start in order, each depending only on earlier ones, and stop in reverse order within a
// stated deadline. READY is sent when the databases and listeners are open; STOPPING before anything closes.
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

/// A failure to start, with its stage and a sentence for the user.
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
    /// The daemon's environment. Tests replace parts of it.
    public struct Surroundings: Sendable {
        public var time: any TimeSource
        /// The clock of the loops' timers. With a clock that is set by hand, the loops must be made to read it.
        public var timers: any TimeSource = SystemTime()
        public var log: Logger
        /// All counters of the process. The caller may have used some of them already.
        public var counters: CounterRegistry
        /// Reads the settings again, for SIGHUP.
        public var reload: @Sendable () throws -> Settings
        /// Listening sockets that the service manager opened.
        public var inherited: [InheritedSocket]
        /// Raises the limit of open files as far as permitted, and returns it; 0 if it is unknown.
        public var raiseOpenFiles: @Sendable () -> Int
        /// How long a stop waits for the work that follows the responses in hand.
        public var stopPatience = Duration.seconds(8)
        /// Makes what answers in place of the network, if the daemon replays a tape. It is given the form in which a known
        /// API is asked for a URL.
        public var replay: (@Sendable (_ canonical: @Sendable (HTTPURL) -> HTTPURL?) -> any Upstream)?
        /// How long the hosts of a fleet wait for each other, if not as usual (`SharedTimes`).
        public var fleetPatience: Duration?

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

    /// The bound addresses, in the order of `listen`.
    public let addresses: [String]
    let base: DaemonBase
    let server: HTTPServer
    let parts: DaemonParts
    var engine: Engine { parts.engine }
    var loops: [EventLoop] { base.loops }
    var homeLoop: EventLoop { base.homeLoop }
    var surroundings: Surroundings { base.surroundings }
    /// The settings at the start. Some of them stay in force after a reload.
    private var started: Settings { base.settings }
    /// Fulfilled when a stop no longer needs to wait for responses.
    let drained = Promise<Void>()

    /// Signs this daemon's artwork handles and reads them.
    public var artworkSigner: ArtworkSigner { engine.signer }

    /// Starts everything. When the method returns, requests are answered.
    public static func start(_ settings: Settings, _ surroundings: Surroundings) async throws(DaemonError) -> Daemon {
        let base = try DaemonBase(settings, surroundings)
        let engine = try await base.makeEngine()
        let parts = DaemonParts(
            engine, state: base.state, secrets: base.secrets, fetcher: base.fetcher,
            isReplaying: surroundings.replay != nil)
        let server = base.makeServer(engine, handler: RequestDispatch(parts))
        parts.proxy.readAuthority(settings, log: engine.log)
        parts.tellOfProviders()
        await parts.history.open()
        // What the first miss would otherwise wait for: a reader's connection and libcurl's handles.
        base.fetcher.prepare()
        _ = await base.store.name(of: Digest(of: []))
        parts.hits.set { [weak server] id in await server?.hit(id) }
        parts.recentHits.set { [weak server] in await server?.hits(after: $0, atMost: $1) }
        // Set before the first request: clients of an inherited socket may be waiting already.
        parts.readiness.set(true)
        let addresses: [String]
        do {
            let bound = try server.start()
            parts.tunnels.listening(on: bound)
            addresses = bound.map(\.description)
        } catch {
            throw DaemonError(stage: "listen", message: "\(error)" + (error.advice.map { "\n\($0)" } ?? ""))
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

    /// Reads the configuration again. If the file is invalid, nothing changes, and the log says why.
    public func reload() async {
        let settings: Settings
        do {
            settings = try surroundings.reload()
        } catch {
            engine.counters.cell(DaemonCounters.reloads, "refused").add()
            engine.log.error(
                "the new configuration has errors and is not used; the old one stays in force", ["error": "\(error)"])
            return
        }
        let old = engine.snapshot.settings
        let waiting = settings.changes(since: started).filter(\.needsRestart)
        if !waiting.isEmpty {
            engine.log.warning(
                "some settings take effect only at the next start",
                ["settings": waiting.map(\.path).joined(separator: ", ")])
        }
        if old.log.level != settings.log.level { surroundings.log.threshold = settings.log.level }
        base.secrets.configure(settings)
        // Opens the accounts of providers that were off until now: their stored sign-ins have not been read yet.
        let opened = await engine.accounts.open(settings)
        func renewed(_ current: Snapshot) -> Snapshot {
            Snapshot(settings, standings: current.standings.merging(opened) { present, _ in present })
        }
        if let tier = engine.cache.shared { await base.setApart(settings, tier, engine) }
        // Budgets are opened first: no request must reach a provider whose budget is unknown.
        await engine.upstream.open(renewed(engine.snapshot).providers)
        engine.replace(renewed)
        parts.tunnels.reloaded()
        parts.proxy.readAuthority(settings, log: engine.log)
        parts.routes.replace(engine.snapshot.providers)
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

    /// Tells the store which entries memory has answered from since the last call, so that eviction spares them. Saves
    /// the totals and expires live searches too.
    public func noteUses() async {
        parts.searches.expire()
        touchUsed()
        await saveTotals()
    }

    /// Samples the counters for the history. A timer calls this.
    public func noteHistory() { parts.history.look() }

    /// Saves the unsaved part of the history.
    public func saveHistory() async { await parts.history.save() }

    func touchUsed() {
        engine.cache.noteUsesOfMemory()
    }

    func saveTotals() async {
        await parts.totals.save(engine.snapshot.providers.all.map(\.name))
    }

    /// Checks that the daemon is alive, by a request of its own through every loop down to the store.
    public func probe() async -> Bool {
        await server.probe()
    }
}
