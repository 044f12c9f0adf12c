import Glibc
import LarderCore
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderIO

/// Runs the body on a started loop and ends it afterwards.
func withLoop<Value: Sendable>(
    time: any TimeSource = SystemTime(), _ body: (EventLoop) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop(name: "test", index: 7, time: time)
    try loop.start()
    do {
        let value = try await body(loop)
        loop.stop()
        loop.join()
        return value
    } catch {
        loop.stop()
        loop.join()
        throw error
    }
}

extension EventLoop {
    /// The result of the body, computed on the loop.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let answer: Result<Value, any Error> = await handover { continuation in
            post { continuation.resume(returning: Result { try body() }) }
        }
        return try answer.get()
    }
}

/// Records the events that it gets.
final class Recorder: EventHandler, @unchecked Sendable {  // only the loop touches it
    var told: [ReadyEvents] = []
    var onReady: () -> Void = {}
    func ready(_ events: ReadyEvents) {
        told.append(events)
        onReady()
    }
}

@Suite struct EventLoopTests {
    @Test func runsWhatIsPostedInOrderOnItsOwnThread() async throws {
        try await withLoop { loop in
            let seen = Lock<[Int]>([])
            for number in 0..<100 { loop.post { seen.withLock { $0.append(number) } } }
            let isCurrent = try await loop.run { loop.isCurrent }
            #expect(isCurrent)
            #expect(!loop.isCurrent)
            #expect(seen.withLock { $0 } == Array(0..<100))
        }
    }

    @Test func runsEverythingPostedBeforeItStops() async throws {
        let count = CounterCell()
        let loop = try EventLoop(name: "ending", index: 0)
        try loop.start()
        for _ in 0..<1000 { loop.post { count.add() } }
        loop.post { loop.post { count.add() } }
        loop.stop()
        loop.join()
        #expect(count.current == 1001)
        loop.post { count.add() }
        #expect(count.current == 1001)
    }

    @Test func tellsOfReadableDescriptors() async throws {
        let (near, far) = try Socket.pair()
        defer {
            Syscall.close(near)
            Syscall.close(far)
        }
        try await withLoop { loop in
            let told: Result<[ReadyEvents], any Error> = await handover { continuation in
                loop.post {
                    let recorder = Recorder()
                    recorder.onReady = { [unowned recorder] in continuation.resume(returning: .success(recorder.told)) }
                    do {
                        _ = try loop.register(near, [.readable, .edge], handler: recorder)
                        _ = [UInt8(1)].withUnsafeBytes { Syscall.send(far, $0) }
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
            let heard = try told.get()
            #expect(heard == [.readable])
        }
    }

    /// Two descriptors become ready in one batch. The first handler puts another descriptor in the place of the second.
    @Test func dropsEventsOfADescriptorThatWasClosedAndReused() async throws {
        let first = try Socket.pair()
        let second = try Socket.pair()
        try await withLoop { loop in
            let told = try await loop.run {
                let (one, two) = (Recorder(), Recorder())
                let late = Recorder()
                let registrations = [
                    try loop.register(first.0, .readable, handler: one),
                    try loop.register(second.0, .readable, handler: two),
                ]
                // The handler that runs first takes the other's place.
                one.onReady = {
                    guard two.told.isEmpty, late.told.isEmpty else { return }
                    loop.deregister(registrations[0])
                    loop.deregister(registrations[1])
                    _ = try? loop.register(second.0, .writable, handler: late)
                }
                two.onReady = { Issue.record("an event of the old registration arrived") }
                for end in [first.1, second.1] { _ = [UInt8(1)].withUnsafeBytes { Syscall.send(end, $0) } }
                return (one, late)
            }
            // Two turns later all events have been delivered.
            for _ in 0..<3 { _ = try await loop.run {} }
            let (ofFirst, ofLate) = try await loop.run { (told.0.told, told.1.told) }
            #expect(ofFirst == [.readable])
            #expect(!ofLate.isEmpty && ofLate.allSatisfy { $0 == .writable })
        }
        for end in [first.0, first.1, second.0, second.1] { Syscall.close(end) }
    }

    @Test func runsTimersInOrderOnceTheClockReachesThem() async throws {
        let clock = ManualTime()
        try await withLoop(time: clock) { loop in
            let seen = Lock<[String]>([])
            try await loop.run {
                let start = loop.monotonic
                func set(_ name: String, _ after: Duration) -> TimerToken {
                    loop.schedule(at: start + after) { seen.withLock { $0.append(name) } }
                }
                _ = set("late", .seconds(3))
                _ = set("early", .seconds(1))
                loop.cancel(set("never", .seconds(2)))
                _ = set("early too", .seconds(1))
            }
            try await loop.run {}
            #expect(seen.withLock { $0 } == [])
            clock.advance(by: .seconds(1))
            try await loop.run {}
            try await loop.run {}
            #expect(seen.withLock { $0 } == ["early", "early too"])
            clock.advance(by: .seconds(2))
            try await loop.run {}
            try await loop.run {}
            #expect(seen.withLock { $0 } == ["early", "early too", "late"])
        }
    }

    @Test func whatIsPostedDuringALongTurnFindsTheTimeOfItsOwn() async throws {
        let clock = ManualTime()
        try await withLoop(time: clock) { loop in
            let entered = Atomic(false)
            let goesOn = Atomic(false)
            loop.post {
                loop.soon {
                    entered.store(true, ordering: .releasing)
                    while !goesOn.load(ordering: .acquiring) { sched_yield() }
                }
            }
            while !entered.load(ordering: .acquiring) { await Task.yield() }
            clock.advance(by: .seconds(7))
            let asked = clock.monotonic()
            let found = await handover { continuation in
                loop.post { continuation.resume(returning: loop.monotonic) }
                goesOn.store(true, ordering: .releasing)
            }
            #expect(found == asked)
        }
    }

    @Test func systemTimersWakeASleepingLoop() async throws {
        try await withLoop { loop in
            let waited = await handover { continuation in
                loop.post {
                    let start = loop.monotonic
                    _ = loop.schedule(at: start + .milliseconds(20)) {
                        continuation.resume(returning: loop.monotonic - start)
                    }
                }
            }
            #expect(waited >= .milliseconds(20))
        }
    }

    /// The alarm rings for a cancelled timer, and no timer is due.
    @Test(.timeLimit(.minutes(10)))
    func timersGoOnAfterTheLastOneWasCancelled() async throws {
        try await withLoop { loop in
            let deadline = try await loop.run {
                let deadline = loop.monotonic + .milliseconds(2)
                loop.cancel(loop.schedule(at: deadline) {})
                return deadline
            }
            // The kernel's timers are a little late.
            while try await loop.run({ loop.monotonic }) <= deadline + .milliseconds(5) {}
            let waited = await handover { continuation in
                // Work that the loop posts to itself is the last thing before it sleeps.
                loop.post {
                    loop.post {
                        let start = loop.monotonic
                        _ = loop.schedule(at: start + .milliseconds(2)) {
                            continuation.resume(returning: loop.monotonic - start)
                        }
                    }
                }
            }
            #expect(waited >= .milliseconds(2))
        }
    }

    @Test func isTheExecutorOfTasksThatPreferIt() async throws {
        try await withLoop { loop in
            let places = await Task(executorPreference: loop) {
                var places = [loop.isCurrent]
                await Task.yield()
                places.append(loop.isCurrent)
                return places
            }.value
            #expect(places == [true, true])
        }
    }

    @Test func aTaskGoesOnInPlaceWhereACallIsIsolatedToNothing() async throws {
        try await withLoop { loop in
            let isInPlace = await Task(executorPreference: loop) {
                // Work that the loop gets next is queued behind the job that posted it.
                let hasEnded = Lock(false)
                loop.post { hasEnded.withLock { $0 = true } }
                return await Self.isolatedToNothing { !hasEnded.withLock { $0 } }
            }.value
            #expect(isInPlace)
        }
    }

    @concurrent private static func isolatedToNothing(_ body: @Sendable () -> Bool) async -> Bool { body() }

    private actor Resident {
        private let executor: LoopSerialExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) { executor = LoopSerialExecutor(loop) }

        func isOnItsLoop() -> Bool { executor.loop.isCurrent }
    }

    @Test func anActorThatLivesOnItRunsOnItsThread() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            #expect(await resident.isOnItsLoop())
            #expect(await Task(executorPreference: loop) { await resident.isOnItsLoop() }.value)
            let isIsolated = try await loop.run { resident.assumeIsolated { _ in true } }
            #expect(isIsolated)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func workThatRenewsItselfDoesNotStarveDescriptors() async throws {
        let (near, far) = try Socket.pair()
        defer {
            Syscall.close(near)
            Syscall.close(far)
        }
        try await withLoop { loop in
            let wasTold = Lock(false)
            @Sendable func renew() {
                if !wasTold.withLock({ $0 }) { loop.post { renew() } }
            }
            try await loop.run {
                let recorder = Recorder()
                recorder.onReady = { wasTold.withLock { $0 = true } }
                _ = try loop.register(near, .readable, handler: recorder)
                renew()
            }
            let one = Bytes([1])
            _ = one.withUnsafeBytes { Syscall.write(far, $0) }
            while !wasTold.withLock({ $0 }) { try await loop.run {} }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aTimerThatIsDueWhenItIsSetRunsSoon() async throws {
        try await withLoop { loop in
            for _ in 0..<100 {
                await handover { continuation in
                    loop.post { _ = loop.schedule(at: loop.monotonic) { continuation.resume() } }
                }
            }
        }
    }

    @Test func aTimerThatRenewsItselfDoesNotStarveTheRest() async throws {
        try await withLoop(time: ManualTime()) { loop in
            try await loop.run {
                func renew() { _ = loop.schedule(at: loop.monotonic) { renew() } }
                renew()
            }
            for _ in 0..<3 { try await loop.run {} }
        }
    }

    @Test func loopBoundGivesItsValueOnTheLoop() async throws {
        try await withLoop { loop in
            let bound = LoopBound([1], on: loop)
            let sum = try await loop.run {
                bound.value.append(2)
                return bound.value.reduce(0, +)
            }
            #expect(sum == 3)
        }
    }
}

@Suite struct ComputeGateTests {
    @Test func runsAwayFromTheLoopAndComesBack() async throws {
        try await withLoop { loop in
            let gate = ComputeGate(width: 1)
            let (inside, after) = await Task(executorPreference: loop) {
                let inside = await gate.run { loop.isCurrent }
                return (inside, loop.isCurrent)
            }.value
            #expect(!inside)
            #expect(after)
        }
    }

    @Test func aSmallJobRunsWhereItIsAskedFor() async throws {
        try await withLoop { loop in
            let gate = ComputeGate(width: 1)
            let isInPlace = await Task(executorPreference: loop) {
                await gate.run(reading: ComputeGate.inPlace) { loop.isCurrent }
            }.value
            #expect(isInPlace)
        }
    }

    @Test func aJobOfUnknownOrLargerSizeRunsAwayFromTheLoop() async throws {
        try await withLoop { loop in
            let gate = ComputeGate(width: 1)
            let onTheLoop = await Task(executorPreference: loop) {
                [
                    await gate.run(reading: ComputeGate.inPlace + 1) { loop.isCurrent },
                    await gate.run(reading: .max) { loop.isCurrent },
                ]
            }.value
            #expect(onTheLoop == [false, false])
        }
    }

    @Test func neverRunsMoreThanItsWidth() async {
        let gate = ComputeGate(width: 2)
        let running = Lock((now: 0, most: 0))
        await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    await gate.run {
                        running.withLock {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        sched_yield()
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        #expect((1...2).contains(running.withLock { $0.most }))
    }

    @Test func thoseThatHaveRunLeaveTheQueueThoughOthersWait() async throws {
        try await withLoop { loop in
            let gate = ComputeGate(width: 1)
            let places = Lock<[Int]>([])
            let jobs = (0..<500).map { _ in
                Task(executorPreference: loop) {
                    await gate.run {
                        // The first job waits until all others have come.
                        while places.withLock({ $0.isEmpty }), gate.places < 499 { sched_yield() }
                        places.withLock { $0.append(gate.places) }
                    }
                }
            }
            for job in jobs { await job.value }
            let held = places.withLock { $0 }
            #expect(held.first == 499 && held.count == 500)
            #expect(held.last ?? .max < 128, "\(held.suffix(3))")
        }
    }

    @Test func handsOnTheErrorOfTheBody() async {
        let gate = ComputeGate(width: 1)
        let failed = SystemError(call: "none", code: 1)
        await #expect(throws: failed) { try await gate.run { () throws(SystemError) -> Int in throw failed } }
        #expect(await gate.run { 5 } == 5)
    }
}
