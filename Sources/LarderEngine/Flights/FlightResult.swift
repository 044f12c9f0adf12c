// What a flight is to those outside: the work that makes an entry for everyone who asked for it, how that tells what it
// brings (`Made`), and how an asker's wait for it ends.
import LarderCache
import LarderCore
import LarderIO

/// By which a flight's work tells what it brings before its end: everyone who waits is answered then, and who comes
/// later is answered at once, while the flight goes on until its row is committed or refused.
struct FlightVoice: Sendable {
    let announce: @Sendable (Made) async -> Void

    /// Of work that is no flight's.
    static let silent = FlightVoice { _ in }
}

/// What a flight brings to everyone who waits for it.
public enum FlightResult: Sendable {
    case answered(Made)
    case failed(UpstreamFailure)
}

/// How one asker's wait ended.
enum Obtained: Sendable {
    case result(FlightResult, joined: Bool)
    /// The answer is nobody else's to use, or the last one of this key was: the asker fetches for itself.
    case alone
    /// The asker's patience ran out; the flight goes on.
    case late(Blame)
    /// The asker itself was cancelled: its client has left.
    case left

    /// It waited for the flight of another, whether or not it may have what that brought.
    var hasJoined: Bool {
        switch self {
        case .result(_, let joined): joined
        case .alone: true
        case .late, .left: false
        }
    }
}
