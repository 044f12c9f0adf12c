// The CA of the proxy in the state directory: its certificate, which everybody may read, and its key, which only the
// directory's owner may (0600). `larder ca` writes them, and the daemon reads them at start and at a reload.
import Glibc
import LarderCore
import LarderIO
import LarderSettings
import LarderTLS

/// The two files.
public struct AuthorityFiles: Sendable {
    public let certificate: String
    public let key: String

    /// - Parameter directory: `state.path`.
    public init(directory: String) {
        certificate = "\(directory)/proxy-ca.pem"
        key = "\(directory)/proxy-ca.key"
    }

    /// Why the CA cannot be read or written.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// The CA; nil if there is none.
    public func read() throws(Failure) -> CertificateAuthority? {
        guard let certificate = try Self.content(of: certificate), let secret = try Self.content(of: key) else {
            return nil
        }
        do {
            return try CertificateAuthority(certificate: certificate, key: secret)
        } catch {
            throw Failure(description: "\(self.certificate) and \(key): \(error)")
        }
    }

    /// Writes the CA in place of the one that is there. The key comes first, so that a crash between the two leaves files
    /// that do not match, which a reader sees.
    public func write(_ authority: CertificateAuthority) throws(Failure) {
        // Before the first start of the daemon there is no directory.
        if let slash = key.lastIndex(of: "/"), !Folder.make(String(key[..<slash])) {
            throw Self.failed(String(key[..<slash]), "made or written")
        }
        do {
            try Self.replace(key, with: try authority.keyPEM(), mode: 0o600)
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(description: "\(key): \(error)")
        }
        try Self.replace(certificate, with: authority.certificatePEM, mode: 0o644)
    }

    /// The longest file that is read, in bytes.
    private static let longest = 1 << 20

    private static func content(of path: String) throws(Failure) -> Bytes? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if access(path, F_OK) != 0 { return nil }
            throw failed(path, "read")
        }
        defer { close(file) }
        var bytes = Bytes(repeating: 0, count: longest)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw failed(path, "read") }
        return Bytes(bytes.prefix(count))
    }

    private static func replace(_ path: String, with bytes: Bytes, mode: mode_t) throws(Failure) {
        let temporary = "\(path).new"
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard file >= 0 else { throw failed(temporary, "made") }
        defer { close(file) }
        // Root makes it for the daemon, which owns the directory.
        var directory = stat()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        if geteuid() == 0, stat(folder, &directory) == 0 { _ = fchown(file, directory.st_uid, directory.st_gid) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(temporary, path) == 0
        else {
            unlink(temporary)
            throw failed(path, "written")
        }
    }

    private static func failed(_ path: String, _ what: String) -> Failure {
        Failure(description: "\(path) cannot be \(what)")
    }
}

extension ProxySettings {
    /// The hosts for which TLS may end here.
    public var securedHosts: [String] {
        hosts.filter { $0.action == .cache }.map(\.pattern).filter { name in
            let bare = name.dropping(prefix: "*.").map(String.init) ?? name
            return !bare.hasPrefix("[") && bare.split(separator: ".").last?.allSatisfy(\.isNumber) == false
        }
    }
}

extension ProxyGate {
    /// Reads the CA, and says what is missing.
    func readAuthority(_ settings: Settings, log: Logger) {
        guard settings.listen.contains(where: \.isProxy) else { return use(nil) }
        let files = AuthorityFiles(directory: settings.statePath)
        do {
            let authority = try files.read()
            use(authority)
            let missing = settings.proxy.securedHosts.filter { host in
                authority?.covers(host.dropping(prefix: "*.").map(String.init) ?? host) != true
            }
            if !missing.isEmpty {
                log.warning(
                    authority == nil
                        ? "the proxy has no CA, so the https of these hosts passes unread: larder ca makes one"
                        : "the proxy's CA does not vouch for some hosts, whose https passes unread: larder ca makes another",
                    ["hosts": missing.joined(separator: ", ")])
            }
        } catch {
            use(nil)
            log.error("the proxy's CA cannot be read; https passes unread", ["error": "\(error)"])
        }
    }
}
