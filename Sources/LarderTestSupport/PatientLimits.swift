// Limits on real time for the daemons of tests. Tests must not depend on the speed of the machine, unless that is their
// subject: with the defaults, a pause of a few seconds makes an answer stale or partial.
import LarderSettings

enum PatientLimits {
    /// Each value is the largest that its setting permits. The clocks of these limits, which are those of the loops'
    /// timers and of libcurl, run also if the daemon's time is set by hand.
    private static let longest = [
        ("fetch.connectTimeout", "120s"), ("fetch.deadline", "600s"), ("fetch.softDeadline", "600s"),
        ("fetch.queueTimeout", "600s"), ("search.deadline", "300s"), ("server.headTimeout", "300s"),
        ("server.halfClose", "600s"),
        ("server.bodyTimeout", "3600s"),
    ]

    /// The values for those limits that these settings leave at their defaults. A limit that a test writes is what the
    /// test is about, even if it writes the default.
    static func values(for settings: Settings) -> [(path: String, value: String)] {
        let written = Dictionary(
            settings.effective.filter { $0.origin != .standard }.map { ($0.path, $0.value) },
            uniquingKeysWith: { first, _ in first })
        return longest.compactMap { (path, value) -> (path: String, value: String)? in
            if written.keys.contains(path) { return nil }
            // The soft deadline may not be longer than the deadline.
            if path == "fetch.softDeadline", let deadline = written["fetch.deadline"] ?? nil { return (path, deadline) }
            return (path, value)
        }
    }
}
