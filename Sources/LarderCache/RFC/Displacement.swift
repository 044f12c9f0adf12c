// What a newer answer leaves of the older stored ones whose place it does not take.
//
// Of one that may not be stored: a whole answer to a validation says that none of those
// it was asked about is suitable (RFC 9111 §4.3.3), and a cache that has just reached its origin is not disconnected, so that
// nothing permits it to answer stale instead (§4.2.4). Kept, the older one would come back with the next client: fresh, or
// within a window that was given to it before.
//
// One that is stored takes the place of the variant that the request selects. A 404 or 410 is about the resource, which has no
// current representation, or none any more (RFC 9110 §15.5.5, §15.5.11); but it may have been the request's own fields that
// selected nothing, such as a language that is not there. So the other variants are neither answered nor removed: each is
// validated before its next use, whatever its lifetime and whatever permits a stale answer.

/// Which stored answers are used no more, though nothing takes their place.
public enum Displacement: Sendable, Hashable {
    case none
    /// The one that the request selects.
    case selected
    /// All of the URL's: it has no current representation, or none any more (RFC 9110 §15.5.5, §15.5.11).
    case all

    /// What an answer to a GET displaces that is not stored.
    ///
    /// Errors of the server displace nothing, since what is stored may cover for them (RFC 5861 §4). Neither do the other
    /// errors: they are about this request or about who made it. What somebody is told who says who they are, or who
    /// forbids storing, is no news for everybody, unless it is that there is nothing.
    public init(status: Int, isForOneClient: Bool) {
        self =
            switch status {
            case 404, 410: .all
            // A part is no whole answer, and 304 says that the stored one is still right.
            case 206, 304: .none
            case 200..<400: isForOneClient ? .none : .selected
            default: .none
            }
    }

    /// Which older answers under way are overtaken by one that will be stored. Nil for errors of the server: older answers may
    /// cover for them.
    public static func reach(status: Int) -> AnswerOrder.Reach? {
        if status >= 500 { return nil }
        return putsOthersInDoubt(status: status) ? .all : .answered
    }

    /// Whether an answer that is stored puts those of the URL's other variants in doubt that were received before it.
    ///
    /// Each time: where the same fields were answered so before, the resource may have come and gone in between. So a variant
    /// that is missing for good has the others validated once in each of its own lifetimes.
    public static func putsOthersInDoubt(status: Int) -> Bool {
        Displacement(status: status, isForOneClient: false) == .all
    }
}
