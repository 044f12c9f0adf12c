// Decides what the store may write while the file system stays above `cache.minFree`, and what it gives back below
// that. A value: it is told what the disk looks like. A write takes room in the log, whose file keeps its length, and
// in the database's file unless there are free pages. A large body takes the blocks of its file, for which only removed
// files make room. Below `minFree` nothing is stored. The log is given back first, then free pages. Entries go only for
// what is missing beyond that, once for a shortage, and in an hour at most half of what they hold: a disk that others
// fill must not empty the cache. The store stays degraded until the refused writes would fit and nothing was refused
// for a while; otherwise it would alternate, because a large body may be refused while small ones fit.
import LarderCore

/// The file system and the database's files at one look. All numbers are bytes.
struct DiskLook {
    /// What an ordinary user may still write.
    var free: Int64
    /// In free pages of the database.
    var reusable: Int64
    /// In all other pages of the database.
    var live: Int64
    /// In files of large bodies.
    var bodies: Int64 = 0
    /// The lengths of the database's file and of the log's file.
    var file: Int64
    var log: Int64
}

struct DiskRoom {
    /// The length of a log that is written back in time: 512 pages, and 2 MiB for a transaction of 1 MiB.
    static let logLength: Int64 = 512 * (16 << 10) + (2 << 20)
    /// The most bytes that entries give for one write.
    static let mostForOne: Int64 = 16 << 20
    /// Evictions show as free disk within this time. Until then no more entries are evicted.
    static let showing = Duration.seconds(30)
    /// How long there must be no refusal before the disk may count as having room again.
    static let calm = Duration.seconds(5)
    /// Within this time entries give at most half of what they hold.
    static let window = Duration.seconds(3600)

    enum Verdict: Equatable {
        case fits
        /// The write fits if entries give this much.
        case fitsIn(Shortage)
        case refused
    }

    /// What entries must give, in bytes of free pages or of files.
    struct Shortage: Equatable {
        var all: Int64
        /// The part of `all` that only files can give.
        var files: Int64 = 0

        func isMet(pages: Int64, files given: Int64) -> Bool { given >= files && pages + given >= all }
    }

    enum Relief: Equatable {
        case nothing
        /// Write the log back and cut it.
        case cutLog
        /// Give back this many bytes of free pages.
        case giveBack(Int64)
        /// Evict this many bytes of entries.
        case evict(Int64)
    }

    /// Whether the file system was below `minFree` at the last look.
    private(set) var isShort = false
    /// The most pages and the most blocks of files that were refused since the disk last had room for both.
    private var refusedCost = EntryRows.Cost()
    private var refusedAt: MonotonicTime?
    /// When the present hour began, and what entries may still give in it.
    private var hour: (began: MonotonicTime, left: Int64)?
    private var evictNotBefore: MonotonicTime?
    /// What entries still have to give of the shortage that was found.
    private var toEvict: Int64 = 0

    /// Whether a write leaves `minFree` free, and beyond it room for a log of its usual length.
    static func isRoomy(_ free: Int64, _ cost: Int64, _ minFree: Int64) -> Bool {
        free - 2 * cost - logLength >= minFree
    }

    /// Whether so much room is left that nothing else needs to be looked at.
    static func isPlenty(_ free: Int64, _ cost: Int64, _ minFree: Int64) -> Bool {
        isRoomy(free - (64 << 20), cost, minFree)
    }

    /// - Parameters:
    ///   - cost: bytes of pages to be written.
    ///   - files: bytes of file blocks to be written, for which free pages are of no use.
    mutating func verdict(_ cost: Int64, files: Int64 = 0, _ look: DiskLook, minFree: Int64) -> Verdict {
        isShort = look.free < minFree
        if isShort { return .refused }
        // What the log will add to the file when it is written back, and how much longer the log may become.
        let owed = max(0, look.live + look.reusable - look.file)
        let logGrowth = max(0, min(Self.logLength, look.log + cost) - look.log)
        let left = look.free - minFree - owed - logGrowth
        let growth = max(0, cost - look.reusable) + files
        if growth <= left { return .fits }
        let missing = Shortage(all: growth - max(0, left), files: max(0, files - max(0, left)))
        let isTheirs = missing.all <= min(Self.mostForOne, look.live + look.bodies) && missing.files <= look.bodies
        return left >= 0 && isTheirs ? .fitsIn(missing) : .refused
    }

    /// Notes that a write of this cost was refused.
    mutating func refused(_ cost: EntryRows.Cost, now: MonotonicTime) {
        refusedCost.pages = max(refusedCost.pages, cost.pages)
        refusedCost.files = max(refusedCost.files, cost.files)
        refusedAt = now
    }

    /// Whether something was refused for lack of disk and has not been found to fit since.
    var hasRefused: Bool { refusedCost.all > 0 }

    /// Whether the refused writes would fit now. If so, they are forgotten.
    mutating func wouldTakeRefused(_ look: DiskLook, minFree: Int64, now: MonotonicTime) -> Bool {
        guard refusedAt.map({ now - $0 >= Self.calm }) ?? true,
            verdict(refusedCost.pages, files: refusedCost.files, look, minFree: minFree) == .fits
        else { return false }
        refusedCost = EntryRows.Cost()
        return true
    }

    /// What to do next about a shortage. Called again when that is done.
    mutating func relief(_ look: DiskLook, minFree: Int64, now: MonotonicTime) -> Relief {
        isShort = look.free < minFree
        guard isShort else {
            toEvict = 0
            return .nothing
        }
        let missing = minFree - look.free
        if look.log > 0 { return .cutLog }
        if look.reusable > 0 { return .giveBack(min(look.reusable, missing)) }
        if toEvict == 0 {
            if hour.map({ now - $0.began >= Self.window }) ?? true { hour = (now, (look.live + look.bodies) / 2) }
            guard let left = hour?.left, missing <= left, evictNotBefore.map({ now >= $0 }) ?? true else {
                return .nothing
            }
            hour?.left -= missing
            evictNotBefore = now + Self.showing
            toEvict = missing
        }
        toEvict = min(toEvict, missing)
        return .evict(min(toEvict, Evictor.bytesPerSlice))
    }

    /// Notes that entries gave this many bytes; nil if there are no more entries.
    mutating func evicted(_ bytes: Int64?) {
        toEvict = bytes.map { max(0, toEvict - $0) } ?? 0
    }

    /// When to look at a shortage again while nobody writes: entries may give more then. Nil if nothing is due.
    var lookAgainAt: MonotonicTime? { isShort ? evictNotBefore : nil }
}
