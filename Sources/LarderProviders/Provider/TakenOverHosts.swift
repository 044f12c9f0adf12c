// Domains of defunct APIs that now belong to strangers, who would answer programs that still use them. Larder never
// contacts these hosts, whatever a configuration, a redirect or a response says.

/// Hosts that are never contacted.
public enum TakenOverHosts {
    private static let domains = ["icndb.com"]

    /// - Parameter host: without a port, in any letter case.
    public static func contains(_ host: some StringProtocol) -> Bool {
        var host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        return domains.contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    /// The same for the host of a URL; false if the text is not a URL.
    public static func contains(url: String) -> Bool {
        WebURL(url).map { contains($0.host) } ?? false
    }
}
