// Against requests that a page of another origin makes in this person's browser: it cannot read the answer, but the
// request alone may spend quota or tell by its timing what is cached. Browsers say where a request comes from in Origin
// and Sec-Fetch-Site; other clients send neither.
//
// A page on another port of localhost is "same-site" (a site has no port), and as foreign as any: it may be whatever
// somebody runs there. Only origins that the configuration names may read (`CrossOriginSharing`).
import LarderCore

/// What a request says about where it came from. The buffers are valid only during the call; empty where absent.
public struct RequestOrigin {
    public var host: UnsafeBufferPointer<UInt8>
    public var origin: UnsafeBufferPointer<UInt8>
    public var fetchSite: UnsafeBufferPointer<UInt8>
    public var fetchMode: UnsafeBufferPointer<UInt8>
    public var fetchDest: UnsafeBufferPointer<UInt8>
    public var isGet: Bool
    /// GET, HEAD, or OPTIONS, by which a browser asks before either.
    public var isRead: Bool
    /// It came in by a listener bound to a provider's root, whose paths are none of ours.
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

/// Refuses requests of foreign pages on every route but declared landing pages, which a person may be led to.
public struct CrossSitePolicy: Sendable, Hashable {
    /// Paths that a top-level GET navigation from anywhere may reach. They change nothing by themselves.
    public let landingPaths: Set<String>
    /// Origins whose pages may read, as browsers write them: "http://localhost:3000".
    public let origins: [String]
    private let originBytes: [Bytes]

    public init(landingPaths: [String] = [], origins: [String] = []) {
        self.landingPaths = Set(landingPaths)
        self.origins = origins
        originBytes = origins.map { Bytes(text: $0) }
    }

    /// The place of an origin among those that may read; nil for any other.
    func place(of origin: UnsafeBufferPointer<UInt8>) -> Int? {
        originBytes.firstIndex { known in
            known.count == origin.count && known.withUnsafeBufferPointer { zip($0, origin).allSatisfy(==) }
        }
    }

    /// Whether the request may go on.
    public func allows(_ request: RequestOrigin) -> Bool {
        // Before Sec-Fetch-Site, which calls them foreign. On a listener of a provider's the paths are the upstream's.
        if !origins.isEmpty, request.isRead, !request.isToProvider, place(of: request.origin) != nil { return true }
        if !request.origin.isEmpty, !Self.isSame(request.origin, host: request.host) { return false }
        return !Self.isForeign(request.fetchSite) || isLanding(request)
    }

    /// Whether a page of another origin made the request (W3C Fetch Metadata §2.3). A value that is not known yet does
    /// not count, as that document asks.
    private static func isForeign(_ site: UnsafeBufferPointer<UInt8>) -> Bool {
        equal(site, "cross-site") || equal(site, "same-site")
    }

    /// Whether a person is led to a page that may be reached from anywhere.
    private func isLanding(_ request: RequestOrigin) -> Bool {
        // On a listener of a provider's the same path is the upstream's.
        guard request.isGet, !request.isToProvider, Self.equal(request.fetchMode, "navigate"),
            Self.equal(request.fetchDest, "document")
        else { return false }
        let path = String(decoding: request.target.prefix { $0 != 0x3F }, as: UTF8.self)
        return landingPaths.contains(path)
    }

    /// Whether an origin "scheme://host[:port]" names the host the request was sent to. "null" names none.
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
