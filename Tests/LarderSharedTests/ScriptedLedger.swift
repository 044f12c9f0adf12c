// The ledger of one budget in a real engine. Only the script's reading of the engine's clock is replaced: each question
// has the time at which it is asked.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderShared

struct ScriptedLedger {
    /// The instant that the tests count from, in milliseconds of the engine's clock.
    static let start: Int64 = 1_790_000_000_123

    private let engine: SharedEngine
    private let script: String

    init() throws {
        engine = try SharedEngine()
        let parts = QuotaScript.text.split(separator: "redis.call('TIME')", omittingEmptySubsequences: false)
        try #require(parts.count == 2, "the script reads the time once")
        script = parts.joined(separator: "{KEYS[3],KEYS[4]}")
    }

    /// Asks the ledger.
    /// - Parameters:
    ///   - fresh: the name of a ledger that begins with this question.
    ///   - now: milliseconds since `start`.
    func ask(_ ask: QuotaAsk, fresh: String = "fresh", now: Int64) throws -> QuotaReply {
        let command = QuotaScript.command(
            ask, ledger: Bytes(text: "ledger"), hosts: Bytes(text: "hosts"), fresh: fresh)
        var words = command.words.map { String(decoding: $0, as: UTF8.self) }
        let time = Self.start + now
        (words[1], words[2]) = (script, "4")
        words.insert(contentsOf: ["\(time / 1000)", "\(time % 1000 * 1000 + 7)"], at: 5)
        let text = try engine.command(words)
        let reader = try #require(ReplyReader(limit: 1 << 20))
        let replies = try Bytes(text: text).withUnsafeBytes { try reader.take($0) }
        let first = try #require(replies.first)
        // A host takes no more than it asked for. The ledger would count what it grants beyond that.
        if case .integer(let granted)? = first.elements?[1] {
            try #require((0...Int64(ask.wanted)).contains(granted), "\(text)")
        }
        return try #require(QuotaScript.reply(first, to: ask), "\(text)")
    }

    /// Writes a host's sign of life.
    func sign(_ host: String, now: Int64) throws {
        try engine.command("HSET", "hosts", host, "\((Self.start + now) / 1000) {}")
    }

    /// Makes the engine as empty as one that was killed and started again.
    func lose() throws { try engine.command("FLUSHALL") }
}
