// Parses `shared.url`, the address of the shared tier's engine. A password in it is refused, because settings are shown
// and secrets must not be.
import LarderCore
import LarderIO

/// The parts of `shared.url`.
public struct SharedURL: Sendable, Hashable {
    /// Where to connect.
    public enum Place: Sendable, Hashable {
        /// The path of a Unix socket.
        case unix(String)
        /// A host name or an IP address without brackets.
        case tcp(host: String, port: UInt16)
    }

    public var place: Place
    public var user: String?
    public var database = 0

    static let wanted = "write redis://host:6379, redis://user@host:6379/2 or unix:/run/redis/redis.sock"

    /// - Throws: what is wrong with the text, and what would be valid.
    init(_ text: String) throws(SettingFault) {
        if text.hasPrefix("rediss://") {
            throw SettingFault(
                "rediss:// (TLS) is not supported: use a tunnel such as stunnel or ssh -L, and write the address of "
                    + "its near end, as in redis://127.0.0.1:6379")
        }
        if text.hasPrefix("unix:") {
            do throws(AddressError) {
                _ = try Address(text)
            } catch {
                throw SettingFault(error.description)
            }
            place = .unix(String(text.dropFirst(5)))
            return
        }
        guard let rest = text.dropping(prefix: "redis://"), !rest.contains("?"), !rest.contains("#") else {
            throw SettingFault("\"\(text.prefix { $0 != ":" })…\" is not the address of an engine: \(Self.wanted)")
        }
        var authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count + 1)
        if !path.isEmpty {
            guard let number = Int(path), (0...65_535).contains(number), path.utf8.allSatisfy(ASCII.isDigit) else {
                throw SettingFault("\"/\(path)\" is not a database number from 0 to 65535: \(Self.wanted)")
            }
            database = number
        }
        if let at = authority.lastIndex(of: "@") {
            let user = authority[..<at]
            guard !user.contains(":") else {
                throw SettingFault("contains a password, which would be shown: put it into shared.password")
            }
            guard !user.isEmpty, user.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw SettingFault("has no user before \"@\": \(Self.wanted)")
            }
            self.user = String(user)
            authority = authority[authority.index(after: at)...]
        }
        place = try Self.host(authority)
    }

    private static func host(_ authority: Substring) throws(SettingFault) -> Place {
        var host = authority
        var port: UInt16 = 6379
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            let text = authority[authority.index(after: colon)...]
            guard text.utf8.allSatisfy(ASCII.isDigit), let number = UInt16(text), number > 0 else {
                throw SettingFault("\"\(text)\" is not a port from 1 to 65535: \(wanted)")
            }
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = String(host.dropFirst().dropLast())
            guard (try? Address("[\(inner)]:1")) != nil else { throw SettingFault("\"\(inner)\" is no IPv6 address") }
            return .tcp(host: inner, port: port)
        }
        let isName = host.utf8.allSatisfy {
            ASCII.isDigit($0) || ASCII.isLetter($0) || [0x2D, 0x2E, 0x5F].contains($0)
        }
        guard isName, !host.isEmpty, host.utf8.count <= 253 else {
            throw SettingFault("\"\(host)\" is not a host: \(wanted)")
        }
        return .tcp(host: String(host), port: port)
    }

    /// Checks the text of the setting and returns it unchanged.
    static func check(_ text: String) throws(SettingFault) -> String {
        _ = try SharedURL(text)
        return text
    }

    /// Checks a prefix of keys.
    static func prefix(_ text: String) throws(SettingFault) -> String {
        let isPlain = text.utf8.allSatisfy {
            ASCII.isDigit($0) || ASCII.isLetter($0) || [0x2D, 0x2E, 0x5F].contains($0)
        }
        guard isPlain, (1...64).contains(text.utf8.count) else {
            throw SettingFault("\"\(text)\" must be 1 to 64 letters, digits, \".\", \"-\" or \"_\"")
        }
        return text
    }

    /// Checks that a secret shared by hosts has at least 32 bytes.
    static func strong(_ text: String) throws(SettingFault) -> String {
        guard text.utf8.count >= 32 else {
            throw SettingFault("has \(text.utf8.count) bytes and needs 32 at least: openssl rand -hex 32 makes one")
        }
        return text
    }
}
