// A flight as other code sees it: its result, how its work announces it (`Made`), and how a caller's wait ends.
import LarderCache
import LarderCore
import LarderIO

/// Announces the result of a flight's work before the work ends. All waiting callers get the result then, and later
/// callers get it at once. The flight goes on until its row is committed or refused.
struct FlightVoice: Sendable {
    let announce: @Sendable (Made) async -> Void

    /// For work that belongs to no flight.
    static let silent = FlightVoice { _ in }
}

/// What a flight brings to every caller that waits for it.
public enum FlightResult: Sendable {
    case answered(Made)
    case failed(UpstreamFailure)
}

/// How one caller's wait ended.
enum Obtained: Sendable {
    case result(FlightResult, joined: Bool)
    /// The response, or the last one of this key, is not for other callers. The caller fetches for itself.
    case alone
    /// The caller's patience ran out. A shared flight goes on.
    case late(Blame)
    /// The caller was cancelled because its client has left.
    case left

    /// Whether the caller depended on another caller's flight, whether or not it may use that flight's result.
    var hasJoined: Bool {
        switch self {
        case .result(_, let joined): joined
        case .alone: true
        case .late, .left: false
        }
    }
}
