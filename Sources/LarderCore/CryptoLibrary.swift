// Which libcrypto makes digests and random bytes.
import CCrypto

/// The library behind `Digest`.
public enum CryptoLibrary {
    /// That of OpenSSL as it was loaded, such as "3.0.17".
    public static let version = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
}
