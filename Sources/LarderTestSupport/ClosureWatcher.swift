// A watcher of an exchange whose answers are closures, so that a test says what it needs where it makes the order.
import LarderCore

/// Answers with closures. Without them nothing is decided.
public final class ClosureWatcher: FetchWatcher {
    private let atOnce: (@Sendable () -> Bool?)?
    private let later: (@Sendable () async -> Bool)?

    init(atOnce: (@Sendable () -> Bool?)?, later: (@Sendable () async -> Bool)?) {
        (self.atOnce, self.later) = (atOnce, later)
    }

    public func maySendAtOnce() -> Bool? {
        if let atOnce { return atOnce() }
        return later == nil ? true : nil
    }

    public func maySend() async -> Bool { await later?() ?? true }

    fileprivate func with(
        atOnce: (@Sendable () -> Bool?)? = nil, later: (@Sendable () async -> Bool)? = nil
    ) -> ClosureWatcher {
        ClosureWatcher(atOnce: atOnce ?? self.atOnce, later: later ?? self.later)
    }
}

extension FetchOrder {
    /// `FetchWatcher.maySendAtOnce` of the order's watcher. Nil if there is no watcher.
    public var beforeSendingAtOnce: (@Sendable () -> Bool?)? {
        get {
            guard let watcher = self.watcher else { return nil }
            return { watcher.maySendAtOnce() }
        }
        set {
            self.watcher = (self.watcher as? ClosureWatcher ?? ClosureWatcher(atOnce: nil, later: nil)).with(
                atOnce: newValue)
        }
    }

    /// `FetchWatcher.maySend` of the order's watcher. Nil if there is no watcher.
    public var beforeSending: (@Sendable () async -> Bool)? {
        get {
            guard let watcher = self.watcher else { return nil }
            return { await watcher.maySend() }
        }
        set {
            self.watcher = (self.watcher as? ClosureWatcher ?? ClosureWatcher(atOnce: nil, later: nil)).with(
                later: newValue)
        }
    }
}
