import LarderCore
import LarderTestSupport
import Testing

@Suite struct PromiseTests {
    @Test func whoComesLaterFindsTheValueAndDoesNotWait() async {
        let promise = Promise<Int>()
        #expect(promise.value == nil)
        #expect(promise.fulfil(1))
        #expect(promise.value == 1)
        #expect(await promise.wait() == 1)
        #expect(await promise.wait(ifCancelled: 2) == 1)
    }

    @Test func onlyTheFirstValueCounts() async {
        let promise = Promise<Int>()
        #expect(promise.fulfil(1))
        #expect(!promise.fulfil(2))
        #expect(await promise.wait() == 1)
    }

    @Test func aCopyIsTheSamePromise() async {
        let promise = Promise<Int>()
        let copy = promise
        copy.fulfil(3)
        #expect(await promise.wait() == 3)
    }

    @Test func allWhoWaitGetTheValue() async {
        let promise = Promise<Int>()
        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await promise.wait() } }
            group.addTask {
                promise.fulfil(4)
                return 4
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 4, count: 21))
    }

    @Test func cancellingGivesTheValueThatWasNamedForIt() async {
        let promise = Promise<Int>()
        let waiter = Task { await promise.wait(ifCancelled: 5) }
        let other = Task { await promise.wait() }
        waiter.cancel()
        #expect(await waiter.value == 5)
        #expect(await other.value == 5, "it is given to all")
        #expect(!promise.fulfil(6))
    }

    @Test func aTaskThatWasCancelledBeforeItCameDoesNotWait() async {
        let promise = Promise<Int>()
        let begins = Promise<Void>()
        let waiter = Task {
            await begins.wait()
            return await promise.wait(ifCancelled: 5)
        }
        waiter.cancel()
        begins.fulfil()
        #expect(await waiter.value == 5)
    }

    @Test func cancellingEndsNoWaitThatIsToBeWaitedOut() async {
        let promise = Promise<Int>()
        let waiter = Task { await promise.wait() }
        waiter.cancel()
        await Task.yield()
        #expect(promise.value == nil)
        promise.fulfil(7)
        #expect(await waiter.value == 7)
    }

    /// Three threads and a task that may be cancelled, all at once, many times.
    @Test func theFirstOfManyGivesTheValue() async {
        for round in 0..<300 {
            let promise = Promise<Int>()
            let firsts = CounterCell()
            let waiter = Task { await promise.wait(ifCancelled: 9) }
            let threads = (0..<3).map { number in
                startThread { if promise.fulfil(number) { firsts.add() } }
            }
            if round % 2 == 0 { waiter.cancel() }
            let value = await waiter.value
            for thread in threads { thread.join() }
            #expect(promise.value == value)
            #expect(firsts.current == (value == 9 ? 0 : 1))
        }
    }

    /// Memory written before the value was given is visible after the wait, also to the thread sanitizer.
    @Test func whatWasWrittenBeforeIsReadAfter() async {
        final class Parcel: Sendable {
            let number: Int
            init(_ number: Int) { self.number = number }
        }
        for number in 0..<100 {
            let promise = Promise<Parcel>()
            let thread = startThread { promise.fulfil(Parcel(number)) }
            #expect(await promise.wait().number == number)
            thread.join()
        }
    }

    /// Runs each job immediately on the thread that resumes it.
    private final class AtOnce: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test func whoIsWokenFindsTheLockFree() async {
        let promise = Promise<Int>()
        let waiter = Task(executorPreference: AtOnce()) {
            // Runs inside `fulfil` and takes the lock again.
            await promise.wait() + (promise.value ?? 0)
        }
        promise.fulfil(4)
        #expect(await waiter.value == 8)
    }
}
