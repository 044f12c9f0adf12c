// The tokens of one account. They can be printed nowhere by accident: what describes them tells the account only.
import LarderCore

/// What an API grants: read from its own answer, or from what the landing page found in the fragment.
public struct GrantedTokens: Sendable, Hashable {
    public var access: String
    public var refresh: String?
    public var expiresIn: Duration
    public var account: String?
    public var accountID: String?

    /// A token goes into a field as it is: visible ASCII (RFC 6749 appendix A.12), and no longer than any real one.
    static let longestToken = 4096
    /// Imgur has said 3600, 2419200 and 315360000 seconds; nothing longer than that is believed. A lifetime of less than a
    /// minute counts as one, else every call would be one to the token endpoint too.
    static let lifetimes = Duration.seconds(60)...Duration.seconds(315_360_000)

    /// The members of RFC 6749 §5.1, with Imgur's names for the account. Numbers may be texts, as a fragment has them.
    /// Nil where there is no access token in it, or one that is none.
    public init?(_ value: JSONValue) {
        guard let access = value["access_token"]?.string, Self.isToken(access) else { return nil }
        if let type = value["token_type"]?.string, !ASCII.equalFolded(type, "bearer") { return nil }
        self.access = access
        if let text = value["refresh_token"]?.string, !text.isEmpty {
            guard Self.isToken(text) else { return nil }
            refresh = text
        }
        // Without one the API's other answers have to tell (RFC 6749 §5.1); an hour is what it documents.
        let seconds = Self.text(value["expires_in"]).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 3600
        let longest = Double(Self.lifetimes.upperBound.wholeSeconds)
        expiresIn = max(Self.lifetimes.lowerBound, .seconds(Int64(max(0, min(seconds, longest)))))
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

/// The tokens of the account that is signed in.
public struct AccountTokens: Sendable, Hashable {
    public var access: String
    public var refresh: String?
    /// When the person signed in; renewals leave it as it is.
    public var signedInAt: WallTime
    public var obtainedAt: WallTime
    public var expiresAt: WallTime
    /// What the account is called, where the API told.
    public var name: String?
    /// Stands for the account in keys; the same for as long as it stays signed in.
    public var account: String

    public init(_ granted: GrantedTokens, now: WallTime) {
        access = granted.access
        refresh = granted.refresh
        signedInAt = now
        obtainedAt = now
        expiresAt = now + granted.expiresIn
        name = granted.account
        // An API that says nothing of the account gets one that no other sign-in has.
        account =
            granted.accountID ?? granted.account
            ?? "unnamed-\(Digest(of: Bytes(text: granted.access)).hex.prefix(16))"
    }

    /// After a renewal. What the answer leaves out stays as it was (RFC 6749 §6), and it is still the same account.
    public func renewed(_ granted: GrantedTokens, now: WallTime) -> AccountTokens {
        var tokens = AccountTokens(granted, now: now)
        tokens.refresh = granted.refresh ?? refresh
        tokens.name = granted.account ?? name
        tokens.account = account
        tokens.signedInAt = signedInAt
        return tokens
    }

    /// Renewed from then on: a tenth of the lifetime before its end, ten minutes at most.
    public var renewAt: WallTime {
        let tenth = max(0, (expiresAt - obtainedAt).milliseconds / 10)
        return expiresAt + .milliseconds(-min(600_000, tenth))
    }

    /// The fields of a call for this account (RFC 6750 §2.1). They take the place of the application's key.
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
