// Which groups of responses (RFC 9875) were removed lately. The groups of a response that is under way are not known
// before its head arrives. So a removal of a group makes nothing outdated at once. It is noted here with a number, and
// a response is compared when it is to be stored: it is outdated if one of its groups was removed since it was asked
// for. So no origin keeps responses of other providers, or of other groups, from being stored.
import LarderCore

/// The removals of groups, by provider. Pure.
struct GroupRemovals: Sendable {
    /// The most groups that are kept of one provider. Beyond that all of them are forgotten, and every response of the
    /// provider that has a group and was asked for earlier is outdated.
    static let most = 1024

    private struct OfProvider: Sendable {
        /// The number of the latest removal of each group.
        var groups: [Digest: UInt64] = [:]
        /// The number of the latest removal that was forgotten.
        var forgotten: UInt64 = 0
        var latest: UInt64 = 0
        var count: UInt64 = 0
    }
    /// One for each provider that has removed a group.
    private var providers: [String: OfProvider] = [:]
    /// The number of the latest removal of all.
    private(set) var latest: UInt64 = 0

    /// Notes that these groups are being removed.
    mutating func note(_ groups: [Digest], of provider: String) {
        latest += 1
        var known = providers[provider] ?? OfProvider()
        if known.groups.count + groups.count > Self.most { (known.groups, known.forgotten) = ([:], known.latest) }
        for group in groups { known.groups[group] = latest }
        known.latest = latest
        known.count += 1
        providers[provider] = known
    }

    /// How often `note` was called for a provider.
    func count(of provider: String) -> UInt64 { providers[provider]?.count ?? 0 }

    /// Whether any group of a provider was removed after the removal with this number.
    func hasAny(of provider: String, after number: UInt64) -> Bool {
        providers[provider].map { $0.latest > number } ?? false
    }

    /// Whether a response with these parents, among them its groups, is outdated if it was asked for when `number` was
    /// the latest removal.
    func concern(_ parents: [Digest], of provider: String, after number: UInt64) -> Bool {
        guard !parents.isEmpty, let known = providers[provider], known.latest > number else { return false }
        return known.forgotten > number || parents.contains { known.groups[$0].map { $0 > number } ?? false }
    }
}
