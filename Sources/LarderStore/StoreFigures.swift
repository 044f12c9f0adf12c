// Sizes of the store's files as the store's threads saw them last. A status request reads only memory, because asking
// the file system may wait for the disk and an event loop must not wait (Docs/concurrency.md, 1).
import Synchronization

final class StoreFigures: Sendable {
    private let file = Atomic<Int64>(0)
    private let log = Atomic<Int64>(0)

    var fileBytes: Int64 { file.load(ordering: .relaxed) }
    var logBytes: Int64 { log.load(ordering: .relaxed) }

    func renew(_ sizes: (file: Int64, log: Int64)) {
        file.store(sizes.file, ordering: .relaxed)
        log.store(sizes.log, ordering: .relaxed)
    }
}
