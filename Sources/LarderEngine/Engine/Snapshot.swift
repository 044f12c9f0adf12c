// The settings in force and what is made from them.
import LarderProviders
import LarderSettings

/// Settings and what is made from them, swapped as one. A class, since every request takes it.
public final class Snapshot: Sendable {
    /// The settings as they were read.
    public let settings: Settings
    /// The providers as these settings have them.
    public let providers: ProviderSet
    /// Who is signed in where: keys say for whom an answer is, so this changes with the snapshot only.
    public let standings: [String: AccountStanding]

    /// - Parameter standings: who is signed in, by provider.
    public init(_ settings: Settings, standings: [String: AccountStanding] = [:]) {
        self.settings = settings
        self.standings = standings
        providers = ProviderSet(settings, standings: standings)
    }
}
