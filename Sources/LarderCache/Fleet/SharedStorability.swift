// Decides what may leave this host for the tier that a fleet shares. The rules are stricter than those for storing on
// this host. A response that is for one person, or whose own fields forbid storing, stays on the host that requested
// it, whatever the provider's settings say.
import LarderCore
import LarderHTTP

/// Decides which stored responses are published. Pure.
public enum SharedStorability {
    /// Why a response is not published. The raw values are labels of `larder_shared_published_total`.
    public enum Obstacle: String, Sendable, Hashable, CaseIterable {
        /// Its key or its fields belong to one person.
        case personal
        /// It says `no-store` or `private`, or was made from a response that did.
        case noStore
        case tooLarge
        /// Its body is not in memory.
        case streamed
        /// Its stale window has ended.
        case expired
        /// It is a part of a response.
        case partial
        /// No list of request fields says which requests it answers.
        case unnamed
    }

    /// The reason why the entry is not published; nil if it is.
    /// - Parameter maxObject: the largest body in bytes, as stored on this host.
    public static func obstacle(_ entry: StoredResponse, maxObject: Int64, now: WallTime) -> Obstacle? {
        guard entry.key.isEverybodys else { return .personal }
        if let obstacle = obstacle(fields: entry.fields) { return obstacle }
        guard entry.status != 206 else { return .partial }
        guard entry.large == nil else { return .streamed }
        guard Int64(entry.body.count) <= maxObject else { return .tooLarge }
        guard entry.staleUntil > now else { return .expired }
        return nil
    }

    /// The reason why a response with these fields, or one made from it, must not leave this host; nil if there is
    /// none.
    public static func obstacle(fields: HeaderFields) -> Obstacle? {
        let isPersonal = ["Set-Cookie", "Set-Cookie2", "Authorization", "Cookie"].contains { fields.contains($0) }
        if isPersonal { return .personal }
        let control = CacheControl(fields.all(.cacheControl))
        if control.noStore || control.isPrivate { return .noStore }
        return nil
    }
}
