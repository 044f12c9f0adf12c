// Recent events of each provider, for `/v1/status`: the last events of its lane in words. Kept in memory only.
import LarderCache
import LarderCore
import LarderEngine

/// The last events of every provider. Written on the home loop, read by any task.
final class ProviderHistory: Sendable {
    /// The number of events kept per provider. The configuration bounds the number of providers.
    static let capacity = 20

    struct Entry: Sendable, Equatable {
        var at: WallTime
        var event: String
        var detail: String
    }

    private let entries = Lock<[String: [Entry]]>([:])

    func add(_ news: LaneNews) {
        let entry = Entry(at: news.at.wall, event: news.word, detail: news.detail)
        entries.withLock { entries in
            var own = entries[news.provider] ?? []
            own.insert(entry, at: 0)
            entries[news.provider] = Array(own.prefix(Self.capacity))
        }
    }

    /// The recent events, newest first.
    func recent(_ provider: String) -> [Entry] { entries.withLock { $0[provider] ?? [] } }

    /// Writes the events as the member `recent`.
    func append(_ provider: String, to writer: inout JSONWriter) {
        writer.name("recent")
        writer.array { writer in
            for entry in recent(provider) {
                writer.object { writer in
                    writer.member("at", entry.at.rfc3339)
                    writer.member("event", entry.event)
                    writer.member("detail", entry.detail)
                }
            }
        }
    }
}

extension LaneNews {
    /// The event in one word.
    fileprivate var word: String {
        switch event {
        case .reachable: "reachable"
        case .unreachable: "unreachable"
        case .suspended: "suspended"
        case .resumed: "resumed"
        case .budget: "budget"
        }
    }

    /// The event in a sentence.
    fileprivate var detail: String {
        switch event {
        case .reachable: return "A call reached it."
        case .unreachable(let failure): return "A call did not reach it (\(failure.rawValue))."
        case .suspended(let suspension):
            let until = at.boundedWall(at: suspension.until).rfc3339
            return suspension.failure == .suspended
                ? "It was suspended by hand until \(until)."
                : "It is not called until \(until), since calls failed (\(suspension.failure.rawValue))."
        case .resumed: return "It is called again."
        case .budget(let kind, let level, let budget):
            let calls = budget.remaining.map { left in "\(left)\(budget.limit.map { " of \($0)" } ?? "") calls are left"
            }
            return "The \(kind.word) is \(level.rawValue)\(calls.map { ": \($0)" } ?? "")."
        }
    }
}
