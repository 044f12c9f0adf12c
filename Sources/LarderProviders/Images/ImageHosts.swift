// Which image URLs may be fetched. A URL that came out of an answer is somebody else's word: it must match a rule, goes
// to public addresses only, by https on its usual port. Only an origin the user wrote down is taken as it stands.
import LarderCore

/// One entry of `imageHosts`.
public enum ImageHostRule: Sendable, Hashable {
    /// Exactly this host: "www.dnd5eapi.co".
    case host(String)
    /// Every host below a domain, not the domain itself: "*.mzstatic.com".
    case suffix(String)
    /// Any public host: "*".
    case any
    /// Exactly this scheme, host and port, private or not: "http://127.0.0.1:9000".
    case origin(scheme: String, host: String, port: Int)

    /// Reads an entry as the configuration writes it; nil where it is none of the four.
    public init?(_ text: String) {
        if text == "*" {
            self = .any
        } else if text.contains("://") {
            guard let url = WebURL(text), url.target == "/" || url.target.isEmpty else { return nil }
            self = .origin(scheme: url.scheme, host: url.host, port: url.port)
        } else {
            let bare = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
            guard let host = WebURL.normalisedHost(bare), !host.hasPrefix("[") else { return nil }
            self = text.hasPrefix("*.") ? .suffix(host) : .host(host)
        }
    }
}

/// The image hosts of one provider.
public struct ImageHosts: Sendable, Hashable {
    /// Where a permitted image is fetched from, and with which care.
    public struct Permission: Sendable, Hashable {
        /// The URL to fetch: https, every byte that may not stand in a request percent-encoded, no fragment.
        public var url: String
        public var addresses: AddressPolicy

        public init(url: String, addresses: AddressPolicy) {
            self.url = url
            self.addresses = addresses
        }
    }

    public var rules: [ImageHostRule]

    /// - Parameter configuredBase: a base URL that the user wrote: images on that very origin are permitted too,
    ///   as an answer of that origin names them. nil where the provider's default is in use.
    public init(rules: [ImageHostRule], configuredBase: String? = nil) {
        self.rules = rules
        if let configuredBase, let url = WebURL(configuredBase) {
            self.rules.append(.origin(scheme: url.scheme, host: url.host, port: url.port))
        }
    }

    /// Whether an image may be fetched. For the target of a redirect see `permitsRedirect`.
    ///
    /// An origin rule permits exactly what it says. Otherwise plain http on its default port is upgraded, and https on
    /// port 443 is all there is; whether the host's addresses are public is decided on the connected socket.
    public func permits(_ text: String) -> Permission? {
        guard let url = WebURL(text) else { return nil }
        for case .origin(let scheme, let host, let port) in rules
        where scheme == url.scheme && host == url.host && port == url.port {
            return Permission(url: url.text, addresses: .configured)
        }
        guard let upgraded = url.upgraded, !TakenOverHosts.contains(upgraded.host) else { return nil }
        let permitted = rules.contains { rule in
            switch rule {
            case .any: true
            case .host(let host): upgraded.host == host
            case .suffix(let suffix): upgraded.host.hasSuffix("." + suffix)
            case .origin: false
            }
        }
        return permitted ? Permission(url: upgraded.text, addresses: .publicOnly) : nil
    }

    /// With which care a redirect to that URL is followed; nil where it is not. It is followed as it stands, so it must name
    /// the scheme and port of the permission itself: https on 443, or an origin of the rules.
    public func permitsRedirect(to text: String) -> AddressPolicy? {
        guard let url = WebURL(text), let permission = permits(text), WebURL(permission.url)?.origin == url.origin
        else { return nil }
        return permission.addresses
    }
}
