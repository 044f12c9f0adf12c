// The model of permitted answers, with which a soak compares every answer. The origin raises the version of a resource
// with every change. An acknowledged invalidation raises the least version that may come from then on. The answer to a
// request from before the acknowledgement may still be older.

/// The versions of all resources, by provider and path. A resource begins with version 1.
struct SoakLedger {
    private struct Versions {
        var current = 1
        var least = 1
        /// The operation that raised the least version.
        var cause = ""
    }

    /// The judgement of an answer's version.
    enum Verdict: Equatable {
        case allowed
        /// Older than the least version that was permitted when the request began.
        case stale(least: Int)
        /// The origin never sent this version.
        case unknown(current: Int)
    }

    private var versions: [SoakResource: Versions] = [:]

    /// The version with which the origin answers now.
    func current(_ resource: SoakResource) -> Int { versions[resource]?.current ?? 1 }

    /// The least version that may answer a request that begins now.
    func least(_ resource: SoakResource) -> Int { versions[resource]?.least ?? 1 }

    /// The operation that raised the least version, for a finding.
    func cause(_ resource: SoakResource) -> String { versions[resource]?.cause ?? "" }

    /// Records a change at the origin. Returns the new version.
    mutating func raise(_ resource: SoakResource) -> Int {
        versions[resource, default: Versions()].current += 1
        return current(resource)
    }

    /// Records larder's confirmation that no older version is left.
    mutating func acknowledge(_ resource: SoakResource, version: Int, cause: String = "") {
        guard version > least(resource) else { return }
        versions[resource, default: Versions()].least = version
        versions[resource, default: Versions()].cause = cause
    }

    /// - Parameter least: the value of `least` when the request began.
    func judge(_ resource: SoakResource, version: Int, least: Int) -> Verdict {
        if version < least { return .stale(least: least) }
        if version > current(resource) { return .unknown(current: current(resource)) }
        return .allowed
    }
}
