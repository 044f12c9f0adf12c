// What an API said about the calls that are left, as saved for the next run. After a restart Larder must not spend
// calls that it knew to be spent.
import LarderCore

struct CreditsNote: Sendable, Hashable {
    var credits: Credits
    /// When the credits were saved. Calls after this instant are not included.
    var savedAt: WallTime

    /// The note's name in the state database.
    static func name(_ provider: String) -> String { "credits.\(provider)" }

    init(credits: Credits, savedAt: WallTime) {
        self.credits = credits
        self.savedAt = savedAt
    }

    /// Nil if the bytes are not a valid note. The credits are then unknown.
    init?(decoding bytes: Bytes) {
        guard let root = try? JSON.parse(bytes), let savedAt = root["savedAt"]?.integer, let list = root["allowances"]
        else { return nil }
        self.savedAt = WallTime(milliseconds: Int64(savedAt))
        credits = Credits(
            list.elements.compactMap { one in
                guard let name = one["name"]?.string, let remaining = one["remaining"]?.integer, remaining >= 0,
                    let reset = one["resetsAt"]?.integer
                else { return nil }
                return Credits.Allowance(
                    name: name, limit: one["limit"]?.integer, remaining: remaining,
                    resetsAt: WallTime(milliseconds: Int64(reset)))
            })
    }

    var encoded: Bytes {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("savedAt", savedAt.milliseconds)
            writer.name("allowances")
            writer.array { writer in
                for one in credits.allowances {
                    writer.object { writer in
                        writer.member("name", one.name)
                        if let limit = one.limit { writer.member("limit", limit) }
                        writer.member("remaining", one.remaining)
                        writer.member("resetsAt", one.resetsAt.milliseconds)
                    }
                }
            }
        }
        return writer.bytes
    }
}
