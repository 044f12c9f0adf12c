// A change of a provider's limits that only time causes is reported when it happens, without any request.
import LarderCache
import LarderCore
import LarderIO
import LarderStore
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct LaneLookTests {
    /// Answers every call with no results. If the test sets fields, they say how many calls are left.
    private struct Answers: Upstream {
        var fields: HeaderFields = [:]

        func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
            guard await order.beforeSending?() != false else {
                throw FetchError(stage: .cancelled, origin: "", message: "")
            }
            let time = WallTime(seconds: 1_767_225_600)
            return UpstreamResponse(
                status: 200, fields: fields, body: Bytes(text: "{}"), requestTime: time, responseTime: time)
        }

        func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream {
            throw FetchError(stage: .forbidden, origin: "", message: "")
        }
    }

    /// Events about limits, such as "rate spent".
    private typealias Told = Lock<[String]>

    /// A client on a loop whose clock only the test moves. `pass` advances the clock, `call` makes a call.
    private func withDesk(
        _ configuration: String, _ provider: String, fields: HeaderFields = [:],
        _ body: (
            _ told: Told, _ call: () async -> Void, _ pass: (Duration) async -> Void
        ) async throws -> Void
    ) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "lanes", index: 0, time: time)
        try loop.start()
        let directory = TemporaryDirectory()
        let counters = CounterRegistry()
        let state = try StateStore.open(directory: directory.path, log: .silent, counters: counters, time: time)
        let upstream = Answers(fields: fields)
        let accounts = AccountCoordinator(
            loop: loop, upstream: upstream, store: state, secrets: SecretRegistry(try load(configuration)), time: time,
            log: .silent, counters: counters)
        let client = UpstreamClient(
            loop: loop, upstream: upstream, accounts: accounts, state: state, compute: ComputeGate(width: 1),
            time: time, log: .silent, counters: counters)
        await client.open(ProviderSet(try load(configuration)))
        let told = Told([])
        client.listen { news in
            guard case .budget(let kind, let level, _) = news.event, news.provider == provider else { return }
            told.withLock { $0.append("\(kind.word) \(level.rawValue)") }
        }
        let call = UpstreamCall(
            provider: provider,
            order: FetchOrder(url: "http://127.0.0.1/", addresses: .configured, maxBody: 100, deadline: .seconds(1)),
            isBudgeted: true,
            classify: { _ in .data })
        try await body(
            told,
            {
                _ = await client.perform(call)
                // Changes are reported on the loop.
                await loop.turn()
            },
            { duration in
                time.advance(by: duration)
                // Timers run in the turn that the first post begins.
                for _ in 0..<2 { await handover { turn in loop.post { turn.resume() } } }
            })
        await state.close()
        loop.stop()
        loop.join()
    }

    @Test func aShortLimitIsToldThoughALongOneIsWaitedFor() async throws {
        let configuration = "providers: { itunes: { rate: 2/min, quota: 10/day } }"
        try await withDesk(configuration, "itunes") { told, call, pass in
            await call()
            await pass(.seconds(61))
            told.withLock { $0 = [] }
            // The rate is whole again. The next look is due when the quota's day ends.
            await call()
            await call()
            #expect(told.withLock { $0 } == ["rate spent"])
            await pass(.seconds(61))
            #expect(told.withLock { $0 } == ["rate spent", "rate whole"])
        }
    }

    @Test func whatAnAPISaysIsLeftIsToldLikeALimitOfOurs() async throws {
        let fields: HeaderFields = [
            "X-RateLimit-UserLimit": "500", "X-RateLimit-UserRemaining": "100", "X-RateLimit-UserReset": "600",
        ]
        try await withDesk("providers: { imgur: { key: k, rate: off, quota: off } }", "imgur", fields: fields) {
            told, call, pass in
            await call()
            #expect(told.withLock { $0 } == ["userCredits scarce"])
            await pass(.seconds(601))
            #expect(told.withLock { $0 } == ["userCredits scarce", "userCredits whole"])
        }
    }
}
