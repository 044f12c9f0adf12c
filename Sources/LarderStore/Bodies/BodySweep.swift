// Removes files that no row names: files that a kill left of bodies written and not committed, or removed and not yet
// unlinked, and the directories of databases that were thrown away. The sweep runs once after each opening, in slices
// of a few milliseconds, in idle time or one a second. It runs on the writer's thread, which alone knows the bodies
// under way.
import Glibc
import LarderCore

/// The progress of the sweep.
struct BodySweep {
    /// The longest time that a slice waits for idle time.
    static let patience = Duration.seconds(1)
    /// The most names that one slice looks at.
    static let names = 256

    var overdueAt = MonotonicTime.distantPast
    var hasForeign = true
    /// The next of the 256 directories.
    var directory: Int64 = 0
    /// Ids of files in the directory before it that are yet to be looked at.
    var ids: [Int64] = []
}

extension StoreWriter {
    /// Sweeps within one time budget.
    func sweepFiles() {
        guard let database, var sweep = upkeep.sweep else { return }
        let start = shared.time.monotonic()
        var isOver = false
        attempt { () throws(StoreError) in
            repeat {
                if sweep.hasForeign {
                    shared.files.throwAwayOrphans()
                    let end = start + Upkeep.budget
                    sweep.hasForeign = database.bodies.removeForeign(atMost: BodySweep.names) {
                        shared.time.monotonic() < end
                    }
                } else if sweep.ids.isEmpty {
                    guard sweep.directory < 256 else {
                        isOver = true
                        break
                    }
                    sweep.ids = database.bodies.ids(in: sweep.directory)
                    sweep.directory += 1
                } else {
                    let end = start + Upkeep.budget
                    try sweepIDs(&sweep, database) { shared.time.monotonic() < end }
                }
            } while shared.time.monotonic() - start < Upkeep.budget
        }
        // If the database was opened anew, its own sweep starts from the beginning.
        guard self.database?.bodies === database.bodies else { return }
        sweep.overdueAt = shared.time.monotonic() + BodySweep.patience
        upkeep.sweep = isOver ? nil : sweep
    }

    /// Looks at one id at least: unlinking a large file takes longer than a slice.
    private func sweepIDs(
        _ sweep: inout BodySweep, _ database: Database, while hasTime: () -> Bool
    ) throws(StoreError) {
        var seen = 0
        while let id = sweep.ids.last, seen < BodySweep.names, seen == 0 || hasTime() {
            seen += 1
            // A body under way has no row yet.
            let (directory, bodies) = (sweep.directory - 1, database.bodies)
            if bodies.directory(of: id) != directory {
                bodies.removeStray(id, in: directory)
                shared.meters.sweptFiles.add()
            } else if !bodies.table.isUnderWay(id), try !database.rows.hasFile(id) {
                bodies.remove(id)
                shared.meters.sweptFiles.add()
            }
            // Removed only now: if the look failed, the next slice looks again.
            sweep.ids.removeLast()
        }
    }
}

extension BodyFiles {
    /// The ids of the files in one of the 256 directories.
    func ids(in directory: Int64) -> [Int64] {
        let held = opened()
        guard held >= 0 else { return [] }
        return Self.names(held, Self.directoryName(directory)).compactMap(Int64.init)
    }

    /// Removes a file that lies where no row looks for it.
    func removeStray(_ id: Int64, in directory: Int64) {
        let held = opened()
        if held >= 0 { unlinkat(held, "\(Self.directoryName(directory))/\(id)", 0) }
    }

    /// Removes files of other generations, and their directories with the last file. Files that cannot be removed are
    /// skipped. At least one is removed: unlinking a large file takes longer than a slice.
    /// - Returns: whether it has removed as many as it may, so that there may be more.
    func removeForeign(atMost limit: Int, while hasTime: () -> Bool = { true }) -> Bool {
        // The files there may be another daemon's by now, and in use.
        guard isInPlace() else { return false }
        var remaining = limit
        for name in Self.names(AT_FDCWD, root) where name != generation && Self.isForeign(name) {
            let path = "\(root)/\(name)"
            for child in Self.names(AT_FDCWD, path) {
                // A directory that was set aside with its database has the generation below it.
                let directories =
                    Self.isGeneration(child)
                    ? Self.names(AT_FDCWD, "\(path)/\(child)").map { "\(child)/\($0)" } : [child]
                for directory in directories {
                    for file in Self.names(AT_FDCWD, "\(path)/\(directory)") {
                        guard remaining == limit || remaining > 0 && hasTime() else { return true }
                        if Int64(file) != nil, unlink("\(path)/\(directory)/\(file)") == 0 { remaining -= 1 }
                    }
                    rmdir("\(path)/\(directory)")
                }
                rmdir("\(path)/\(child)")
            }
            rmdir(path)
        }
        return false
    }

    /// Whether the directory is another database's, or was set aside long ago.
    private static func isForeign(_ name: String) -> Bool { isGeneration(name) || name.hasPrefix("aside-") }

    private static func names(_ directory: Int32, _ path: String) -> [String] {
        let descriptor = openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            Glibc.close(descriptor)
            return []
        }
        return DatabaseFiles.names(in: stream)
    }
}
