// The one owner of tokens: an actor on the home loop, so that a call gets its token where it
// is sent. Tokens leave it in the fields of a call and into the state database, and nowhere else.
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// By what a call speaks for an account: its fields, and which tokens they hold.
struct AccountPass: Sendable {
    var provider: String
    /// Whose they are.
    var account: String
    /// Secret; they take the place of the application's own credentials.
    var fields: HeaderFields
    var generation: UInt64
}

/// For whom a call is made. Its answer is kept for that account, so no other's token will do.
public struct AccountClaim: Sendable, Hashable {
    /// Nil: nobody is signed in, and there is no answer without an account.
    var account: String?
}

/// Who is signed in at a provider, as keys and routes see it.
public enum AccountStanding: Sendable, Hashable {
    case nobody
    case signedIn(String)
    /// Somebody was, until the API refused to renew that.
    case refused

    init(_ standing: TokenState.Standing) {
        switch standing {
        case .signedOut: self = .nobody
        case .signedIn(let tokens): self = .signedIn(tokens.account)
        case .refused: self = .refused
        }
    }
}

/// What may be told of a sign-in.
public struct AccountReport: Sendable {
    /// Whether somebody is signed in.
    public var standing: TokenState.Standing
    /// Sign-ins that were begun and have not come to an end.
    public var pending: Int
    /// Why the last one that came back failed.
    public var lastFailure: (at: WallTime, detail: String)?
}

/// The one owner of accounts: sign-ins, their tokens and their renewal. An actor on the home loop.
public actor AccountCoordinator {
    nonisolated let loop: EventLoop
    /// The home loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let executor: LoopSerialExecutor

    /// Told of every change of standing, on the loop; empty until the routes are there.
    private nonisolated let listener = Lock<(@Sendable (String, AccountStanding) -> Void)?>(nil)

    /// Has every change of a provider's standing told, on the home loop; one listener at a time.
    public nonisolated func listen(_ body: @escaping @Sendable (String, AccountStanding) -> Void) {
        listener.withLock { $0 = body }
    }

    struct Account {
        var application: SignInApplication
        var state: TokenState
        var states = SignInStates()
        /// Sign-ins that have come back and whose tokens are being fetched.
        var landing = 0
        var lastFailure: (at: WallTime, detail: String)?
        var renewal: Task<Void, Never>?
    }

    private let upstream: any Upstream
    private let store: StateStore
    private let secrets: SecretRegistry
    let time: any TimeSource
    let log: Logger
    let counters: CounterRegistry
    var accounts: [String: Account] = [:]
    private var isStopped = false

    /// Without any account until `open` is called.
    public init(
        loop: EventLoop, upstream: any Upstream, store: StateStore, secrets: SecretRegistry, time: any TimeSource,
        log: Logger, counters: CounterRegistry
    ) {
        self.loop = loop
        executor = LoopSerialExecutor(loop)
        self.upstream = upstream
        self.store = store
        self.secrets = secrets
        self.time = time
        self.log = log
        self.counters = counters
    }

    // MARK: Settings

    /// Takes the settings over; at first also what the last run left.
    /// - Returns: who is signed in where.
    public func open(_ settings: Settings) async -> [String: AccountStanding] {
        for application in SignInApplication.all(settings) {
            let name = application.provider
            if accounts[name] == nil {
                let standing = await stored(name)
                accounts[name] = Account(application: application, state: TokenState(standing))
                hide(name)
            }
            accounts[name]?.application = application
            accounts[name]?.state.forgetFailure()
        }
        return accounts.mapValues { AccountStanding($0.state.standing) }
    }

    private func stored(_ provider: String) async -> TokenState.Standing {
        do {
            guard let bytes = try await store.value(Self.valueName(provider)) else { return .signedOut }
            if let standing = TokenState.Standing(decoding: bytes) { return standing }
            log.warning("the kept sign-in cannot be read: signed out", ["provider": provider])
        } catch {
            log.warning("the kept sign-in cannot be read: signed out", ["provider": provider, "error": "\(error)"])
        }
        return .signedOut
    }

    // MARK: Calls

    /// What a call for whoever is signed in is sent with; nil where nobody is. Tokens that are about to end are renewed
    /// first, once for all who wait.
    /// - Throws: where the sign-in is over, or is to be renewed and the API cannot be reached.
    func authorization(for provider: String) async throws(UpstreamFailure) -> AccountPass? {
        guard accounts[provider] != nil else { return nil }
        if case .signedOut = accounts[provider]?.state.standing { return nil }
        return try await pass(provider, afterRefusal: nil)
    }

    /// The same for a call whose answer is kept for an account.
    /// - Throws: also where that account is not the one that is signed in any more.
    func authorization(for provider: String, _ claim: AccountClaim) async throws(UpstreamFailure) -> AccountPass {
        guard let pass = try await pass(provider, afterRefusal: nil) else { throw Self.signedOut(provider) }
        return try held(pass, by: claim.account)
    }

    /// The API answered a call with that pass with 401 or 403: the tokens are renewed, once for all who wait.
    /// - Returns: what to send the call with once more; nil where the refusal stands, since the tokens were renewed for
    ///   the same reason a moment ago.
    /// - Throws: also where another account was signed in meanwhile: the call is not for that one.
    func rejected(_ refused: AccountPass) async throws(UpstreamFailure) -> AccountPass? {
        guard let pass = try await pass(refused.provider, afterRefusal: refused.generation) else { return nil }
        return try held(pass, by: refused.account)
    }

    private func held(_ pass: AccountPass, by account: String?) throws(UpstreamFailure) -> AccountPass {
        guard pass.account == account else {
            throw UpstreamFailure(
                provider: pass.provider, failure: .overloaded,
                detail: "Another account was signed in meanwhile; ask again.", retryAt: time.wall())
        }
        return pass
    }

    private func pass(
        _ provider: String, afterRefusal generation: UInt64?
    ) async throws(UpstreamFailure) -> AccountPass? {
        var generation = generation
        // The second turn finds what the renewal has brought; a third would be a sign-in that came in between.
        for _ in 0..<3 {
            switch step(provider, generation) {
            case .use(let tokens, let number):
                return AccountPass(
                    provider: provider, account: tokens.account, fields: tokens.fields, generation: number)
            case .renew(let tokens, let number): await begin(provider, tokens, number).value
            case .wait: await accounts[provider]?.renewal?.value
            case .signedOut: throw Self.signedOut(provider)
            case .refused(let detail): throw Self.refused(provider, detail)
            case .failing(let reason, let detail, let until):
                throw UpstreamFailure(
                    provider: provider, failure: reason,
                    detail: "The sign-in at \(provider) could not be renewed: \(detail)", retryAt: until)
            case .stands: return nil
            }
            generation = nil
        }
        throw UpstreamFailure(
            provider: provider, failure: .overloaded, detail: "The sign-in at \(provider) is changing; ask again.",
            retryAt: time.wall())
    }

    private func step(_ provider: String, _ refused: UInt64?) -> TokenState.Step {
        guard !isStopped else { return .failing(.overloaded, "Larder is stopping.", until: time.wall()) }
        let now = time.wall()
        let before = accounts[provider]?.state.generation
        let step =
            if let refused {
                accounts[provider]?.state.rejected(refused, now: now)
            } else {
                accounts[provider]?.state.wanted(now: now)
            }
        // Tokens that end and cannot be renewed end the sign-in by themselves.
        if before != accounts[provider]?.state.generation {
            announce(provider)
            Task { await self.save(provider) }
        }
        return step ?? .signedOut
    }

    // MARK: Renewal

    private func begin(_ provider: String, _ tokens: AccountTokens, _ generation: UInt64) -> Task<Void, Never> {
        // The renewal belongs to nobody who waits: whoever leaves, the others get it.
        let task = Task(executorPreference: loop) { await self.renew(provider, tokens, generation) }
        accounts[provider]?.renewal = task
        return task
    }

    private func renew(_ provider: String, _ tokens: AccountTokens, _ generation: UInt64) async {
        guard let application = accounts[provider]?.application else { return }
        let answer = await ask(application, .refresh(tokens.refresh ?? ""), hiding: [tokens.access])
        let now = time.wall()
        switch answer {
        case .granted(let granted):
            let isCurrent =
                accounts[provider]?.state.renewed(tokens.renewed(granted, now: now), of: generation, now: now) ?? false
            count(provider, .done)
            guard isCurrent else { return }
            // Before anybody uses them: an API may take the old ones back at once.
            await save(provider)
            log.info("sign-in renewed", ["provider": provider])
        case .refused(let detail):
            count(provider, .refused)
            guard accounts[provider]?.state.renewalRefused(detail, of: generation) == true else { return }
            log.warning(
                "signed out: the sign-in could not be renewed",
                ["provider": provider, "detail": detail, "advice": "larder \(provider) login"])
            announce(provider)
            await save(provider)
        case .failed(let reason, let detail):
            count(provider, .failed)
            accounts[provider]?.state.renewalFailed(reason, detail, of: generation, now: now)
            log.warning(
                "the sign-in could not be renewed; it is kept",
                ["provider": provider, "class": reason.rawValue, "detail": detail])
        }
    }

    func ask(
        _ application: SignInApplication, _ grant: TokenGrant, hiding secrets: [String]
    ) async -> TokenAnswer {
        guard let order = application.order(grant) else {
            return .failed(
                .notConfigured,
                "providers.\(application.provider).key and providers.\(application.provider).clientSecret are needed.")
        }
        do {
            let response = try await upstream.fetch(order)
            guard let plain = response.decoded(limit: order.maxBody) else {
                return .failed(.broken, "The token endpoint's answer could not be read.")
            }
            let own = [application.clientSecret ?? "", Self.secret(of: grant)]
            return TokenAnswer(plain, secrets: secrets + own)
        } catch {
            let failure = UpstreamFailure(error, provider: application.provider)
            return .failed(failure.failure, failure.detail)
        }
    }

    private static func secret(of grant: TokenGrant) -> String {
        switch grant {
        case .refresh(let text), .code(let text): text
        }
    }

    /// What may be told of a provider's sign-in; nil where it has none.
    public func report(_ provider: String) -> AccountReport? {
        guard let account = accounts[provider] else { return nil }
        let pending = accounts[provider]?.states.count(now: time.wall()) ?? 0
        return AccountReport(
            standing: account.state.standing, pending: pending + account.landing, lastFailure: account.lastFailure)
    }

    /// Ends renewals under way, so that nobody waits for them. For the daemon's stop.
    public func shutDown() {
        isStopped = true
        for account in accounts.values { account.renewal?.cancel() }
    }

    // MARK: Pieces

    func announce(_ provider: String) {
        guard let standing = accounts[provider]?.state.standing else { return }
        listener.withLock { $0 }?(provider, AccountStanding(standing))
    }

    /// Keeps what holds now. The state's thread takes these in their order, so the last one is what stays.
    @discardableResult
    func save(_ provider: String) async -> Bool {
        guard let standing = accounts[provider]?.state.standing else { return true }
        hide(provider)
        do {
            try await store.setValue(Self.valueName(provider), standing.encode())
            return true
        } catch {
            log.error("the sign-in could not be saved", ["provider": provider, "error": "\(error)"])
            return false
        }
    }

    /// No upstream's text repeats the tokens that hold now.
    private func hide(_ provider: String) {
        guard case .signedIn(let tokens) = accounts[provider]?.state.standing else {
            return secrets.setTokens([], of: provider)
        }
        secrets.setTokens([tokens.access, tokens.refresh].compactMap { $0 }, of: provider)
    }

    /// How a renewal ended. The raw values are labels of its counter.
    private enum RenewalEnd: String {
        case done, refused, failed
    }

    private func count(_ provider: String, _ end: RenewalEnd) {
        counters.cell(EngineCounters.tokenRenewals, provider, end.rawValue).add()
    }

    private static func valueName(_ provider: String) -> String { "account.\(provider)" }

    private static func signedOut(_ provider: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider, failure: .notConfigured,
            detail: "This needs an account, and nobody is signed in at \(provider): larder \(provider) login")
    }

    private static func refused(_ provider: String, _ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider, failure: .refused,
            detail:
                "The sign-in at \(provider) could not be renewed (\(detail)); sign in again: larder \(provider) login")
    }
}
