// Decides which image URLs may be fetched. A URL from a response is untrusted: it must match a rule, and it is fetched
// only from public addresses, by https on port 443. Only what the user configured is used exactly as written: an
// origin, or a place that stands in for a host.
import LarderCore

/// One entry of the setting `imageHosts`.
public enum ImageHostRule: Sendable, Hashable {
    /// Exactly this host: "www.dnd5eapi.co".
    case host(String)
    /// Every host below a domain, but not the domain itself: "*.mzstatic.com".
    case suffix(String)
    /// Any public host: "*".
    case any
    /// Exactly this scheme, host and port, public or private: "http://127.0.0.1:9000".
    case origin(scheme: String, host: String, port: Int)
    /// The hosts of another rule, whose images are fetched below a URL of the user's instead:
    /// "img.example.com=http://127.0.0.1:9000/mirror".
    indirect case standIn(ImageHostRule, place: String)

    /// Parses an entry of the configuration. Nil if it has none of the five forms.
    public init?(_ text: String) {
        if let equals = text.firstIndex(of: "=") {
            guard let hosts = ImageHostRule(String(text[..<equals])), hosts.namesHosts,
                let url = WebURL(String(text[text.index(after: equals)...])), !url.target.contains("?")
            else { return nil }
            self = .standIn(hosts, place: url.target.hasSuffix("/") ? String(url.text.dropLast()) : url.text)
        } else if text == "*" {
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

    private var namesHosts: Bool {
        switch self {
        case .host, .suffix, .any: true
        case .origin, .standIn: false
        }
    }

    /// Whether the rule permits this host by its name.
    func covers(_ host: String) -> Bool {
        switch self {
        case .any: true
        case .host(let one): host == one
        case .suffix(let suffix): host.hasSuffix("." + suffix)
        case .origin, .standIn: false
        }
    }
}

/// The image hosts of one provider.
public struct ImageHosts: Sendable, Hashable {
    /// The URL from which a permitted image is fetched, and the addresses that are allowed.
    public struct Permission: Sendable, Hashable {
        /// The URL to fetch: https unless an origin rule permits it, without a fragment. Bytes that a request must not
        /// contain are percent-encoded.
        public var url: String
        public var addresses: AddressPolicy

        public init(url: String, addresses: AddressPolicy) {
            self.url = url
            self.addresses = addresses
        }
    }

    public var rules: [ImageHostRule]

    /// - Parameter configuredBase: a base URL that the user configured. Images on exactly that origin are permitted
    ///   too, because its responses name them. Nil if the provider's default is in use.
    public init(rules: [ImageHostRule], configuredBase: String? = nil) {
        self.rules = rules
        if let configuredBase, let url = WebURL(configuredBase) {
            self.rules.append(.origin(scheme: url.scheme, host: url.host, port: url.port))
        }
    }

    /// Decides whether an image may be fetched. For the target of a redirect see `permitsRedirect`.
    ///
    /// An origin rule permits exactly its own origin. For the other rules, plain http on its default port is upgraded
    /// to https, and only https on port 443 is permitted. The connected socket is checked for a public address. A host
    /// with a stand-in is not asked: its name and the URL's path are appended to the place.
    public func permits(_ text: String) -> Permission? {
        guard let url = WebURL(text) else { return nil }
        for case .origin(let scheme, let host, let port) in rules
        where scheme == url.scheme && host == url.host && port == url.port {
            return Permission(url: url.text, addresses: .configured)
        }
        guard let upgraded = url.upgraded, !TakenOverHosts.contains(upgraded.host) else { return nil }
        for case .standIn(let hosts, let place) in rules where hosts.covers(upgraded.host) {
            let plain = try? PercentCoding.decodeBytes(upgraded.target.utf8, plusIsSpace: false)
            // A path that climbs would leave the place.
            guard let plain, !DotSegment.occurs(in: plain) else { return nil }
            return Permission(url: "\(place)/\(upgraded.host)\(upgraded.target)", addresses: .configured)
        }
        let permitted = rules.contains { $0.covers(upgraded.host) }
        return permitted ? Permission(url: upgraded.text, addresses: .publicOnly) : nil
    }

    /// The addresses that a redirect to this URL may use; nil if the redirect must not be followed. The URL is not
    /// upgraded, so it must already have the permission's scheme and port: https on 443, or an origin of the rules.
    public func permitsRedirect(to text: String) -> AddressPolicy? {
        guard let url = WebURL(text), let permission = permits(text), WebURL(permission.url)?.origin == url.origin
        else { return nil }
        return permission.addresses
    }
}
