// `Location`, `Content-Location` and `Link` of an upstream are relative to its own URLs. A place below the provider's
// base URL is rewritten so that the client reaches it through the cache. Any other place stays as it is, made absolute
// where it was relative to the upstream's origin. A `Location` that names another place of this daemon is removed: the
// upstream must not make a browser use the daemon's own routes.
import LarderCore
import LarderHTTP

struct Relocation {
    static let names: FieldNameSet = ["Location", "Content-Location", "Link"]

    /// The URL that the upstream was asked for.
    private let own: HTTPURL
    private let way: WayOut

    /// Nil if the request's URL is not valid (RFC 3986): nothing can be resolved against it.
    init?(_ way: WayOut) {
        guard let own = HTTPURL(way.provider.url(UpstreamRequest(path: way.path, query: way.query))) else { return nil }
        self.own = own
        self.way = way
    }

    func apply(to fields: inout HeaderFields) {
        fields = fields.changed { line in
            guard Self.names.contains(line) else { return line }
            if line.isNamed(.location), leadsElsewhereHere(line.value) { return nil }
            return line.with(value: line.isNamed(.link) ? links(line.value) : reference(line.value))
        }
    }

    private func leadsElsewhereHere(_ written: String) -> Bool {
        if Self.mayBeRelative(written) { return true }
        let text = Self.encoded(Self.asBrowsersRead(ASCII.trimmed(written.prefix { $0 != "#" }))[...])
        if let scheme = Self.scheme(text), scheme != "http", scheme != "https" { return false }
        // What cannot be read here might be read by a browser.
        guard let url = own.resolving(text) else { return true }
        guard way.provider.request(url: url) == nil else { return false }
        // Browsers decode a host and map its letters to ASCII ones (URL Standard, "host parser").
        return url.authority.utf8.contains(0x25) || way.isElsewhereHere(url)
    }

    /// Whether a reference has the scheme of a page and no host. Browsers take it for a relative one if the page has
    /// the same scheme (URL Standard, "special relative or authority state").
    private static func mayBeRelative(_ written: String) -> Bool {
        let text = String(ASCII.trimmed(written[...]).filter { $0 != "\t" }.map { $0 == "\\" ? "/" : $0 })
        guard let scheme = scheme(text), scheme == "http" || scheme == "https" else { return false }
        return !text.dropFirst(scheme.count + 1).hasPrefix("//")
    }

    /// Writes a reference as browsers understand it (URL Standard, "basic URL parser"): without tabs, with "/" for "\",
    /// with two slashes before a host however many there are, and without user information.
    private static func asBrowsersRead(_ written: Substring) -> String {
        let query = written.firstIndex(of: "?") ?? written.endIndex
        let text = String(written[..<query].filter { $0 != "\t" }.map { $0 == "\\" ? "/" : $0 })
        let tail = written[query...].filter { $0 != "\t" }
        let start = scheme(text).map { text.index(text.startIndex, offsetBy: $0.count + 1) } ?? text.startIndex
        let rest = text[start...].drop { $0 == "/" }
        let hasHost = start > text.startIndex || text.hasPrefix("//")
        guard hasHost, scheme(text).map({ $0 == "http" || $0 == "https" }) ?? true else { return text + tail }
        let authority = rest.prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return text[..<start] + "//" + host + rest[authority.endIndex...] + tail
    }

    /// The scheme of a reference in lower case; nil if it has none (RFC 3986 §3.1).
    private static func scheme(_ text: String) -> String? {
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        guard name.first?.isLetter == true, text[name.endIndex...].first == ":" else { return nil }
        return name.lowercased()
    }

    /// Rewrites a reference so that it leads the client to the place that the upstream named (RFC 3986 §4.1, §5.2).
    func reference(_ written: String) -> String {
        let mark = written.utf8.firstIndex(of: 0x23)
        let fragment = mark.map { String(written[$0...]) } ?? ""
        let text = Self.encoded(ASCII.trimmed(written[..<(mark ?? written.endIndex)]))
        // A fragment alone refers to the response itself. A reference that cannot be resolved is left to the client.
        guard !text.isEmpty, let url = own.resolving(text) else { return written }
        let isAbsolute = HTTPURL(text) != nil
        // A path that is refused here cannot be reached through the cache.
        guard let request = way.provider.request(url: url), (try? UpstreamPath.check(request.path)) != nil else {
            // The client would take an absolute path of the upstream's origin for a path of this origin.
            return isAbsolute ? written : url.text + fragment
        }
        let target = way.mount + request.target
        if !isAbsolute, text.utf8.first != 0x2F, seenFromHere(text) == target { return written }
        // A target with two leading slashes would begin with a host (RFC 3986 §4.2).
        return (target.hasPrefix("//") ? "/." + target : target) + fragment
    }

    /// The target to which a relative path leads a client that knows only its own URL.
    private func seenFromHere(_ reference: String) -> String? {
        let query = way.query.map { "?\($0)" } ?? ""
        return HTTPURL("http://here\(way.clientPath)\(query)")?.resolving(reference)?.target
    }

    /// Rewrites the targets of a list of links (RFC 8288 §3). From the first malformed member on, the value is
    /// unchanged.
    func links(_ value: String) -> String {
        var out = ""
        var rest = value[...]
        while true {
            let start = rest.utf8.firstIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x2C } ?? rest.endIndex
            out += rest[..<start]
            rest = rest[start...]
            guard rest.utf8.first == 0x3C, let end = rest.utf8.firstIndex(of: 0x3E) else { return out + rest }
            out += "<" + reference(String(rest[rest.utf8.index(after: start)..<end])) + ">"
            let next = Self.endOfMember(rest[end...])
            out += rest[rest.utf8.index(after: end)..<next]
            rest = rest[next...]
        }
    }

    /// The comma that ends a member of a list, outside of quoted strings (RFC 9110 §5.6.1, §5.6.4).
    private static func endOfMember(_ text: Substring) -> Substring.Index {
        var isQuoted = false
        var isEscaped = false
        for place in text.utf8.indices {
            let byte = text.utf8[place]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                isQuoted.toggle()
            } else if byte == 0x2C, !isQuoted {
                return place
            }
        }
        return text.endIndex
    }

    /// Encodes bytes that no URL contains, as clients do for such a reference. A field value has one scalar per byte.
    private static func encoded(_ text: Substring) -> String {
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return String(text) }
        var out = ""
        for scalar in text.unicodeScalars {
            if scalar.value > 0x20, scalar.value < 0x7F {
                out.unicodeScalars.append(scalar)
            } else {
                out += "%" + Hex.encode([UInt8(truncatingIfNeeded: scalar.value)]).uppercased()
            }
        }
        return out
    }
}
