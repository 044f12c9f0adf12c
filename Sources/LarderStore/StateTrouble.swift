// Whether the state database can be written, as `/healthz` tells. A job that waits for a lock or for the disk tells it before
// it fails. A failure is over with the next commit that wrote something: one without a change does not touch the disk, and
// succeeds while it is full.
import LarderCore

/// A value; the state's thread and those who ask share it behind a lock.
struct StateTrouble: Sendable {
    /// A commit that takes longer counts as trouble.
    static let patience = Duration.seconds(1)
    /// After a failure the database is tried this often, where nobody else does.
    static let probePause = Duration.seconds(1)

    private var since: MonotonicTime?
    private(set) var failure: String?

    mutating func began(at now: MonotonicTime) { since = now }

    mutating func committed(hasWritten: Bool) {
        since = nil
        if hasWritten { failure = nil }
    }

    /// A transaction could not begin or end. What a job does wrong is no trouble.
    mutating func failed(_ error: StoreError, isOfAJob: Bool) {
        since = nil
        if !isOfAJob { failure = "the state database cannot be written: \(error.message)" }
    }

    /// Why calls cannot be written down.
    func reason(at now: MonotonicTime) -> String? {
        if let failure { return failure }
        guard let since, now - since >= Self.patience else { return nil }
        let waited = Units.format(duration: .seconds((now - since).wholeSeconds))
        return "the state database has waited for a lock or for the disk for \(waited)"
    }
}
