// Request fields that name other resources of the same server: `Destination` and `If` (RFC 4918 §10.3, §10.4). The client
// names them by their URLs here; the origin gets its own. A destination that this provider does not have is refused
// before anything is sent: the origin would answer 502 (§9.8.5), or put something outside of the base URL.
import LarderCache
import LarderCore
import LarderHTTP

struct ResourceNames {
    private let way: WayOut
    /// The authority that the client asked.
    private let host: String

    /// - Parameter host: the request's `Host`.
    init(_ way: WayOut, host: String) {
        self.way = way
        self.host = host
    }

    /// Writes the origin's names into the fields.
    /// - Parameter method: what the request does.
    /// - Returns: the resource that `Destination` names, if the method changes it.
    func map(_ fields: inout HeaderFields, method: Method) throws(ClientFacingError) -> UpstreamRequest? {
        if fields.contains(.if) {
            fields = fields.changed { $0.isNamed(.if) ? $0.with(value: conditions($0.value)) : $0 }
        }
        guard Invalidation.reachesDestination(method), fields.contains(.destination) else { return nil }
        let values = fields.all(.destination)
        // No fragment may follow (RFC 4918 §8.3): a server that drops it and one that does not name different resources.
        guard values.count == 1, !values[0].utf8.contains(0x23), let url = url(values[0]) else {
            throw .invalid(
                "Destination", "Destination must be one absolute URL, or an absolute path, without a fragment.")
        }
        guard let request = request(url) else { throw outside(url) }
        try UpstreamPath.check(request.path)
        fields.set(.destination, way.provider.url(request))
        return request
    }

    private func outside(_ url: HTTPURL) -> ClientFacingError {
        let place = "below http://\(host)\(way.mount)/"
        return isOurs(url)
            ? ClientFacingError(
                status: 403, code: "foreignDestination",
                detail: "Destination must be \(place), where the paths of \(way.provider.name) are.")
            : ClientFacingError(
                status: 502, code: "foreignDestination",
                detail: "Destination is on another server. It must be \(place) (RFC 4918 §9.8.5, §9.9.4).")
    }

    /// A name may be an absolute URL or an absolute path (RFC 4918 §8.3).
    private func url(_ name: String) -> HTTPURL? {
        let name = ASCII.trimmed(name[...])
        guard name.utf8.first == 0x2F || HTTPURL(String(name)) != nil else { return nil }
        return HTTPURL("http://\(host.isEmpty ? "localhost" : host)")?.resolving(String(name))
    }

    /// Listeners speak no TLS, so https on a port that the client asked without TLS is another server. Without a port,
    /// https may be that of a server before this one.
    private func isOurs(_ url: HTTPURL) -> Bool {
        guard let own = HTTPURL("http://\(host.isEmpty ? "localhost" : host)") else { return false }
        if own.hasOrigin(of: url) { return true }
        let namesPort = own.authority.contains(":") && !own.authority.hasSuffix("]")
        return url.scheme == "https" && url.authority == own.authority && !namesPort
    }

    /// The resource of the provider that a URL names: by the mount, or by the API's own URL.
    private func request(_ url: HTTPURL) -> UpstreamRequest? {
        guard isOurs(url) else { return way.provider.request(url: url) }
        guard url.target.hasPrefix(way.mount + "/") else { return nil }
        let rest = url.target.dropFirst(way.mount.count)
        let path = rest.prefix { $0 != "?" }
        let query = path.endIndex == rest.endIndex ? nil : String(rest[rest.index(after: path.endIndex)...])
        return UpstreamRequest(
            path: UpstreamPath.withoutSingleDots(String(path)), query: way.provider.withoutKey(query))
    }

    /// Maps the resources that an `If` names before its lists; what stands inside of the lists are lock tokens. A
    /// resource that the provider does not have is left as it is.
    private func conditions(_ value: String) -> String {
        var out = ""
        var (depth, isQuoted) = (0, false)
        var rest = value[...]
        while let byte = rest.utf8.first {
            if byte == 0x3C, depth == 0 {
                // Without an end it is no name. Looking for one again at each `<` would take quadratic time.
                guard let end = rest.utf8.firstIndex(of: 0x3E) else { return out + rest }
                let name = rest[rest.utf8.index(after: rest.startIndex)..<end]
                let request = url(String(name)).flatMap(request)
                out += "<" + (request.map(way.provider.url) ?? String(name)) + ">"
                rest = rest[rest.utf8.index(after: end)...]
                continue
            }
            // An entity tag in a list may hold any of these characters.
            if byte == 0x22 { isQuoted.toggle() }
            if byte == 0x28, !isQuoted { depth += 1 }
            if byte == 0x29, !isQuoted { depth -= 1 }
            let next = rest.index(after: rest.startIndex)
            out += rest[..<next]
            rest = rest[next...]
        }
        return out
    }
}
