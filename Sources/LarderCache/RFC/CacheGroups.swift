// Groups of stored responses (RFC 9875). The `Cache-Groups` field of a response names the groups that it belongs to,
// together with other responses of the same origin. The response to an unsafe request may name groups to remove
// (`Cache-Group-Invalidation`).
//
// A group is one more parent of an entry: the digest of the origin and the group's name. Removing that digest removes
// every entry of the group, as removing a raw entry removes the results made from it. Nothing is stored under the
// digest itself.
import LarderCore
import LarderHTTP

/// Reads the groups that a field names. Pure.
public enum CacheGroups {
    /// The most groups that are used of one field. The standard requires at least 32 (§2).
    static let most = 64
    /// The longest group name that is used, in bytes. The standard requires at least 32 (§2).
    static let longest = 256

    /// The groups to which a response belongs.
    /// - Parameters:
    ///   - provider: part of the digest. It separates the groups of different providers with the same origin.
    ///   - requestURL: an absolute URL.
    public static func groups(of fields: HeaderFields, provider: String, requestURL: String) -> [Digest] {
        digests(fields.all(.cacheGroups), provider, requestURL)
    }

    /// The groups that the response to an unsafe request invalidates. Empty if the method is safe (§3) or the response
    /// is an error.
    public static func invalidated(
        method: Method, status: Int, fields: HeaderFields, provider: String, requestURL: String
    ) -> [Digest] {
        guard Invalidation.isDue(method: method, status: status) else { return [] }
        return digests(fields.all(.cacheGroupInvalidation), provider, requestURL)
    }

    /// A field that is not a List of Strings names no group. Parameters have no meaning (§2).
    private static func digests(_ values: [String], _ provider: String, _ requestURL: String) -> [Digest] {
        guard !values.isEmpty, let url = HTTPURL(requestURL), let members = StructuredField.list(values) else {
            return []
        }
        var out: [Digest] = []
        for member in members {
            guard case .item(let item) = member, case .string(let name) = item.value else { return [] }
            guard name.utf8.count <= longest else { continue }
            // None of these parts can contain a line feed, so the text is unambiguous.
            let digest = Digest(of: Bytes(text: "group\n\(provider)\n\(url.scheme)://\(url.authority)\n\(name)"))
            if !out.contains(digest) { out.append(digest) }
            if out.count == most { break }
        }
        return out
    }
}
