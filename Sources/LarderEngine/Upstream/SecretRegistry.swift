// All secrets of this daemon: those of the configuration and the tokens of signed-in accounts. `RedactingUpstream`
// searches all upstream text for them before anything else sees it.
import LarderCore
import LarderProviders
import LarderSettings

/// The secrets that no text from an upstream may repeat.
public final class SecretRegistry: Sendable {
    private struct State {
        var configured: [String] = []
        var tokens: [String: [String]] = [:]
        var redactor = SecretRedactor([])
    }
    private let state = Lock(State())

    /// Creates a registry with the secrets of a configuration and no tokens.
    public init(_ settings: Settings) {
        configure(settings)
    }

    /// Replaces the secrets of the configuration.
    public func configure(_ settings: Settings) {
        change { $0.configured = settings.secrets }
    }

    /// Replaces the tokens of a provider's account.
    func setTokens(_ tokens: [String], of provider: String) {
        change { $0.tokens[provider] = tokens }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.redactor = SecretRedactor(state.configured + state.tokens.values.joined())
        }
    }

    /// The redactor for text about clients' requests.
    public var redactor: SecretRedactor { state.withLock { $0.redactor } }

    /// Returns the redactor for the answer to an order. It also removes the order's own credentials, which may be a
    /// client's.
    public func redactor(for order: FetchOrder) -> SecretRedactor {
        let redactor = state.withLock { $0.redactor }
        return order.carriesSecrets ? redactor.adding(order.secrets) : redactor
    }
}

extension Settings {
    /// All secrets of the configuration.
    var secrets: [String] {
        providers.values.flatMap { [$0.key, $0.password, $0.clientSecret].compactMap { $0 } }
            + tools.compactMap(\.token) + [admin.token, artwork.key, shared?.key, shared?.password].compactMap { $0 }
    }
}

extension ProviderSettings {
    /// The password in a key of `user:password`, which an API may repeat alone (RFC 7617 §2), or a client's secret.
    fileprivate var password: String? {
        guard keyIn == .basic || keyIn.tokenServer != nil, let key, let colon = key.firstIndex(of: ":") else {
            return nil
        }
        return String(key[key.index(after: colon)...])
    }
}

extension FetchOrder {
    /// Whether the order tells the upstream a secret.
    var carriesSecrets: Bool { !self.secretFields.isEmpty || !self.secretQuery.items.isEmpty }

    /// The secrets in the order's fields and parameters. A field's value may begin with a scheme (RFC 9110 §11.4).
    fileprivate var secrets: [String] {
        let fields = self.secretFields.map { field in
            String(field.value.split(separator: " ", maxSplits: 1).last ?? "")
        }
        return fields + self.secretQuery.items.compactMap(\.value)
    }
}
