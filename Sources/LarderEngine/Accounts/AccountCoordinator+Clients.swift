// Tokens of applications that get them for themselves (`TokenClient`). They are kept, renewed and hidden like those of
// a sign-in. But no cache key depends on them, and nobody has to sign in again if the token server refuses.
import LarderCore
import LarderProviders
import LarderSettings

/// A client of a token server, and how its requests for tokens are made. Made from one snapshot of settings.
struct ClientApplication: Sendable {
    var provider: String
    var client: TokenClient
    var deadline: Duration

    /// Returns one for each enabled provider that takes tokens.
    static func all(_ settings: Settings) -> [ClientApplication] {
        settings.providers.values.filter(\.enabled).compactMap { own in
            own.tokenClient.map {
                ClientApplication(
                    provider: own.name, client: $0, deadline: own.deadline ?? settings.fetch.deadline)
            }
        }
    }

    /// The request for a token. Its fields are secret, but are no `secretFields`: an answer to those is searched for
    /// known tokens, and a token server may grant a known token again.
    var order: FetchOrder {
        var order = FetchOrder(
            url: client.server.url, method: .post, fields: client.fields, body: client.form, addresses: .configured,
            maxBody: SignInApplication.maxAnswer, deadline: deadline, maxRedirects: 0, mayRetry: false)
        order.authorities = HostAuthorities(provider: provider, baseURL: client.server.url)
        return order
    }
}

extension AccountCoordinator {
    /// Puts the clients of settings in force. A client that is no longer configured is forgotten.
    func open(clients settings: Settings) async {
        let clients = ClientApplication.all(settings)
        for name in accounts.keys
        where accounts[name]?.client != nil && !clients.contains(where: { $0.provider == name }) {
            forget(name)
        }
        for client in clients {
            let name = client.provider
            if accounts[name] == nil {
                let standing = await stored(name)
                accounts[name] = Account(state: TokenState(standing, isForItself: true))
                hide(name)
            }
            let former = accounts[name]?.client
            accounts[name]?.client = client
            let identity = client.client.identity
            let owner = accounts[name]?.state.standing.account ?? former?.client.identity
            if let owner, owner != identity {
                end(name)
                await save(name)
            } else if let former, former.client != client.client, accounts[name]?.state.standing == .signedOut {
                // Another secret. Nobody waits for what the former one would get.
                end(name)
            }
            accounts[name]?.state.forgetFailure()
        }
    }

    /// Discards the tokens, and those that are being fetched.
    private func end(_ name: String) {
        accounts[name]?.renewal?.cancel()
        accounts[name]?.state.signedOut()
    }

    /// Returns the pass for a call to a provider that takes tokens. One that is about to expire is renewed first, once
    /// for all waiting calls.
    /// - Throws: if there is no token and the token server gives none, or if the settings name another client now.
    func token(for provider: String, of client: String) async throws(UpstreamFailure) -> AccountPass {
        guard let pass = try await pass(provider, afterRefusal: nil), pass.account == client else {
            throw changing(provider)
        }
        return pass
    }

    /// Why a provider that takes tokens has none; nil if it has one, or if none was wanted yet.
    public func tokenFailure(_ provider: String) -> String? {
        guard let account = accounts[provider], account.client != nil else { return nil }
        return account.state.failure(now: time.wall())
    }

    /// Gets a token and reports it to the state.
    func obtain(_ application: ClientApplication, _ generation: UInt64) async {
        let provider = application.provider
        let answer = await answer(to: application.order, of: provider) { TokenAnswer($0, to: application.client) }
        let now = time.wall()
        switch answer {
        case .granted(let granted):
            let tokens = application.client.tokens(granted, now: now)
            let isCurrent = accounts[provider]?.state.renewed(tokens, of: generation, now: now) ?? false
            count(provider, .done)
            guard isCurrent else { return }
            await save(provider)
            log.info("token obtained", ["provider": provider, "until": tokens.expiresAt.rfc3339])
        case .refused(let detail):
            count(provider, .refused)
            failed(provider, .notConfigured, "The token endpoint refuses: \(detail).", generation)
        case .failed(let reason, let detail):
            count(provider, .failed)
            failed(provider, reason, detail, generation)
        }
    }

    private func failed(_ provider: String, _ reason: FailureClass, _ detail: String, _ generation: UInt64) {
        accounts[provider]?.state.renewalFailed(reason, detail, of: generation, now: time.wall())
        log.warning("no token", ["provider": provider, "class": reason.rawValue, "detail": detail])
    }

    /// The failure of a call that got no token.
    static func noToken(_ provider: String, _ reason: FailureClass, _ detail: String, until: WallTime)
        -> UpstreamFailure
    {
        UpstreamFailure(
            provider: provider, failure: reason,
            detail: "The " + noToken(provider, detail), retryAt: until)
    }

    /// Why a provider has no token, as a sentence without its beginning "The".
    public static func noToken(_ provider: String, _ detail: String) -> String {
        "token server of \(provider) (providers.\(provider).keyIn) gave no token: \(detail)"
    }
}

extension TokenState.Standing {
    /// Whose tokens there are, or were until their renewal was refused.
    fileprivate var account: String? {
        switch self {
        case .signedOut: nil
        case .signedIn(let tokens): tokens.account
        case .refused(let account, _): account
        }
    }
}
