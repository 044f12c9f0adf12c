// What the store's threads and its callers share. Everything here is immutable, atomic or behind a lock.
import LarderCore

/// One request to the writer.
enum WriteJob: Sendable {
    case write(StoredResponse, CheckedContinuation<WriteOutcome, Never>)
    case freshen(Digest, WallTime, WallTime, CheckedContinuation<Void, Never>)
    /// Replaces an entry's head where it is still the one that came at that time.
    case rewrite(StoredResponse, WallTime, CheckedContinuation<Bool, Never>)
    /// A body of that length, if it is known, is to be written in parts.
    case begin(Int64?, CheckedContinuation<Result<BodyPin, WriteRefusal>, Never>)
    case append(BodyPart, CheckedContinuation<WriteOutcome, Never>)
    case complete(BodyPart, StoredResponse, CheckedContinuation<WriteOutcome, Never>)
    /// The last reader of a body that is to be swept has left.
    case sweep
    case purge(PurgeSelector, soft: Bool, CheckedContinuation<Result<Int, StoreError>, Never>)
    /// A reader met damage in the database of that generation.
    case damaged(generation: Int, StoreError)
    /// Do at once all upkeep that would be due in idle time.
    case maintain(CheckedContinuation<Void, Never>)
    /// Let the database have no more than so many pages, as a full disk would.
    case limitPages(Int, CheckedContinuation<Void, Never>)
    /// Index what is not yet, for somebody who is about to search.
    case index(CheckedContinuation<Void, Never>)
    case close(CheckedContinuation<Void, Never>)

    /// Bytes it holds while it waits.
    var weight: Int {
        switch self {
        case .write(let entry, _): entry.body.count + entry.key.bytes.count + 1024
        case .rewrite(let entry, _, _): entry.key.bytes.count + 1024
        default: 256
        }
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
    let pins = BodyPins()
    let keys = StoredKeys()
    let damaged: DamagedRows
    /// Bodies that are being written in parts.
    let bodyWriters = Lock(0)
    let notes = Lock(RecencyNotes())
    /// Why nothing is stored at present.
    let degraded = Lock<String?>(nil)
    let isClosed = Lock(false)
    let searches = SearchLine()
    /// Whether results may be stored that the index does not know.
    let lacksIndex = Lock(true)

    init(
        files: DatabaseFiles, settings: StoreSettings, counters: CounterRegistry, log: Logger, time: any TimeSource
    ) {
        self.files = files
        self.settings = Lock(settings)
        meters = StoreMeters(counters)
        damaged = DamagedRows(counters)
        self.log = log
        self.time = time
        reads = WorkQueue(capacity: Self.readCapacity, crowd: StoreReader.batch, threads: max(1, settings.readers))
        writes = WorkQueue(capacity: Self.writeCapacity, crowd: .max, threads: 1)
    }

    /// Why a job was not taken.
    var refusalWord: String { isClosed.withLock { $0 } ? "closed" : "overloaded" }

    /// Figures that need no database.
    func emptyStatistics() -> StoreStatistics {
        var out = StoreStatistics()
        (out.fileBytes, out.walBytes) = files.sizes
        out.degraded = degraded.withLock { $0 }
        return out
    }
}
