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
    private func news(_ kept: Kept, survives: Bool = true) async throws -> [String] {
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
        }
        return heard.withLock { $0 }
    }

    private func remove(_ order: String) async throws {
        try await host("a", Kept()) { tier in
            #expect(await tier.remove(provider: "api", order: Bytes(text: order)).isTold)
        }
    }

    @Test func whatARunCarriedOutForGoodIsNotCarriedOutAgain() async throws {
        defer { loop.stop() }
        let kept = Kept()
        #expect(try await news(kept) == ["gap"])
        try await remove("first")
        #expect(try await news(kept) == ["first"])
        #expect(try await news(kept) == [])
    }

    @Test func aRemovalThatWouldNotSurviveIsCarriedOutAgainByTheNextRun() async throws {
        defer { loop.stop() }
        let kept = Kept()
        #expect(try await news(kept) == ["gap"])
        try await remove("first")
        #expect(try await news(kept, survives: false) == ["first"])
        try await remove("second")
        #expect(try await news(kept) == ["first", "second"])
    }
}
