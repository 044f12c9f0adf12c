// The state that the threads of a soak share: the ledger, larder's address, the counts and the findings. One lock
// protects all of it. It is held for a few instructions, and the load is modest.
import LarderCore

/// The subject of a finding.
enum SoakSubject {
    case request(String)
    case process
}

/// A violation of the model.
struct SoakFinding {
    /// The time since the start.
    var milliseconds: Int
    var subject: SoakSubject
    var what: String

    var line: String {
        let seconds = Figures.fixed(Double(milliseconds) / 1000, 1)
        switch subject {
        case .request(let request): return "at \(seconds) s, \(request): \(what)"
        case .process: return "at \(seconds) s: \(what)"
        }
    }
}

/// The counted quantities.
enum SoakCount: String, CaseIterable {
    case answers, bytes, hits, misses, revalidated, stale, ranges, notModified, heads, absences
    case changes, purges, softPurges, left, slow, cutExplained, errorsExplained, refusedPurges, ownPages
    case upstreamCalls, faults, flaps, reloads, restarts, kills, clockSteps, disksFilled
    /// All findings. Only different ones are reported.
    case findings

    var title: String {
        rawValue.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
    }
}

final class SoakState: Sendable {
    /// The port on which larder listens, and the number of its process.
    struct Place: Equatable {
        var port: UInt16 = 0
        var process = 0
        /// False from before a signal that ends the process until the next process listens.
        var isUp = false
    }

    private struct Shared {
        var ledger = SoakLedger()
        var place = Place()
        var faults: SoakFaults
        var counts: [SoakCount: Int] = [:]
        var findings: [SoakFinding] = []
        var known: Set<String> = []
        var isPaused = false
        var isOver = false
        var busy = 0
        var isDiskShort = false
        var uploads: UInt64 = 0
    }

    /// More findings than this say nothing new.
    static let mostFindings = 40
    /// For this many milliseconds after a fault, an error of the same API is explained by the fault. larder suspends an
    /// API for up to a minute.
    static let memoryOfFaults = 90_000

    private let shared: Lock<Shared>
    private let begin = monotonicNanoseconds()

    init(seed: UInt64) { shared = Lock(Shared(faults: SoakFaults(seed: seed))) }

    var milliseconds: Int { Int((monotonicNanoseconds() - begin) / 1_000_000) }

    // The ledger.
    func current(_ resource: SoakResource) -> Int { shared.withLock { $0.ledger.current(resource) } }
    func least(_ resource: SoakResource) -> Int { shared.withLock { $0.ledger.least(resource) } }
    func raise(_ resource: SoakResource) -> Int { shared.withLock { $0.ledger.raise(resource) } }
    func acknowledge(_ resource: SoakResource, version: Int, by request: String) {
        let at = Figures.fixed(Double(milliseconds) / 1000, 1)
        shared.withLock { shared in
            let disk = shared.isDiskShort ? ", the disk being short" : ""
            shared.ledger.acknowledge(resource, version: version, cause: "\(request) at \(at) s\(disk)")
        }
    }
    func cause(_ resource: SoakResource) -> String { shared.withLock { $0.ledger.cause(resource) } }
    func judge(_ resource: SoakResource, version: Int, least: Int) -> SoakLedger.Verdict {
        shared.withLock { $0.ledger.judge(resource, version: version, least: least) }
    }
    func nextUpload() -> UInt64 {
        shared.withLock { shared in
            shared.uploads += 1
            return shared.uploads
        }
    }

    // Faults.
    func fault() -> SoakFault? {
        let now = milliseconds
        return shared.withLock { shared in
            guard let fault = shared.faults.next(at: now) else { return nil }
            shared.counts[.faults, default: 0] += 1
            return fault
        }
    }
    func setFaults(perMille: Int) { shared.withLock { $0.faults.perMille = perMille } }
    /// Whether the harness knows a reason for an error of this API.
    func isExplained(_ provider: SoakProvider) -> Bool {
        guard provider == .shaky else { return false }
        let now = milliseconds
        return shared.withLock { shared in
            shared.faults.last.map { now - $0 < Self.memoryOfFaults } ?? false
        }
    }
    var isDiskShort: Bool {
        get { shared.withLock { $0.isDiskShort } }
        set { shared.withLock { $0.isDiskShort = newValue } }
    }

    // The place of larder.
    var place: Place {
        get { shared.withLock { $0.place } }
        set { shared.withLock { $0.place = newValue } }
    }

    // The load.
    var isPaused: Bool {
        get { shared.withLock { $0.isPaused } }
        set { shared.withLock { $0.isPaused = newValue } }
    }
    var isOver: Bool {
        get { shared.withLock { $0.isOver } }
        set { shared.withLock { $0.isOver = newValue } }
    }
    var busy: Int { shared.withLock { $0.busy } }
    func addBusy(_ change: Int) { shared.withLock { $0.busy += change } }

    // Counts and findings.
    func count(_ what: SoakCount, _ amount: Int = 1) { shared.withLock { $0.counts[what, default: 0] += amount } }
    var counts: [SoakCount: Int] { shared.withLock { $0.counts } }
    /// - Parameter same: of findings with the same name, only the first is reported; the others are counted.
    func report(_ subject: SoakSubject, _ what: String, same: String? = nil) {
        let finding = SoakFinding(milliseconds: milliseconds, subject: subject, what: what)
        let isNew = shared.withLock { shared in
            shared.counts[.findings, default: 0] += 1
            if let same, !shared.known.insert(same).inserted { return false }
            guard shared.findings.count < Self.mostFindings else { return false }
            shared.findings.append(finding)
            return true
        }
        if isNew { note("soak: " + finding.line) }
    }
    var findings: [SoakFinding] { shared.withLock { $0.findings } }
}
