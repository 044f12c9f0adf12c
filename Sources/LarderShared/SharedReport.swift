// Reports on the shared tier: its state, and its part in one response.
import LarderCore

/// The part of the shared tier in one response.
public enum SharedPart: Sendable, Hashable {
    /// There is no shared tier, or no need to ask it.
    case none
    /// The tier had the response.
    case hit
    /// The tier had no response, or none that was usable.
    case absent
    /// The tier was not asked because its breaker is open, since the given time.
    case breakerOpen(since: WallTime?)
    /// The tier was not asked because a removal has not been told to it yet.
    case removalWaits
    /// The tier did not answer in time, or answered with an error.
    case failed
    /// The response is for one person. The tier is never asked for such responses.
    case notForIt

    /// A sentence for an explanation; nil if there is nothing to say.
    public var sentence: String? {
        switch self {
        case .none: nil
        case .hit: "The answer came from the shared tier. Another host had stored it there."
        case .absent: "Shared tier: it was asked and had no matching answer."
        case .breakerOpen(let since):
            "Shared tier: not asked, its breaker was open after failures\(since.map { ", since \($0.rfc3339)" } ?? "")."
        case .removalWaits: "Shared tier: not asked, because a removal had not been sent to it yet."
        case .failed: "Shared tier: it was asked, and did not answer in time or answered with an error."
        case .notForIt: "Shared tier: not asked, because the answer is for one person."
        }
    }
}

/// The state of the shared tier.
public struct SharedReport: Sendable {
    /// The engine's address without a password.
    public var url: String
    /// `closed`, `open` or `probing`.
    public var breaker: String
    public var openSince: WallTime?
    /// The class of the last failure, however long ago it happened.
    public var lastFailure: String?
    public var isRemovalWaiting: Bool
    public var isConnected = false
    /// Whether the host hears the removals of other hosts.
    public var isFollowing = false
    /// Look-ups that found a response, look-ups that did not, and published responses.
    public var hits = 0
    public var misses = 0
    public var published = 0

    /// Writes the report as the member `shared` of an object.
    public func write(to writer: inout JSONWriter) {
        writer.name("shared")
        writer.object { writer in
            writer.member("url", url)
            writer.member("connected", isConnected)
            writer.member("following", isFollowing)
            writer.member("breaker", breaker)
            writer.member(ifPresent: "openSince", openSince?.rfc3339)
            writer.member(ifPresent: "lastFailure", lastFailure)
            writer.member("removalWaiting", isRemovalWaiting)
            writer.member("hits", hits)
            writer.member("misses", misses)
            writer.member("published", published)
        }
    }
}
