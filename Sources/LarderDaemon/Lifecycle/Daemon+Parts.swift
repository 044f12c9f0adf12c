// How each part's own settings come out of the whole.
import Glibc
import LarderCore
import LarderFetch
import LarderHTTP
import LarderIO
import LarderServer
import LarderSettings
import LarderStore

extension Daemon {
    static func openDatabases(
        _ settings: Settings, _ surroundings: Surroundings, _ counters: CounterRegistry
    ) throws(DaemonError) -> (SQLiteStore, StateStore) {
        for path in [settings.cache.path, settings.statePath] {
            guard makeDirectory(path) else {
                throw DaemonError(
                    stage: "directories", message: "\(path) is no directory this user can write to, and cannot be made."
                )
            }
        }
        let log = surroundings.log.labelled("store")
        let state: StateStore
        do {
            state = try StateStore.open(
                directory: settings.statePath, cacheDirectory: settings.cache.path, log: log, counters: counters,
                time: surroundings.time)
        } catch {
            throw DaemonError(stage: "databases", message: openingFailed(error, settings.statePath))
        }
        do {
            let store = try SQLiteStore.open(
                directory: settings.cache.path, settings: storeSettings(settings), log: log, counters: counters,
                time: surroundings.time, notes: settings.statePath)
            return (store, state)
        } catch {
            throw DaemonError(stage: "databases", message: "\(error)")
        }
    }

    /// Without its state the daemon does not start: who has been signed in and what was called would not be known, and every
    /// budget would count as spent. What is full is said in plain words.
    static func openingFailed(_ error: StoreError, _ directory: String) -> String {
        guard error.isForWantOfRoom else { return "\(error)" }
        return "the disk of \(directory) (state.path) is full, or a limit of it is reached: make room there. (\(error))"
    }

    /// Makes a directory and those above it, by default for this user alone.
    private static func makeDirectory(_ path: String, mode: mode_t = 0o700) -> Bool {
        var made = path.hasPrefix("/") ? "" : "."
        for segment in path.split(separator: "/") {
            made += "/\(segment)"
            mkdir(made, mode)
        }
        return access(path, R_OK | W_OK | X_OK) == 0
    }

    static func storeSettings(_ settings: Settings) -> StoreSettings {
        StoreSettings(
            maxSize: settings.cache.maxSize, maxObject: settings.cache.maxObject, minFree: minFree(settings),
            highWater: settings.cache.highWater, lowWater: settings.cache.lowWater,
            patience: settings.cache.patience, commitWithin: settings.cache.commitWithin)
    }

    /// The default would leave no room at all on a small file system: there a tenth of it stays free.
    private static func minFree(_ settings: Settings) -> Int64 {
        var system = statvfs()
        guard settings.cache.minFreeIsDefault, statvfs(settings.cache.path, &system) == 0 else {
            return settings.cache.minFree
        }
        let capacity = Int64(clamping: UInt64(system.f_blocks) * UInt64(system.f_frsize))
        return min(settings.cache.minFree, capacity / 10)
    }

    /// - Parameter keptByLoop: connections that each loop may keep for later calls.
    static func fetchSettings(_ settings: Settings, keptByLoop: Int = .max) -> FetchSettings {
        FetchSettings(
            userAgent: settings.fetch.userAgent, connectTimeout: settings.fetch.connectTimeout,
            maxTransfers: settings.fetch.maxTransfers, maxStreams: settings.fetch.maxStreams,
            maxQueue: settings.fetch.maxQueue, queueTimeout: settings.fetch.queueTimeout,
            providers: settings.providers.mapValues { provider in
                ExchangeLimits(
                    maxConnections: settings.mostConnections(of: provider),
                    maxStreams: settings.mostStreams(of: provider), maxQueue: settings.mostWaiting(for: provider))
            },
            maxMemory: Int(clamping: settings.fetch.maxMemory),
            maxKept: keptByLoop, proxy: settings.fetch.proxy)
    }

    /// How many loops there are, and what else has descriptors. Where the number of loops is not set, there are no more than the
    /// process may open files for. Throws where that leaves none, or fewer than were set.
    static func descriptors(
        _ settings: Settings, openFiles: Int, listeners: Int, cores: Int = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
        _ log: Logger
    ) throws(DaemonError) -> DescriptorBudget {
        let count = settings.server.loops > 0 ? settings.server.loops : min(max(1, cores), 1024)
        let wanted = DescriptorBudget(
            openFiles: openFiles > 0 ? openFiles : nil, loops: count + 1, listeners: listeners)
        let descriptors = settings.server.loops > 0 ? wanted : wanted.fitting
        guard descriptors.isEnough else {
            throw DaemonError(
                stage: "open files",
                message: "this process may open \(openFiles) files and needs \(descriptors.minimum) at least. "
                    + "Raise its limit (ulimit -n)" + (settings.server.loops > 1 ? ", or lower server.loops." : "."))
        }
        if descriptors.loops < wanted.loops {
            log.warning(
                "fewer loops serve clients than there are cores: the process may open too few files",
                [
                    "cores": String(count), "inForce": String(descriptors.loops - 1), "openFiles": String(openFiles),
                ])
        }
        return descriptors
    }

    /// No more connections are permitted than there are descriptors for; the log says so where that is fewer than set.
    static func serverSettings(
        _ settings: Settings, _ descriptors: DescriptorBudget, _ log: Logger
    ) -> ServerSettings {
        var limits = ServerLimits()
        let fetch = fetchSettings(settings, keptByLoop: descriptors.keptByLoop)
        limits.maxConnections = descriptors.connections(
            wanted: settings.server.maxConnections, transfers: fetch.mostExchanges,
            // One of the loops is the home loop. Each has one in any case.
            idle: fetch.mostKept(clientLoops: descriptors.loops - 1) - descriptors.loops)
        if limits.maxConnections < settings.server.maxConnections {
            log.warning(
                "fewer connections are permitted than server.maxConnections: the process may open too few files",
                [
                    "server.maxConnections": String(settings.server.maxConnections),
                    "inForce": String(limits.maxConnections), "openFiles": String(descriptors.openFiles ?? 0),
                ])
        }
        limits.headTimeout = settings.server.headTimeout
        limits.idleTimeout = settings.server.idleTimeout
        limits.writeTimeout = settings.server.writeTimeout
        limits.minimumRate = MinimumRate(
            bytesPerSecond: settings.server.minimumRate, window: settings.server.rateWindow)
        limits.maxBody = Int(clamping: settings.server.maxBody)
        return ServerSettings(
            limits: limits, hosts: HostPolicy(names: settings.hostNames),
            crossSite: CrossSitePolicy(
                landingPaths: RouteTable.landingPaths, origins: settings.browserOrigins),
            accessLog: AccessLogging(rawValue: settings.log.access.rawValue) ?? .misses)
    }

    /// The listeners of the configuration, inherited sockets in the places of equal addresses.
    static func listenerSpecs(
        _ settings: Settings, _ inherited: [InheritedSocket]
    ) throws(DaemonError) -> [ListenerSpec] {
        var specs: [ListenerSpec] = []
        for setting in settings.listen {
            do {
                // The socket's own folder, such as larder/ in $XDG_RUNTIME_DIR, is made where it is missing; where that
                // fails, binding says so.
                if case .unix(let path) = try Address(setting.address), let slash = path.lastIndex(of: "/") {
                    _ = makeDirectory(String(path[..<slash]), mode: 0o755)
                }
                specs.append(
                    ListenerSpec(
                        address: try Address(setting.address), number: UInt16(specs.count), provider: setting.provider,
                        isOptional: setting.isDefault))
            } catch {
                throw DaemonError(stage: "listen", message: "\(setting.address): \(error)")
            }
        }
        return ListenerSpec.joined(specs, inherited: inherited)
    }
}
