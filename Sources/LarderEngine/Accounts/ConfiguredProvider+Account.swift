// Which requests act for the signed-in account, and how that changes their cache keys. Keys and claims come from the
// same snapshot, so an answer is never stored for an account other than the one it was requested for.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings

extension ConfiguredProvider {
    /// Returns the account that a request is made for, or nil if it is made with the application's own key for
    /// everybody. Also nil if Larder has no key: such a client brings its own credentials.
    public func claim(for request: UpstreamRequest) -> AccountClaim? {
        guard let signIn = about.signIn, settings.key != nil else { return nil }
        switch (signIn.use(of: request), standing) {
        case (.none, _): return nil
        case (_, .signedIn(let account)): return AccountClaim(account: account)
        case (.required, _): return AccountClaim(account: nil)
        case (.preferred, _): return nil
        }
    }

    /// The account that a change at the API is made for, or nil if nobody is signed in. If the sign-in has ended by
    /// itself, the call fails: a person who signed in does not expect to act anonymously.
    public var claimForChanges: AccountClaim? {
        guard about.signIn != nil, settings.key != nil else { return nil }
        return switch standing {
        case .nobody: nil
        case .signedIn(let account): AccountClaim(account: account)
        case .refused: AccountClaim(account: nil)
        }
    }

    /// The part of a cache key that separates the answers of one account from others; empty for answers that everybody
    /// shares.
    func accountIdentity(_ request: UpstreamRequest) -> Bytes {
        guard let account = claim(for: request)?.account else { return [] }
        return Digest(of: Bytes(text: "account:\(account)")).bytes
    }
}

extension Engine {
    /// Somebody signed in or out. From now on, stored answers have other cache keys. Answers kept ready in memory are
    /// found by their target alone, so they are dropped.
    public func accountChanged(_ provider: String, _ standing: AccountStanding) {
        replace { current in
            var standings = current.standings
            standings[provider] = standing
            return Snapshot(current.settings, standings: standings)
        }
        cache.settingsChanged()
    }
}
