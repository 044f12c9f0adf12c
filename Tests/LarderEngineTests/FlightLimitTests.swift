// Which limit ends an asker's wait for a flight. The account of that limit decides who is to blame.
import LarderCache
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderEngine

@Suite struct FlightLimitTests {
    private struct Stand: Sendable {
        let time: ManualTime
        let loop: EventLoop
        let coordinator: FlightCoordinator
        /// The flight of the whole answer, which asks for the parts.
        let whole = FlightWait()

        func advance(_ duration: Duration) {
            time.advance(by: duration)
            loop.post {}
        }

        /// Asks for a part that never arrives. Returns whom the end of the wait blames.
        func ask(
            patience: Duration? = nil, plan: WaitClock? = nil, _ meanwhile: @escaping @Sendable (FlightWait) -> Void
        ) async -> Blame? {
            let key = CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: [])
            let (never, end) = AsyncStream<Void>.makeStream()
            defer { end.finish() }
            let obtained = await FlightWait.$current.withValue(whole) {
                await coordinator.obtain(key.digest, of: key.digest, patience: patience, plan: plan) { _ in
                    // The asker is already admitted: the loop runs both steps in order.
                    if let wait = FlightWait.current { meanwhile(wait) }
                    for await _ in never {}
                    return .failed(UpstreamFailure(provider: "p", failure: .broken, detail: ""))
                }
            }
            guard case .late(let blame) = obtained else { return nil }
            return blame
        }
    }

    private func withStand(_ body: (Stand) async throws -> Void) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "flights", index: 0, time: time)
        try loop.start()
        let counters = CounterRegistry()
        let coordinator = FlightCoordinator(
            loop: loop, time: time, memory: MemoryTier(budget: 1 << 20), counters: counters, failurePause: .zero)
        try await body(Stand(time: time, loop: loop, coordinator: coordinator))
        await coordinator.shutDown()
        loop.stop()
        loop.join()
    }

    /// The clock of an answer made of several calls: the API has `granted`, and up to 10 s in our queue are added.
    private func plan(_ stand: Stand, _ granted: Duration = .seconds(3)) -> WaitClock {
        WaitClock(
            WaitLimit(began: stand.time.monotonic(), granted: granted, mostQueued: .seconds(10)), stand.whole)
    }

    /// The whole answer waited in the queue for longer than may be added to its deadline. This part did not wait.
    @Test(.timeLimit(.minutes(10)))
    func aPlanThatLostItsTimeInOurQueueIsNoFailureOfTheUpstreamForAYoungPart() async throws {
        try await withStand { stand in
            let plan = plan(stand)
            stand.whole.changed(true, at: stand.time.monotonic())
            stand.advance(.seconds(12))
            stand.whole.changed(false, at: stand.time.monotonic())
            let blame = await stand.ask(plan: plan) { _ in stand.advance(.seconds(2)) }
            #expect(blame == .ownQueue)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func anUpstreamThatHadItsWholeDeadlineIsToBlameThoughCallsWaitedBefore() async throws {
        try await withStand { stand in
            let blame = await stand.ask(plan: plan(stand, .seconds(30))) { wait in
                wait.changed(true, at: stand.time.monotonic())
                stand.time.advance(by: .milliseconds(3400))
                wait.changed(false, at: stand.time.monotonic())
                stand.advance(.seconds(30))
            }
            #expect(blame == .upstream)
        }
    }

    @Test(.timeLimit(.minutes(10))) func aPatienceThatEndsBeforeThePlanIsJudgedByItself() async throws {
        try await withStand { stand in
            let blame = await stand.ask(patience: .seconds(2), plan: plan(stand, .seconds(30))) { wait in
                wait.changed(true, at: stand.time.monotonic())
                stand.advance(.seconds(3))
            }
            #expect(blame == .ownQueue)
        }
    }

    /// The loop was late. Time in the queue after the end of the wait does not count.
    @Test(.timeLimit(.minutes(10))) func theQueueIsReckonedUpToTheEndOfTheWait() async throws {
        try await withStand { stand in
            let blame = await stand.ask(patience: .seconds(2)) { wait in
                stand.time.advance(by: .seconds(5))
                wait.changed(true, at: stand.time.monotonic())
                stand.advance(.seconds(5))
            }
            #expect(blame == .upstream)
        }
    }

    /// Asks with a patience of one hour for a part that arrives at once. Returns the number of timers that are left.
    private func timersLeft(_ stand: Stand, onLoop: Bool) async -> Int {
        let key = CacheKey(layer: .raw, provider: "p", endpoint: "e", parameters: [])
        let ask: @Sendable () async -> Void = {
            _ = await stand.coordinator.obtain(key.digest, of: key.digest, patience: .seconds(3600)) { _ in
                .failed(UpstreamFailure(provider: "p", failure: .broken, detail: ""))
            }
        }
        if onLoop { await Task(executorPreference: stand.loop, operation: ask).value } else { await ask() }
        return await handover { done in stand.loop.post { done.resume(returning: stand.loop.load.timers) } }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [true, false])
    func theTimerOfAWaitEndsWithItsSeat(onLoop: Bool) async throws {
        try await withStand { stand in #expect(await timersLeft(stand, onLoop: onLoop) == 0) }
    }

    @Test func aTimerIsNotSetForAWaitThatIsOver() async throws {
        try await withStand { stand in
            let timer = WaitTimer()
            timer.end()
            let left = await handover { done in
                stand.loop.post {
                    timer.set(at: stand.loop.monotonic + .seconds(3600), on: stand.loop) {}
                    done.resume(returning: stand.loop.load.timers)
                }
            }
            #expect(left == 0)
        }
    }
}
