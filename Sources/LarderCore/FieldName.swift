// Field names that Larder knows are small integers. A name is recognised once, when its line is added; afterwards
// names are compared as integers, and sets of names are bits.
//
// The list is no limit: other names are compared by their bytes. It holds what a decision asks for, and what origins
// send often (IANA's registry of HTTP field names).
import Glibc

/// A known field name. Its raw value is the usual spelling.
public enum FieldName: String, Sendable, Hashable, CaseIterable {
    case accept = "Accept"
    case acceptEncoding = "Accept-Encoding"
    case acceptLanguage = "Accept-Language"
    case acceptRanges = "Accept-Ranges"
    case accessControlAllowCredentials = "Access-Control-Allow-Credentials"
    case accessControlAllowOrigin = "Access-Control-Allow-Origin"
    case accessControlExposeHeaders = "Access-Control-Expose-Headers"
    case accessControlRequestMethod = "Access-Control-Request-Method"
    case accessControlRequestPrivateNetwork = "Access-Control-Request-Private-Network"
    case age = "Age"
    case allow = "Allow"
    case altSvc = "Alt-Svc"
    case authenticationInfo = "Authentication-Info"
    case authorization = "Authorization"
    case cacheControl = "Cache-Control"
    case cacheGroupInvalidation = "Cache-Group-Invalidation"
    case cacheGroups = "Cache-Groups"
    case cacheStatus = "Cache-Status"
    case cdnCacheControl = "CDN-Cache-Control"
    case close = "Close"
    case connection = "Connection"
    case contentDigest = "Content-Digest"
    case contentDisposition = "Content-Disposition"
    case contentEncoding = "Content-Encoding"
    case contentLanguage = "Content-Language"
    case contentLength = "Content-Length"
    case contentLocation = "Content-Location"
    case contentMD5 = "Content-MD5"
    case contentRange = "Content-Range"
    case contentSecurityPolicy = "Content-Security-Policy"
    case contentType = "Content-Type"
    case cookie = "Cookie"
    case crossOriginOpenerPolicy = "Cross-Origin-Opener-Policy"
    case crossOriginResourcePolicy = "Cross-Origin-Resource-Policy"
    case date = "Date"
    case deprecation = "Deprecation"
    case destination = "Destination"
    case digest = "Digest"
    case dnt = "DNT"
    case etag = "ETag"
    case expect = "Expect"
    case expires = "Expires"
    case forwarded = "Forwarded"
    case host = "Host"
    case `if` = "If"
    case ifMatch = "If-Match"
    case ifModifiedSince = "If-Modified-Since"
    case ifNoneMatch = "If-None-Match"
    case ifRange = "If-Range"
    case ifUnmodifiedSince = "If-Unmodified-Since"
    case keepAlive = "Keep-Alive"
    case larderCacheControl = "Larder-Cache-Control"
    case lastEventID = "Last-Event-ID"
    case lastModified = "Last-Modified"
    case link = "Link"
    case location = "Location"
    case maxForwards = "Max-Forwards"
    case noVarySearch = "No-Vary-Search"
    case origin = "Origin"
    case pragma = "Pragma"
    case prefer = "Prefer"
    case preferenceApplied = "Preference-Applied"
    case priority = "Priority"
    case proxyAuthenticate = "Proxy-Authenticate"
    case proxyAuthenticationInfo = "Proxy-Authentication-Info"
    case proxyAuthorization = "Proxy-Authorization"
    case proxyConnection = "Proxy-Connection"
    case proxyStatus = "Proxy-Status"
    case range = "Range"
    case rateLimit = "RateLimit"
    case rateLimitPolicy = "RateLimit-Policy"
    case referer = "Referer"
    case referrerPolicy = "Referrer-Policy"
    case reprDigest = "Repr-Digest"
    case retryAfter = "Retry-After"
    case secFetchMode = "Sec-Fetch-Mode"
    case secFetchSite = "Sec-Fetch-Site"
    case server = "Server"
    case setCookie = "Set-Cookie"
    case setCookie2 = "Set-Cookie2"
    case strictTransportSecurity = "Strict-Transport-Security"
    case sunset = "Sunset"
    case surrogateControl = "Surrogate-Control"
    case surrogateKey = "Surrogate-Key"
    case te = "TE"
    case traceparent = "traceparent"
    case tracestate = "tracestate"
    case trailer = "Trailer"
    case transferEncoding = "Transfer-Encoding"
    case upgrade = "Upgrade"
    case userAgent = "User-Agent"
    case vary = "Vary"
    case via = "Via"
    case wwwAuthenticate = "WWW-Authenticate"
    case xAccelBuffering = "X-Accel-Buffering"
    case xCache = "X-Cache"
    case xContentTypeOptions = "X-Content-Type-Options"
    case xForwardedFor = "X-Forwarded-For"
    case xForwardedHost = "X-Forwarded-Host"
    case xForwardedProto = "X-Forwarded-Proto"
    case xFrameOptions = "X-Frame-Options"
    case xLarderSession = "X-Larder-Session"
    case xLarderTool = "X-Larder-Tool"
    case xRateLimitLimit = "X-RateLimit-Limit"
    case xRateLimitRemaining = "X-RateLimit-Remaining"
    case xRateLimitReset = "X-RateLimit-Reset"
    case xRequestID = "X-Request-Id"
    case xXSSProtection = "X-XSS-Protection"

    /// The number of the name, from 1 on. An enumeration without payloads and with fewer than 256 cases is one byte
    /// that holds the place of the case (Swift's ABI, TypeLayout); `FieldNameTests` holds it to that.
    @usableFromInline
    var code: UInt8 { unsafeBitCast(self, to: UInt8.self) &+ 1 }

    /// The name with this number; nil for 0, which stands for every other name.
    @usableFromInline
    init?(code: UInt8) {
        guard code > 0, code <= FieldNameTable.shared.count else { return nil }
        self = unsafeBitCast(code - 1, to: FieldName.self)
    }

    /// The known name that these bytes spell in any case; nil if there is none.
    public init?(_ name: some StringProtocol) {
        let code = Bytes(name.utf8).withUnsafeBufferPointer(FieldNameTable.shared.code(of:))
        self.init(code: code)
    }
}

/// Finds the number of a name by a hash table with open addressing, which is made once from the list of names.
struct FieldNameTable: Sendable {
    static let shared = FieldNameTable()

    let count: Int
    /// The most bytes of a known name.
    private let longest: Int
    /// The numbers of the names by hash; 0 is an empty place.
    private let places: [UInt8]
    /// Each name in its usual spelling and in lower case, in `stride` bytes, by its number less 1.
    private let spelled: [UInt8]
    private let letters: [UInt8]
    private let lengths: [UInt8]
    private static let stride = 40
    private static let mask = 511

    private init() {
        let names = FieldName.allCases.map { $0.rawValue.utf8.map(ASCII.lowercased) }
        var places = [UInt8](repeating: 0, count: Self.mask + 1)
        var letters = [UInt8](repeating: 0, count: names.count * Self.stride)
        for (index, name) in names.enumerated() {
            letters.replaceSubrange(index * Self.stride..<index * Self.stride + name.count, with: name)
            var place = name.withUnsafeBufferPointer(Self.hash)
            while places[place] != 0 { place = (place + 1) & Self.mask }
            places[place] = UInt8(index + 1)
        }
        count = names.count
        longest = names.reduce(0) { max($0, $1.count) }
        lengths = names.map { UInt8($0.count) }
        self.places = places
        self.letters = letters
        var spelled = letters
        for (index, name) in FieldName.allCases.map({ Array($0.rawValue.utf8) }).enumerated() {
            spelled.replaceSubrange(index * Self.stride..<index * Self.stride + name.count, with: name)
        }
        self.spelled = spelled
    }

    /// The number of the name; 0 if it is not known.
    func code(of name: UnsafeBufferPointer<UInt8>) -> UInt8 {
        guard name.count >= 2, name.count <= longest else { return 0 }
        var place = Self.hash(name)
        while true {
            let code = places[place]
            if code == 0 || isName(code, name) { return code }
            place = (place + 1) & Self.mask
        }
    }

    private func isName(_ code: UInt8, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let index = Int(code) - 1
        guard Int(lengths[index]) == name.count, let start = name.baseAddress else { return false }
        // Most names come in their usual spelling.
        let isUsual = spelled.withUnsafeBufferPointer { spelled in
            spelled.baseAddress.map { memcmp($0 + index * Self.stride, start, name.count) == 0 } ?? false
        }
        if isUsual { return true }
        return letters.withUnsafeBufferPointer { letters in
            let start = index * Self.stride
            for offset in 0..<name.count where letters[start + offset] != ASCII.lowercased(name[offset]) {
                return false
            }
            return true
        }
    }

    /// Length, first, middle and last byte tell most names apart.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let middle = Int(name[name.count >> 1] | 0x20)
        let ends = Int(name[0] | 0x20) &* 37 &+ Int(name[name.count - 1] | 0x20) &* 5
        return (name.count &* 11 &+ ends &+ middle &* 67) & mask
    }
}
