// What the loops' looks share: one reader for each loop, and the check whether an answer that was found is still
// current.
//
// A look must not answer with anything that was replaced or removed before the request came. Its snapshot shows what is
// committed. Accepted entries are in the overlay, and removals have tombstones. Both leave only after a commit, and
// each commit is counted before that. So a look notes the count, reads, asks the overlay and the tombstones, and
// compares the count. If nothing was committed meanwhile, nothing left them unseen (`isCurrent`). Otherwise the request
// goes the slow way.
import LarderCore
import Synchronization

/// What is in force when a look begins.
struct ReadyMoment: Sendable {
    var mark: UInt64
    var commits: Int
}

/// What the store needs to know to let the loops look.
public struct ReadySettings: Sendable {
    /// Number of loops that look.
    public var loops: Int
    /// Holds the room of a body that its client has not read yet.
    public var bodies: BodyMemory
    /// How far the clock may lie before an answer's birth, in milliseconds.
    public var skew: Int64
    /// Returns the cell that counts a provider's hits.
    public var hits: @Sendable (String) -> CounterCell
    /// Whether a value of `Accept-Encoding` takes gzip.
    public var acceptsGzip: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool

    public init(
        loops: Int, bodies: BodyMemory, skew: Int64, hits: @escaping @Sendable (String) -> CounterCell,
        acceptsGzip: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
    ) {
        self.loops = loops
        self.bodies = bodies
        self.skew = skew
        self.hits = hits
        self.acceptsGzip = acceptsGzip
    }
}

/// Answers that the database keeps ready, for the loops. Made by `SQLiteStore.looks`.
public final class ReadyReaders: Sendable {
    /// Page cache of all the loops' connections together, in KiB. The kernel caches the same pages.
    private static let cacheKiB = 32 << 10
    let readers: [ReadyReader]
    let bodies: BodyMemory
    let skew: Int64
    let acceptsGzip: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
    /// Returns the cell that counts a provider's hits.
    let hits: @Sendable (String) -> CounterCell
    private let shared: StoreShared

    init(_ settings: ReadySettings, _ shared: StoreShared) {
        self.shared = shared
        readers = (0..<settings.loops).map { ReadyReader(shared, number: $0) }
        bodies = settings.bodies
        skew = settings.skew
        hits = settings.hits
        acceptsGzip = settings.acceptsGzip
    }

    /// Page cache of each connection, in KiB.
    var cacheKiB: Int { max(1024, Self.cacheKiB / max(1, readers.count)) }

    /// Number of loops that have a connection.
    var openCount: Int { readers.reduce(0) { $0 + ($1.isOpen ? 1 : 0) } }

    /// Has the connections opened before the first look.
    public func open() {
        for reader in readers { reader.open() }
    }

    // MARK: Looking

    /// The kept-ready answer for this request, if it may be served now; nil sends the request the slow way. Never
    /// waits.
    /// - Parameter wantsBytes: whether a body of that length, which lies in a file, is wanted in memory. If not, it is
    ///   sent from its file.
    public func look(_ query: ReadyQuery, wantsBytes: (Int) -> Bool = { _ in true }) -> ReadyFound? {
        let moment = ReadyMoment(mark: shared.mark.load(ordering: .acquiring), commits: shared.commits.now)
        guard moment.mark != 0, readers.indices.contains(query.loop) else { return nil }
        let place = ReadyPlace(query.target, scope: query.scope)
        if shared.keys.lacks(place) {
            shared.meters.readyAbsent.add()
            return nil
        }
        switch readers[query.loop].look(query, at: place, moment, self, wantsBytes: wantsBytes) {
        case .found(var found):
            if found.response.file == nil, let hold = bodies.claim(found.response.body.count) {
                found.response = ReadyResponse(found.response, hold: hold)
            }
            guard isCurrent(found) else {
                shared.meters.readyOvertaken.add()
                return nil
            }
            shared.meters.readyFound.add()
            return found
        case .absent: shared.meters.readyAbsent.add()
        case .cold: shared.meters.readyCold.add()
        case .failed: shared.meters.readyFailed.add()
        case .closed: break
        }
        return nil
    }

    /// Whether nothing that the answer depends on was replaced or removed since its look began, committed or not.
    public func isCurrent(_ found: ReadyFound) -> Bool {
        let overlay = shared.overlay
        if !overlay.isEmpty {
            if overlay.holds(found.entry) { return false }
            // A variant of the URL may take the place of a response that no field selects.
            if overlay.holdsVariants(of: found.url ?? found.entry) { return false }
        }
        if let removals = shared.removals.snapshot() {
            if removals.mayConcern([found.entry] + [found.url].compactMap { $0 } + found.parents) { return false }
        }
        // Checked last: entries and tombstones that have left the two above were counted before.
        return shared.commits.now == found.moment.commits
            && shared.mark.load(ordering: .acquiring) == found.moment.mark
    }

    /// Closes every connection. The gate must be shut, so that none is made.
    func closeAll() {
        for reader in readers { reader.close() }
    }

    /// Reads that were refused because they would have waited for the disk. For tests.
    var refusedReads: Int { readers.reduce(0) { $0 + $1.refusedReads } }

    /// Treats every page as not in memory. For tests.
    func refuseAll(_ refuses: Bool) {
        for reader in readers { reader.refuseAll(refuses) }
    }
}

/// Counts the writer's commits, each before anybody is told of it.
final class CommitCount: Sendable {
    private let count = Atomic<Int>(0)

    var now: Int { count.load(ordering: .acquiring) }
    func committed() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
