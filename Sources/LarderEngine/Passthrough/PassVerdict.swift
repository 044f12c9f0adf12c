// Whether a response of a pass-through upstream is stored, and by which rule.
import LarderCache
import LarderCore

/// Whether a response is stored, and why.
enum PassVerdict: Sendable {
    /// - Parameter fields: the fields to store.
    case store(Lifetimes, CacheRule, fields: HeaderFields)
    case refuse(CacheRule)

    var isStored: Bool { if case .store = self { true } else { false } }

    var rule: CacheRule {
        switch self {
        case .store(_, let rule, _), .refuse(let rule): rule
        }
    }
}

extension PassRequest {
    /// Whether a 304 or a HEAD response must not update the stored response. A response to a request with credentials
    /// may describe what only that client may see (RFC 9111 §3.5). No part of the response to a request with `no-store`
    /// is stored (§5.2.1.5).
    /// - Parameter news: the stored response after the update.
    public func tellsItsClientAlone(_ news: StoredResponse) -> Bool {
        isPersonal && !judge.isForAll(news) || directives.noStore
    }
}
