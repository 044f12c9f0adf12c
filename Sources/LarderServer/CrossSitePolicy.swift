// Refuses requests that a page of another origin makes in the user's browser. Such a page cannot read the response, but
// its request alone may spend quota, and the timing may reveal what is cached. Browsers declare a request's source in
// Origin and Sec-Fetch-Site; other clients send neither.
//
// A page on another port of localhost is "same-site", because a site has no port. It is refused like any other page:
// anyone may run a server there. Only origins that the configuration names may read (`CrossOriginSharing`).
import LarderCore

/// What a request declares about its source. The buffers are valid only during the call; absent values are empty.
public struct RequestOrigin {
    public var host: UnsafeBufferPointer<UInt8>
    public var origin: UnsafeBufferPointer<UInt8>
    public var fetchSite: UnsafeBufferPointer<UInt8>
    public var fetchMode: UnsafeBufferPointer<UInt8>
    public var fetchDest: UnsafeBufferPointer<UInt8>
    public var isGet: Bool
    /// Whether the method is GET, HEAD, or OPTIONS, which a browser sends before either.
    public var isRead: Bool
    /// Whether the request came in by a listener at a provider's root. Its paths belong to the upstream.
    public var isToProvider: Bool
    /// The request target.
    public var target: UnsafeBufferPointer<UInt8>

    public init(
        host: UnsafeBufferPointer<UInt8>, origin: UnsafeBufferPointer<UInt8>, fetchSite: UnsafeBufferPointer<UInt8>,
        fetchMode: UnsafeBufferPointer<UInt8>, fetchDest: UnsafeBufferPointer<UInt8>, isGet: Bool,
        isRead: Bool = false, isToProvider: Bool = false, target: UnsafeBufferPointer<UInt8>
    ) {
        self.host = host
        self.origin = origin
        self.fetchSite = fetchSite
        self.fetchMode = fetchMode
        self.fetchDest = fetchDest
        self.isGet = isGet
        self.isRead = isRead
        self.isToProvider = isToProvider
        self.target = target
    }
}

/// Refuses requests from foreign pages on every route, except navigation to a declared landing page.
public struct CrossSitePolicy: Sendable, Hashable {
    /// Paths that a top-level GET navigation from any page may reach. A request to them changes nothing by itself.
    public let landingPaths: Set<String>
    /// Origins whose pages may read, spelled as browsers spell them: "http://localhost:3000".
    public let origins: [String]
    private let originBytes: [Bytes]

    public init(landingPaths: [String] = [], origins: [String] = []) {
        self.landingPaths = Set(landingPaths)
        self.origins = origins
        originBytes = origins.map { Bytes(text: $0) }
    }

    /// The index of an origin among those whose pages may read; nil for any other origin.
    func place(of origin: UnsafeBufferPointer<UInt8>) -> Int? {
        originBytes.firstIndex { known in
            known.count == origin.count && known.withUnsafeBufferPointer { zip($0, origin).allSatisfy(==) }
        }
    }

    /// Whether the policy accepts the request.
    public func allows(_ request: RequestOrigin) -> Bool {
        // Before Sec-Fetch-Site, which marks these origins as foreign. A provider's paths are the upstream's.
        if !origins.isEmpty, request.isRead, !request.isToProvider, place(of: request.origin) != nil { return true }
        if !request.origin.isEmpty, !Self.isSame(request.origin, host: request.host) { return false }
        return !Self.isForeign(request.fetchSite) || isLanding(request)
    }

    /// Whether a page of another origin made the request (W3C Fetch Metadata §2.3). Unknown values are ignored, as that
    /// document asks.
    private static func isForeign(_ site: UnsafeBufferPointer<UInt8>) -> Bool {
        equal(site, "cross-site") || equal(site, "same-site")
    }

    /// Whether the request is a navigation to a landing page.
    private func isLanding(_ request: RequestOrigin) -> Bool {
        // On a provider's listener the same path belongs to the upstream.
        guard request.isGet, !request.isToProvider, Self.equal(request.fetchMode, "navigate"),
            Self.equal(request.fetchDest, "document")
        else { return false }
        let path = String(decoding: request.target.prefix { $0 != 0x3F }, as: UTF8.self)
        return landingPaths.contains(path)
    }

    /// Whether the origin "scheme://host[:port]" names the host that the request was sent to. "null" names no host.
    private static func isSame(_ origin: UnsafeBufferPointer<UInt8>, host: UnsafeBufferPointer<UInt8>) -> Bool {
        for scheme in ["http://", "https://"] where origin.count == scheme.utf8.count + host.count {
            if zip(origin, scheme.utf8).allSatisfy({ ASCII.lowercased($0) == $1 }),
                zip(origin.dropFirst(scheme.utf8.count), host).allSatisfy({
                    ASCII.lowercased($0) == ASCII.lowercased($1)
                })
            {
                return true
            }
        }
        return false
    }

    private static func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString) -> Bool {
        bytes.count == text.utf8CodeUnitCount && zip(bytes, 0..<bytes.count).allSatisfy { $0 == text.utf8Start[$1] }
    }
}
