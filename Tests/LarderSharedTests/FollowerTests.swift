// How a host follows the removals of the others, with a real engine: what it has not carried out for good is carried
// out again.
import LarderCache
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderShared

@Suite(.enabled(if: SharedEngine.mayRun, "there is no redis-server or valkey-server on this machine"))
struct FollowerTests {
    /// Keeps what a host keeps over its runs.
    private final class Kept: SharedKeeping {
        private let values = Lock<[String: Bytes]>([:])
        func kept(_ name: String) async -> Bytes? { values.withLock { $0[name] } }
        func keep(_ name: String, _ bytes: Bytes?) async { values.withLock { $0[name] = bytes } }
    }

    private let engine: SharedEngine
    private let loop: EventLoop

    init() throws {
        engine = try SharedEngine()
        loop = try EventLoop(name: "shared", index: 0)
        try loop.start()
    }

    /// Waits for the thread too, or the thread sanitizer may see it as left behind at the end of the process.
    private func end() {
        loop.stop()
        loop.join()
    }

    /// Runs a host.
    private func host(_ id: String, _ kept: Kept, _ body: (SharedTier) async throws -> Void) async throws {
        let settings = SharedSettings(
            address: .unix(engine.socket), timeout: .seconds(60), key: "0123456789abcdef0123456789abcdef")
        let tier = SharedTier(
            settings, host: SharedHost(id: id, name: id, version: "1", startedAt: SystemTime().wall()), keeping: kept,
            on: loop, compute: ComputeGate(width: 2), counters: CounterRegistry(), log: .silent, time: SystemTime())
        await tier.open()
        try await body(tier)
        await tier.close()
    }

    /// The news that a run begins with, as words.
    /// - Parameter body: what happens during the run.
    private func news(
        _ kept: Kept, survives: Bool = true, _ body: (_ heard: () -> [String]) async throws -> Void = { _ in }
    ) async throws -> [String] {
        let heard = Lock<[String]>([])
        try await host("b", kept) { tier in
            await tier.follow { news in
                heard.withLock { heard in
                    switch news {
                    case .gap: heard.append("gap")
                    case .order(let order): heard.append(String(decoding: order, as: UTF8.self))
                    case .suspension: heard.append("suspension")
                    }
                }
                return survives
            }
            try await body { heard.withLock { $0 } }
        }
        return heard.withLock { $0 }
    }

    private func addForeign(_ size: Int) throws {
        try engine.command("XADD", "larder:x", "*", "foreign", String(repeating: "x", count: size))
    }

    private func remove(_ order: String) async throws {
        try await host("a", Kept()) { tier in
            #expect(await tier.remove(provider: "api", order: Bytes(text: order)).isTold)
        }
    }

    @Test func whatARunCarriedOutForGoodIsNotCarriedOutAgain() async throws {
        defer { end() }
        let kept = Kept()
        #expect(try await news(kept) == ["gap"])
        try await remove("first")
        #expect(try await news(kept) == ["first"])
        #expect(try await news(kept) == [])
    }

    @Test func aRemovalThatWouldNotSurviveIsCarriedOutAgainByTheNextRun() async throws {
        defer { end() }
        let kept = Kept()
        #expect(try await news(kept) == ["gap"])
        try await remove("first")
        #expect(try await news(kept, survives: false) == ["first"])
        try await remove("second")
        #expect(try await news(kept) == ["first", "second"])
    }

    /// Others may write to the stream: they do not break the chain, and hide no order of this fleet.
    @Test func entriesOfOthersArePassedOver() async throws {
        defer { end() }
        let kept = Kept()
        #expect(try await news(kept) == ["gap"])
        for order in ["first", "second"] {
            for _ in 0..<3 { try addForeign(10) }
            try engine.command("XADD", "larder:x", "*", "n", nonce, "b", nonce, "w", "forged", "m", nonce)
            try await remove(order)
        }
        try addForeign(10)
        #expect(try await news(kept) == ["first", "second"])
        #expect(try await news(kept) == [])
    }

    private let nonce = String(repeating: "0", count: 32)

    /// An entry that is larger than any reply may be does not end following.
    @Test func anEntryOfFourMebibytesIsPassedOver() async throws {
        defer { end() }
        let kept = Kept()
        let heard = try await news(kept) { heard in
            for order in ["first", "second"] {
                try addForeign(4 << 20)
                try await remove(order)
                try await eventually(order) { heard().contains(order) }
            }
        }
        #expect(heard == ["gap", "first", "second"])
        try addForeign(4 << 20)
        try await remove("third")
        #expect(try await news(kept) == ["third"], "nor at the beginning of a run")
    }

    private func addRows(_ count: Int) throws {
        let text = """
            local t=redis.call('TIME') for i=1,tonumber(ARGV[1]) do \
            redis.call('HSET','larder:h','f'..i,t[1]..' code {"name":"false"}') end
            """
        try engine.command("EVAL", text, "0", String(count))
    }

    @Test func falseRowsHideNoHostAndAreNone() async throws {
        defer { end() }
        try addRows(3000)
        _ = try await news(Kept())
        try await host("a", Kept()) { tier in
            await tier.follow { _ in true }
            let names = await tier.members()?.map(\.name)
            #expect(names == ["a", "b"])
        }
    }

    @Test func aTableThatIsTooLongToBeReadIsNotReportedInPart() async throws {
        defer { end() }
        try addRows(9000)
        try await host("a", Kept()) { tier in
            await tier.follow { _ in true }
            #expect(await tier.members() == nil)
        }
    }
}
