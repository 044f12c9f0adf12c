// Decides whether the cookies of a request go upstream. A browser sends the cookies of a host to every port of it (RFC
// 6265 §8.5). So each provider here would get those of all other providers, and those of every other service on this
// machine.
import LarderCore
import LarderHTTP
import LarderSettings

enum ForwardedCookies {
    /// Below `/raw`, cookies go upstream only if the provider's settings say so. On a bound listener, cookies go
    /// upstream unless a browser sent them and no page of that listener made the request.
    static func areForwarded(_ fields: HeaderFields, to provider: ConfiguredProvider, isSharedOrigin: Bool) -> Bool {
        if isSharedOrigin { return provider.settings.forwardCookies }
        return !isBrowsers(fields) || isSameOrigin(fields)
    }

    /// Whether a browser sent the request. A browser says where a request comes from (Fetch Metadata §2.1). If it does
    /// not trust the address, it omits that field, but its `User-Agent` still begins with "Mozilla/". Other clients
    /// have no reason to send either. (`Sec-Fetch-Mode` alone does not count: client libraries send it too.)
    static func isBrowsers(_ fields: HeaderFields) -> Bool {
        fields.contains(.secFetchSite) || fields.all(.userAgent).contains { $0.hasPrefix("Mozilla/") }
    }

    private static func isSameOrigin(_ fields: HeaderFields) -> Bool {
        let sites = fields.all(.secFetchSite)
        return !sites.isEmpty && sites.allSatisfy { $0 == "same-origin" }
    }
}
