// Which older stored answers a newer answer makes unusable without replacing them.
//
// A newer answer that may not be stored: a complete answer to a validation says that none of the answers it was asked
// about is suitable (RFC 9111 §4.3.3). A cache that has just reached its origin is not disconnected, so nothing permits
// a stale answer instead (§4.2.4). If the older answer were kept, the next client would get it: as fresh, or within a
// stale window that it was given before.
//
// A newer answer that is stored replaces the variant that the request selects. A 404 or 410 says that the resource has
// no current representation (RFC 9110 §15.5.5, §15.5.11). But the request's own fields may have selected nothing, such
// as a language that does not exist. So the other variants are neither used nor removed. Each is validated before its
// next use, whatever its lifetime is and whatever permits a stale answer.

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
