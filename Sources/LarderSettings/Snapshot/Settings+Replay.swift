// The settings of a daemon that replays a tape. Each request is answered by the tape, in the order of its recordings:
// nothing is kept, nothing is limited, no key is needed, and nothing is shared with the real cache.
import LarderCore
import LarderProviders

extension Settings {
    /// - Parameter directory: holds the databases of the replay.
    public func replaying(in directory: String) -> Settings {
        var settings = self
        settings.cache.path = "\(directory)/cache"
        settings.statePath = "\(directory)/state"
        settings.shared = nil
        settings.fetch.failurePause = .zero
        settings.proxy = proxy.replaying
        settings.providers = providers.mapValues(\.replaying)
        return settings
    }
}

extension ProviderSettings {
    /// It is sent to nobody, and stands in for what an API that is never asked would demand.
    private static let noKey = "no-key-is-sent-to-a-tape-in-a-replay"

    var replaying: ProviderSettings {
        var provider = self
        (provider.semantics, provider.isReplayed) = (.ttl, true)
        provider.forgetLifetimes()
        (provider.emptyTTL, provider.negativeTTL, provider.staleFor, provider.staleWhileRefresh) = (
            .zero, .zero, .zero, .zero
        )
        provider.keyFileProblem = nil
        if keyIn.tokenServer != nil { (provider.keyIn, provider.key) = (.bearer, Self.noKey) }
        if !isPassthrough, key == nil { provider.key = Self.noKey }
        return provider
    }
}

extension ProxySettings {
    /// What would pass unread is answered from the tape, as far as it can be read.
    var replaying: ProxySettings {
        ProxySettings(
            hosts: hosts.map { ProxyHostRule($0.pattern, $0.action == .tunnel ? .cache : $0.action) },
            others: others == .tunnel ? .cache : others, ports: ports, password: password, maxTunnels: maxTunnels,
            idleTimeout: idleTimeout, totalTimeout: totalTimeout, common: common.replaying)
    }
}
