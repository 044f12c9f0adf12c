// The records of the settings of the proxy.
import LarderCore

extension SettingsTable {
    static let proxyHosts = Parameter(
        "proxy.hosts", .actions(ProxyAction.allCases.map(\.rawValue)), default: nil,
        summary: "What happens to requests for a host: cache, tunnel or refuse.",
        advice: """
            - A name is exact, or "*.example.org" for all names below it. An exact name may lead to a private address.
            - cache answers http through the cache; with a CA (larder ca) also https.
            - tunnel passes the bytes unread.
            - A host of a configured provider is that provider over http, whatever is written here.
            """)
    static let proxyOthers = Parameter(
        "proxy.others", .choice([ProxyAction.tunnel.rawValue, ProxyAction.refuse.rawValue]), default: "tunnel",
        summary: "What happens to requests for hosts that proxy.hosts does not name.",
        advice: "refuse makes the proxy an allow list.")
    static let proxyPorts = Parameter(
        "proxy.ports", .texts, default: "[80, 443]",
        summary: "The ports that the proxy connects to, besides those of configured providers.")
    static let proxyPassword = Parameter(
        "proxy.password", .text, default: nil,
        summary: "The password that clients of the proxy send over TCP (Proxy-Authorization), with any user name.",
        advice: """
            Needed for a proxy that other machines can reach: file:/path, env:NAME or the password itself. A file \
            proxy.password in $CREDENTIALS_DIRECTORY comes first.
            """,
        isSecret: true)
    static let proxyMaxTunnels = Parameter(
        "proxy.maxTunnels", .count(1...100_000), default: "1024", summary: "The most open tunnels at once.",
        advice: "Each is also a connection of server.maxConnections, and needs two open files.")
    static let proxyIdleTimeout = Parameter(
        "proxy.idleTimeout", .duration(.seconds(1) ... .seconds(86_400)), default: "10min",
        summary: "A tunnel through which no byte passes is closed after this time.")
    static let proxyTotalTimeout = Parameter(
        "proxy.totalTimeout", .duration(.seconds(1) ... .seconds(30 * 86_400)), default: "1d",
        summary: "A tunnel is closed after this time, whatever passes.")
    static let proxyStaleFor = ofProvider(
        providerStaleFor, default: "1d", summary: "How long answers of cache hosts may be used stale.")
    static let proxyStaleWhileRefresh = ofProvider(
        providerStaleWhileRefresh, default: "0s",
        summary: "How long after their freshness answers of cache hosts are used at once and refreshed.")
    static let proxyCookies = ofProvider(
        providerCookies, default: "strict", summary: "What happens to cookies that answers of cache hosts set.")
    static let proxyTTL = ofProvider(
        providerTTL, default: nil,
        summary: "The freshness of answers of cache hosts that state none: one duration, or a mapping from path.")

    /// A setting of providers for all hosts of the proxy.
    private static func ofProvider(_ record: Parameter, default text: String?, summary: String) -> Parameter {
        Parameter("proxy.\(record.name)", record.kind, default: text, summary: summary)
    }
}
