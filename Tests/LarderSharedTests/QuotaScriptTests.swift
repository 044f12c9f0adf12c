// The engine's script against the machine that the simulation runs. For the same questions at the same instants, every
// reply must be equal. The script runs in a real engine; only its reading of the engine's clock is replaced by the
// test's time.
import LarderCache
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderShared

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct QuotaScriptTests {
    /// One budget, in an engine and as a machine, and the hosts that ask both.
    private struct Pair {
        struct Host {
            var share = QuotaShare()
            var seen: Int64?
            /// The times until which calls that have not left may leave.
            var inHand: [MonotonicTime] = []
        }

        let engine: SharedEngine
        let script: String
        let limits: [CallRate]
        var ledger: QuotaLedger?
        var hosts: [Host]
        var now: Int64
        var random: SeededRandom
        var names = 0
        var epochs = 0

        init(_ engine: SharedEngine, _ limits: [CallRate], hosts: Int, seed: UInt64) throws {
            self.engine = engine
            self.limits = limits
            self.hosts = (0..<hosts).map { _ in Host() }
            now = 1_790_000_000_123
            random = SeededRandom(state: seed)
            let parts = QuotaScript.text.split(separator: "redis.call('TIME')", omittingEmptySubsequences: false)
            try #require(parts.count == 2, "the script reads the time once")
            script = parts.joined(separator: "{KEYS[3],KEYS[4]}")
        }

        /// The script's reply at this instant.
        func scripted(_ ask: QuotaAsk, fresh: String) throws -> [String] {
            let command = QuotaScript.command(
                ask, ledger: Bytes(text: "ledger"), hosts: Bytes(text: "hosts"), fresh: fresh)
            var words = command.words.map { String(decoding: $0, as: UTF8.self) }
            words[1] = script
            words[2] = "4"
            words.insert(contentsOf: ["\(now / 1000)", "\(now % 1000 * 1000 + 7)"], at: 5)
            let reply = try engine.command(words)
            // The name is a bulk string, preceded by its length. The other words are numbers.
            return reply.split(separator: "\r\n").filter { !"*$".contains($0.first ?? "*") }.map {
                String($0.first == ":" ? $0.dropFirst() : $0)
            }
        }

        mutating func expected(_ ask: QuotaAsk, fresh: String) -> [String] {
            var ledger = self.ledger ?? QuotaLedger(epoch: fresh, now: now)
            // The table of hosts counts whole seconds.
            let alive = hosts.indices.filter { hosts[$0].seen.map { $0 >= now / 1000 - 10 } ?? false }
            let reply = ledger.ask(ask, alive: Set(alive.map { "h\($0)" }), now: now)
            self.ledger = ledger
            return ([reply.granted, Int(reply.wait.milliseconds), reply.isOpen ? 1 : 0] + reply.used)
                .reduce(into: [reply.epoch]) { $0.append("\($1)") }
        }

        /// Makes one event happen. Returns the replies of the script and the machine if the event asks them.
        mutating func step() throws -> (ask: QuotaAsk, scripted: [String], expected: [String])? {
            let host = Int(random.next() % UInt64(hosts.count))
            let time = MonotonicTime.distantPast + .milliseconds(now)
            switch random.next() % 40 {
            case 0: now += Int64(random.next() % 5000)
            case 1: now += Int64(random.next() % 90_000)
            case 2..<10: now += Int64(random.next() % 400)
            case 10..<20: take(host, time)
            case 20: hosts[host].share.countMade(now: time)
            case 21: hosts[host].share = QuotaShare()
            case 22..<25:
                hosts[host].seen = now / 1000
                try engine.command("HSET", "hosts", "h\(host)", "\(now / 1000) {}")
            case 25 where random.next() % 8 == 0:
                try engine.command("DEL", "ledger")
                ledger = nil
            case 26:
                for until in hosts[host].inHand { hosts[host].share.callLeft(grantedUntil: until) }
                hosts[host].inHand = []
            default: return try ask(host, time)
            }
            return nil
        }

        /// A granted call leaves at once, or later.
        private mutating func take(_ host: Int, _ time: MonotonicTime) {
            guard case .granted(let until) = hosts[host].share.take(now: time) else { return }
            if random.next() % 4 == 0 {
                hosts[host].inHand.append(until)
            } else {
                hosts[host].share.callLeft(grantedUntil: until)
            }
        }

        private mutating func ask(
            _ host: Int, _ time: MonotonicTime
        ) throws -> (ask: QuotaAsk, scripted: [String], expected: [String]) {
            names += 1
            epochs += 1
            let own = limits.map { Int(random.next() % UInt64($0.calls)) / 4 }
            let ask = hosts[host].share.ask(
                host: "h\(host)", name: "l\(names)", waiting: Int(random.next() % 5), limits: limits, own: own,
                now: time)
            let fresh = "e\(epochs)"
            let scripted = try scripted(ask, fresh: fresh)
            let expected = expected(ask, fresh: fresh)
            let figures = expected.dropFirst().compactMap { Int($0) }
            if random.next() % 10 == 0 {
                // The reply is lost.
                hosts[host].share.unanswered(ask, now: time)
            } else {
                let reply = QuotaReply(
                    epoch: expected[0], granted: figures[0], wait: .milliseconds(Int64(figures[1])),
                    isOpen: figures[2] == 1, used: Array(figures.dropFirst(3)))
                hosts[host].share.answered(reply, to: ask, sentAt: time, now: time)
            }
            return (ask, scripted, expected)
        }
    }

    private static let limits: [[CallRate]] = [
        [CallRate(calls: 20, per: .seconds(60))],
        [CallRate(calls: 10, per: .seconds(1))],
        [CallRate(calls: 40, per: .seconds(5)), CallRate(calls: 300, per: .seconds(3600))],
        [CallRate(calls: 64, per: .seconds(30)), CallRate(calls: 90, per: .seconds(30))],
        [CallRate(calls: 3, per: .seconds(7)), CallRate(calls: 17, per: .seconds(61))],
    ]

    @Test(arguments: limits.indices, 1...3 as ClosedRange<UInt64>)
    func theScriptRepliesAsTheMachineDoes(_ place: Int, _ seed: UInt64) throws {
        let engine = try SharedEngine()
        var pair = try Pair(engine, Self.limits[place], hosts: 4, seed: seed)
        var (asked, granted) = (0, 0)
        for step in 0..<1500 {
            guard let (ask, scripted, expected) = try pair.step() else { continue }
            asked += 1
            if expected[1] != "0" { granted += 1 }
            try #require(scripted == expected, "step \(step): \(ask)")
        }
        #expect(asked > 300 && granted > 20, "the sequence is worth something: \(asked), \(granted)")
    }
}

/// SplitMix64: the same sequence in every run.
private struct SeededRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
