// What the store's threads and its callers share. Everything here is immutable, atomic or behind a lock.
import LarderCore

/// One request to the writer.
enum WriteJob: Sendable {
    case write(StoredResponse, CheckedContinuation<WriteOutcome, Never>)
    case freshen(Digest, WallTime, WallTime, CheckedContinuation<Void, Never>)
    case purge(PurgeSelector, soft: Bool, CheckedContinuation<Result<Int, StoreError>, Never>)
    /// A reader met damage in the database of that generation.
    case damaged(generation: Int, StoreError)
    /// Do at once all upkeep that would be due in idle time.
    case maintain(CheckedContinuation<Void, Never>)
    /// Let the database have no more than so many pages, as a full disk would.
    case limitPages(Int, CheckedContinuation<Void, Never>)
    case close(CheckedContinuation<Void, Never>)

    /// Bytes it holds while it waits.
    var weight: Int {
        guard case .write(let entry, _) = self else { return 256 }
        return entry.body.count + entry.key.bytes.count + 1024
    }
}

final class StoreShared: Sendable {
    /// Reads that may wait, and bytes of writes that may.
    static let readCapacity = 4096
    static let writeCapacity = 64 << 20

    let files: DatabaseFiles
    let settings: Lock<StoreSettings>
    let meters: StoreMeters
    let log: Logger
    let time: any TimeSource
    let gate = ReaderGate()
    let reads: WorkQueue<ReadJob>
    let writes: WorkQueue<WriteJob>
    let notes = Lock(RecencyNotes())
    /// Why nothing is stored at present.
    let degraded = Lock<String?>(nil)
    let isClosed = Lock(false)

    init(
        files: DatabaseFiles, settings: StoreSettings, meters: StoreMeters, log: Logger, time: any TimeSource
    ) {
        self.files = files
        self.settings = Lock(settings)
        self.meters = meters
        self.log = log
        self.time = time
        reads = WorkQueue(capacity: Self.readCapacity, crowd: StoreReader.batch, threads: max(1, settings.readers))
        writes = WorkQueue(capacity: Self.writeCapacity, crowd: .max, threads: 1)
    }

    /// Figures that need no database.
    func emptyStatistics() -> StoreStatistics {
        var out = StoreStatistics()
        (out.fileBytes, out.walBytes) = files.sizes
        out.degraded = degraded.withLock { $0 }
        return out
    }
}
