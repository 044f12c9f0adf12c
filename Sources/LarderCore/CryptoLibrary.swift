// The version of the loaded libcrypto, which computes digests and random bytes.
import CCrypto

/// The cryptographic library behind `Digest`.
public enum CryptoLibrary {
    /// The version of OpenSSL that was loaded at run time, such as "3.0.17".
    public static let version = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
}
