// One large body whose file somebody reads or writes. The file stays open for as long as the object lives, and so can be read
// after its row and its name are gone; a stored one that was found while too many were open cannot. One that is under way and let go by all is given up: the writer removes its file.
import Glibc
import LarderCore

/// One body of one database: ids begin anew with each database that is set aside.
struct BodyName: Sendable, Hashable {
    var generation: Int
    var id: Int64
}

final class BodyFile: Sendable {
    /// What is there of it, and how it is checked.
    struct Content: Sendable {
        /// Below zero while nothing was written, and where too many are open: then it is opened for each read.
        var descriptor: Int32 = -1
        var length: Int64 = 0
        var sums = Bytes()
    }

    let name: BodyName
    let shared: StoreShared
    let files: BodyFiles
    private let state: Lock<Content>

    /// A body that is not yet begun.
    init(_ shared: StoreShared, _ files: BodyFiles, _ name: BodyName) {
        (self.shared, self.files, self.name) = (shared, files, name)
        state = Lock(Content())
    }

    /// A stored body, whose descriptor was borrowed where there is one.
    init(_ shared: StoreShared, _ files: BodyFiles, _ name: BodyName, _ content: Content) {
        (self.shared, self.files, self.name) = (shared, files, name)
        state = Lock(content)
    }

    deinit {
        if state.withLock({ $0.descriptor >= 0 }) { files.leave(name.id) }
    }

    var content: Content { state.withLock { $0 } }

    // MARK: On the writer's thread

    /// Whether the next part needs a descriptor, and there is none.
    var lacksDescriptor: Bool { content.descriptor < 0 && !files.table.hasRoom }

    /// Writes what follows. Where that fails the file goes at once; who reads what there was of it may go on.
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
