// Clients fetch artwork by a signed handle, never by a URL of their choice. A handle is base64url(version, provider,
// URL, MAC). It stays valid after eviction and a loss of the cache database. Only the holder of the key can make one.
import LarderCore

/// Makes and verifies artwork handles with one secret key.
public struct ArtworkSigner: Sendable {
    private static let version: UInt8 = 1
    /// 128 bits of HMAC-SHA-256 (truncation: RFC 2104 §5).
    private static let tagLength = 16
    /// The longest accepted handle, in bytes. Results name no picture whose URL is longer than 4 KiB.
    private static let maxHandle = 8192

    private static let route = "/v1/artwork/"

    private let key: HMACKey

    /// A number that identifies a text. Nobody without the key can find the text from the number.
    public func mark(of text: Bytes) -> UInt64 { key.code(of: Bytes(text: "mark:") + text).words.0 }

    /// - Parameter key: at least 32 unpredictable bytes.
    public init(key: Bytes) {
        self.key = HMACKey(key)
    }

    /// The path of an image on this daemon: "/v1/artwork/<handle>".
    public func path(provider: String, url: String) -> String {
        Self.route + handle(provider: provider, url: url)
    }

    /// Appends the path of an image on this daemon. The path contains no byte that a JSON string must escape.
    func appendPath(provider: String, url: String, to text: inout Bytes) {
        JSONText.append(plain: Self.route, to: &text)
        Base64URL.append(signed(provider: provider, url: url), to: &text)
    }

    /// The handle alone.
    public func handle(provider: String, url: String) -> String {
        Base64URL.encode(signed(provider: provider, url: url))
    }

    /// The bytes of a handle before encoding.
    private func signed(provider: String, url: String) -> Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(2 + provider.utf8.count + url.utf8.count + Self.tagLength)
        bytes.append(Self.version)
        // Provider names are short. The length byte keeps (name, URL) distinct from any other split of the same bytes.
        bytes.append(UInt8(clamping: provider.utf8.count))
        var provider = provider
        provider.withUTF8 { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0.prefix(255))) }
        JSONText.append(plain: url, to: &bytes)
        bytes.append(contentsOf: key.code(of: bytes).bytes.prefix(Self.tagLength))
        return bytes
    }

    /// The provider and URL of a handle; nil if this key did not sign it.
    public func open(_ handle: some StringProtocol) -> (provider: String, url: String)? {
        guard handle.utf8.count <= Self.maxHandle, let bytes = Base64URL.decode(handle),
            bytes.count > 2 + Self.tagLength, bytes[0] == Self.version
        else { return nil }
        let signed = Bytes(bytes.dropLast(Self.tagLength))
        let tag = Bytes(key.code(of: signed).bytes.prefix(Self.tagLength))
        guard Secrets.equal(tag, Bytes(bytes.suffix(Self.tagLength))) else { return nil }
        let nameEnd = 2 + Int(signed[1])
        guard nameEnd <= signed.count, let provider = Bytes(signed[2..<nameEnd]).strictText,
            let url = Bytes(signed[nameEnd...]).strictText
        else { return nil }
        return (provider, url)
    }
}
