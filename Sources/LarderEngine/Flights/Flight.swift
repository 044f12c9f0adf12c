// What a flight is to those outside: the work that makes an entry for everyone who asked for it, what it brings, and how an
// asker's wait for it ends.
import LarderCache
import LarderCore
import LarderIO

/// An entry that a flight has made.
public struct Made: Sendable {
    var entry: StoredResponse
    /// What became of its row.
    var written = Written.refused
    /// Whether it may be handed to others who asked for the same key (RFC 9111 §4: only what may be stored).
    var mayBeShared = true
    /// The failure for which a stale entry stands in.
    var covering: UpstreamFailure?
    /// It was made from what is stored, without asking the upstream; the word for that in `Cache-Status`.
    var storedForm: String?
    /// The room in memory of what the upstream sent, kept until the last who waited has used it.
    var hold: BodyHold?
    /// With pass-through: the answer as it came, whose body may still be on its way.
    var passed: PassedAnswer?
    /// It was found stored: another flight ended between the asker's look and its lead.
    var isFound = false
}

extension Made {
    /// An entry that another flight has stored by now.
    public init(found entry: StoredResponse, ready: ReadyStamp? = nil, passed: PassedAnswer? = nil) {
        self.init(entry: entry, written: Written(state: .stored, ready: ready), passed: passed, isFound: true)
    }

    /// Where it comes from, as far as decisions go.
    var origin: Fetched.Origin {
        if covering != nil { return .standIn }
        if storedForm != nil { return .otherForm }
        if isFound { return .store }
        return .upstream(status: passed?.upstreamStatus ?? entry.status, isAnswer: passed?.isAnswer ?? true)
    }
}

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
}
