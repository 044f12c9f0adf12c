// Describes a request, as far as the cache's decisions need it, and what a fetch brought for it. `RequestFlow` decides
// on these. The `EntryRecipe` of the caller says how an entry is found and made.
import LarderCore
import LarderHTTP

/// The demands of one request.
public struct RequestTerms: Sendable {
    public var directives: ClientDirectives
    public var judge: ReuseJudge
    /// How long a client waits for a fetch while a stale entry could answer.
    public var patience: Duration?
    /// Whether the flow serves a refresh, or another entry that is made from this one. A stale entry may then only
    /// cover for a failed fetch. Otherwise nothing would ever be refreshed.
    public var wantsFresh: Bool
    /// Whether the response may be for this client only, because its credentials or cookies are sent upstream (RFC 9111
    /// §3.5).
    public var isPersonal = false
    /// Whether the request is a HEAD, which is sent by itself if nothing stored answers it.
    public var isHead = false
    public var wantsRange = false
    /// Whether the request asks for a range and has a condition that is not sent upstream with a fetch (RFC 9110
    /// §13.1).
    public var hasConditions = false
    /// Whether the request asks if the client's own copy still holds. A fetch does not send this condition upstream.
    public var isConditional = false
    /// Whether the requested range is one that may be fetched and stored as a part.
    public var storesParts = false
    /// Whether the upstream's own responses are sent out. A stored response is then reported as stale if asking the
    /// upstream failed, even if it is fresh.
    public var isPassThrough = false
    /// Whether the entry can be made from another stored form without a call. `only-if-cached` then does not end the
    /// flow.
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
        /// The upstream responded. `isAnswer` says whether the provider accepts the response as an answer.
        case upstream(status: Int, isAnswer: Bool)
        /// The entry was found stored: another fetch ended between the request's look-up and its lead.
        case store
        /// The entry was made from another stored form, without a call.
        case otherForm
        /// A stale entry stands in for a failure that the fetch met.
        case standIn
    }

    /// Whether a body is still arriving.
    public enum Body: Sendable, Hashable {
        case whole
        /// Its beginning must be sent before its end has arrived.
        case streaming
    }

    public var entry: StoredResponse
    public var origin: Origin
    public var body = Body.whole
    /// Whether its row is committed.
    public var isStored = false
    /// Whether it may be given to other requests for the same key (RFC 9111 §4: only what may be stored).
    public var mayBeShared = true
    /// Whether the upstream has judged the request's conditions.
    public var isJudged = false
    /// Whether another request's fetch brought it.
    public var hasJoined = false
    /// Whether this request's selecting fields match those of the request that was sent (RFC 9111 §4.1), the body has
    /// not failed, and nothing was removed since.
    public var isSelected = true

    public init(entry: StoredResponse, origin: Origin) {
        self.entry = entry
        self.origin = origin
    }
}
