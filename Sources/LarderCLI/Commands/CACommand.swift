// larder ca: makes the CA with which the proxy ends TLS, for the hosts of the configuration and no others.
import Glibc
import LarderCore
import LarderDaemon
import LarderSettings
import LarderTLS

enum CACommand {
    /// How long a CA lives.
    private static let lifetime = Duration.seconds(825 * 86_400)
    /// A CA that ends sooner than this is made again.
    private static let least = Duration.seconds(30 * 86_400)

    static let make = Subcommand(
        "ca", "make the CA with which the proxy ends TLS",
        details: [
            "The CA can vouch for the hosts that proxy.hosts marks with cache, and for no others: its certificate says "
                + "so. Its files are in state.path. A program that goes through the proxy must trust it: larder ca show "
                + "prints the certificate. Never put it into the trust of a whole system. Reload the daemon afterwards. "
                + "larder run needs no such CA."
        ],
        options: [
            CommandOption("--new", "make another one, although the present one is right"), ServeCommand.configOption,
            ServeCommand.setOption,
        ],
        examples: [
            ("larder ca", "make it, if it is missing, ends soon or lacks a host"),
            ("larder ca show > larder-ca.pem", "the certificate for programs that are to trust it"),
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let settings = try read(invocation)
        let files = AuthorityFiles(directory: settings.statePath)
        let hosts = settings.proxy.securedHosts
        guard !hosts.isEmpty else {
            throw CommandFailure(
                .usage, "no line of proxy.hosts marks a host with cache",
                advice: "proxy: { hosts: { api.example.org: cache } }")
        }
        let now = SystemTime().wall()
        if !invocation.has("--new"), let present = try? files.read(), present.expiry - now > least,
            hosts.allSatisfy({ present.covers($0.dropping(prefix: "*.").map(String.init) ?? $0) })
        {
            tell(present, files, invocation, "It is right as it is.")
            return .done
        }
        do {
            // Whole seconds, and a day earlier for clocks that are behind.
            let start = WallTime(milliseconds: now.milliseconds / 1000 * 1000) + .seconds(-86_400)
            let made = try CertificateAuthority(hosts: hosts, from: start, until: start + lifetime)
            try files.write(made)
            tell(
                made, files, invocation, "Programs that trusted an earlier one must trust this one. Reload the daemon.")
        } catch {
            throw CommandFailure(.failed, "the CA cannot be made: \(error)")
        }
        return .done
    }

    static let show = Subcommand(
        "ca show", "print the certificate of the proxy's CA",
        details: ["In PEM, for the programs that are to trust it."],
        options: [ServeCommand.configOption, ServeCommand.setOption],
        examples: [
            ("larder ca show > larder-ca.pem", "a file for the programs that are to trust it")
        ]
    ) { invocation throws(CommandFailure) in
        try invocation.noOperands()
        let files = AuthorityFiles(directory: try read(invocation).statePath)
        do {
            guard let authority = try files.read() else {
                throw CommandFailure(.failed, "there is no CA", advice: "larder ca makes one")
            }
            _ = invocation.console.show(authority.certificatePEM)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.failed, "the CA cannot be read: \(error)")
        }
        return .done
    }

    private static func read(_ invocation: Invocation) throws(CommandFailure) -> Settings {
        do {
            return try SettingsSources(invocation).read()
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    private static func tell(
        _ authority: CertificateAuthority, _ files: AuthorityFiles, _ invocation: Invocation, _ what: String
    ) {
        invocation.console.line("certificate  \(files.certificate)")
        invocation.console.line("hosts        \(authority.permittedNames.joined(separator: ", "))")
        invocation.console.line("ends         \(authority.expiry.rfc3339)")
        invocation.console.line("SHA-256      \(authority.fingerprint.hex)")
        invocation.console.line(what)
    }
}
