// Whether the state database can be written, for `/healthz`. A job that waits for a lock or for the disk shows here
// before it fails. A failure ends with the next commit that wrote something: a commit without a change does not touch
// the disk, and succeeds even while the disk is full.
import LarderCore

/// A value. The state's thread and its callers share it behind a lock.
struct StateTrouble: Sendable {
    /// A commit that takes longer counts as trouble.
    static let patience = Duration.seconds(1)
    /// After a failure the database is tried this often, if no job tries it.
    static let probePause = Duration.seconds(1)

    private var since: MonotonicTime?
    private(set) var failure: String?

    mutating func began(at now: MonotonicTime) { since = now }

    mutating func committed(hasWritten: Bool) {
        since = nil
        if hasWritten { failure = nil }
    }

    /// Notes that a transaction could not begin or end. A failure of a job itself is no trouble.
    mutating func failed(_ error: StoreError, isOfAJob: Bool) {
        since = nil
        if !isOfAJob { failure = "the state database cannot be written: \(error.message)" }
    }

    /// Why calls cannot be written down; nil if they can.
    func reason(at now: MonotonicTime) -> String? {
        if let failure { return failure }
        guard let since, now - since >= Self.patience else { return nil }
        let waited = Units.format(duration: .seconds((now - since).wholeSeconds))
        return "the state database has waited for a lock or for the disk for \(waited)"
    }
}
