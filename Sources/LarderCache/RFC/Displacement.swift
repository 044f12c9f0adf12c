// Decides which older stored responses a newer response makes unusable without replacing them. If the newer one must
// not be stored, the older one is no longer used: a complete response to a validation says that none of the stored
// responses is suitable (RFC 9111 §4.3.3), and a cache that reached its origin must not use a stale one (§4.2.4).
//
// If the newer response is stored, it replaces the variant that the request selects. A 404 or 410 says that the
// resource has no current representation (RFC 9110 §15.5.5, §15.5.11). But the request's fields may have selected
// nothing, such as a language that does not exist: other variants are validated before their next use, not removed.

/// Which stored responses are no longer used, although nothing replaces them.
public enum Displacement: Sendable, Hashable {
    case none
    /// The response that the request selects.
    case selected
    /// All responses of the URL, which has no current representation (RFC 9110 §15.5.5, §15.5.11).
    case all

    /// What a response to a GET displaces if it is not stored.
    ///
    /// Server errors displace nothing, because a stored response may be used in their place (RFC 5861 §4). Other errors
    /// displace nothing either: they concern this request or its client only. A response to a request with credentials
    /// or `no-store` says nothing about other clients, unless it is a 404 or 410.
    public init(status: Int, isForOneClient: Bool) {
        self =
            switch status {
            case 404, 410: .all
            // A 206 and a 226 are not whole responses. A 304 confirms the stored response.
            case 206, 226, 304: .none
            case 200..<400: isForOneClient ? .none : .selected
            default: .none
            }
    }

    /// Which older responses under way are overtaken by a response that will be stored. Nil for server errors, because
    /// older responses may be used in their place.
    public static func reach(status: Int) -> AnswerOrder.Reach? {
        if status >= 500 { return nil }
        return putsOthersInDoubt(status: status) ? .all : .answered
    }

    /// Whether storing a response with this status puts the URL's other variants that were received earlier in doubt.
    ///
    /// This applies to every 404 and 410, even if the previous response to the same fields was one too: the resource
    /// may have existed in between. A variant that stays missing thus has the others validated once per lifetime of its
    /// own.
    public static func putsOthersInDoubt(status: Int) -> Bool {
        Displacement(status: status, isForOneClient: false) == .all
    }
}
