// The rules of the proxy: what happens to requests for which hosts, and the provider that stands for a host whose
// answers are cached. The rules are a pure function of the settings.
import LarderCore
import LarderProviders

/// What happens to requests for a host.
public enum ProxyAction: String, Sendable, CaseIterable {
    /// They go through the cache.
    case cache
    /// Their bytes pass unread.
    case tunnel
    case refuse
}

/// One line of `proxy.hosts`.
public struct ProxyHostRule: Sendable, Hashable {
    /// A host in lower case, IPv6 in brackets; or "*." and a suffix.
    public var pattern: String
    public var action: ProxyAction

    public init(_ pattern: String, _ action: ProxyAction) {
        self.pattern = pattern
        self.action = action
    }

    /// Whether the rule names one host. Only such a host may have a private address.
    public var isExact: Bool { !pattern.hasPrefix("*.") }

    func matches(_ host: String) -> Bool {
        isExact ? host == pattern : host.hasSuffix(pattern.dropFirst()) && host.utf8.count > pattern.utf8.count - 1
    }
}

/// The settings of the proxy. A class, because the settings are copied with each request.
public final class ProxySettings: Sendable {
    /// The most exact rules first.
    public let hosts: [ProxyHostRule]
    /// What happens to requests for other hosts: tunnel or refuse.
    public let others: ProxyAction
    public let ports: Set<UInt16>
    public let password: String?
    public let maxTunnels: Int
    public let idleTimeout: Duration
    public let totalTimeout: Duration
    /// The settings of hosts whose answers are cached. Its name and base URL mean nothing.
    let common: ProviderSettings

    // More than six parameters: one for each setting of the section.
    public init(
        hosts: [ProxyHostRule] = [], others: ProxyAction = .tunnel, ports: Set<UInt16> = [80, 443],
        password: String? = nil, maxTunnels: Int = 1024, idleTimeout: Duration = .seconds(600),
        totalTimeout: Duration = .seconds(86_400), common: ProviderSettings? = nil
    ) {
        self.hosts = hosts.sorted {
            $0.isExact != $1.isExact ? $0.isExact : $0.pattern.utf8.count > $1.pattern.utf8.count
        }
        self.others = others
        self.ports = ports
        self.password = password
        self.maxTunnels = maxTunnels
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
        self.common = common ?? Self.standard
    }

    private static let standard = ProviderSettings(
        name: "proxy", kind: .passthrough, baseURL: "", semantics: .rfc, ttl: [:], emptyTTL: .seconds(60),
        negativeTTL: .seconds(60), staleFor: .seconds(86_400), staleWhileRefresh: .zero)

    /// The rule for a host; nil if no line names it.
    public func rule(for host: String) -> ProxyHostRule? { hosts.first { $0.matches(host) } }

    /// The beginning of the names of providers that stand for hosts. Names in the configuration have no colon.
    public static let prefix = "proxy:"

    /// The name of the provider that stands for an origin whose answers are cached.
    /// - Parameters:
    ///   - origin: "https://example.org", or "http://example.org:8080".
    ///   - isLocal: whether the host may have a private address although no rule names it.
    public static func name(of origin: String, isLocal: Bool = false) -> String {
        prefix + (isLocal ? local : "") + (origin.dropping(prefix: "https://").map(String.init) ?? origin)
    }

    private static let local = "local:"

    /// The provider of that name; nil if it is no name of a host.
    public func provider(named name: String) -> ProviderSettings? {
        guard var rest = name.dropping(prefix: Self.prefix) else { return nil }
        let isLocal = rest.hasPrefix(Self.local)
        if isLocal { rest = rest.dropFirst(Self.local.count) }
        let origin = rest.hasPrefix("http://") ? String(rest) : "https://\(rest)"
        guard (try? BaseURL.check(origin)) == origin, origin.utf8.count(where: { $0 == 0x2F }) == 2 else { return nil }
        var provider = ProviderSettings(
            name: name, kind: .passthrough, baseURL: origin, semantics: common.semantics, ttl: common.ttl,
            emptyTTL: common.emptyTTL, negativeTTL: common.negativeTTL, staleFor: common.staleFor,
            staleWhileRefresh: common.staleWhileRefresh)
        provider.cookies = common.cookies
        provider.forwardCookies = true
        provider.plainHTTP = origin.hasPrefix("http://")
        let authority = origin.dropFirst(provider.plainHTTP ? "http://".count : "https://".count)
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        provider.isPublicOnly = !isLocal && rule(for: String(host))?.isExact != true
        return provider
    }
}
