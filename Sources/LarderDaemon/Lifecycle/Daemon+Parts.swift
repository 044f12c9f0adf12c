// Derives each part's own settings from the configuration.
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
            guard Folder.make(path) else {
                throw DaemonError(
                    stage: "directories",
                    message: "\(path) is not a directory that this user can write to, and cannot be created."
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
                time: surroundings.time)
            return (store, state)
        } catch {
            throw DaemonError(stage: "databases", message: "\(error)")
        }
    }

    /// The message for a state database that cannot be opened. The daemon does not start without it: sign-ins and past
    /// calls would be unknown, and every budget would count as spent. A full disk is reported in plain words.
    static func openingFailed(_ error: StoreError, _ directory: String) -> String {
        guard error.isForWantOfRoom else { return "\(error)" }
        return "the disk of \(directory) (state.path) is full, or a limit of it is reached: make room there. (\(error))"
    }

    static func storeSettings(_ settings: Settings) -> StoreSettings {
        StoreSettings(
            maxSize: settings.cache.maxSize, maxObject: settings.cache.maxObject, minFree: minFree(settings),
            highWater: settings.cache.highWater, lowWater: settings.cache.lowWater,
            patience: settings.cache.patience, commitWithin: settings.cache.commitWithin)
    }

    /// The default would leave no room on a small file system. On such a system a tenth of it stays free.
    private static func minFree(_ settings: Settings) -> Int64 {
        var system = statvfs()
        guard settings.cache.minFreeIsDefault, statvfs(settings.cache.path, &system) == 0 else {
            return settings.cache.minFree
        }
        let capacity = Int64(clamping: UInt64(system.f_blocks) * UInt64(system.f_frsize))
        return min(settings.cache.minFree, capacity / 10)
    }

    /// - Parameter keptByLoop: the number of upstream connections that each loop may keep for later calls.
    static func fetchSettings(_ settings: Settings, keptByLoop: Int = .max) -> FetchSettings {
        var fetch = FetchSettings(
            userAgent: settings.fetch.userAgent, connectTimeout: settings.fetch.connectTimeout,
            maxTransfers: settings.fetch.maxTransfers, maxStreams: settings.fetch.maxStreams,
            maxQueue: settings.fetch.maxQueue, queueTimeout: settings.fetch.queueTimeout,
            providers: settings.providers.mapValues { provider in
                ExchangeLimits(
                    maxConnections: settings.mostConnections(of: provider),
                    maxStreams: settings.mostStreams(of: provider), maxQueue: settings.mostWaiting(for: provider))
            },
            maxMemory: Int(clamping: settings.fetch.maxMemory),
            maxKept: keptByLoop, proxy: settings.fetch.proxy, caFile: settings.fetch.caFile)
        if !settings.fetch.connectTo.isEmpty { fetch.detour = Detour(hosts: settings.fetch.connectTo) }
        fetch.caFiles = settings.providers.compactMapValues(\.ca)
        return fetch
    }

    /// Decides the number of loops and the budget of descriptors. If `server.loops` is not set, the number is limited
    /// by the files that the process may open. Throws if that is too few for two loops, or for the loops that were set.
    static func descriptors(
        _ settings: Settings, openFiles: Int, listeners: Int, cores: Int = UsableCores.count,
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
                "fewer loops than cores serve clients, because the limit of open files is too low",
                [
                    "cores": String(count), "inForce": String(descriptors.loops - 1), "openFiles": String(openFiles),
                ])
        }
        return descriptors
    }

    /// Limits the connections to the available descriptors. If that is fewer than configured, the log says so.
    static func serverSettings(
        _ settings: Settings, _ descriptors: DescriptorBudget, _ log: Logger
    ) -> ServerSettings {
        var limits = ServerLimits()
        let fetch = fetchSettings(settings, keptByLoop: descriptors.keptByLoop)
        limits.maxConnections = descriptors.connections(
            wanted: settings.server.maxConnections,
            // Each tunnel has a connection to its host.
            transfers: fetch.mostExchanges
                + (settings.listen.contains(where: \.isProxy) ? settings.proxy.maxTunnels : 0),
            // One of the loops is the home loop. Each loop keeps one connection in any case.
            idle: fetch.mostKept(clientLoops: descriptors.loops - 1) - descriptors.loops)
        if limits.maxConnections < settings.server.maxConnections {
            log.warning(
                "fewer connections than server.maxConnections are permitted: the limit of open files is too low",
                [
                    "server.maxConnections": String(settings.server.maxConnections),
                    "inForce": String(limits.maxConnections), "openFiles": String(descriptors.openFiles ?? 0),
                ])
        }
        limits.headTimeout = settings.server.headTimeout
        limits.bodyTimeout = settings.server.bodyTimeout
        limits.idleTimeout = settings.server.idleTimeout
        limits.halfClose = settings.server.halfClose
        limits.writeTimeout = settings.server.writeTimeout
        limits.minimumRate = MinimumRate(
            bytesPerSecond: settings.server.minimumRate, window: settings.server.rateWindow)
        limits.maxBody = Int(clamping: settings.server.maxBody)
        return ServerSettings(
            limits: limits, hosts: HostPolicy(names: settings.hostNames),
            crossSite: CrossSitePolicy(
                landingPaths: RouteTable.landingPaths, origins: settings.browserOrigins),
            accessLog: AccessLogging(rawValue: settings.log.access.rawValue) ?? .misses,
            tunnels: TunnelLimits(
                idle: settings.proxy.idleTimeout, total: settings.proxy.totalTimeout, count: settings.proxy.maxTunnels),
            proxyPassword: settings.proxy.password)
    }

    /// The configured listeners, with inherited sockets assigned to equal addresses.
    static func listenerSpecs(
        _ settings: Settings, _ inherited: [InheritedSocket]
    ) throws(DaemonError) -> [ListenerSpec] {
        var specs: [ListenerSpec] = []
        for setting in settings.listen {
            do {
                // Make the socket's own directory, such as larder/ in $XDG_RUNTIME_DIR, if it is missing. If that
                // fails, binding reports the error. The usual one may be that of the state, which is private.
                if case .unix(let path) = try Address(setting.address), let slash = path.lastIndex(of: "/") {
                    _ = Folder.make(String(path[..<slash]), mode: setting.isDefault ? 0o700 : 0o755)
                }
                specs.append(
                    ListenerSpec(
                        address: try Address(setting.address), number: UInt16(specs.count), provider: setting.provider,
                        isOptional: setting.isDefault, isProxy: setting.isProxy))
            } catch {
                throw DaemonError(stage: "listen", message: "\(setting.address): \(error)")
            }
        }
        return ListenerSpec.joined(specs, inherited: inherited)
    }
}
