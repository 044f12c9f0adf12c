// Groups of stored answers (RFC 9875). The field `Cache-Groups` of an answer names the groups that it belongs to,
// together with other answers of the same origin. The answer to an unsafe request may name groups to remove
// (`Cache-Group-Invalidation`).
//
// A group is one more parent of an entry: the digest of the origin and the group's name. Removing that digest removes
// every entry of the group, as removing a raw answer removes the results made from it. Nothing is stored under the
// digest itself.
import LarderCore
import LarderHTTP

/// Which groups a field names. Pure.
public enum CacheGroups {
    /// Groups of one field that are heeded; the standard demands at least 32 (§2).
    static let most = 64
    /// Bytes of a name that is heeded; the standard demands at least 32 (§2).
    static let longest = 256

    /// The groups to which an answer belongs.
    /// - Parameters:
    ///   - provider: keeps those of different providers apart, who may speak for the same origin.
    ///   - requestURL: absolute.
    public static func groups(of fields: HeaderFields, provider: String, requestURL: String) -> [Digest] {
        digests(fields.all("Cache-Groups"), provider, requestURL)
    }

    /// The groups whose stored answers are invalidated by an answer to an unsafe request; none where the method is safe (§3) or
    /// the answer is an error.
    public static func invalidated(
        method: Method, status: Int, fields: HeaderFields, provider: String, requestURL: String
    ) -> [Digest] {
        guard Invalidation.isDue(method: method, status: status) else { return [] }
        return digests(fields.all("Cache-Group-Invalidation"), provider, requestURL)
    }

    /// A field that is no List of Strings names none. Parameters say nothing (§2).
    private static func digests(_ values: [String], _ provider: String, _ requestURL: String) -> [Digest] {
        guard !values.isEmpty, let url = HTTPURL(requestURL), let members = StructuredField.list(values) else {
            return []
        }
        var out: [Digest] = []
        for member in members {
            guard case .item(let item) = member, case .string(let name) = item.value else { return [] }
            guard name.utf8.count <= longest else { continue }
            // No part of it can hold a line end.
            let digest = Digest(of: Bytes(text: "group\n\(provider)\n\(url.scheme)://\(url.authority)\n\(name)"))
            if !out.contains(digest) { out.append(digest) }
            if out.count == most { break }
        }
        return out
    }
}
