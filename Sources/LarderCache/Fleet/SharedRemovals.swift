// Removals that the shared tier has not confirmed. There are no more than there are providers, and one for all of them stands for
// the rest.
import LarderCore

/// What is still to be removed. Pure.
public struct SharedRemovals: Sendable, Hashable {
    /// Everything is.
    public private(set) var isGlobal = false
    public private(set) var providers: Set<String> = []
    /// Counts each, so that one that comes while another of the same name is told is told again.
    private var numbers: [String: Int] = [:]
    private var globalNumber = 0
    private var count = 0

    /// Nothing.
    public init() {}

    public var isEmpty: Bool { !isGlobal && providers.isEmpty }

    /// - Parameter provider: nil for all.
    public mutating func add(_ provider: String?) {
        count += 1
        guard let provider else {
            isGlobal = true
            globalNumber = count
            providers = []
            numbers = [:]
            return
        }
        // What is for all is for this one; but it may be told already, and then this comes after it.
        providers.insert(provider)
        numbers[provider] = count
    }

    /// These were confirmed as they stood then. What was added since stays.
    public mutating func subtract(_ told: SharedRemovals) {
        if told.isGlobal {
            if globalNumber <= told.count { isGlobal = false }
            for (provider, number) in numbers where number <= told.count { forget(provider) }
        } else {
            for provider in told.providers where (numbers[provider] ?? 0) <= told.count { forget(provider) }
        }
    }

    private mutating func forget(_ provider: String) {
        providers.remove(provider)
        numbers[provider] = nil
    }
}
