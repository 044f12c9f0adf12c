// DNS names as certificates carry them: ASCII labels in lower case. Only names of this form get into the text from
// which libcrypto makes an extension, so none can add a second name to it.
import LarderCore

enum HostName {
    /// What an authority for no host permits. Nothing has such a name, so nothing is permitted (RFC 6761 §6.4).
    static let nothing = "invalid"

    /// The name in lower case. Nil if it is an address or no name of letters, digits, hyphens and underscores
    /// (RFC 1123 §2.1, RFC 5280 §4.2.1.6).
    static func normalised(_ text: String) -> String? {
        let labels = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last, !last.allSatisfy(ASCII.isDigit) else { return nil }
        for label in labels {
            guard 1...63 ~= label.count,
                label.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F })
            else { return nil }
        }
        return Bytes(text.utf8.map(ASCII.lowercased)).lossyText
    }

    /// The names that an authority for these patterns must permit, each once. A permitted name admits its subdomains,
    /// so `*.example.org` needs `example.org` (RFC 5280 §4.2.1.10).
    static func permitted(for patterns: [String]) throws(CertificateFailure) -> [String] {
        var names: [String] = []
        for pattern in patterns {
            guard let name = normalised(pattern.hasPrefix("*.") ? String(pattern.dropFirst(2)) : pattern) else {
                throw .notAHost(pattern)
            }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
