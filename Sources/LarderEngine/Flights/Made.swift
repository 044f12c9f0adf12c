// What a flight has made: one value for everyone who waits for it. `EntryRequest` makes the answer to one request of it.
import LarderCache
import LarderCore
import LarderHTTP
import LarderShared

/// An entry that a flight has made.
public struct Made: Sendable {
    var entry: StoredResponse
    /// Where the body comes from while the entry does not hold it.
    var tape: TapeBody?
    var origin: Origin
    /// What became of its row.
    var written = Written.refused
    /// Whether it may be handed to others who asked for the same key (RFC 9111 §4: only what may be stored).
    var mayBeShared = true
    /// Why it is stored, or is not, where the upstream's rules decided.
    var storing: CacheRule?
    /// The room in memory of what the upstream sent, kept until the last who waited has used it.
    var hold: BodyHold?
    /// Whom it answers besides who asked for it; nil: everyone who asks for its key.
    var selection: Selection?
    /// What goes to who asked for it alone.
    var own: Own?
    /// The part of the tier that hosts share.
    var shared = SharedPart.none
    /// The range that the upstream was asked for.
    var asked: String?
    /// The upstream has judged the conditions of the request that it was sent for.
    var isJudged = false
    /// Whether it, and what it was made of, may be published there: what it was made of was brought by the same flight.
    var mayLeave = true

    /// Where an entry comes from.
    enum Origin: Sendable {
        /// The upstream answered with that status: 304 where the stored entry was found to be still right.
        /// - Parameter isAnswer: the provider takes it for an answer, and not for a failure.
        case upstream(status: Int, isAnswer: Bool)
        /// It was found stored: another flight ended between the asker's look and its lead.
        case store
        /// It was made from another stored form, without asking the upstream; the word for that in `Cache-Status`.
        case otherForm(String)
        /// A stale entry stands in for a failure.
        case standIn(UpstreamFailure)
    }

    /// The request that an entry answers.
    struct Selection: Sendable {
        /// Which request fields select it; who sends others needs another entry (RFC 9111 §4.1).
        var vary: Vary
        /// The fields of the request by which it was selected.
        var fields: HeaderFields
        /// Removals up to when the flight began.
        var began: RemovalStamp
        /// Among the answers of its URL that are under way.
        var place: AnswerPlace?
    }

    /// The parts of an upstream's answer that are not stored and not for others.
    struct Own: Sendable {
        /// The whole head.
        var fields: HeaderFields
        var interim: [InterimHead]
    }
}

extension Made {
    /// - Parameter origin: nil where the upstream sent the entry with its own status.
    init(entry: StoredResponse, origin: Origin? = nil, written: Written = .refused, hold: BodyHold? = nil) {
        self.entry = entry
        self.origin = origin ?? .upstream(status: entry.status, isAnswer: true)
        self.written = written
        self.hold = hold
    }

    /// - Parameter failure: the one for which a stale entry stands in; nil where none does.
    init(entry: StoredResponse, covering failure: UpstreamFailure?) {
        self.init(entry: entry, origin: failure.map { .standIn($0) })
    }

    /// An entry that another flight has stored by now.
    init(found entry: StoredResponse, ready: ReadyStamp? = nil) {
        self.init(entry: entry, origin: .store, written: Written(state: .stored, ready: ready))
    }

    /// The failure for which a stale entry stands in.
    var covering: UpstreamFailure? {
        if case .standIn(let failure) = origin { failure } else { nil }
    }

    /// The upstream sent it, or the tier that hosts share.
    var isFromOutside: Bool {
        if case .upstream = origin { true } else { shared == .hit }
    }

    /// The other stored form that it was made from.
    var storedForm: String? {
        if case .otherForm(let word) = origin { word } else { nil }
    }
}

extension Fetched.Origin {
    /// The origin as far as `RequestFlow` decides by it.
    init(_ origin: Made.Origin) {
        self =
            switch origin {
            case .upstream(let status, let isAnswer): .upstream(status: status, isAnswer: isAnswer)
            case .store: .store
            case .otherForm: .otherForm
            case .standIn: .standIn
            }
    }
}
