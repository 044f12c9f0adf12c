// The libraries that this process has loaded, for `larder version`, `/v1/status` and `larder_build_info`.
import LarderCore
import LarderFetch
import LarderHTTP
import LarderSettings
import LarderStore

public enum LibraryVersions {
    /// Each library with its version, in display order.
    public static let all: [(name: String, version: String)] = [
        ("libcurl", CurlUpstream.libraryVersion), ("tls", CurlUpstream.tlsVersion),
        ("sqlite", SQLiteStore.libraryVersion), ("zlib", ContentInflater.libraryVersion),
        ("libyaml", YAMLLibrary.version), ("openssl", CryptoLibrary.version),
    ]
}
