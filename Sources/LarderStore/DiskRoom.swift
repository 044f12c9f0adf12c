// What the store may write while the file system stays above `cache.minFree`, and what it gives back where the file
// system is below. A value: it is told what the disk looks like and says what to do.
//
// A write to the database takes room twice: in the write-ahead log, whose file stays as long as it was, and in the database's
// file when the log is written back, unless there are free pages. A large body takes the blocks of its file, for which free
// pages are of no use: only files that go make room for a file. All of it is reckoned before it begins.
//
// Below `minFree` nothing is stored. What the cache holds for nothing is given back first: the log, then free pages. Entries
// go only for what is missing beyond that, only where that much is theirs to give, once for a shortage and not for each
// refusal; what they gave must have time to show. In an hour they give half of what they hold at most: a disk that others
// fill must not empty the cache.
//
// A large body may be refused while small ones still fit. The store is degraded until what was refused would fit without
// taking the place of anything, and nothing was refused for a while: else it would be degraded and recover by turns.
import LarderCore

/// The file system and the database's files at one look. Bytes.
struct DiskLook {
    /// What an ordinary user may still write.
    var free: Int64
    /// In free pages of the database.
    var reusable: Int64
    /// In all other pages.
    var live: Int64
    /// In files of large bodies.
    var bodies: Int64 = 0
    /// Of the database's file and of the log's.
    var file: Int64
    var log: Int64
}

struct DiskRoom {
    /// The length of a log that is written back in time: 512 pages, and a transaction of 1 MiB.
    static let logLength: Int64 = 512 * (16 << 10) + (2 << 20)
    /// Entries give no more for one write.
    static let mostForOne: Int64 = 16 << 20
    /// What entries gave shows within this time; before they give no more.
    static let showing = Duration.seconds(30)
    /// Without a refusal for so long, the disk may count as having room again.
    static let calm = Duration.seconds(5)
    /// Within this time they give a part of what they hold at most.
    static let window = Duration.seconds(3600)

    enum Verdict: Equatable {
        case fits
        /// It fits in place of entries that give so much.
        case fitsIn(Shortage)
        case refused
    }

    /// What entries must give, in free pages or in files.
    struct Shortage: Equatable {
        var all: Int64
        /// Of it, what only files can give.
        var files: Int64 = 0

        func isMet(pages: Int64, files given: Int64) -> Bool { given >= files && pages + given >= all }
    }

    enum Relief: Equatable {
        case nothing
        /// The log is written back and cut.
        case cutLog
        /// So many bytes of free pages go back.
        case giveBack(Int64)
        /// So many bytes of entries go.
        case evict(Int64)
    }

    /// The file system was below `minFree` at the last look.
    private(set) var isShort = false
    /// The most pages and the most blocks of files that were refused since the disk last had room for both.
    private var refusedCost = EntryRows.Cost()
    private var refusedAt: MonotonicTime?
    /// When the present hour began, and what entries may give in it yet.
    private var hour: (began: MonotonicTime, left: Int64)?
    private var evictNotBefore: MonotonicTime?
    /// What entries have still to give of what was found missing.
    private var toEvict: Int64 = 0

    /// Whether a write leaves `minFree` alone, and room for a log of its usual length besides.
    static func isRoomy(_ free: Int64, _ cost: Int64, _ minFree: Int64) -> Bool {
        free - 2 * cost - logLength >= minFree
    }

    /// Whether so much room is left that nothing else needs to be looked at.
    static func isPlenty(_ free: Int64, _ cost: Int64, _ minFree: Int64) -> Bool {
        isRoomy(free - (64 << 20), cost, minFree)
    }

    /// - Parameters:
    ///   - cost: bytes of pages that are to be written.
    ///   - files: blocks of files, for which free pages are of no use.
    mutating func verdict(_ cost: Int64, files: Int64 = 0, _ look: DiskLook, minFree: Int64) -> Verdict {
        isShort = look.free < minFree
        if isShort { return .refused }
        // What is in the log and makes the file longer when it is written back, and how much longer the log may become.
        let owed = max(0, look.live + look.reusable - look.file)
        let logGrowth = max(0, min(Self.logLength, look.log + cost) - look.log)
        let left = look.free - minFree - owed - logGrowth
        let growth = max(0, cost - look.reusable) + files
        if growth <= left { return .fits }
        let missing = Shortage(all: growth - max(0, left), files: max(0, files - max(0, left)))
        let isTheirs = missing.all <= min(Self.mostForOne, look.live + look.bodies) && missing.files <= look.bodies
        return left >= 0 && isTheirs ? .fitsIn(missing) : .refused
    }

    /// A write of that cost was refused.
    mutating func refused(_ cost: EntryRows.Cost, now: MonotonicTime) {
        refusedCost.pages = max(refusedCost.pages, cost.pages)
        refusedCost.files = max(refusedCost.files, cost.files)
        refusedAt = now
    }

    /// Whether something was refused for want of disk, and not yet found to fit again.
    var hasRefused: Bool { refusedCost.all > 0 }

    /// Whether what was refused would fit now. It is forgotten then.
    mutating func wouldTakeRefused(_ look: DiskLook, minFree: Int64, now: MonotonicTime) -> Bool {
        guard refusedAt.map({ now - $0 >= Self.calm }) ?? true,
            verdict(refusedCost.pages, files: refusedCost.files, look, minFree: minFree) == .fits
        else { return false }
        refusedCost = EntryRows.Cost()
        return true
    }

    /// What to do next about a shortage. Asked again when that is done.
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

    /// Entries gave so many bytes; none where there are no more of them.
    mutating func evicted(_ bytes: Int64?) {
        toEvict = bytes.map { max(0, toEvict - $0) } ?? 0
    }

    /// When to look again at a shortage, while nobody writes: what entries may give in time. Nil where nothing is due.
    var lookAgainAt: MonotonicTime? { isShort ? evictNotBefore : nil }
}
