// Artwork is fetched by signed handle, never by free URL: a handle is base64url(version, provider, URL, MAC), so it
// outlives eviction and a lost cache database, and nobody without the key can make one.
import LarderCore

/// Makes and opens artwork handles with one secret key.
public struct ArtworkSigner: Sendable {
    private static let version: UInt8 = 1
    /// 128 bits of HMAC-SHA-256 (truncation: RFC 2104 §5).
    private static let tagLength = 16
    /// No handle longer than this is looked at; results name no picture whose URL is longer than 4 KiB.
    private static let maxHandle = 8192

    private static let route = "/v1/artwork/"

    private let key: HMACKey

    /// A number that stands for a text, and that nobody without the key can tell the text by.
    public func mark(of text: Bytes) -> UInt64 { key.code(of: Bytes(text: "mark:") + text).words.0 }

    /// - Parameter key: at least 32 bytes that nobody can guess.
    public init(key: Bytes) {
        self.key = HMACKey(key)
    }

    /// The path of an image on this daemon: "/v1/artwork/<handle>".
    public func path(provider: String, url: String) -> String {
        Self.route + handle(provider: provider, url: url)
    }

    /// Appends that path. It has no byte that a JSON string would have to escape.
    func appendPath(provider: String, url: String, to text: inout Bytes) {
        JSONText.append(plain: Self.route, to: &text)
        Base64URL.append(signed(provider: provider, url: url), to: &text)
    }

    /// The handle alone.
    public func handle(provider: String, url: String) -> String {
        Base64URL.encode(signed(provider: provider, url: url))
    }

    /// A handle's bytes.
    private func signed(provider: String, url: String) -> Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(2 + provider.utf8.count + url.utf8.count + Self.tagLength)
        bytes.append(Self.version)
        // Names of providers are short; the length keeps (name, URL) apart from every other split of the same bytes.
        bytes.append(UInt8(clamping: provider.utf8.count))
        var provider = provider
        provider.withUTF8 { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0.prefix(255))) }
        JSONText.append(plain: url, to: &bytes)
        bytes.append(contentsOf: key.code(of: bytes).bytes.prefix(Self.tagLength))
        return bytes
    }

    /// What a handle names, or nil where we did not make it.
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
