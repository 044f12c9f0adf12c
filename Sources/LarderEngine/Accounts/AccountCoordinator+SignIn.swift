// A sign-in, from the page that a person is sent to until its tokens are stored, and signing out by hand. Each sign-in
// is identified by a random state that is valid once (RFC 6749 §10.12).
import LarderCore
import LarderProviders

extension AccountCoordinator {
    /// Begins a sign-in.
    /// - Returns: the URL of the page to send the person to, when the sign-in expires, and whether its tokens can be
    ///   renewed.
    /// - Throws: 503 if the application's id is not configured.
    public func start(
        _ provider: String, type: SignInAbout.ResponseType
    ) throws(ClientFacingError) -> (url: String, expiresAt: WallTime, isRenewable: Bool) {
        guard let application = accounts[provider]?.application, let clientID = application.clientID else {
            throw ClientFacingError(
                status: 503, code: FailureClass.notConfigured.rawValue,
                detail: "A sign-in needs the application's id: set providers.\(provider).key.", provider: provider,
                failure: .notConfigured)
        }
        let now = time.wall()
        let random = LarderCore.Secrets.random(SignInStates.length)
        guard let state = accounts[provider]?.states.issue(random, now: now) else { throw Self.unknownState }
        let url = application.signIn.authorizeURL(
            root: application.root, clientID: clientID, type: type, state: state)
        return (url, now + SignInStates.lifetime, application.clientSecret != nil)
    }

    /// The parameters that the API's redirect brought to the landing page.
    public enum Landing: Sendable {
        case tokens(GrantedTokens)
        case code(String)
        /// The error code that the API gave (RFC 6749 §4.1.2.1).
        case denied(String)
    }

    /// Ends a sign-in.
    /// - Throws: 403 if the state is unknown, expired or already used; otherwise the reason why the sign-in failed.
    public func finish(_ provider: String, state: String, _ landing: Landing) async throws(ClientFacingError)
        -> AccountTokens
    {
        let now = time.wall()
        // The state is redeemed first. It counts as used however the sign-in ends.
        guard accounts[provider]?.states.redeem(state, now: now) == true else {
            countSignIn(provider, .unknownState)
            throw Self.unknownState
        }
        // While the tokens are fetched, the sign-in still counts as pending in reports.
        accounts[provider]?.landing += 1
        defer { accounts[provider]?.landing -= 1 }
        let granted: GrantedTokens
        switch landing {
        case .tokens(let tokens): granted = tokens
        case .denied(let word):
            let detail =
                word == "access_denied"
                ? "The sign-in was declined at \(provider)." : "\(provider) ended the sign-in: \(word)."
            throw failed(provider, 403, "signInDenied", detail)
        case .code(let code):
            guard let application = accounts[provider]?.application else { throw Self.unknownState }
            switch await ask(application, .code(code), hiding: []) {
            case .granted(let tokens): granted = tokens
            case .refused(let detail):
                throw failed(provider, 502, "signInRefused", "\(provider) gave no tokens: \(detail).")
            case .failed(let reason, let detail):
                throw failed(provider, 502, reason.rawValue, "\(provider) gave no tokens: \(detail)")
            }
        }
        let tokens = AccountTokens(granted, now: time.wall())
        accounts[provider]?.state.signedIn(tokens)
        accounts[provider]?.lastFailure = nil
        countSignIn(provider, .done)
        log.notice("signed in", ["provider": provider, "account": tokens.name ?? tokens.account])
        announce(provider)
        await save(provider)
        return tokens
    }

    /// Forgets the tokens. The API offers no call that revokes them; a person can do so on the API's settings page.
    /// - Returns: whether somebody was signed in.
    /// - Throws: 503 if the sign-out cannot be saved. It then lasts only until Larder starts again.
    public func signOut(_ provider: String) async throws(ClientFacingError) -> Bool {
        guard let standing = accounts[provider]?.state.standing else { return false }
        accounts[provider]?.state.signedOut()
        accounts[provider]?.lastFailure = nil
        announce(provider)
        guard await save(provider) else {
            throw ClientFacingError(
                status: 503, code: "storeUnavailable",
                detail: "Signed out until Larder restarts: the state database cannot be written.", retryable: true)
        }
        guard case .signedOut = standing else {
            log.notice("signed out by hand", ["provider": provider])
            return true
        }
        return false
    }

    // MARK: Pieces

    private func failed(_ provider: String, _ status: Int, _ code: String, _ detail: String) -> ClientFacingError {
        accounts[provider]?.lastFailure = (time.wall(), detail)
        countSignIn(provider, .failed)
        log.warning("the sign-in failed", ["provider": provider, "detail": detail])
        return ClientFacingError(status: status, code: code, detail: detail, provider: provider)
    }

    /// How a sign-in ended. The raw values are labels of its counter.
    private enum SignInEnd: String {
        case done, failed
        /// The state was not issued by this daemon, or has expired.
        case unknownState
    }

    private func countSignIn(_ provider: String, _ end: SignInEnd) {
        counters.cell(EngineCounters.signIns, provider, end.rawValue).add()
    }

    private static let unknownState = ClientFacingError(
        status: 403, code: "unknownState",
        detail: "This sign-in was not begun here, has expired or was already used. Begin again.")
}
