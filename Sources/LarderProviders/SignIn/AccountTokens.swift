// The tokens of one account. They cannot be printed by accident: their descriptions contain only the account.
import LarderCore

/// The tokens that an API grants, read from its own response or from the fragment that the landing page found.
public struct GrantedTokens: Sendable, Hashable {
    public var access: String
    public var refresh: String?
    public var expiresIn: Duration
    public var account: String?
    public var accountID: String?

    /// The longest accepted token, in bytes; longer than any real one. A token is sent in a field unchanged, so it must
    /// be visible ASCII (RFC 6749 appendix A.12).
    static let longestToken = 4096
    /// The accepted lifetimes. Imgur has sent 3600, 2419200 and 315360000 seconds, and the last one is the limit. A
    /// lifetime below one minute counts as one minute; otherwise each API call would need one to the token endpoint.
    static let lifetimes = Duration.seconds(60)...Duration.seconds(315_360_000)

    /// Reads the members of RFC 6749 §5.1, and Imgur's names for the account. Numbers may be strings, as they are in a
    /// fragment. Nil if there is no access token or it is malformed.
    public init?(_ value: JSONValue) { self.init(value, lifetimes: Self.lifetimes) }

    init?(_ value: JSONValue, lifetimes: ClosedRange<Duration>) {
        guard let access = value["access_token"]?.string, Self.isToken(access) else { return nil }
        if let type = value["token_type"]?.string, !ASCII.equalFolded(type, "bearer") { return nil }
        self.access = access
        if let text = value["refresh_token"]?.string, !text.isEmpty {
            guard Self.isToken(text) else { return nil }
            refresh = text
        }
        // If the lifetime is missing, the API documents it elsewhere (RFC 6749 §5.1): one hour.
        let seconds = Self.text(value["expires_in"]).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 3600
        let longest = Double(lifetimes.upperBound.wholeSeconds)
        expiresIn = max(lifetimes.lowerBound, .seconds(Int64(max(0, min(seconds, longest)))))
        account = Self.text(value["account_username"]).flatMap(Self.name)
        accountID = Self.text(value["account_id"]).flatMap(Self.name)
    }

    public static func isToken(_ text: String) -> Bool {
        (1...longestToken).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private static func text(_ value: JSONValue?) -> String? { value?.string ?? value?.numberText }

    private static func name(_ text: String) -> String? {
        (1...100).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? text : nil
    }
}

/// The tokens of the signed-in account.
public struct AccountTokens: Sendable, Hashable {
    public var access: String
    public var refresh: String?
    /// When the person signed in. A renewal does not change it.
    public var signedInAt: WallTime
    public var obtainedAt: WallTime
    public var expiresAt: WallTime
    /// The name of the account, if the API reports it.
    public var name: String?
    /// Identifies the account in cache keys. It stays the same while the account is signed in.
    public var account: String

    public init(_ granted: GrantedTokens, now: WallTime) {
        access = granted.access
        refresh = granted.refresh
        signedInAt = now
        obtainedAt = now
        expiresAt = now + granted.expiresIn
        name = granted.account
        // If the API does not report the account, each sign-in gets an identity of its own.
        account =
            granted.accountID ?? granted.account
            ?? "unnamed-\(Digest(of: Bytes(text: granted.access)).hex.prefix(16))"
    }

    /// The tokens after a renewal. Members that the response omits keep their values (RFC 6749 §6), and the account
    /// stays.
    public func renewed(_ granted: GrantedTokens, now: WallTime) -> AccountTokens {
        var tokens = AccountTokens(granted, now: now)
        tokens.refresh = granted.refresh ?? refresh
        tokens.name = granted.account ?? name
        tokens.account = account
        tokens.signedInAt = signedInAt
        return tokens
    }

    /// When a renewal becomes due: before the expiry by a tenth of the lifetime, but at most ten minutes.
    public var renewAt: WallTime {
        let tenth = max(0, (expiresAt - obtainedAt).milliseconds / 10)
        return expiresAt + .milliseconds(-min(600_000, tenth))
    }

    /// The fields of a call for this account (RFC 6750 §2.1). They replace the application's key.
    public var fields: HeaderFields { ["Authorization": "Bearer \(access)"] }
}

extension AccountTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "tokens of \(account)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["account": account]) }
}

extension GrantedTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "tokens granted to \(account ?? "an account")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
