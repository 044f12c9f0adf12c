// The basis of a daemon's engine and server: its databases, its loops, and the path to the upstreams. It is made first
// and ends last.
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

struct DaemonBase: Sendable {
    let settings: Settings
    let surroundings: Daemon.Surroundings
    let descriptors: DescriptorBudget
    let listeners: [ListenerSpec]
    let store: SQLiteStore
    let state: StateStore
    /// The loops that serve clients.
    let loops: [EventLoop]
    /// Runs the single owners of accounts, sessions, pools and the like, and also signals and the watchdog's timer.
    let homeLoop: EventLoop
    let fetcher: CurlUpstream
    let secrets: SecretRegistry

    private var log: Logger { surroundings.log }
    private var counters: CounterRegistry { surroundings.counters }

    init(_ settings: Settings, _ surroundings: Daemon.Surroundings) throws(DaemonError) {
        self.settings = settings
        self.surroundings = surroundings
        // Each connection and each upstream call needs a descriptor. The usual soft limit of 1024 is soon reached.
        let openFiles = surroundings.raiseOpenFiles()
        let log = surroundings.log
        listeners = try Daemon.listenerSpecs(settings, surroundings.inherited)
        descriptors = try Daemon.descriptors(settings, openFiles: openFiles, listeners: listeners.count, log)
        (store, state) = try Daemon.openDatabases(settings, surroundings, surroundings.counters)
        // One of the budgeted loops is the home loop.
        (homeLoop, loops) = try Self.startLoops(clients: descriptors.loops - 1, surroundings)
        fetcher = CurlUpstream(
            loop: homeLoop, clients: loops,
            settings: Daemon.fetchSettings(settings, keptByLoop: descriptors.keptByLoop), log: log.labelled("fetch"),
            counters: surroundings.counters, time: surroundings.time)
        secrets = SecretRegistry(settings)
    }

    private static func startLoops(
        clients: Int, _ surroundings: Daemon.Surroundings
    ) throws(DaemonError) -> (home: EventLoop, clients: [EventLoop]) {
        do {
            let home = try EventLoop(name: "home", index: UInt16.max, time: surroundings.timers)
            try home.start()
            var loops: [EventLoop] = []
            for index in 0..<clients {
                let loop = try EventLoop(
                    name: "loop-\(index)", index: UInt16(index), time: surroundings.timers, wall: surroundings.time)
                try loop.start()
                loops.append(loop)
            }
            return (home, loops)
        } catch {
            throw DaemonError(stage: "loops", message: "\(error)")
        }
    }

    /// Makes the engine, with the stored sign-ins of accounts and the stored state of budgets.
    func makeEngine() async throws(DaemonError) -> Engine {
        let time = surroundings.time
        let secret: Bytes
        do {
            // A key that hosts share takes precedence. An own key is made too, in case the shared one is removed.
            let own = try await state.secret("artwork", length: 32)
            secret = settings.artwork.key.map { Bytes(text: $0) } ?? own
        } catch {
            throw DaemonError(stage: "state database", message: "\(error)")
        }
        let compute = ComputeGate(width: loops.count)
        // Only this gate uses the fetcher, so no upstream response can repeat a secret.
        let gate = RedactingUpstream(
            upstream: replayed() ?? fetcher, secrets: secrets, compute: compute, bodies: fetcher.memory, time: time)
        let accounts = AccountCoordinator(
            loop: homeLoop, upstream: gate, store: state, secrets: secrets, time: time, log: log.labelled("account"),
            counters: counters)
        let snapshot = Snapshot(settings, standings: await accounts.open(settings))
        let upstream = UpstreamClient(
            loop: homeLoop, upstream: gate, accounts: accounts, state: state, compute: compute, time: time,
            log: log.labelled("upstream"), counters: counters)
        await upstream.open(snapshot.providers)
        let cache = EntryCache(
            store: store, memory: MemoryTier(budget: Int(clamping: settings.cache.memorySize)), log: log, time: time)
        let engine = Engine(
            snapshot: snapshot, cache: cache,
            flights: FlightCoordinator(
                loop: homeLoop, time: time, memory: cache.memory, counters: counters,
                failurePause: settings.fetch.failurePause),
            upstream: upstream, accounts: accounts, compute: compute, bodies: fetcher.memory,
            signer: ArtworkSigner(key: secret), counters: counters, log: log, time: time)
        engine.cache.memory.register(in: counters)
        if let shared = settings.shared { await share(shared, engine) } else { await unshare(engine) }
        accounts.listen { [weak engine] in engine?.accountChanged($0, $1) }
        return engine
    }

    /// The tape that answers in place of the network, if there is one.
    private func replayed() -> (any Upstream)? {
        guard let replay = surroundings.replay else { return nil }
        let providers = Snapshot(settings).providers
        return replay { url in
            guard let (provider, request) = providers.owner(of: url), !provider.isPassthrough else { return nil }
            return HTTPURL(provider.url(provider.provider.canonical(request)))
        }
    }

    /// Makes the server, which answers by itself if an answer is kept ready in the engine's cache.
    func makeServer(_ engine: Engine, handler: RequestDispatch) -> HTTPServer {
        let counters = counters
        store.permitOpenBodies(descriptors.bodies)
        let readers = store.looks(
            ReadySettings(
                loops: loops.count, bodies: fetcher.memory, skew: ConfiguredReuse.clockSkew.milliseconds,
                hits: { counters.cell(EngineCounters.outcomes, $0, CacheOutcome.hit.rawValue) },
                acceptsGzip: { ContentCoding.acceptsGzip($0) }), counters)
        readers.open()
        let ready = StoredReadySource(
            memory: engine.cache.memory, store: store, readers: readers,
            hits: { counters.cell(DaemonCounters.memoryHits, $0) })
        return HTTPServer(
            loops: loops, listeners: listeners, ready: ready, handler: handler,
            settings: Daemon.serverSettings(settings, descriptors, log), log: log.labelled("server"),
            counters: counters, time: surroundings.time)
    }
}
