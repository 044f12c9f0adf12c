// The result of a flight: one value for all callers. `EntryRequest` makes the response to one request from it.
import LarderCache
import LarderCore
import LarderHTTP
import LarderShared

/// An entry that a flight has made.
public struct Made: Sendable, CopyOnWrite {
    public struct Content: Sendable {
        var entry: StoredResponse
        /// Where the body is read from while the entry does not hold it.
        var tape: TapeBody?
        /// Whether the body is being stored while it arrives.
        var isBeingStored = false
        /// Whether a beginning of the body is of use. If not, a failure after the announcement is remembered like one before
        /// it.
        var isUsefulInPart = true
        var origin: Origin
        /// What became of the entry's row.
        var written = Written.refused
        /// Whether other callers for the same key may get it (RFC 9111 §4: only what may be stored).
        var mayBeShared = true
        /// Why the entry is or is not stored, if the upstream's rules decided that.
        var storing: CacheRule?
        /// The memory reservation of the upstream's response, kept until the last caller has used the response.
        var hold: BodyHold?
        /// Which other requests the entry answers. Nil means every request for its key.
        var selection: Selection?
        /// What only the requesting client gets.
        var own: Own?
        /// The part that the shared tier played.
        var shared = SharedPart.none
        /// The range that the upstream was asked for.
        var asked: String?
        /// Whether the upstream has judged the conditions of the request that led the fetch.
        var isJudged = false
        /// Whether the entry may be published to the shared tier, with what it was made from: the same flight fetched that.
        var mayLeave = true
    }

    public var content: Shared<Content>

    /// Where an entry comes from.
    enum Origin: Sendable {
        /// The upstream answered with this status. 304 means that the stored entry is still right.
        /// - Parameter isAnswer: whether the provider takes the response for an answer and not for a failure.
        case upstream(status: Int, isAnswer: Bool)
        /// The entry was found in the store: another flight ended between the look-up and the start of this one.
        case store
        /// The entry was made from another stored form, without asking the upstream. The word names it in
        /// `Cache-Status`.
        case otherForm(String)
        /// A stale entry stands in for a failure.
        case standIn(UpstreamFailure)
    }

    /// The request that an entry answers.
    struct Selection: Sendable {
        /// Which request fields select the entry. A request with other values needs another entry (RFC 9111 §4.1).
        var vary: Vary
        /// The fields of the request that selected the entry.
        var fields: HeaderFields
        /// The removal stamp from when the flight began.
        var began: RemovalStamp
        /// The response's place among the responses in progress of its URL.
        var place: AnswerPlace?
    }

    /// The parts of an upstream's response that are not stored and not for other clients.
    struct Own: Sendable {
        /// The fields of the whole head.
        var fields: HeaderFields
        var interim: [InterimHead]
    }
}

extension Made {
    /// - Parameter origin: nil if the upstream sent the entry with its own status.
    init(entry: StoredResponse, origin: Origin? = nil, written: Written = .refused, hold: BodyHold? = nil) {
        content = Shared(
            Content(
                entry: entry, origin: origin ?? .upstream(status: entry.status, isAnswer: true), written: written,
                hold: hold))
    }

    /// - Parameter failure: the failure that a stale entry stands in for; nil if there is none.
    init(entry: StoredResponse, covering failure: UpstreamFailure?) {
        self.init(entry: entry, origin: failure.map { .standIn($0) })
    }

    /// An entry that another flight has stored in the meantime.
    init(found entry: StoredResponse, ready: ReadyStamp? = nil) {
        self.init(entry: entry, origin: .store, written: Written(state: .stored, ready: ready))
    }

    /// The failure that a stale entry stands in for.
    var covering: UpstreamFailure? {
        if case .standIn(let failure) = self.origin { failure } else { nil }
    }

    /// Whether the upstream or the shared tier sent the entry.
    var isFromOutside: Bool {
        if case .upstream = self.origin { true } else { self.shared == .hit }
    }

    /// The word for the other stored form that the entry was made from.
    var storedForm: String? {
        if case .otherForm(let word) = self.origin { word } else { nil }
    }
}

extension Fetched.Origin {
    /// The origin, as far as `RequestFlow` depends on it.
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
