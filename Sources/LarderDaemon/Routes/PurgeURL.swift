// The meaning of a URL in a purge. A stored response has three spellings: the API's own URL, the path below
// `/raw/NAME/`, and that path with this daemon's address in front. Each leads to the key of the raw entry; entries made
// from that entry are purged with it.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderSettings

struct PurgeURL: Sendable {
    /// The meaning of the URL for one provider.
    struct Place: Sendable, Hashable {
        var provider: String
        var key: CacheKey
        /// The API's own URL.
        var url: String
        /// The request that the URL stands for.
        var request: UpstreamRequest
    }

    var places: [Place] = []
    /// The name below `/raw` in a URL of this daemon, if no provider has that name.
    var unknown: String?

    /// - Parameters:
    ///   - text: "/raw/NAME/…", or an absolute URL.
    ///   - settings: the settings with the names and ports of this daemon.
    init(_ text: String, providers: ProviderSet, settings: Settings) throws(ClientFacingError) {
        let text = String(text.prefix { $0 != "#" })
        if text.hasPrefix("/") {
            guard let (name, request) = Self.raw(text) else {
                throw .invalid("url", "A path must be /raw/NAME/…. For other entries, give the URL of the API.")
            }
            guard let provider = providers.named(name) else {
                let all = providers.all.map(\.name)
                throw .invalid("provider", UnknownProvider.sentence("provider", name, among: all), allowed: all)
            }
            places = [Self.place(request, provider)]
            return
        }
        guard let url = HTTPURL(text) else {
            throw .invalid("url", "\"url\" must be the http or https URL of an API, or /raw/NAME/….")
        }
        for provider in providers.all {
            guard let request = provider.request(url: url) else { continue }
            places.append(Self.place(request, provider))
        }
        guard places.isEmpty else { return }
        guard Self.isOurs(url, settings) else {
            // What came through the proxy.
            let name = ProxySettings.name(of: "\(url.scheme)://\(url.authority)")
            if providers.isKnown(proxied: name, host: url.authority), let provider = providers.named(name),
                let request = provider.request(url: url)
            {
                places = [Self.place(request, provider)]
            }
            return
        }
        if let bound = Self.boundProvider(url, settings).flatMap({ providers.named($0) }) {
            places = [Self.place(Self.request(url.target), bound)]
        } else if let (name, request) = Self.raw(url.target) {
            // Not an error: another server on this machine, at another port, may have such paths too.
            guard let provider = providers.named(name) else {
                unknown = name
                return
            }
            places = [Self.place(request, provider)]
        }
    }

    private static func place(_ request: UpstreamRequest, _ provider: ConfiguredProvider) -> Place {
        // Read in the same way as requests (`RawRoute`).
        var request = request
        request.path = UpstreamPath.withoutSingleDots(request.path)
        let canonical = provider.isPassthrough ? request : provider.provider.canonical(request)
        return Place(
            provider: provider.name, key: provider.rawKey(canonical), url: provider.url(request), request: request)
    }

    /// Splits "/raw/NAME/path?query".
    private static func raw(_ target: String) -> (String, UpstreamRequest)? {
        guard let rest = target.dropping(prefix: "/raw/") else { return nil }
        let name = rest.prefix { $0 != "/" && $0 != "?" }
        let tail = String(rest[name.endIndex...])
        return (String(name), request(tail.hasPrefix("/") ? tail : "/" + tail))
    }

    private static func request(_ target: String) -> UpstreamRequest {
        let path = target.prefix { $0 != "?" }
        let query = path.endIndex == target.endIndex ? nil : String(target[target.index(after: path.endIndex)...])
        return UpstreamRequest(path: String(path), query: query)
    }

    private static func isOurs(_ url: HTTPURL, _ settings: Settings) -> Bool {
        let (host, _) = parts(url)
        return host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host.hasPrefix("127.")
            || settings.hostNames.contains(host)
    }

    private static func boundProvider(_ url: HTTPURL, _ settings: Settings) -> String? {
        let (_, port) = parts(url)
        return settings.listen.first { $0.provider != nil && $0.address.hasSuffix(":\(port)") }?.provider
    }

    private static func parts(_ url: HTTPURL) -> (host: String, port: String) {
        guard let colon = url.authority.lastIndex(of: ":"), !url.authority.hasSuffix("]") else {
            return (url.authority, url.scheme == "https" ? "443" : "80")
        }
        return (String(url.authority[..<colon]), String(url.authority[url.authority.index(after: colon)...]))
    }
}
