// The rules of the proxy in force. A target below the base URL of a configured provider is that provider. Any other is
// what `proxy.hosts` says of its host. Another port than those permitted is refused. Nothing here is asynchronous: the
// server asks for each request.
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings
import LarderTLS

/// What answers when a proxied request has no rule of its own. Thread-safe.
final class ProxyGate: Sendable {
    private let engine: Engine
    private let runs: RunWatch
    /// A number for each origin and provider that answered, for the life of the process: a number that meant another host,
    /// or other rules for it, would find its answers in memory.
    private let numbers = Lock<[String: UInt16]>([:])
    /// The certificates of hosts for which TLS ends here; nil without a CA.
    private let contexts = Lock<HostContexts?>(nil)
    /// The first number. Listeners have the lower ones.
    private static let firstNumber: UInt16 = 0x4000
    /// The most origins that the cache answers in one run, and how many more of those that the configuration names. A
    /// page can ask for any number of hosts of a pattern.
    private static let (mostOrigins, mostNamed) = (1000, 1000)

    init(_ engine: Engine, runs: RunWatch) {
        self.engine = engine
        self.runs = runs
    }

    /// - Parameter run: not nil if `larder run` asks. It has decided itself which hosts the cache answers, and tunnels are
    ///   its own. It opens no private address that the settings do not name, except of this machine for the own user.
    func verdict(on target: ProxyTarget, path: String, run: ProxyRun? = nil) -> ProxyVerdict {
        let snapshot = engine.snapshot
        let proxy = snapshot.settings.proxy
        if TakenOverHosts.contains(target.host) {
            return .refuse(.proxyRule("\(target.host) belongs to strangers now, and Larder never calls it."))
        }
        let rule = proxy.rule(for: target.host)
        if let rule, rule.action == .refuse {
            return .refuse(.proxyRule("The rule \"\(rule.pattern): refuse\" of proxy.hosts says so."))
        }
        if target.form != .connect, let url = HTTPURL(target.origin + path),
            let (provider, request) = snapshot.providers.owner(of: url)
        {
            return answer(target, provider.name, request.path, run, isNamed: true)
        }
        if let run { return cached(target, path, isLocal: run.isLocal && rule?.isExact != true, run) }
        guard proxy.ports.contains(target.port) else {
            let ports = proxy.ports.sorted().map(String.init).joined(separator: ", ")
            return .refuse(.proxyRule("Port \(target.port) is not among proxy.ports: \(ports)."))
        }
        switch rule?.action ?? proxy.others {
        case .refuse:
            return .refuse(
                .proxyRule("No line of proxy.hosts names \(target.host), and proxy.others is refuse."))
        case .cache where target.form != .connect:
            return cached(target, path, isLocal: false, nil)
        case .tunnel where target.form == .https:
            // The client asks for TLS from here to the host, which is no tunnel.
            return .refuse(
                .proxyRule("A request for https in absolute form needs the rule \"cache\": use CONNECT for a tunnel."))
        case .cache:
            // Without a CA that may vouch for the host, its bytes pass unread.
            guard let contexts = contexts.withLock({ $0 }), contexts.authority.covers(target.host) else {
                return .tunnel
            }
            if target.port == 80 { return .readPlain }
            return .endTLS(contexts.made(for: target.host, at: engine.time.wall()))
        case .tunnel: return .tunnel
        }
    }

    /// Makes the certificate of a host.
    func certify(_ target: ProxyTarget) async throws(ClientFacingError) -> HostContext {
        guard let contexts = contexts.withLock({ $0 }) else { throw .notAProxy(status: 501) }
        let now = engine.time.wall()
        do {
            return try await engine.compute.run { () throws(CertificateFailure) in
                try contexts.make(for: target.host, at: now)
            }
        } catch {
            throw .noTunnel(to: target, "No certificate for it could be made: \(error).")
        }
    }

    /// Takes another CA; nil takes it away. Connections under way keep theirs.
    func use(_ authority: CertificateAuthority?) {
        let made = authority.map { HostContexts(authority: $0) }
        contexts.withLock { $0 = made }
    }

    /// The answer of a host that is a provider of its own. Beyond the hosts that are told apart, bytes pass unread.
    private func cached(_ target: ProxyTarget, _ path: String, isLocal: Bool, _ run: ProxyRun?) -> ProxyVerdict {
        let end = path.utf8.firstIndex(of: 0x3F) ?? path.endIndex
        let folder = String(path[..<end])
        let name = ProxySettings.name(of: target.origin, isLocal: isLocal)
        let isNamed = engine.snapshot.settings.proxy.rule(for: target.host)?.isExact == true
        let verdict = answer(target, name, folder.isEmpty ? "/" : folder, run, isNamed: isNamed)
        if case .refuse = verdict, run == nil, target.form == .http { return .tunnel }
        return verdict
    }

    private func answer(
        _ target: ProxyTarget, _ provider: String, _ path: String, _ run: ProxyRun?, isNamed: Bool
    ) -> ProxyVerdict {
        let pair = "\(target.origin) \(provider)"
        let number: UInt16? = numbers.withLock { numbers in
            if let known = numbers[pair] { return known }
            guard numbers.count < Self.mostOrigins + (isNamed ? Self.mostNamed : 0) else { return nil }
            let number = Self.firstNumber + UInt16(numbers.count)
            numbers[pair] = number
            return number
        }
        if provider.hasPrefix(ProxySettings.prefix), let own = engine.snapshot.providers.named(provider) {
            engine.upstream.openUnlimited(own)
        }
        guard let number else { return .refuse(.tooManyHosts) }
        if let run { runs.asked(by: run, at: engine.time.wall()) }
        return .answer(
            ProxiedOrigin(target: target, number: number, provider: provider), provider: provider, path: path)
    }

    /// Whether the host of a tunnel may have a private address: only if a line of `proxy.hosts` names it.
    func mayBePrivate(_ target: ProxyTarget) -> Bool {
        engine.snapshot.settings.proxy.rule(for: target.host)?.isExact == true
    }
}

extension ClientFacingError {
    /// The error for a request that a rule of the proxy refuses.
    static func proxyRule(_ why: String) -> ClientFacingError {
        ClientFacingError(
            status: 403, code: "proxyRule", detail: "The proxy does not pass this request. \(why)",
            closesConnection: true)
    }

    static let tooManyHosts = ClientFacingError(
        status: 503, code: "tooManyHosts", detail: "The proxy has answered for as many hosts as it can in one run.",
        closesConnection: true)
}
