// State that the store's threads and its callers share. Everything here is immutable, atomic or behind a lock.
import LarderCore
import Synchronization

/// One job for the writer thread.
enum WriteJob: Sendable {
    /// Writes an entry. The reply is nil if the answer was accepted before its commit: then nobody waits.
    case write(WriteOrder, Reply<WriteOutcome>?)
    /// Writes a row of table `ready`, with its bytes.
    case ready(ReadyOrder, Bytes)
    case freshen(Digest, WallTime, WallTime, Reply<Bool>)
    /// Replaces an entry's head, if the stored entry is still the one received at the order's `receivedAt`.
    case rewrite(HeadOrder, Reply<Bool>)
    /// Begins a body that is written in parts. The length is nil if it is unknown.
    case begin(Int64?, Reply<Result<BodyFile, WriteRefusal>>)
    case append(BodyPart, Reply<WriteOutcome>)
    case complete(BodyPart, WriteOrder, Reply<WriteOutcome>)
    /// Replies after all jobs before it are committed.
    case commit(Reply<Void>)
    /// Closes body files that nobody uses any more: files of bodies that were removed, given up or just written.
    case closeBodies
    /// Carries out the removal whose tombstone has this number.
    case removal(UInt64)
    /// Checks whether the files are still in place, because somebody saw that they are not.
    case look
    /// A reader found damage in the database of this generation.
    case damaged(generation: Int, StoreError)
    /// Does at once all upkeep that is otherwise done in idle time.
    case maintain(TaskContinuation<Void, Never>)
    /// Limits the database to this many pages, as a full disk would. For tests.
    case limitPages(Int, TaskContinuation<Void, Never>)
    /// Indexes the results that are not in the index yet, before a search.
    case index(Reply<Void>)
    case close(TaskContinuation<Void, Never>)

    /// Approximate number of bytes that the job holds while it waits. Jobs that are never refused for lack of room have
    /// none.
    var weight: Int {
        switch self {
        case .write(let order, _): order.weight
        case .rewrite(let order, _): order.entry.key.bytes.count + 1024
        case .ready(let order, let data): order.weight + data.count
        case .freshen, .begin, .maintain, .limitPages, .index: 256
        case .append, .complete, .commit, .closeBodies, .removal, .look, .damaged, .close: 0
        }
    }
}

/// An entry to write, and the conditions under which it is written.
struct WriteOrder: Sendable, CopyOnWrite {
    struct Content: Sendable {
        var entry: StoredResponse
        /// What older is of no more use, even if this entry is not stored.
        var supersedes = Superseded.entry
        /// The condition, evaluated within the transaction.
        var isWanted: (@Sendable () -> Bool)?
        /// The place among the answers of its key; nil if the order is not on its way to the writer.
        var place: WritePlace?
        /// The timeline of the request that the entry came from, and when the write began.
        var timeline: (Timeline, began: MonotonicTime)?
    }

    var content: Shared<Content>

    init(
        entry: StoredResponse, supersedes: Superseded = .entry, isWanted: (@Sendable () -> Bool)? = nil,
        place: WritePlace? = nil
    ) {
        content = Shared(Content(entry: entry, supersedes: supersedes, isWanted: isWanted, place: place))
    }

    /// Rises with every answer of the store; 0 if the order has no place.
    var number: UInt64 { self.place?.number ?? 0 }

    /// Whether the entry must not be stored: it was removed while it was on its way, or a newer answer has overtaken
    /// it. A removal announces itself before its tombstone is made. The tombstone applies to everything written before
    /// it.
    var isRefused: Bool { self.isWanted.map { !$0() } ?? false || self.place?.isOvertaken ?? false }

    /// The digest under which the entry supersedes older ones: its URL's if that holds for all of the URL.
    var superseded: Digest {
        if self.supersedes == .url, let variant = self.entry.variant { return variant.url }
        return self.entry.key.digest
    }

    /// The order of an answer that has gone out, which makes older ones useless.
    var misleading: WriteOrder {
        guard self.supersedes == .nothing else { return self }
        var order = self
        order.supersedes = .entry
        return order
    }

    var bodyBytes: Int { self.entry.body.count }

    /// Approximate number of bytes that the order holds while it waits.
    var weight: Int { bodyBytes + self.entry.key.bytes.count + 1024 }
}

/// A head that replaces an entry's head, and the conditions under which it does.
struct HeadOrder: Sendable {
    var entry: StoredResponse
    /// When the entry was received whose head is replaced, and its number among those received.
    var receivedAt: WallTime
    var arrival: UInt64
    /// The condition, evaluated within the transaction.
    var isWanted: (@Sendable () -> Bool)?
}

final class StoreShared: Sendable {
    /// Capacities of the two queues: the number of waiting reads, and the bytes of waiting writes.
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
    /// Files of large bodies of the open database; nil while no database is open.
    let bodies = Lock<BodyFiles?>(nil)
    /// How many body files may be open at once. Applies to this database and to each one opened later.
    let openBodies = Lock(Int.max)
    let keys = KeyBloomFilter()
    let damaged: DamagedRows
    /// Number of bodies that are being written in parts.
    let bodyWriters = Lock(0)
    let notes = Lock(RecencyNotes())
    /// Why nothing is stored at present; nil if the store works.
    let degraded = Lock<String?>(nil)
    /// When the database was last set aside in this run, and why.
    let lastSetAside = Lock<String?>(nil)
    let isClosed = Lock(false)
    let searches = SearchLine()
    let removals = PendingRemovals()
    let orders = WriteOrders()
    let overlay = WriteOverlay()
    let flusher = MarkFlusher()
    let waits: BoundedWaits
    let ending = StoreEnding()
    let faults = StoreFaults()
    /// Sizes of the store's files as its threads saw them last. A status request reads only memory, because asking the
    /// file system may wait for the disk and an event loop must not wait (Docs/concurrency.md, 1).
    let sizes = Lock((file: Int64(0), log: Int64(0)))
    /// What the loops use to read kept-ready rows from the database, and the atomics that they check meanwhile.
    let readers = Lock<ReadyReaders?>(nil)
    let commits = CommitCount()
    let mark = Atomic<UInt64>(0)
    /// Told of each URL that gets a variant, on the writer's thread.
    let variantsChanged = Hook<@Sendable (Digest) -> Void>({ _ in })
    /// Bytes held for rows that wait to be written to table `ready`.
    let readyBytes = Atomic<Int>(0)
    /// False once it is known that no loop can read the database here.
    let canLook = Atomic<Bool>(true)
    /// Whether a check of the files' place is requested and has not begun.
    let isLooking = Atomic<Bool>(false)
    /// Whether stored results might be missing in the index.
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

    /// Makes all readers release the database. The gate must be shut.
    func letGo() {
        readers.withLock { $0 }?.closeAll()
        // Readers on the loops then see another commit count. Entries that go with the files are removed without a
        // commit.
        commits.committed()
        reads.nudge()
    }

    /// Puts a job into the writer's queue. False if that is full or has ended.
    /// - Parameter isPatient: whether nobody waits for the job.
    func offer(_ job: WriteJob, isPatient: Bool = false) -> Bool {
        writes.offer(job, weight: job.weight, isPatient: isPatient)
    }

    /// Why a queue refused a job.
    var refusalOfQueue: WriteRefusal { isClosed.withLock { $0 } ? .closed : .overloaded }

    func renew(_ sizes: (file: Int64, log: Int64)) { self.sizes.withLock { $0 = sizes } }

    /// Renews the sizes and checks whether the files are in place. Called on a thread of the store only.
    func lookAtFiles() {
        renew(files.sizes)
        if !files.isInPlace { askForLook() }
    }

    /// Asks the writer to check the files' place. Further requests are merged until the check begins.
    func askForLook() {
        if !isLooking.exchange(true, ordering: .acquiringAndReleasing) { _ = writes.insist(.look) }
    }

    func beginLook() { isLooking.store(false, ordering: .releasing) }

    /// Statistics that need neither the database nor the disk.
    func emptyStatistics() -> StoreStatistics {
        var out = StoreStatistics()
        (out.fileBytes, out.walBytes) = sizes.withLock { $0 }
        out.degraded = degraded.withLock { $0 }
        out.pendingRemovals = removals.count
        out.setAside = lastSetAside.withLock { $0 }
        return out
    }
}
