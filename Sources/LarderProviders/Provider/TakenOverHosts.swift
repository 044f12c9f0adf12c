// Names of APIs that are gone and now belong to strangers: programs that still ask there are answered by whoever bought
// the name. Larder never does, whatever a configuration, a redirect or an answer says.

/// Hosts that are never contacted.
public enum TakenOverHosts {
    private static let domains = ["icndb.com"]

    /// - Parameter host: without port; any case.
    public static func contains(_ host: some StringProtocol) -> Bool {
        var host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        return domains.contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    /// The same of a URL's host; false where it is none.
    public static func contains(url: String) -> Bool {
        WebURL(url).map { contains($0.host) } ?? false
    }
}
