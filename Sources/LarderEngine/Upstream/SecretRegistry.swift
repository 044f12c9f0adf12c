// Every secret this daemon holds: what the configuration gives it, and the tokens of accounts that are signed in. What
// upstreams say is searched for them before anything else sees it (`RedactingUpstream`).
import LarderCore
import LarderSettings

/// The secrets that no upstream's text may repeat.
public final class SecretRegistry: Sendable {
    private struct State {
        var configured: [String] = []
        var tokens: [String: [String]] = [:]
        var redactor = SecretRedactor([])
    }
    private let state = Lock(State())

    /// With the secrets of that configuration, and no token.
    public init(_ settings: Settings) {
        configure(settings)
    }

    /// Takes the place of what another configuration gave.
    public func configure(_ settings: Settings) {
        change { $0.configured = settings.secrets }
    }

    /// The tokens of a provider's account take the place of the ones before.
    func setTokens(_ tokens: [String], of provider: String) {
        change { $0.tokens[provider] = tokens }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.redactor = SecretRedactor(state.configured + state.tokens.values.joined())
        }
    }

    /// For what is told of clients' requests.
    public var redactor: SecretRedactor { state.withLock { $0.redactor } }

    /// For the answer to an order: also for the credentials that the order itself carries, which may be a client's own.
    func redactor(for order: FetchOrder) -> SecretRedactor {
        let redactor = state.withLock { $0.redactor }
        return order.carriesSecrets ? redactor.adding(order.secrets) : redactor
    }
}

extension Settings {
    /// All of the configuration that is secret.
    var secrets: [String] {
        providers.values.flatMap { [$0.key, $0.clientSecret].compactMap { $0 } }
            + [admin.token, artwork.key, shared?.key, shared?.password].compactMap { $0 }
    }
}

extension FetchOrder {
    /// Whether the upstream is told a secret by it.
    var carriesSecrets: Bool { !secretFields.lines.isEmpty || !secretQuery.items.isEmpty }

    /// The secrets of its fields and parameters. In a field a scheme may stand before it (RFC 9110 §11.4).
    fileprivate var secrets: [String] {
        let fields = secretFields.lines.map { field in
            String(field.value.split(separator: " ", maxSplits: 1).last ?? "")
        }
        return fields + secretQuery.items.compactMap(\.value)
    }
}
