// The life of a sign-in as a pure machine: who is signed in, when the tokens are renewed, and that they are renewed once
// however many calls wait for it. It makes no call itself: it says the next step, and is told what came of it.
import LarderCore

public struct TokenState: Sendable {
    public enum Standing: Sendable, Hashable {
        case signedOut
        case signedIn(AccountTokens)
        /// The API refused to renew the sign-in; its tokens are gone. Told until somebody signs in or out.
        case refused(account: String, detail: String)
    }

    /// What a call that speaks for the account does next.
    public enum Step: Sendable, Hashable {
        /// It goes out with these.
        case use(AccountTokens, generation: UInt64)
        /// The caller renews them, tells what came of it, and then all who wait go on.
        case renew(AccountTokens, generation: UInt64)
        /// Somebody is renewing them.
        case wait
        case signedOut
        case refused(String)
        /// The last renewal failed without a word about the grant, and until then none is tried.
        case failing(FailureClass, String, until: WallTime)
        /// The tokens were renewed for the same reason a moment ago: the API refuses the request, not the tokens.
        case stands
    }

    /// After a renewal that failed none is tried for that long.
    static let pause = Duration.seconds(10)
    /// Of refusals that come faster than this only the first has the tokens renewed: some requests are refused whatever
    /// the token, and each would else be a call of the token endpoint.
    static let refusalPause = Duration.seconds(60)

    public private(set) var standing: Standing
    /// Counts tokens; a refusal of older ones says nothing about these.
    public private(set) var generation: UInt64 = 0
    private var isRenewing = false
    /// The API did not take the present tokens.
    private var isRejected = false
    private var failure: (FailureClass, String, until: WallTime)?
    private var renewedForRefusalAt: WallTime?

    public init(_ standing: Standing = .signedOut) {
        self.standing = standing
    }

    // MARK: Calls

    /// A call is about to be made.
    public mutating func wanted(now: WallTime) -> Step {
        let tokens: AccountTokens
        switch standing {
        case .signedOut: return .signedOut
        case .refused(_, let detail): return .refused(detail)
        case .signedIn(let present): tokens = present
        }
        let isUsable = !isRejected && now < tokens.expiresAt
        if isUsable, now < tokens.renewAt || tokens.refresh == nil { return .use(tokens, generation: generation) }
        if isRenewing { return isUsable ? .use(tokens, generation: generation) : .wait }
        if let failure, now < failure.until, failure.until - now <= Self.pause {
            return isUsable
                ? .use(tokens, generation: generation) : .failing(failure.0, failure.1, until: failure.until)
        }
        guard tokens.refresh != nil else {
            standing = .refused(account: tokens.account, detail: "the sign-in is over and cannot be renewed")
            generation += 1
            return wanted(now: now)
        }
        isRenewing = true
        return .renew(tokens, generation: generation)
    }

    /// A call that went out with tokens of that generation was answered with 401 or 403.
    public mutating func rejected(_ generation: UInt64, now: WallTime) -> Step {
        guard generation == self.generation, case .signedIn = standing else { return wanted(now: now) }
        if !isRenewing, let last = renewedForRefusalAt, now < last + Self.refusalPause, now >= last { return .stands }
        isRejected = true
        return wanted(now: now)
    }

    // MARK: What came of a renewal

    /// False, and nothing changes, where somebody signed in or out meanwhile.
    public mutating func renewed(_ tokens: AccountTokens, of generation: UInt64, now: WallTime) -> Bool {
        guard ends(generation) else { return false }
        if isRejected { renewedForRefusalAt = now }
        isRejected = false
        failure = nil
        standing = .signedIn(tokens)
        self.generation += 1
        return true
    }

    /// The grant is worth nothing any more: signed out.
    public mutating func renewalRefused(_ detail: String, of generation: UInt64) -> Bool {
        guard case .signedIn(let tokens) = standing, ends(generation) else { return false }
        begin(.refused(account: tokens.account, detail: detail))
        return true
    }

    /// The tokens are kept.
    public mutating func renewalFailed(_ reason: FailureClass, _ detail: String, of generation: UInt64, now: WallTime) {
        guard ends(generation) else { return }
        failure = (reason, detail, now + Self.pause)
    }

    private mutating func ends(_ generation: UInt64) -> Bool {
        guard isRenewing, generation == self.generation else { return false }
        isRenewing = false
        return true
    }

    // MARK: What a person does

    public mutating func signedIn(_ tokens: AccountTokens) { begin(.signedIn(tokens)) }

    public mutating func signedOut() { begin(.signedOut) }

    /// What made renewals fail may be mended: other settings.
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
    /// As it is kept in the state database, nil for signed out. It holds the tokens.
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

    /// What `encode` wrote; nil for anything else.
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
