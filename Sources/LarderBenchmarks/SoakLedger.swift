// What may be answered: the model that a soak holds every answer against. The origin raises a resource's version with every
// change; an acknowledged invalidation raises the least version that may come from then on. What was asked for before the
// acknowledgement may still be older.

/// The versions of everything, by provider and path. A resource begins with version 1.
struct SoakLedger {
    private struct Versions {
        var current = 1
        var least = 1
        /// What raised the least version.
        var cause = ""
    }

    /// What an answer's version means.
    enum Verdict: Equatable {
        case allowed
        /// Older than the least that was allowed when the request began.
        case stale(least: Int)
        /// The origin never said it.
        case unknown(current: Int)
    }

    private var versions: [SoakResource: Versions] = [:]

    /// The version that the origin answers with now.
    func current(_ resource: SoakResource) -> Int { versions[resource]?.current ?? 1 }

    /// The least version that an answer may have to a request that begins now.
    func least(_ resource: SoakResource) -> Int { versions[resource]?.least ?? 1 }

    /// What raised the least version, for a finding.
    func cause(_ resource: SoakResource) -> String { versions[resource]?.cause ?? "" }

    /// The origin has changed the resource; the new version.
    mutating func raise(_ resource: SoakResource) -> Int {
        versions[resource, default: Versions()].current += 1
        return current(resource)
    }

    /// Larder has confirmed that nothing older than that version is left.
    mutating func acknowledge(_ resource: SoakResource, version: Int, cause: String = "") {
        guard version > least(resource) else { return }
        versions[resource, default: Versions()].least = version
        versions[resource, default: Versions()].cause = cause
    }

    /// - Parameter least: what `least` said when the request began.
    func judge(_ resource: SoakResource, version: Int, least: Int) -> Verdict {
        if version < least { return .stale(least: least) }
        if version > current(resource) { return .unknown(current: current(resource)) }
        return .allowed
    }
}
