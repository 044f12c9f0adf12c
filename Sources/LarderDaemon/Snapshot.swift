// The settings in force and what is made from them.
import LarderProviders
import LarderSettings

/// Settings and what is made from them, swapped as one (decision 18). A class, since every request takes it.
final class Snapshot: Sendable {
    let settings: Settings
    let providers: ProviderSet
    /// Who is signed in where: keys say for whom an answer is, so this changes with the snapshot only.
    let standings: [String: AccountStanding]

    init(_ settings: Settings, standings: [String: AccountStanding] = [:]) {
        self.settings = settings
        self.standings = standings
        providers = ProviderSet(settings, standings: standings)
    }
}
