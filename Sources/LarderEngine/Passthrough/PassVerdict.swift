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
