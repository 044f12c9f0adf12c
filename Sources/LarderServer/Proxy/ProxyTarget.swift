// The host that a request through the proxy names: the authority of an absolute target (RFC 9112 §3.2.2) or of CONNECT
// (§3.2.3). One spelling only: lower case, no final dot, IPv6 in its canonical form, so that rules compare texts.
import LarderCore
import LarderHTTP
import LarderIO

/// A scheme, host and port.
public struct ProxyTarget: Sendable, Hashable {
    /// What is carried: a request in absolute form, or whatever a tunnel to that port carries.
    public enum Form: Sendable, Hashable {
        case http
        case https
        case connect
    }

    public let form: Form
    /// IPv6 literals stand in brackets.
    public let host: String
    public let port: UInt16

    public init(form: Form, host: String, port: UInt16) {
        self.form = form
        self.host = host
        self.port = port
    }

    /// The host of a URL.
    public init?(_ url: HTTPURL) {
        let target = Bytes(text: url.authority).withUnsafeBufferPointer {
            Self(form: url.scheme == "https" ? .https : .http, authority: $0)
        }
        guard let target else { return nil }
        self = target
    }

    /// Nil for user information (RFC 9110 §4.2.4), an empty host, an invalid port, and for CONNECT without a port (RFC
    /// 9110 §9.3.6).
    init?(form: Form, authority: UnsafeBufferPointer<UInt8>) {
        guard authority.count <= 512, HostPolicy.isWellFormed(authority) else { return nil }
        var text = HeaderField.text(authority)
        var port: UInt16? =
            switch form {
            case .http: 80
            case .https: 443
            case .connect: nil
            }
        if let colon = text.utf8.lastIndex(of: 0x3A), text.utf8[colon...].contains(0x5D) == false {
            let digits = text[text.utf8.index(after: colon)...]
            if !digits.isEmpty || form == .connect { port = UInt16(digits) }
            text = String(text[..<colon])
        }
        guard let port, port > 0, let host = Self.host(text) else { return nil }
        self.init(form: form, host: host, port: port)
    }

    /// The one spelling of a host; nil if it is none.
    public static func host(_ written: String) -> String? {
        let text = FieldList.lowercased(written)
        if text.utf8.first == 0x5B {
            guard text.utf8.last == 0x5D, case .ipv6(let bytes, _)? = try? Address("\(text):0") else { return nil }
            return "[\(Address.text(bytes))]"
        }
        let name = text.utf8.last == 0x2E ? String(text.dropLast()) : text
        guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            return nil
        }
        return name
    }

    /// Host and port as `Host` writes them: without the default port of the scheme. A tunnel counts as https.
    public var authority: String {
        let usual: UInt16 = form == .http ? 80 : 443
        return port == usual ? host : "\(host):\(port)"
    }

    /// Whether the host can only be this machine, as it is written.
    public var isOnThisMachine: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || (try? Address("\(host):0"))?.isLoopback == true
    }

    /// Whether a Host, or the authority of an absolute target, names this host.
    func isNamed(by authority: UnsafeBufferPointer<UInt8>) -> Bool {
        ProxyTarget(form: form, authority: authority) == self
    }

    /// "https://example.org", as addresses of its resources begin.
    public var origin: String { "\(form == .http ? "http" : "https")://\(authority)" }
}
