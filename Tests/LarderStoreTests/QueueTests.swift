// The queue in front of the threads is bounded, and each job is taken exactly once.
import Glibc
import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStore

@Suite struct QueueTests {
    @Test func aFullQueueRefusesUntilWeightIsReleased() {
        let queue = WorkQueue<Int>(capacity: 10, crowd: 4, threads: 1)
        #expect(queue.offer(1, weight: 6))
        #expect(!queue.offer(2, weight: 5))
        #expect(queue.offer(3, weight: 4))
        queue.release(10)
        // A job heavier than the capacity is accepted if the queue holds no other weight.
        #expect(queue.offer(4, weight: 100))
        #expect(!queue.offer(5, weight: 1))
        #expect(queue.insist(6))
        #expect(queue.count == 4)
    }

    @Test func jobsComeInOrderAndAfterTheEndNothing() {
        let queue = WorkQueue<Int>(capacity: 100, crowd: 4, threads: 1)
        for number in 0..<5 { #expect(queue.offer(number)) }
        var seen = 0
        guard case .jobs([0, 1, 2]) = queue.take(upTo: 3, seen: &seen) else {
            Issue.record("not the first three"); return
        }
        queue.end()
        #expect(!queue.offer(9) && !queue.insist(9))
        guard case .jobs([3, 4]) = queue.take(upTo: 3, seen: &seen) else { Issue.record("not the rest"); return }
        guard case .ended = queue.take(upTo: 3, seen: &seen) else { Issue.record("not the end"); return }
    }

    @Test func patientJobsAreCollectedUntilOneIsNotPatient() {
        let queue = WorkQueue<Int>(capacity: 1000, crowd: 4, threads: 1)
        queue.collect(for: .seconds(600))
        var seen = 0
        for number in 0..<3 { #expect(queue.offer(number, isPatient: true)) }
        #expect(!queue.hasDue)
        guard case .nothing = queue.take(upTo: 9, timeout: .zero, seen: &seen) else { Issue.record("not kept"); return }
        #expect(queue.offer(3))
        guard case .jobs([0, 1, 2, 3]) = queue.take(upTo: 9, seen: &seen) else { Issue.record("not all"); return }
        #expect(queue.offer(4, isPatient: true))
        #expect(!queue.hasDue)
    }

    @Test func patientJobsAreDueInTheirTimeAndWhenMuchHasCome() {
        let queue = WorkQueue<Int>(capacity: 160, crowd: 4, threads: 1)
        queue.collect(for: .milliseconds(1))
        var seen = 0
        #expect(queue.offer(0, isPatient: true))
        guard case .jobs([0]) = queue.take(upTo: 9, releasing: 0, seen: &seen) else { Issue.record("not due"); return }
        queue.release(1)
        queue.collect(for: .seconds(600))
        #expect(queue.offer(1, weight: 5, isPatient: true))
        #expect(!queue.hasDue)
        #expect(queue.offer(2, weight: 5, isPatient: true))
        #expect(queue.hasDue)
        // Jobs that do not fit one take have been collected for long enough.
        guard case .jobs([1]) = queue.take(upTo: 1, seen: &seen) else { Issue.record("not the first"); return }
        queue.release(10)
        #expect(queue.hasDue)
    }

    @Test func theEndGivesOutWhatWasCollected() {
        let queue = WorkQueue<Int>(capacity: 160, crowd: 4, threads: 1)
        queue.collect(for: .seconds(600))
        var seen = 0
        #expect(queue.offer(0, isPatient: true))
        queue.end()
        guard case .jobs([0]) = queue.take(upTo: 9, seen: &seen) else { Issue.record("not given out"); return }
    }

    @Test func aNudgeLetsEveryThreadLookAroundOnce() {
        let queue = WorkQueue<Int>(capacity: 100, crowd: 4, threads: 1)
        var first = 0
        var second = 0
        queue.nudge()
        guard case .nothing = queue.take(upTo: 3, seen: &first) else { Issue.record("not nudged"); return }
        guard case .nothing = queue.take(upTo: 3, seen: &second) else { Issue.record("not nudged"); return }
        guard case .nothing = queue.take(upTo: 3, timeout: .zero, seen: &first) else {
            Issue.record("not late"); return
        }
    }

    @Test func everyJobIsTakenOnceByOneOfManyThreads() async throws {
        let queue = WorkQueue<Int>(capacity: 100_000, crowd: 8, threads: 3)
        let taken = Lock<[Int]>([])
        let running = Lock(3)
        let ran: Result<Void, any Error> = await handover { done in
            do {
                for number in 0..<3 {
                    try NamedThread.start("queue-test-\(number)") {
                        var seen = 0
                        while true {
                            switch queue.take(upTo: 5, timeout: number == 0 ? .milliseconds(1) : nil, seen: &seen) {
                            case .ended:
                                if running.withLock({ left in
                                    left -= 1; return left
                                }) == 0 {
                                    done.resume(returning: .success(()))
                                }
                                return
                            case .nothing: break
                            case .jobs(let jobs):
                                taken.withLock { $0 += jobs }
                                queue.stepAside()
                                queue.stepBack()
                            }
                        }
                    }
                }
                for number in 0..<20_000 { #expect(queue.offer(number)) }
                queue.end()
            } catch {
                done.resume(returning: .failure(error))
            }
        }
        try ran.get()
        #expect(taken.withLock { $0 }.sorted() == Array(0..<20_000))
    }

    @Test func theGateWaitsForTheLastReaderAndLetsNoneIn() async throws {
        // reader: enter                       leave
        // writer:        shut … must wait here      is shut            reopen
        // late:                 may not enter       may not enter             may
        let gate = ReaderGate()
        #expect(gate.enter() == 0)
        let isShut = Lock(false)
        await handover { (shut: CheckedContinuation<Void, Never>) in
            let nudged = WorkQueue<Int>(capacity: 1, crowd: 1, threads: 1)
            do throws(StoreError) {
                try NamedThread.start("gate-test") {
                    gate.shut { _ = nudged.insist(1) }
                    isShut.withLock { $0 = true }
                    shut.resume()
                }
            } catch {
                Issue.record(error)
                shut.resume()
            }
            var seen = 0
            _ = nudged.take(upTo: 1, seen: &seen)
            #expect(!isShut.withLock { $0 })
            #expect(!gate.mayStay())
            #expect(gate.enter() == nil)
            gate.leave()
        }
        #expect(gate.enter() == nil)
        gate.reopen()
        #expect(gate.mayStay())
        #expect(gate.enter() == 1)
        gate.leave()
    }

    @Test func aCrowdedWriterRefusesAndCounts() async throws {
        // Only its own work delays the writer: bytes are offered faster than any disk takes them.
        try await withStore(StoreSettings(maxSize: 1 << 30, minFree: 0)) { (store, bench) async throws in
            let entries = (0..<6).map { bench.entry("\($0)", size: 30 << 20) }
            let outcomes = await withTaskGroup(of: WriteOutcome.self) { group in
                for entry in entries { group.addTask { await store.write(entry) } }
                return await group.reduce(into: [WriteOutcome: Int]()) { $0[$1, default: 0] += 1 }
            }
            let refused = outcomes[.refused(.overloaded)] ?? 0
            #expect((outcomes[.stored] ?? 0) + refused == 6)
            #expect((outcomes[.stored] ?? 0) >= 2)
            #expect(bench.count(StoreCounters.writes, "overloaded") == refused)
        }
    }

    @Test func aCrowdedWriterStillInvalidates() async throws {
        try await withStore(StoreSettings(maxSize: 1 << 30, minFree: 0)) { (store, bench) async throws in
            let entries = (0..<6).map { bench.entry("\($0)", size: 30 << 20) }
            await withTaskGroup(of: Bool.self) { group in
                for entry in entries {
                    group.addTask { await store.write(entry) == .stored }
                    group.addTask { (try? await store.purge(.digest(entry.key.digest), soft: false)) != nil }
                }
                for entry in entries {
                    group.addTask { (try? await store.purge(.digest(entry.key.digest), soft: false)) != nil }
                }
                let failures = await group.reduce(into: 0) { $0 += $1 ? 0 : 1 }
                // Only writes were refused, and each refusal was counted.
                #expect(failures == bench.count(StoreCounters.writes, "overloaded"))
            }
        }
    }

    @Test func threadsBearTheirNames() async throws {
        try await withStore { (store, bench) async throws in
            _ = try await store.read(bench.entry("a").key)
            _ = await store.write(bench.entry("a"))
            // The listing may skip a thread while others end.
            try await eventually("all names are listed") {
                let names = Self.threadNames()
                return names.contains("store-w\n") && names.contains { $0.hasPrefix("store-r") }
            }
        }
    }

    /// The names of this process's threads, each with a line end.
    private static func threadNames() -> Set<String> {
        var names: Set<String> = []
        guard let tasks = opendir("/proc/self/task") else { return [] }
        defer { closedir(tasks) }
        while let task = readdir(tasks) {
            let id = withUnsafeBytes(of: &task.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var text = Bytes(repeating: 0, count: 32)
            let descriptor = open("/proc/self/task/\(id)/comm", O_RDONLY)
            guard descriptor >= 0 else { continue }
            let count = max(0, read(descriptor, &text, 32))
            close(descriptor)
            names.insert(String(decoding: text.prefix(count), as: UTF8.self))
        }
        return names
    }
}

@Suite struct TableTests {
    @Test func countersHaveTheirOwnNamesAndFollowTheCustom() {
        #expect(Set(StoreCounters.all.map(\.name)).count == StoreCounters.all.count)
        for family in StoreCounters.all { #expect(family.name.hasSuffix("_total") == (family.kind == .counter)) }
    }
}
