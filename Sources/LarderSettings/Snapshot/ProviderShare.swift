// What one provider may have of the places of all: its own number, and never more than half, so that no provider can keep
// the others waiting.

extension Settings {
    /// Exchanges of one provider at once that it paces.
    public func mostConnections(of provider: ProviderSettings) -> Int {
        min(provider.maxConnections, max(1, fetch.maxTransfers / 2))
    }

    /// Those that a client paces.
    public func mostStreams(of provider: ProviderSettings) -> Int {
        min(provider.maxStreams, max(1, fetch.maxStreams / 2))
    }

    /// Fetches of each kind that wait for it.
    public func mostWaiting(for provider: ProviderSettings) -> Int {
        min(provider.maxQueue, max(1, fetch.maxQueue / 2))
    }
}

extension SettingsReader {
    /// Notes each number that was written and is more than its half.
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
