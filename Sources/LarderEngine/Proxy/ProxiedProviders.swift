// The providers that stand for hosts of the proxy. Each host has one of its own: its failures, places and counters are
// those of no other host. A provider follows from its name and the settings, so it is made when it is asked for.
import LarderCore
import LarderProviders
import LarderSettings

/// The providers of hosts under one snapshot of the settings. Thread-safe.
public final class ProxiedProviders: Sendable {
    /// The indexes of the providers that the settings name, by the origin of each of their base URLs.
    let byOrigin: [String: [Int]]
    private let proxy: ProxySettings
    private let jitter: Int
    private let made = Lock<[String: ConfiguredProvider]>([:])
    /// More than this are made again when they are asked for.
    private static let mostKept = 4096

    init(_ settings: Settings, byOrigin: [String: [Int]]) {
        self.byOrigin = byOrigin
        proxy = settings.proxy
        jitter = settings.cache.jitter
    }

    func isKnown(_ name: String, host authority: String) -> Bool {
        if made.withLock({ $0[name] != nil }) { return true }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return proxy.rule(for: String(host))?.action == .cache
    }

    /// The provider of that name; nil if the name is none of a host.
    func named(_ name: String) -> ConfiguredProvider? {
        guard let settings = proxy.provider(named: name) else { return nil }
        return made.withLock { made in
            if let known = made[name] { return known }
            if made.count >= Self.mostKept { made = [:] }
            let provider = ConfiguredProvider(
                provider: Passthrough(name: name, baseURL: settings.baseURL), settings: settings,
                jitterPercent: jitter)
            made[name] = provider
            return provider
        }
    }
}
