// Tells what people find an entry by if only its digest is known. An explanation needs this for an answer that a loop
// read from the database.
import LarderCore

public struct EntryName: Sendable {
    public var provider: String
    /// The canonical request without credentials.
    public var label: String
}

extension SQLiteStore {
    /// The entry with that digest, or a variant of the URL with it. Nil if it is gone, or if the disk takes too long.
    public func name(of digest: Digest) async -> EntryName? {
        await shared.waits.ask(.read, late: { nil }, refused: { nil }) { shared.reads.offer(.name(digest, $0)) }
    }
}

extension StoreReader {
    func name(of digest: Digest) -> EntryName? {
        let found = try? connection?.first(
            """
            SELECT p.name, e.label FROM entry e CROSS JOIN provider p WHERE e.digest = ?1 AND p.id = e.provider
            UNION ALL SELECT p.name, e.label FROM entry e CROSS JOIN provider p WHERE e.url = ?1 AND p.id = e.provider
            LIMIT 1
            """, digest
        ) { EntryName(provider: $0.text(0), label: $0.text(1)) }
        return found ?? nil
    }
}
