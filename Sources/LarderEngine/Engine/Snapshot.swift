// The settings in force and the values made from them.
import LarderProviders
import LarderSettings

/// Settings and the values made from them, replaced together. A class, because every request takes it.
public final class Snapshot: Sendable {
    /// The settings as they were read.
    public let settings: Settings
    /// The providers that these settings configure.
    public let providers: ProviderSet
    /// Who is signed in, by provider. Cache keys depend on the account, so standings change only with the snapshot.
    public let standings: [String: AccountStanding]

    /// - Parameter standings: who is signed in, by provider.
    public init(_ settings: Settings, standings: [String: AccountStanding] = [:]) {
        self.settings = settings
        self.standings = standings
        providers = ProviderSet(settings, standings: standings)
    }
}
