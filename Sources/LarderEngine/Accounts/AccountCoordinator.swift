// The only owner of tokens: an actor on the home loop. Calls get their token there, just before they are sent. Tokens
// leave the actor only in the fields of a call and in the state database.
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// What a call needs to act for an account: the fields to send, and the generation of the tokens in them.
struct AccountPass: Sendable {
    var provider: String
    /// The account that the tokens belong to.
    var account: String
    /// Secret. These fields replace the application's own credentials.
    var fields: HeaderFields
    var generation: UInt64
}

/// The account that a call is made for. The answer is stored for this account, so no other account's token may be used.
public struct AccountClaim: Sendable, Hashable {
    /// Nil if nobody is signed in and the request cannot be answered without an account.
    var account: String?
}

/// Who is signed in at a provider, as keys and routes see it.
public enum AccountStanding: Sendable, Hashable {
    case nobody
    case signedIn(String)
    /// Somebody was signed in until the API refused to renew the tokens.
    case refused

    init(_ standing: TokenState.Standing) {
        switch standing {
        case .signedOut: self = .nobody
        case .signedIn(let tokens): self = .signedIn(tokens.account)
        case .refused: self = .refused
        }
    }
}

/// The state of a sign-in as routes report it.
public struct AccountReport: Sendable {
    /// Who is signed in, if anybody.
    public var standing: TokenState.Standing
    /// The number of sign-ins that have begun and not ended.
    public var pending: Int
    /// When and why the last sign-in failed. A successful sign-in or a sign-out sets this to nil.
    public var lastFailure: (at: WallTime, detail: String)?
}

/// The only owner of accounts: sign-ins, their tokens and the renewal of tokens. An actor on the home loop.
public actor AccountCoordinator {
    nonisolated let loop: EventLoop
    /// The home loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let executor: LoopSerialExecutor

    /// Called on the loop at every change of standing. Nil until the daemon's wiring sets it.
    private nonisolated let listener = Hook<(@Sendable (String, AccountStanding) -> Void)?>(nil)

    /// Sets the listener, which is called on the home loop at every change of a provider's standing. It replaces the
    /// previous listener.
    public nonisolated func listen(_ body: @escaping @Sendable (String, AccountStanding) -> Void) {
        listener.set(body)
    }

    struct Account {
        /// The application that people sign in to; nil for a provider with a `client`.
        var application: SignInApplication?
        var client: ClientApplication?
        var state: TokenState
        var states = SignInStates()
        /// The number of sign-ins that have come back and whose tokens are being fetched.
        var landing = 0
        var lastFailure: (at: WallTime, detail: String)?
        var renewal: Task<Void, Never>?
    }

    let upstream: any Upstream
    private let store: StateStore
    private let secrets: SecretRegistry
    let time: any TimeSource
    let log: Logger
    let counters: CounterRegistry
    var accounts: [String: Account] = [:]
    private var isStopped = false
    /// Whether there may be tokens of former providers in the state database. The settings may have changed while the
    /// daemon was stopped.
    private var hasLeftovers = true

    /// Creates a coordinator without accounts; `open` adds them.
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

    /// Puts settings in force. The first call also loads the sign-ins that the last run saved.
    /// - Returns: who is signed in, by provider.
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
        await open(clients: settings)
        if hasLeftovers { await removeOthers(than: settings) }
        return accounts.filter { $0.value.client == nil }.mapValues { AccountStanding($0.state.standing) }
    }

    /// Removes what was saved of providers that have no sign-in and take no tokens, or that the settings no longer have.
    /// A provider that is off, or whose key cannot be read for a moment, keeps its token.
    private func removeOthers(than settings: Settings) async {
        let clients = settings.providers.values.filter { $0.keyIn.tokenServer != nil }.map(\.name)
        let signIns = ProviderRegistry.builtIn.map(\.about).filter { $0.signIn != nil }.map(\.name)
        hasLeftovers = false
        do {
            try await store.removeValues(
                beginning: Self.valueName(""), except: Set((clients + signIns).map(Self.valueName)))
        } catch {
            hasLeftovers = true
            log.error("tokens of former providers could not be removed", ["error": "\(error)"])
        }
    }

    func stored(_ provider: String) async -> TokenState.Standing {
        do {
            guard let bytes = try await store.value(Self.valueName(provider)) else { return .signedOut }
            if let standing = TokenState.Standing(decoding: bytes) { return standing }
            log.warning("the stored sign-in cannot be read: signed out", ["provider": provider])
        } catch {
            log.warning("the stored sign-in cannot be read: signed out", ["provider": provider, "error": "\(error)"])
        }
        return .signedOut
    }

    // MARK: Calls

    /// Returns the pass for a call whose answer is stored for the account in the claim. Tokens that are about to
    /// expire are renewed first, once for all waiting calls.
    /// - Throws: if the sign-in is over, if the tokens must be renewed and the API cannot be reached, or if that
    ///   account is no longer the one that is signed in.
    func authorization(for provider: String, _ claim: AccountClaim) async throws(UpstreamFailure) -> AccountPass {
        guard let pass = try await pass(provider, afterRefusal: nil) else { throw Self.signedOut(provider) }
        return try held(pass, by: claim.account)
    }

    /// Renews the tokens after the API answered a call with this pass with 401 or 403. They are renewed once for all
    /// waiting calls.
    /// - Returns: the pass to send the call again with; nil if the refusal stands because the tokens were renewed for
    ///   the same reason a moment ago.
    /// - Throws: as above, and also if another account was signed in meanwhile, since the call was not made for it.
    func rejected(_ refused: AccountPass) async throws(UpstreamFailure) -> AccountPass? {
        guard let pass = try await pass(refused.provider, afterRefusal: refused.generation) else { return nil }
        return try held(pass, by: refused.account)
    }

    private func held(_ pass: AccountPass, by account: String?) throws(UpstreamFailure) -> AccountPass {
        guard pass.account == account else {
            if accounts[pass.provider]?.client != nil { throw changing(pass.provider) }
            throw UpstreamFailure(
                provider: pass.provider, failure: .overloaded,
                detail: "Another account was signed in meanwhile. Try again.", retryAt: time.wall())
        }
        return pass
    }

    func pass(
        _ provider: String, afterRefusal generation: UInt64?
    ) async throws(UpstreamFailure) -> AccountPass? {
        var generation = generation
        // The second round uses the result of the renewal. A third is needed only if a sign-in came in between.
        for _ in 0..<3 {
            switch step(provider, generation) {
            case .use(let tokens, let number):
                return AccountPass(
                    provider: provider, account: tokens.account, fields: tokens.fields, generation: number)
            case .renew(let tokens, let number): await begin(provider, tokens, number).value
            case .wait: await accounts[provider]?.renewal?.value
            case .signedOut: throw accounts[provider] == nil ? changing(provider) : Self.signedOut(provider)
            case .refused(let detail): throw Self.refused(provider, detail)
            case .failing(let reason, let detail, let until) where accounts[provider]?.client != nil:
                throw Self.noToken(provider, reason, detail, until: until)
            case .failing(let reason, let detail, let until):
                throw UpstreamFailure(
                    provider: provider, failure: reason,
                    detail: "The sign-in at \(provider) could not be renewed: \(detail)", retryAt: until)
            case .stands: return nil
            }
            generation = nil
        }
        throw changing(provider)
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
        // Expired tokens that cannot be renewed end the sign-in. That is a change of standing without a call.
        if before != accounts[provider]?.state.generation {
            announce(provider)
            Task { await self.save(provider) }
        }
        return step ?? .signedOut
    }

    // MARK: Renewal

    private func begin(_ provider: String, _ tokens: AccountTokens?, _ generation: UInt64) -> Task<Void, Never> {
        // The renewal is a task of its own. If a waiting caller leaves, the others still get its result.
        let task = Task(executorPreference: loop) { await self.renew(provider, tokens, generation) }
        accounts[provider]?.renewal = task
        return task
    }

    private func renew(_ provider: String, _ tokens: AccountTokens?, _ generation: UInt64) async {
        if let client = accounts[provider]?.client { return await obtain(client, generation) }
        guard let application = accounts[provider]?.application, let tokens else { return }
        let answer = await ask(application, .refresh(tokens.refresh ?? ""), hiding: [tokens.access])
        let now = time.wall()
        switch answer {
        case .granted(let granted):
            let isCurrent =
                accounts[provider]?.state.renewed(tokens.renewed(granted, now: now), of: generation, now: now) ?? false
            count(provider, .done)
            guard isCurrent else { return }
            // The new tokens are saved before any call uses them: an API may invalidate the old ones at once.
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
        let own = [application.clientSecret ?? "", Self.secret(of: grant)]
        return await answer(to: order, of: application.provider) { TokenAnswer($0, secrets: secrets + own) }
    }

    /// Sends a request for tokens.
    /// - Parameter read: reads the answer, whose content coding has been undone.
    func answer(
        to order: FetchOrder, of provider: String, _ read: (UpstreamResponse) -> TokenAnswer
    ) async -> TokenAnswer {
        do {
            guard let plain = try await upstream.fetch(order).decoded(limit: order.maxBody) else {
                return .failed(.broken, "The token endpoint's answer could not be read.")
            }
            return read(plain)
        } catch {
            let failure = UpstreamFailure(error, provider: provider)
            return .failed(failure.failure, failure.detail)
        }
    }

    private static func secret(of grant: TokenGrant) -> String {
        switch grant {
        case .refresh(let text), .code(let text): text
        }
    }

    /// Returns the state of a provider's sign-in, or nil if the provider has no sign-in.
    public func report(_ provider: String) -> AccountReport? {
        guard let account = accounts[provider] else { return nil }
        let pending = accounts[provider]?.states.count(now: time.wall()) ?? 0
        return AccountReport(
            standing: account.state.standing, pending: pending + account.landing, lastFailure: account.lastFailure)
    }

    /// Cancels renewals under way, so that no call waits for them. Used when the daemon stops.
    public func shutDown() {
        isStopped = true
        for account in accounts.values { account.renewal?.cancel() }
    }

    // MARK: Pieces

    func announce(_ provider: String) {
        guard let standing = accounts[provider]?.state.standing else { return }
        listener.get()?(provider, AccountStanding(standing))
    }

    /// Saves the present standing. The state database's thread takes these writes in order, so the last one stays.
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

    /// Removes a provider. No call finds it from here on, and what was saved of it is removed next.
    func forget(_ provider: String) {
        hasLeftovers = true
        accounts.removeValue(forKey: provider)?.renewal?.cancel()
        hide(provider)
    }

    /// Registers the present tokens as secrets, so that no text from an upstream repeats them.
    func hide(_ provider: String) {
        guard case .signedIn(let tokens) = accounts[provider]?.state.standing else {
            return secrets.setTokens([], of: provider)
        }
        secrets.setTokens([tokens.access, tokens.refresh].compactMap { $0 }, of: provider)
    }

    /// The outcome of a renewal. The raw values are labels of its counter.
    enum RenewalEnd: String {
        case done, refused, failed
    }

    func count(_ provider: String, _ end: RenewalEnd) {
        counters.cell(EngineCounters.tokenRenewals, provider, end.rawValue).add()
    }

    private static func valueName(_ provider: String) -> String { "account.\(provider)" }

    func changing(_ provider: String) -> UpstreamFailure {
        let what = accounts[provider]?.client == nil ? "sign-in at" : "token of"
        return UpstreamFailure(
            provider: provider, failure: .overloaded, detail: "The \(what) \(provider) is changing. Try again.",
            retryAt: time.wall())
    }

    private static func signedOut(_ provider: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider, failure: .notConfigured,
            detail: "This needs an account, and nobody is signed in at \(provider). Sign in: larder \(provider) login")
    }

    private static func refused(_ provider: String, _ detail: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider, failure: .refused,
            detail:
                "The sign-in at \(provider) could not be renewed (\(detail)). Sign in again: larder \(provider) login")
    }
}
