// Whether an answer of a pass-through upstream is stored, and by which rule.
import LarderCache
import LarderCore

/// Whether and why an answer is stored.
enum PassVerdict: Sendable {
    /// - Parameter fields: those to store.
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
    /// Whether a 304, or an answer to HEAD, brings nothing up to date that is stored: who says who they are may be told what is for
    /// nobody else (RFC 9111 §3.5), and of an answer to a request with `no-store` no part is stored (§5.2.1.5).
    /// - Parameter news: the stored answer as it would be then.
    public func tellsItsClientAlone(_ news: StoredResponse) -> Bool {
        isPersonal && !judge.isForAll(news) || directives.noStore
    }
}
