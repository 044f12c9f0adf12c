// What an API said of the calls that are left, as it is written down for the next run: a restart must not spend what was
// known to be spent.
import LarderCore

struct CreditsNote: Sendable, Hashable {
    var credits: Credits
    /// Calls after this are not counted in it.
    var savedAt: WallTime

    /// Its name in the state database.
    static func name(_ provider: String) -> String { "credits.\(provider)" }

    init(credits: Credits, savedAt: WallTime) {
        self.credits = credits
        self.savedAt = savedAt
    }

    /// nil for what no version of this wrote; then nothing is known.
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
