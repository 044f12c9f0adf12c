// `Location`, `Content-Location` and `Link` of an upstream are relative to its own URLs. A place below the provider's
// base URL is rewritten so that the client reaches it through the cache. Any other place stays as it is, made absolute
// where it was relative to the upstream's origin.
import LarderCore
import LarderHTTP

struct Relocation {
    static let names: FieldNameSet = ["Location", "Content-Location", "Link"]

    /// The URL that the upstream was asked for.
    private let own: HTTPURL
    private let way: WayOut

    /// Nil where the request's URL is not a valid one (RFC 3986): nothing can be resolved against it.
    init?(_ way: WayOut) {
        guard let own = HTTPURL(way.provider.url(UpstreamRequest(path: way.path, query: way.query))) else { return nil }
        self.own = own
        self.way = way
    }

    func apply(to fields: inout HeaderFields) {
        for index in fields.lines.indices where Self.names.contains(fields.lines[index].name) {
            let isLink = ASCII.equalFolded(fields.lines[index].name, "Link")
            let value = fields.lines[index].value
            fields.lines[index].value = isLink ? links(value) : reference(value)
        }
    }

    /// What a client must be told so that it comes to the place that the upstream named (RFC 3986 §4.1, §5.2).
    func reference(_ written: String) -> String {
        let mark = written.utf8.firstIndex(of: 0x23)
        let fragment = mark.map { String(written[$0...]) } ?? ""
        let text = Self.encoded(ASCII.trimmed(written[..<(mark ?? written.endIndex)]))
        // A fragment alone is in the answer itself; what cannot be resolved is left to the client.
        guard !text.isEmpty, let url = own.resolving(text) else { return written }
        let isAbsolute = HTTPURL(text) != nil
        // A path that is refused here leads nowhere through the cache.
        guard let request = way.provider.request(url: url), (try? UpstreamPath.check(request.path)) != nil else {
            // Seen from here, an absolute path of the upstream's origin would be one of this origin.
            return isAbsolute ? written : url.text + fragment
        }
        let target = way.mount + request.target
        if !isAbsolute, text.utf8.first != 0x2F, seenFromHere(text) == target { return written }
        // With two slashes it would begin with a host (RFC 3986 §4.2).
        return (target.hasPrefix("//") ? "/." + target : target) + fragment
    }

    /// Where a relative path leads a client that knows no more than its own URL.
    private func seenFromHere(_ reference: String) -> String? {
        let query = way.query.map { "?\($0)" } ?? ""
        return HTTPURL("http://here\(way.clientPath)\(query)")?.resolving(reference)?.target
    }

    /// The targets of a list of links (RFC 8288 §3); what is no such list stays from there on.
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

    /// Bytes that no URL has are encoded, as clients do that follow such a reference (a value has a scalar for each byte).
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
