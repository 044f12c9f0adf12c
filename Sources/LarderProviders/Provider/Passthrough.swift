// A provider that the configuration adds: any base URL, reached through `/raw/{name}/…` or through its own listener.
// Larder does not understand its responses, so they are never normalised and its requests are never rewritten.
import LarderCore
import LarderHTTP

/// An upstream of kind `passthrough`.
public struct Passthrough: Provider {
    /// Which rules decide about storing and reusing.
    public enum Semantics: String, Sendable, Hashable, CaseIterable {
        /// RFC 9111.
        case rfc
        /// The configured lifetimes.
        case ttl
    }

    public let about: ProviderAbout
    public let semantics: Semantics
    private let keyIn: KeyPlacement

    /// - Parameters:
    ///   - name: the name in the configuration. It must differ from every built-in provider's.
    ///   - baseURL: absolute, http or https.
    ///   - keyIn: where the configured key is sent.
    public init(name: String, baseURL: String, semantics: Semantics = .rfc, keyIn: KeyPlacement = .bearer) {
        self.semantics = semantics
        self.keyIn = keyIn
        about = ProviderAbout(
            name: name, routePrefix: "", title: name, defaultBaseURL: baseURL,
            endpoints: [EndpointAbout(Self.other, ttl: .seconds(300), summary: "every request")],
            emptyTTL: .seconds(60), negativeTTL: .seconds(60), staleFor: .seconds(86_400),
            credentialParameters: [keyIn.parameterName].compactMap { $0 },
            terms: "The terms of the operator of \(name) apply.")
    }

    public static let other = "other"

    public func endpoint(path: [String], query: QueryParameters) throws(ClientFacingError) -> Endpoint {
        throw ProviderError.noRoute(path, provider: about)
    }

    public func search(_ request: SearchRequest) throws(ClientFacingError) -> Endpoint {
        throw .invalid("source", "\"\(about.name)\" passes bytes through: it has no search.")
    }

    /// Returns the request unchanged. Only the origin knows what parameters mean (RFC 9111 §2: the key is the target
    /// URI).
    public func canonical(_ request: UpstreamRequest) -> UpstreamRequest { request }

    public func endpointName(for request: UpstreamRequest) -> String { Self.other }

    /// With `rfc`, every response is data except rate limiting and server failures. A 404 is data too, and RFC 9111
    /// decides its lifetime. With `ttl`, absences and responses without content are classified separately, because they
    /// have their own lifetimes.
    public func classify(_ response: UpstreamResponse, endpoint: String) -> Classification {
        switch response.status {
        case 429: .limited(until: RetryAfter.instant(response))
        case 503 where RetryAfter.instant(response) != nil: .limited(until: RetryAfter.instant(response))
        case 500, 502, 503, 504: .broken("The upstream answered \(response.status).")
        case 204 where semantics == .ttl: .empty
        case 404 where semantics == .ttl, 410 where semantics == .ttl: .notFound
        case 401 where semantics == .ttl, 403 where semantics == .ttl:
            .refused("The upstream answered \(response.status).")
        case 400..<500 where semantics == .ttl: .invalidRequest("The upstream answered \(response.status).")
        case 505..<600 where semantics == .ttl, 501 where semantics == .ttl:
            .broken("The upstream answered \(response.status).")
        default: .data
        }
    }

    public func credentialFields(key: String) -> HeaderFields { keyIn.fields(key) }

    public func credentialQuery(key: String) -> QueryParameters { keyIn.parameters(key) }
}
