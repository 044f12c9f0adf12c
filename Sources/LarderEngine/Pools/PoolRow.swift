// A pool's row: its body is a JSON array of {id, body}, so that it is kept, evicted and purged as any other entry is and
// outlives a restart.
import LarderCore
import LarderProviders

enum PoolRow {
    /// The body of a row.
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

    /// What a row holds; nothing where it is none of ours.
    static func answers(_ row: StoredResponse) -> [PooledAnswer] {
        guard !row.isNegative, let root = try? JSON.parse(row.body) else { return [] }
        return root.elements.compactMap { element in
            guard let id = element["id"]?.string, let body = element["body"]?.raw else { return nil }
            return PooledAnswer(id: id, body: body)
        }
    }

    /// The pool after a call: what is new comes first, each id once, and what does not fit goes with the oldest.
    static func merged(_ new: [PooledAnswer], into kept: [PooledAnswer], most: Int) -> [PooledAnswer] {
        var seen: Set<String> = []
        return Array((new + kept).filter { seen.insert($0.id).inserted }.prefix(most))
    }
}
