// What the store's threads and its callers share. Everything here is immutable, atomic or behind a lock.
import LarderCore
import Synchronization

/// One request to the writer.
enum WriteJob: Sendable {
    /// Nobody waits for one that is accepted already.
    case write(WriteOrder, Reply<WriteOutcome>?)
    /// A row that is to be kept ready, and its bytes.
    case ready(ReadyOrder, Bytes)
    case freshen(Digest, WallTime, WallTime, Reply<Bool>)
    /// Replaces an entry's head where it is still the one that came at that time.
    case rewrite(HeadOrder, Reply<Bool>)
    /// A body of that length, if it is known, is to be written in parts.
    case begin(Int64?, Reply<Result<BodyFile, WriteRefusal>>)
    case append(BodyPart, Reply<WriteOutcome>)
    case complete(BodyPart, WriteOrder, Reply<WriteOutcome>)
    /// Everything before it is to be committed now.
    case commit(Reply<Void>)
    /// The file of a body that was removed, given up or just written is used by nobody any more, and is to be closed.
    case closeBodies
    /// The tombstone of that number is due.
    case removal(UInt64)
    /// Somebody has seen that the files are not where they were.
    case look
    /// A reader met damage in the database of that generation.
    case damaged(generation: Int, StoreError)
    /// Do at once all upkeep that would be due in idle time.
    case maintain(CheckedContinuation<Void, Never>)
    /// Let the database have no more than so many pages, as a full disk would.
    case limitPages(Int, CheckedContinuation<Void, Never>)
    /// Index what is not yet, for somebody who is about to search.
    case index(Reply<Void>)
    case close(CheckedContinuation<Void, Never>)

    /// Bytes it holds while it waits.
    var weight: Int {
        switch self {
        case .write(let order, _): order.weight
        case .rewrite(let order, _): order.entry.key.bytes.count + 1024
        case .ready(let order, let data): order.weight + data.count
        default: 256
        }
    }
}

/// An entry to be written, and under which condition.
struct WriteOrder: Sendable {
    var entry: StoredResponse
    /// Written in the same transaction, under the same condition; and its place among the answers of its own key.
    var companion: Companion?
    var companionPlace: WritePlace?
    /// An older entry of that key is of no more use.
    var supersedes = true
    /// Asked within the transaction.
    var isWanted: (@Sendable () -> Bool)?
    /// Among the answers of its key; none where it is not on its way to the writer.
    var place: WritePlace?
    /// Whose request it came from, and since when it is on its way.
    var timeline: (Timeline, began: MonotonicTime)?

    /// Rises with every answer of the store; 0 where it has no place.
    var number: UInt64 { place?.number ?? 0 }

    /// What is removed while an answer is on its way is not stored: whoever removes says so before the tombstone is made,
    /// and the tombstone is applied to everything that was written before. Nor is what a newer answer has overtaken.
    var isRefused: Bool { isWanted.map { !$0() } ?? false || place?.isOvertaken ?? false }

    /// The companion by itself.
    var ofCompanion: WriteOrder? {
        companion.map {
            WriteOrder(entry: $0.entry, supersedes: $0.supersedes, isWanted: isWanted, place: companionPlace)
        }
    }

    var largestBody: Int { max(entry.body.count, companion?.entry.body.count ?? 0) }

    /// Bytes of both bodies.
    var bodyBytes: Int { entry.body.count + (companion?.entry.body.count ?? 0) }

    /// Bytes it holds while it waits.
    var weight: Int { bodyBytes + entry.key.bytes.count + (companion?.entry.key.bytes.count ?? 0) + 1024 }
}

/// A head that takes the place of an entry's, and under which condition.
struct HeadOrder: Sendable {
    var entry: StoredResponse
    /// When the entry came whose head it replaces.
    var receivedAt: WallTime
    /// Asked within the transaction.
    var isWanted: (@Sendable () -> Bool)?
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
    /// The large bodies of the database that is open.
    let bodies = Lock<BodyFiles?>(nil)
    /// How many of them may be open at once, in this database and in each that is opened later.
    let openBodies = Lock(Int.max)
    let keys = KeyBloomFilter()
    let damaged: DamagedRows
    /// Bodies that are being written in parts.
    let bodyWriters = Lock(0)
    let notes = Lock(RecencyNotes())
    /// Why nothing is stored at present.
    let degraded = Lock<String?>(nil)
    let isClosed = Lock(false)
    let searches = SearchLine()
    let removals = PendingRemovals()
    let orders = WriteOrders()
    let overlay = WriteOverlay()
    let journal = RemovalJournal()
    let waits: BoundedWaits
    let ending = StoreEnding()
    let faults = StoreFaults()
    let figures = StoreFigures()
    /// What the loops read from the database, and what they ask while they do.
    let readers = Lock<ReadyReaders?>(nil)
    let commits = CommitCount()
    let mark = Atomic<UInt64>(0)
    /// Bytes that are held for rows that are to be kept ready.
    let readyBytes = Atomic<Int>(0)
    /// False once it is known that no loop can look here.
    let canLook = Atomic<Bool>(true)
    /// A look at the place is asked for and has not begun.
    let isLooking = Atomic<Bool>(false)
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
        waits = BoundedWaits(patience: settings.patience, commitWithin: settings.commitWithin, time: time)
        reads = WorkQueue(capacity: Self.readCapacity, crowd: StoreReader.batch, threads: max(1, settings.readers))
        writes = WorkQueue(capacity: Self.writeCapacity, crowd: .max, threads: 1)
        writes.collect(for: settings.commitWithin / 2)
    }

    /// Lets go of the database whoever reads it. The gate is shut.
    func letGo() {
        readers.withLock { $0 }?.closeAll()
        // Whoever looked into it finds another count: what is removed with the files is settled without a commit.
        commits.committed()
        reads.nudge()
    }

    /// Why a job was not taken.
    var refusalOfQueue: WriteRefusal { isClosed.withLock { $0 } ? .closed : .overloaded }

    /// On a thread of the store's own: the sizes, and whether the files are where they were.
    func lookAtFiles() {
        figures.renew(files.sizes)
        if !files.isInPlace { askForLook() }
    }

    /// The writer is to look at the place: once for all who ask meanwhile.
    func askForLook() {
        if !isLooking.exchange(true, ordering: .acquiringAndReleasing) { _ = writes.insist(.look) }
    }

    func beginLook() { isLooking.store(false, ordering: .releasing) }

    /// Figures that need neither database nor disk.
    func emptyStatistics() -> StoreStatistics {
        var out = StoreStatistics()
        (out.fileBytes, out.walBytes) = (figures.fileBytes, figures.logBytes)
        out.degraded = degraded.withLock { $0 }
        out.pendingRemovals = removals.count
        return out
    }
}
