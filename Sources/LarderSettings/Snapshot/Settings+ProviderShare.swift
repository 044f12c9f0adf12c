// The share of one provider in the places of all providers: its own limit, but never more than half of all, so that no
// provider can keep the others waiting.

extension Settings {
    /// The maximum number of concurrent exchanges of a provider at the upstream's pace.
    public func mostConnections(of provider: ProviderSettings) -> Int {
        min(provider.maxConnections, max(1, fetch.maxTransfers / 2))
    }

    /// The maximum number of concurrent exchanges of a provider at a client's pace.
    public func mostStreams(of provider: ProviderSettings) -> Int {
        min(provider.maxStreams, max(1, fetch.maxStreams / 2))
    }

    /// The maximum number of fetches of each kind that may wait for a place of the provider.
    public func mostWaiting(for provider: ProviderSettings) -> Int {
        min(provider.maxQueue, max(1, fetch.maxQueue / 2))
    }
}

extension SettingsReader {
    /// Notes each written limit that is higher than the half that applies instead.
    mutating func noteShares(_ settings: Settings) {
        for provider in settings.providers.values.sorted(by: { $0.name < $1.name }) {
            let shares = [
                ("maxConnections", provider.maxConnections, settings.mostConnections(of: provider), "maxTransfers"),
                ("maxStreams", provider.maxStreams, settings.mostStreams(of: provider), "maxStreams"),
                ("maxQueue", provider.maxQueue, settings.mostWaiting(for: provider), "maxQueue"),
            ]
            for (name, wanted, inForce, total) in shares where wanted > inForce {
                let path = "providers.\(provider.name).\(name)"
                if written[path] != nil { note("\(path): \(inForce) are in force, half of fetch.\(total)") }
            }
        }
    }
}
