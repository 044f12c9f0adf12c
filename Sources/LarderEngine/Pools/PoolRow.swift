// A pool's row. Its body is a JSON array of {id, body}, so a pool is stored, evicted and purged like any other entry
// and survives a restart.
import LarderCore
import LarderProviders

enum PoolRow {
    /// Encodes answers as the body of a row.
    static func encode(_ answers: [PooledAnswer]) -> Bytes {
        var writer = JSONWriter(reserving: answers.reduce(0) { $0 + $1.body.count + 48 })
        writer.array { writer in
            for answer in answers {
                writer.object { writer in
                    writer.member("id", answer.id)
                    writer.member("body", raw: answer.body)
                }
            }
        }
        return writer.bytes
    }

    /// Returns the answers in a row; empty if the row is an absence or cannot be read.
    static func answers(_ row: StoredResponse) -> [PooledAnswer] {
        guard !row.isNegative, let root = try? JSON.parse(row.body) else { return [] }
        return root.elements.compactMap { element in
            guard let id = element["id"]?.string, let body = element["body"]?.raw else { return nil }
            return PooledAnswer(id: id, body: body)
        }
    }

    /// Returns the pool after a call. New answers come first, each id appears once, and the oldest beyond `most` are
    /// dropped.
    static func merged(_ new: [PooledAnswer], into kept: [PooledAnswer], most: Int) -> [PooledAnswer] {
        var seen: Set<String> = []
        return Array((new + kept).filter { seen.insert($0.id).inserted }.prefix(most))
    }
}
