// What a request is, as far as the cache's decisions go, and what a fetch brought for it. `RequestFlow` decides on these.
// How an entry is found and made is told by the `EntryRecipe` of whoever performs the flow's steps.
import LarderCore
import LarderHTTP

/// The demands of one request.
public struct RequestTerms: Sendable {
    public var directives: ClientDirectives
    public var judge: ReuseJudge
    /// How long a client waits for a fetch while there is something stale to give it.
    public var patience: Duration?
    /// The flow serves a refresh, or another entry that is made from this one: a stale entry may only cover for a failed
    /// fetch, else nothing would ever be refreshed.
    public var wantsFresh: Bool
    /// The answer may be this client's own: its credentials or cookies go along (RFC 9111 §3.5).
    public var isPersonal = false
    /// A HEAD goes forward by itself where nothing stored answers it.
    public var isHead = false
    public var wantsRange = false
    /// It wants a range, and has a condition that the upstream is not sent with a fetch (RFC 9110 §13.1).
    public var hasConditions = false
    /// It asks whether the client's own copy still holds: the upstream is not sent that with a fetch.
    public var isConditional = false
    /// A part of what is not stored may be fetched and stored as a part.
    public var storesParts = false
    /// The upstream's own answers go out: a stored one for which it was asked in vain is told as stale, fresh or not.
    public var isPassThrough = false
    /// The entry can be made from another stored form, without a call: `only-if-cached` does not end the flow.
    public var worksFromStore = false

    public init(
        directives: ClientDirectives, judge: ReuseJudge, patience: Duration? = nil, wantsFresh: Bool = false
    ) {
        self.directives = directives
        self.judge = judge
        self.patience = patience
        self.wantsFresh = wantsFresh
    }
}

/// What a fetch brought to one request.
public struct Fetched: Sendable {
    public enum Origin: Sendable, Hashable {
        /// The upstream answered; the provider takes it for an answer, or does not.
        case upstream(status: Int, isAnswer: Bool)
        /// It was found stored by then: another fetch ended between the request's look and its lead.
        case store
        /// It was made from another stored form, without a call.
        case otherForm
        /// A stale answer stands in for a failure that the work met.
        case standIn
    }

    /// What is still coming of a body.
    public enum Body: Sendable, Hashable {
        case whole
        /// Its beginning has to be sent before its end has come.
        case streaming(isLong: Bool)
    }

    public var entry: StoredResponse
    public var origin: Origin
    public var body = Body.whole
    /// Its row is committed.
    public var isStored = false
    /// It may be handed to others who asked for the same key (RFC 9111 §4: only what may be stored).
    public var mayBeShared = true
    /// The upstream has judged the request's conditions.
    public var isJudged = false
    /// Another request's fetch brought it.
    public var hasJoined = false
    /// The fields by which this request selects are those of the one that was sent (RFC 9111 §4.1), its body has not failed
    /// and nothing was removed since.
    public var isSelected = true

    public init(entry: StoredResponse, origin: Origin) {
        self.entry = entry
        self.origin = origin
    }
}
