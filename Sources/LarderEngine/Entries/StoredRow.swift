// The row of the database that an answer was made of, and the list of variants that chose it. A class, so that an answer can be
// handed on without copying an entry each time.
import LarderCore

/// The row that an answer was made of.
public final class StoredRow: Sendable {
    let entry: StoredResponse
    let list: StoredRow?

    init(_ entry: StoredResponse, list: StoredRow? = nil) {
        self.entry = entry
        self.list = list
    }
}
