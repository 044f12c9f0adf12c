// A sign-in from the page that a person is sent to until its tokens are kept, and its end by hand. Each is known by a random
// state that counts once (RFC 6749 §10.12).
import LarderCore
import LarderProviders

extension AccountCoordinator {
    /// A new sign-in: the page to send a person to.
    /// - Throws: 409 where the application's id is not configured.
    public func start(
        _ provider: String, type: SignInAbout.ResponseType
    ) throws(ClientFacingError) -> (url: String, expiresAt: WallTime, isRenewable: Bool) {
        guard let application = accounts[provider]?.application, let clientID = application.clientID else {
            throw ClientFacingError(
                status: 503, code: FailureClass.notConfigured.rawValue,
                detail: "Signing in needs the application's id: set providers.\(provider).key.", provider: provider,
                failure: .notConfigured)
        }
        let now = time.wall()
        let random = LarderCore.Secrets.random(SignInStates.length)
        guard let state = accounts[provider]?.states.issue(random, now: now) else { throw Self.unknownState }
        let url = application.signIn.authorizeURL(
            root: application.root, clientID: clientID, type: type, state: state)
        return (url, now + SignInStates.lifetime, application.clientSecret != nil)
    }

    /// What the landing page found.
    public enum Landing: Sendable {
        case tokens(GrantedTokens)
        case code(String)
        /// The word of the API's own (RFC 6749 §4.1.2.1).
        case denied(String)
    }

    /// Ends a sign-in.
    /// - Throws: 403 where the state is none of ours, is over or was used; the reason where the sign-in failed.
    public func finish(_ provider: String, state: String, _ landing: Landing) async throws(ClientFacingError)
        -> AccountTokens
    {
        let now = time.wall()
        // Taken back before anything else happens: whatever comes of it, it was its one use.
        guard accounts[provider]?.states.redeem(state, now: now) == true else {
            countSignIn(provider, .unknownState)
            throw Self.unknownState
        }
        // It is still under way for whoever waits for it.
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

    /// Forgets the tokens. The API knows no way to take them back; its own settings page does.
    /// - Returns: whether somebody was signed in.
    public func signOut(_ provider: String) async throws(ClientFacingError) -> Bool {
        guard let standing = accounts[provider]?.state.standing else { return false }
        accounts[provider]?.state.signedOut()
        accounts[provider]?.lastFailure = nil
        announce(provider)
        guard await save(provider) else {
            throw ClientFacingError(
                status: 503, code: "storeUnavailable",
                detail: "Signed out until Larder starts again: the state database cannot be written.", retryable: true)
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
        log.warning("nobody was signed in", ["provider": provider, "detail": detail])
        return ClientFacingError(status: status, code: code, detail: detail, provider: provider)
    }

    /// How a sign-in ended. The raw values are labels of its counter.
    private enum SignInEnd: String {
        case done, failed
        /// It was not begun here, or too long ago.
        case unknownState
    }

    private func countSignIn(_ provider: String, _ end: SignInEnd) {
        counters.cell(EngineCounters.signIns, provider, end.rawValue).add()
    }

    private static let unknownState = ClientFacingError(
        status: 403, code: "unknownState",
        detail: "This sign-in is none that was begun here, or is over, or has been used. Begin again.")
}
