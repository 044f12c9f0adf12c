// The life of a sign-in as a pure state machine: who is signed in, and when the tokens are renewed. However many calls
// wait, the tokens are renewed once. The machine makes no calls: it returns a step, and the caller reports the outcome.
import LarderCore

public struct TokenState: Sendable {
    public enum Standing: Sendable, Hashable {
        case signedOut
        case signedIn(AccountTokens)
        /// The API refused to renew the tokens, which are discarded. Lasts until somebody signs in or out.
        case refused(account: String, detail: String)
    }

    /// The next step of a call on behalf of the account.
    public enum Step: Sendable, Hashable {
        /// Send the call with these tokens.
        case use(AccountTokens, generation: UInt64)
        /// Renew these tokens, or get the first, and report the outcome. Then all waiting calls continue.
        case renew(AccountTokens?, generation: UInt64)
        /// Wait: another caller is renewing the tokens.
        case wait
        case signedOut
        case refused(String)
        /// The last renewal failed without telling whether the grant is valid. No renewal is tried before `until`.
        case failing(FailureClass, String, until: WallTime)
        /// The tokens were recently renewed after such a refusal. The API refuses the request, not the tokens.
        case stands
    }

    /// How long no renewal is tried after one that failed.
    static let pause = Duration.seconds(10)
    /// Refusals within this time after a renewal do not renew the tokens again. The API refuses some requests with any
    /// token, and each of them would otherwise cause a call to the token endpoint.
    static let refusalPause = Duration.seconds(60)

    public private(set) var standing: Standing
    /// Increases with each change of tokens. A refusal of earlier tokens says nothing about the present ones.
    public private(set) var generation: UInt64 = 0
    private var isRenewing = false
    /// Whether the API rejected the present tokens.
    private var isRejected = false
    private var failure: (FailureClass, String, until: WallTime)?
    private var renewedForRefusalAt: WallTime?
    /// Whether an application gets tokens for itself (RFC 6749 §4.4). It needs no sign-in and no refresh token.
    private let isForItself: Bool

    public init(_ standing: Standing = .signedOut, isForItself: Bool = false) {
        self.standing = standing
        self.isForItself = isForItself
    }

    // MARK: Calls

    /// Returns the next step of a call that is about to be made.
    public mutating func wanted(now: WallTime) -> Step {
        let tokens: AccountTokens?
        switch standing {
        case .signedOut where isForItself: tokens = nil
        case .signedOut: return .signedOut
        case .refused(_, let detail): return .refused(detail)
        case .signedIn(let present): tokens = present
        }
        let usable = isRejected ? nil : tokens.flatMap { now < $0.expiresAt ? $0 : nil }
        let mayRenew = isForItself || tokens?.refresh != nil
        if let usable, now < usable.renewAt || !mayRenew { return .use(usable, generation: generation) }
        if isRenewing { return usable.map { .use($0, generation: generation) } ?? .wait }
        if let failure, now < failure.until, failure.until - now <= Self.pause {
            return usable.map { .use($0, generation: generation) }
                ?? .failing(failure.0, failure.1, until: failure.until)
        }
        if !mayRenew, let tokens {
            standing = .refused(account: tokens.account, detail: "the sign-in has expired and cannot be renewed")
            generation += 1
            return wanted(now: now)
        }
        isRenewing = true
        return .renew(tokens, generation: generation)
    }

    /// Reports that a call with the tokens of `generation` was answered with 401 or 403.
    public mutating func rejected(_ generation: UInt64, now: WallTime) -> Step {
        guard generation == self.generation, case .signedIn = standing else { return wanted(now: now) }
        if !isRenewing, let last = renewedForRefusalAt, now < last + Self.refusalPause, now >= last { return .stands }
        // No other token can be had now, and the API may refuse only this request.
        if isForItself, let failure, now < failure.until, failure.until - now <= Self.pause { return .stands }
        isRejected = true
        return wanted(now: now)
    }

    // MARK: What came of a renewal

    /// Stores renewed tokens. Returns false and changes nothing if somebody signed in or out meanwhile.
    public mutating func renewed(_ tokens: AccountTokens, of generation: UInt64, now: WallTime) -> Bool {
        guard ends(generation) else { return false }
        if isRejected { renewedForRefusalAt = now }
        isRejected = false
        failure = nil
        standing = .signedIn(tokens)
        self.generation += 1
        return true
    }

    /// Ends the sign-in, because the grant is no longer valid. Returns false if somebody signed in or out meanwhile.
    public mutating func renewalRefused(_ detail: String, of generation: UInt64) -> Bool {
        guard case .signedIn(let tokens) = standing, ends(generation) else { return false }
        begin(.refused(account: tokens.account, detail: detail))
        return true
    }

    /// Records a failed renewal. The tokens are kept.
    public mutating func renewalFailed(_ reason: FailureClass, _ detail: String, of generation: UInt64, now: WallTime) {
        guard ends(generation) else { return }
        failure = (reason, detail, now + Self.pause)
        // A refusal of one request must not keep the token from all others. If it is worth nothing, they are refused too.
        if isForItself { isRejected = false }
    }

    private mutating func ends(_ generation: UInt64) -> Bool {
        guard isRenewing, generation == self.generation else { return false }
        isRenewing = false
        return true
    }

    // MARK: What a person does

    public mutating func signedIn(_ tokens: AccountTokens) { begin(.signedIn(tokens)) }

    public mutating func signedOut() { begin(.signedOut) }

    /// Why there are no tokens to use, if the last attempt to get some failed.
    public func failure(now: WallTime) -> String? {
        if case .signedIn(let tokens) = standing, !isRejected, now < tokens.expiresAt { return nil }
        return failure?.1
    }

    /// Forgets the last failure, because new settings may have removed its cause.
    public mutating func forgetFailure() { failure = nil }

    private mutating func begin(_ standing: Standing) {
        self.standing = standing
        generation += 1
        isRenewing = false
        isRejected = false
        failure = nil
        renewedForRefusalAt = nil
    }
}

extension TokenState.Standing {
    /// The value in the state database; nil for signed out. It contains the tokens.
    public func encode() -> Bytes? {
        var writer = JSONWriter()
        switch self {
        case .signedOut: return nil
        case .refused(let account, let detail):
            writer.object { writer in
                writer.member("version", 1)
                writer.member("account", account)
                writer.member("refused", detail)
            }
        case .signedIn(let tokens):
            writer.object { writer in
                writer.member("version", 1)
                writer.member("account", tokens.account)
                writer.member(ifPresent: "name", tokens.name)
                writer.member("access", tokens.access)
                writer.member(ifPresent: "refresh", tokens.refresh)
                writer.member("signedInAt", tokens.signedInAt.milliseconds)
                writer.member("obtainedAt", tokens.obtainedAt.milliseconds)
                writer.member("expiresAt", tokens.expiresAt.milliseconds)
            }
        }
        return writer.bytes
    }

    /// Decodes what `encode` wrote. Nil for anything else.
    public init?(decoding bytes: Bytes) {
        guard let root = try? JSON.parse(bytes), root["version"]?.integer == 1, let account = root["account"]?.string
        else { return nil }
        if let detail = root["refused"]?.string {
            self = .refused(account: account, detail: detail)
            return
        }
        guard let tokens = AccountTokens(stored: root, account: account) else { return nil }
        self = .signedIn(tokens)
    }
}

extension AccountTokens {
    fileprivate init?(stored root: JSONValue, account: String) {
        guard let access = root["access"]?.string, GrantedTokens.isToken(access),
            let signedIn = root["signedInAt"]?.integer, let obtained = root["obtainedAt"]?.integer,
            let expires = root["expiresAt"]?.integer
        else { return nil }
        self.access = access
        self.account = account
        refresh = root["refresh"]?.string
        name = root["name"]?.string
        signedInAt = WallTime(milliseconds: Int64(signedIn))
        obtainedAt = WallTime(milliseconds: Int64(obtained))
        expiresAt = WallTime(milliseconds: Int64(expires))
    }
}
