// The database row that a response was made from, and the variant list that chose it. This is a class, so that a
// response can be passed on without copying an entry each time.
import LarderCore

/// The row that a response was made from.
public final class StoredRow: Sendable {
    let entry: StoredResponse
    let list: StoredRow?

    init(_ entry: StoredResponse, list: StoredRow? = nil) {
        self.entry = entry
        self.list = list
    }
}
