// Which requests speak for the account that is signed in, and what that does to their keys. Keys and claims come from one
// snapshot, so an answer is never kept for another account than it was asked for.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings

extension ConfiguredProvider {
    /// For whom a request is made; nil for everybody, with the application's own key. A client that brings its own
    /// credentials, since Larder has none, speaks for itself.
    public func claim(for request: UpstreamRequest) -> AccountClaim? {
        guard let signIn = about.signIn, settings.key != nil else { return nil }
        switch (signIn.use(of: request), standing) {
        case (.none, _): return nil
        case (_, .signedIn(let account)): return AccountClaim(account: account)
        case (.required, _): return AccountClaim(account: nil)
        case (.preferred, _): return nil
        }
    }

    /// For whom something is changed there: for the account, where one is signed in. Where the sign-in has ended by itself
    /// the call fails and says so: a person who signed in does not expect to act as nobody.
    public var claimForChanges: AccountClaim? {
        guard about.signIn != nil, settings.key != nil else { return nil }
        return switch standing {
        case .nobody: nil
        case .signedIn(let account): AccountClaim(account: account)
        case .refused: AccountClaim(account: nil)
        }
    }

    /// The part of a key that keeps an account's answers apart; empty for what is everybody's.
    func accountIdentity(_ request: UpstreamRequest) -> Bytes {
        guard let account = claim(for: request)?.account else { return [] }
        return Digest(of: Bytes(text: "account:\(account)")).bytes
    }
}

extension Engine {
    /// Somebody signed in or out. Stored answers have other keys from now on; what is ready in memory is found by its
    /// target alone, so it goes.
    public func accountChanged(_ provider: String, _ standing: AccountStanding) {
        replace { current in
            var standings = current.standings
            standings[provider] = standing
            return Snapshot(current.settings, standings: standings)
        }
        cache.settingsChanged()
    }
}
