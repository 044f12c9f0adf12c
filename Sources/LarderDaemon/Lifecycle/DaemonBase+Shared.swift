// How a daemon joins a fleet. The settings open the shared tier, and its data that outlives a restart is in `state.db`.
import Glibc
import LarderCore
import LarderEngine
import LarderSettings
import LarderShared
import LarderStore

extension DaemonBase {
    private var keeping: SharedKeeper { SharedKeeper(state: state, log: surroundings.log.labelled("shared")) }

    /// Opens the shared tier and closes the previous one. Does not wait for an engine that does not respond.
    func share(_ settings: Settings.Shared, _ engine: Engine) async {
        let keeping = keeping
        var place = SharedSettings(settings)
        if let patience = surroundings.fleetPatience { place.times = SharedTimes(all: patience) }
        let tier = SharedTier(
            place, host: await host(), keeping: keeping, on: homeLoop, compute: engine.compute,
            counters: surroundings.counters, log: keeping.log, time: surroundings.time)
        // First, because entries whose removal an earlier run could not publish must not be read from the tier.
        await tier.recallRemovals()
        await setApart(engine.snapshot.settings, tier, engine)
        let before = engine.cache.share(tier)
        engine.upstream.share(tier)
        // A call that waits for the previous tier asks this one once that is closed.
        await before?.returnCalls()
        await before?.close(next: tier)
        await tier.open()
        await tier.follow(report: { [upstream = engine.upstream] in await upstream.reportFleetCalls() }) {
            [cache = engine.cache, upstream = engine.upstream, weak engine] news in
            if case .suspension = news {} else { engine?.endOtherQueries(of: nil) }
            let isKept = await cache.hear(news, shared: engine?.snapshot.settings.sharedProviders ?? [])
            await upstream.hear(news)
            return isKept
        }
    }

    /// Tells the tier which providers are not shared. One that is shared again may have missed removals meanwhile.
    func setApart(_ settings: Settings, _ tier: SharedTier, _ engine: Engine) async {
        let apart = Set(settings.providers.values.filter { !$0.isShared }.map(\.name))
        let again = await tier.setApart(apart)
        if !again.isEmpty { _ = await engine.cache.distrust(again) }
    }

    /// Leaves the fleet: this host works alone from now on.
    func unshare(_ engine: Engine) async {
        await SharedTier.noteAlone(keeping)
        await leaveFleet(engine)
    }

    /// Closes the tier, because the daemon stops or the tier is no longer configured.
    func leaveFleet(_ engine: Engine) async {
        let before = engine.cache.share(nil)
        engine.upstream.share(nil)
        await before?.returnCalls()
        await before?.close()
    }

    private func host() async -> SharedHost {
        let id = (try? await state.secret("shared.host", length: 12)) ?? Secrets.random(12)
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return SharedHost(
            id: Base64URL.encode(id), name: String(decoding: bytes, as: UTF8.self), version: LarderVersion.text,
            startedAt: surroundings.time.wall())
    }
}

/// Keeps the tier's data in the state database.
private struct SharedKeeper: SharedKeeping {
    let state: StateStore
    let log: Logger

    func kept(_ name: String) async -> Bytes? {
        do throws(StoreError) {
            return try await state.value(name)
        } catch {
            log.warning("the stored state of the shared tier cannot be read", ["name": name, "error": "\(error)"])
            return nil
        }
    }

    func keep(_ name: String, _ bytes: Bytes?) async {
        do throws(StoreError) {
            try await state.setValue(name, bytes)
        } catch {
            log.warning("the state of the shared tier cannot be stored", ["name": name, "error": "\(error)"])
        }
    }
}

extension Settings {
    /// The names of the providers whose answers the hosts share.
    fileprivate var sharedProviders: [String] { providers.values.filter(\.isShared).map(\.name) }
}

extension SharedSettings {
    /// Makes the tier's settings from the configuration.
    init(_ settings: Settings.Shared) {
        let address: SharedAddress =
            switch settings.url.place {
            case .unix(let path): .unix(path)
            case .tcp(let host, let port): .tcp(host: host, port: port)
            }
        self.init(
            address: address, user: settings.url.user, password: settings.password, database: settings.url.database,
            prefix: settings.prefix, timeout: settings.timeout, maxObject: settings.maxObject, key: settings.key,
            hasLeases: settings.hasLeases, hasQuota: settings.hasQuota, shown: settings.urlText)
    }
}
