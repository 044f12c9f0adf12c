// Checks of base URLs and image hosts. A request's path is appended to a base URL, so the URL must end before a query
// could begin.
import LarderCore
import LarderIO
import LarderProviders

enum BaseURL {
    /// Checks a base URL. Returns it without slashes at its end, with scheme and host in lower case.
    static func check(_ text: String) throws(SettingFault) -> String {
        let wanted = "http:// or https://, a host, and perhaps a port and a path"
        let lowered = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lowered.hasPrefix($0) }) else {
            throw SettingFault("\"\(text)\" is not a base URL: \(wanted)")
        }
        let rest = text.dropFirst(scheme.count)
        guard rest.prefix(while: { $0 != "/" }).utf8.allSatisfy({ $0 < 0x80 }) else {
            throw SettingFault(foreignLetters)
        }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E })
        else { throw SettingFault("a base URL holds printable ASCII without spaces; encode the rest as %XX") }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw SettingFault("a base URL has no query and no fragment")
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        // The message leaves out the value because it would show a password.
        guard !authority.contains("@") else {
            throw SettingFault("a base URL has no user name or password; keys have their own setting")
        }
        let (host, port) = try split(authority)
        guard isHost(host) else {
            // A name that is percent-encoded has no such letter, but stands for one.
            throw SettingFault(
                host.contains("%") ? foreignLetters : "\"\(host)\" is not a host name or an IP address")
        }
        guard !TakenOverHosts.contains(host) else { throw SettingFault(takenOver(host)) }
        if let port, UInt16(port) == nil || UInt16(port) == 0 {
            throw SettingFault("\"\(port)\" is not a port: 1 to 65535")
        }
        var path = rest[slash...]
        while path.hasSuffix("/") { path.removeLast() }
        let plain = try? PercentCoding.decodeBytes(path.utf8, plusIsSpace: false)
        guard let plain, !DotSegment.occurs(in: plain) else {
            throw SettingFault("a base URL's path is percent-encoded and has no . or .. in it")
        }
        return scheme + authority.lowercased() + path
    }

    /// A name with other letters has an ASCII form, which is what is asked for and sent (RFC 5891 §4.4). `idn2` prints it.
    static let foreignLetters =
        "a host name with letters beyond a to z is written in its ASCII form, xn--…, as the command idn2 prints it"

    private static func takenOver(_ host: String) -> String {
        "\(host) is no longer the API's: strangers own the name, and Larder never calls it"
    }

    /// Splits an authority into host and port. An IPv6 address keeps its brackets (RFC 3986 §3.2.2).
    private static func split(_ authority: Substring) throws(SettingFault) -> (host: String, port: String?) {
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { throw SettingFault("the \"[\" is not closed") }
            let rest = authority[authority.index(after: close)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw SettingFault("\"\(rest)\" is not a port") }
            return (String(authority[...close]), rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw SettingFault("an IPv6 address stands in brackets") }
        return (parts.first.map(String.init) ?? "", parts.count == 2 ? String(parts[1]) : nil)
    }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return (try? Address("\(host):1")) != nil
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                        default: false
                        }
                    }
            }
    }

    /// Whether others on the network can read what is sent to the URL, keys included: plain http to another machine.
    static func isReadableOnTheWay(_ url: String) -> Bool {
        guard let rest = url.dropping(prefix: "http://"),
            let (host, _) = try? split(rest.prefix { $0 != "/" })
        else { return false }
        return host != "localhost" && (try? Address("\(host):1"))?.isLoopback != true
    }

    /// Whether the host of the URL is this machine: `localhost` or a loopback address.
    static func isOnThisMachine(_ url: String) -> Bool {
        guard let rest = url.dropping(prefix: "http://") ?? url.dropping(prefix: "https://"),
            let (host, _) = try? split(rest.prefix { $0 != "/" })
        else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || (try? Address("\(host):1"))?.isLoopback == true
    }

    /// Checks one entry of `imageHosts`: "*", "*.suffix", a host, one of these with "=" and a URL, or a full origin.
    static func checkImageHost(_ text: String) throws(SettingFault) -> String {
        if let equals = text.firstIndex(of: "=") {
            let hosts = try checkImageHost(String(text[..<equals]))
            guard !hosts.contains("://") else {
                throw SettingFault("\"\(text)\": before the = stands a host, *.suffix or *")
            }
            return hosts + "=" + (try check(String(text[text.index(after: equals)...])))
        }
        let lowered = text.lowercased()
        if lowered == "*" { return lowered }
        if lowered.contains("://") {
            let origin = try check(lowered)
            guard origin.split(separator: "/", omittingEmptySubsequences: false).count == 3 else {
                throw SettingFault("\"\(text)\" has a path: an origin is scheme, host and port only")
            }
            return origin
        }
        guard lowered.utf8.allSatisfy({ $0 < 0x80 }) else { throw SettingFault(foreignLetters) }
        let host = lowered.dropping(prefix: "*.").map(String.init) ?? lowered
        guard !TakenOverHosts.contains(host) else { throw SettingFault(takenOver(host)) }
        guard isHost(host) else {
            throw SettingFault("\"\(text)\" is not a host, *.suffix, * or an origin such as http://127.0.0.1:9000")
        }
        return lowered
    }
}
