// The environment of a command under `larder run`: where its proxy is, and whom it trusts. Each ecosystem has names of
// its own for that. Pure.
import LarderCore

/// The files that a run makes for its command.
struct RunFiles: Sendable, Hashable {
    /// The system's roots and the run's CA, in PEM.
    var bundle: String
    /// The run's CA alone, for programs that add it to their own roots.
    var authority: String
    /// The same roots as a PKCS #12 trust store for Java; nil if it could not be made.
    var javaStore: String?
    var javaPassword: String
    /// wget's settings with the bundle: its build with GnuTLS knows no variable for roots.
    var wgetSettings: String?
}

enum RunEnvironment {
    /// Programs that replace their roots by a file.
    private static let bundleNames = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "npm_config_cafile", "GIT_SSL_CAINFO",
        "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE",
    ]
    /// Programs that add a file to their roots.
    private static let authorityNames = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]
    private static let proxyNames = ["http_proxy", "https_proxy", "all_proxy"]
    /// Servers of the command's own must not be asked through the proxy.
    private static let ownNames = ["localhost", "127.0.0.1", "::1"]

    /// - Parameters:
    ///   - port: that of the run's proxy on 127.0.0.1.
    ///   - hosts: what `--host` names. These are taken out of `no_proxy`.
    static func make(
        from parent: [String: String], port: UInt16, hosts: [String], files: RunFiles
    ) -> [String: String] {
        var environment = parent
        let proxy = "http://127.0.0.1:\(port)"
        for name in proxyNames {
            environment[name] = proxy
            environment[name.uppercased()] = proxy
        }
        let excluded = noProxy(parent["no_proxy"] ?? parent["NO_PROXY"] ?? "", hosts)
        environment["no_proxy"] = excluded
        environment["NO_PROXY"] = excluded
        for name in bundleNames { environment[name] = files.bundle }
        for name in authorityNames { environment[name] = files.authority }
        environment["NODE_USE_ENV_PROXY"] = "1"
        if let file = files.wgetSettings { environment["WGETRC"] = file }
        if let store = files.javaStore {
            environment["JAVA_TOOL_OPTIONS"] = javaOptions(parent["JAVA_TOOL_OPTIONS"], port, excluded, store, files)
        }
        return environment
    }

    /// The hosts that are asked directly: those of the parent and this machine, without those that the run is for.
    private static func noProxy(_ parent: String, _ hosts: [String]) -> String {
        var names = parent.split(separator: ",").map { String(ASCII.trimmed($0)) }.filter { !$0.isEmpty }
        for name in ownNames where !names.contains(name) { names.append(name) }
        return names.filter { name in !hosts.contains { isExcluded($0, by: name) } }.joined(separator: ",")
    }

    /// Whether an entry of `no_proxy` keeps a host from the proxy: the host itself, a suffix, or everything.
    private static func isExcluded(_ host: String, by entry: String) -> Bool {
        let bare = entry.lowercased().drop { $0 == "*" }.drop { $0 == "." }
        return bare.isEmpty || host == bare || host == "[\(bare)]" || host.hasSuffix(".\(bare)")
    }

    /// Java takes neither the variables of other programs nor PEM files
    /// (https://docs.oracle.com/javase/8/docs/technotes/guides/net/proxies.html).
    private static func javaOptions(
        _ parent: String?, _ port: UInt16, _ excluded: String, _ store: String, _ files: RunFiles
    ) -> String {
        let own = [
            "-Dhttp.proxyHost=127.0.0.1", "-Dhttp.proxyPort=\(port)", "-Dhttps.proxyHost=127.0.0.1",
            "-Dhttps.proxyPort=\(port)", "-Dhttp.nonProxyHosts=\(javaHosts(excluded))",
            quoted("-Djavax.net.ssl.trustStore=\(store)"), "-Djavax.net.ssl.trustStoreType=PKCS12",
            "-Djavax.net.ssl.trustStorePassword=\(files.javaPassword)",
        ]
        return ([parent].compactMap { $0 }.filter { !$0.isEmpty } + own).joined(separator: " ")
    }

    /// Java's own form of `no_proxy`: "|" between entries, "*" for the rest of a name, brackets around IPv6.
    private static func javaHosts(_ excluded: String) -> String {
        excluded.split(separator: ",").map { entry in
            entry.hasPrefix(".") ? "*\(entry)" : entry.contains(":") ? "[\(entry)]" : String(entry)
        }.joined(separator: "|")
    }

    /// The launcher splits the variable at white space outside quotation marks.
    private static func quoted(_ option: String) -> String { option.contains(" ") ? "\"\(option)\"" : option }
}
