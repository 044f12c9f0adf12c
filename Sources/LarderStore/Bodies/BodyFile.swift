// One large body whose file somebody reads or writes. The file stays open as long as the object lives, so it can be
// read after its row and its name are gone. That is not so for a stored body that was found while too many files were
// open. A body under way that everybody has released is given up: the writer removes its file.
import Glibc
import LarderCore

/// Names one body of one database: ids begin anew with each database that is set aside.
struct BodyName: Sendable, Hashable {
    var generation: Int
    var id: Int64
}

final class BodyFile: Sendable {
    /// How much of the body there is, and how it is checked.
    struct Content: Sendable {
        /// Negative while nothing was written, and if too many files are open: then the file is opened for each read.
        var descriptor: Int32 = -1
        var length: Int64 = 0
        var sums = Bytes()
    }

    let name: BodyName
    let shared: StoreShared
    let files: BodyFiles
    private let state: Lock<Content>

    /// Makes a body that is not yet begun.
    init(_ shared: StoreShared, _ files: BodyFiles, _ name: BodyName) {
        (self.shared, self.files, self.name) = (shared, files, name)
        state = Lock(Content())
    }

    /// Makes a stored body. Its descriptor was borrowed, unless it is negative.
    init(_ shared: StoreShared, _ files: BodyFiles, _ name: BodyName, _ content: Content) {
        (self.shared, self.files, self.name) = (shared, files, name)
        state = Lock(content)
    }

    deinit {
        if state.withLock({ $0.descriptor >= 0 }) { files.leave(name.id) }
    }

    var content: Content { state.withLock { $0 } }

    // MARK: On the writer's thread

    /// Whether the next part needs a descriptor, and none is left.
    var lacksDescriptor: Bool { content.descriptor < 0 && !files.table.hasRoom }

    /// Appends bytes. If that fails the file is removed at once; readers may go on with what there was of it.
    func append(_ bytes: Bytes, at offset: Int64) throws(StoreError) {
        if content.descriptor < 0 {
            let made = try files.create(name.id)
            guard files.table.add(name.id, made, 0, keeps: false, isUnderWay: true) != nil else {
                Glibc.close(made)
                files.remove(name.id)
                shared.meters.bodiesRefused.add()
                throw BodyFiles.failure("making the file of a body", EMFILE)
            }
            state.withLock { $0.descriptor = made }
        }
        let sums: Bytes
        do throws(StoreError) {
            sums = try files.put(bytes, in: content.descriptor, of: name.id, at: offset)
        } catch {
            files.remove(name.id)
            throw error
        }
        state.withLock { content in
            content.length = offset + Int64(bytes.count)
            content.sums += sums
        }
        files.table.grew(name.id, to: BodyFiles.blocks(offset + Int64(bytes.count)))
    }
}
