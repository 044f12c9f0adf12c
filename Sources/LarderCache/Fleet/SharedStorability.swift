// What may leave this host for the tier that a fleet shares. It is narrower than what is stored here: an answer that is for one
// person, or that says itself that it is not for storing, stays on the host that asked for it, whatever the provider's settings
// make of it.
import LarderCore
import LarderHTTP

/// Decides which stored answers are published. Pure.
public enum SharedStorability {
    /// Why an answer is not published. The raw values are labels of `larder_shared_published_total`.
    public enum Obstacle: String, Sendable, Hashable, CaseIterable {
        /// Its key names somebody, or its fields do.
        case personal
        /// It says `no-store` or `private`, or it was made of an answer that did.
        case noStore
        case tooLarge
        /// Its body is not in memory.
        case streamed
        /// Nothing is left of its time.
        case expired
        /// It is a part of an answer.
        case partial
        /// No list of request fields tells which requests it answers.
        case unnamed
    }

    /// Why the entry stays here, or nil.
    /// - Parameter maxObject: the largest body in bytes, as it is stored here.
    public static func obstacle(_ entry: StoredResponse, maxObject: Int64, now: WallTime) -> Obstacle? {
        guard entry.key.isEverybodys else { return .personal }
        if let obstacle = obstacle(fields: entry.fields) { return obstacle }
        guard entry.status != 206 else { return .partial }
        guard entry.large == nil else { return .streamed }
        guard Int64(entry.body.count) <= maxObject else { return .tooLarge }
        guard entry.staleUntil > now else { return .expired }
        return nil
    }

    /// Why nothing that has these fields, or is made of an answer that has them, leaves this host.
    public static func obstacle(fields: HeaderFields) -> Obstacle? {
        let isPersonal = ["Set-Cookie", "Set-Cookie2", "Authorization", "Cookie"].contains { fields.contains($0) }
        if isPersonal { return .personal }
        let control = CacheControl(fields.all("Cache-Control"))
        if control.noStore || control.isPrivate { return .noStore }
        return nil
    }
}
