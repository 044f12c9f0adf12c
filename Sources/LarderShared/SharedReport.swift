// What the shared tier tells of itself and of its part in one answer.
import LarderCore

/// The part of the shared tier in one answer.
public enum SharedPart: Sendable, Hashable {
    /// There is none, or nobody had to ask it.
    case none
    /// It had the answer.
    case hit
    /// It had no answer, or none that is good enough.
    case absent
    /// It was not asked: its breaker is open since then.
    case breakerOpen(since: WallTime?)
    /// It was not asked: a removal waits to be told.
    case removalWaits
    /// It did not answer in its time, or with an error.
    case failed
    /// The answer is for one person: it is never asked for those.
    case notForIt

    /// For an explanation; nil where there is nothing to tell.
    public var sentence: String? {
        switch self {
        case .none: nil
        case .hit: "The answer came from the shared tier, where another host had put it."
        case .absent: "Shared tier: asked, it had no answer that fits."
        case .breakerOpen(let since):
            "Shared tier: not asked, its breaker was open after failures\(since.map { ", since \($0.rfc3339)" } ?? "")."
        case .removalWaits: "Shared tier: not asked, a removal had not been told to it yet."
        case .failed: "Shared tier: asked, it did not answer in time or answered with an error."
        case .notForIt: "Shared tier: not asked, the answer is for one person."
        }
    }
}

/// The state of the shared tier.
public struct SharedReport: Sendable {
    /// Without a password.
    public var url: String
    /// `closed`, `open` or `probing`.
    public var breaker: String
    public var openSince: WallTime?
    /// The class of the last failure, however long ago.
    public var lastFailure: String?
    public var isRemovalWaiting: Bool
    public var isConnected = false
    /// It hears what other hosts remove.
    public var isFollowing = false
    /// Look-ups that brought an answer, and those that did not; answers published.
    public var hits = 0
    public var misses = 0
    public var published = 0

    /// Writes it as the member `shared` of an object.
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
