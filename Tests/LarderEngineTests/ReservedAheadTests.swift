// Calls that are reserved ahead, with the real state database: a burst waits for few commits, unused reservations leave
// no record, and reservations that a kill leaves behind count as calls.
import LarderCache
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct ReservedAheadTests {
    /// Sends every call that it may send, and asks for permission as the fetcher does.
    private final class Sender: Upstream {
        /// One value for each call that was sent: true if the call did not have to wait for its reservation.
        let sent = Lock<[Bool]>([])
        /// The index of the call whose client leaves in its turn.
        let givenUp: Int?

        init(givingUp: Int? = nil) { givenUp = givingUp }

        func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
            let atOnce = order.beforeSendingAtOnce?()
            let maySend: Bool
            if let atOnce { maySend = atOnce } else { maySend = await order.beforeSending?() ?? true }
            guard maySend, sent.withLock({ $0.count }) != givenUp else {
                var error = FetchError(stage: .cancelled, origin: "", message: "")
                error.isUnsent = true
                throw error
            }
            sent.withLock { $0.append(atOnce != nil) }
            let time = WallTime(seconds: 1_767_225_600)
            return UpstreamResponse(status: 200, body: Bytes(text: "{}"), requestTime: time, responseTime: time)
        }

        func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream {
            throw FetchError(stage: .cancelled, origin: "", message: "")
        }
    }

    private struct Bench {
        var client: UpstreamClient
        var state: StateStore
        var time: ManualTime
        var sender: Sender
        var directory: TemporaryDirectory

        let call = UpstreamCall(
            provider: "itunes",
            order: FetchOrder(
                url: "http://127.0.0.1/", addresses: .configured, maxBody: 100, deadline: .seconds(1)),
            isBudgeted: true, classify: { _ in .data })

        /// Makes this many calls one after the other. Returns how many were sent.
        func burst(_ count: Int) async -> Int {
            var sent = 0
            for _ in 0..<count {
                if case .success = await client.perform(call) { sent += 1 }
            }
            return sent
        }

        var recorded: [WallTime] {
            get async throws {
                await client.flush()
                return try await state.calls(of: "itunes", since: .distantPast)
            }
        }

        var left: Int? { client.report("itunes")?.rate?.remaining }

        func fate(_ word: String) -> Int {
            Int(client.counters.cell(EngineCounters.reservedAhead, "itunes", word).current)
        }
    }

    private func withDesk(
        _ limits: String, in directory: TemporaryDirectory = TemporaryDirectory(), time: ManualTime = ManualTime(),
        sender: Sender = Sender(), _ body: (Bench) async throws -> Void
    ) async throws {
        let loop = try EventLoop(name: "calls", index: 0, time: time)
        try loop.start()
        let counters = CounterRegistry()
        let state = try StateStore.open(directory: directory.path, log: .silent, counters: counters, time: time)
        let settings = try load("providers: { itunes: { \(limits) } }")
        let accounts = AccountCoordinator(
            loop: loop, upstream: sender, store: state, secrets: SecretRegistry(settings), time: time, log: .silent,
            counters: counters)
        let client = UpstreamClient(
            loop: loop, upstream: sender, accounts: accounts, state: state, compute: ComputeGate(width: 1),
            time: time, log: .silent, counters: counters)
        await client.open(ProviderSet(settings))
        try await body(Bench(client: client, state: state, time: time, sender: sender, directory: directory))
        await state.close()
        loop.stop()
        loop.join()
    }

    @Test func mostCallsOfABurstHaveNothingToWaitFor() async throws {
        try await withDesk("rate: 100/min, quota: off") { bench async throws in
            #expect(await bench.burst(20) == 20)
            let waited = bench.sender.sent.withLock { $0.count { !$0 } }
            #expect(waited == 5, "the first two, and one in six of the rest")
            #expect(bench.fate("used") == 15)
            #expect(bench.left == 80, "the stock has been used up")
            #expect(try await bench.recorded.count == 20)
        }
    }

    @Test func aSingleCallReservesNothingAhead() async throws {
        try await withDesk("rate: 100/min, quota: off") { bench async throws in
            for _ in 0..<5 {
                #expect(await bench.burst(1) == 1)
                bench.time.advance(by: .seconds(1))
            }
            #expect(bench.sender.sent.withLock { $0 } == [false, false, false, false, false])
            #expect(try await bench.recorded.count == 5)
        }
    }

    @Test(.timeLimit(.minutes(10))) func whatNobodyUsedIsGivenBackWhenItsTimeIsOver() async throws {
        try await withDesk("rate: 100/min, quota: off") { bench async throws in
            #expect(await bench.burst(4) == 4)
            #expect(bench.left == 92, "four made, four ahead")
            #expect(try await bench.recorded.count == 8)
            bench.time.advance(by: .milliseconds(1002))
            // No request comes: the loop's timer gives the reservations back.
            while try await bench.recorded.count != 4 { bench.client.home.post {} }
            #expect(bench.left == 96)
            #expect(bench.fate("returned") == 4)
        }
    }

    @Test func aBudgetIsUsedToItsLastCallAndNoFurther() async throws {
        for calls in [20, 45, 100] {
            try await withDesk("rate: \(calls)/min, quota: off") { bench async throws in
                #expect(await bench.burst(calls + 50) == calls)
                #expect(bench.left == 0)
                #expect(try await bench.recorded.count == calls)
                bench.time.advance(by: .milliseconds(59_999))
                #expect(await bench.burst(1) == 0)
                bench.time.advance(by: .milliseconds(1))
                #expect(await bench.burst(1) == 1)
            }
        }
    }

    /// The call reserved ahead is still being written down when everything else is spent.
    @Test(.timeLimit(.minutes(10))) func aBurstAtOnceUsesTheCallThatIsBeingReservedAhead() async throws {
        try await withDesk("rate: 20/min, quota: off") { bench async throws in
            #expect(await bench.burst(16) == 16)
            let lock = try LarderStore.DatabaseConnection(path: bench.directory.path + "/state.db")
            defer { lock.close() }
            try lock.execute("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
            let sent = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { await bench.burst(1) } }
                try await eventually("nothing is left") { bench.left == 0 }
                for _ in 0..<20 { group.addTask { await bench.burst(1) } }
                try await eventually("they wait for the reserved one") {
                    bench.client.step { $0.stockWaiters["itunes"]?.count } == 20
                }
                try lock.execute("ROLLBACK")
                return try await group.reduce(0, +)
            }
            #expect(sent == 4)
            #expect(bench.sender.sent.withLock { $0.count } == 20)
            #expect(try await bench.recorded.count == 20)
            #expect(bench.client.step { $0.stockWaiters.isEmpty })
        }
    }

    @Test func aCallOfTheStockThatIsNotSentIsOnNoRecord() async throws {
        try await withDesk("rate: 100/min, quota: off", sender: Sender(givingUp: 3)) { bench async throws in
            #expect(await bench.burst(4) == 3)
            #expect(bench.fate("used") == 1)
            bench.time.advance(by: .milliseconds(1002))
            #expect(bench.left == 97)
            #expect(try await bench.recorded.count == 3)
        }
    }

    @Test func callsOfTheStockAreSentWhileTheDatabaseIsLocked() async throws {
        try await withDesk("rate: 100/min, quota: off") { bench async throws in
            #expect(await bench.burst(3) == 3)
            let other = try LarderStore.DatabaseConnection(path: bench.directory.path + "/state.db")
            try other.execute("BEGIN IMMEDIATE")
            #expect(await bench.burst(5) == 5)
            try other.execute("ROLLBACK")
            other.close()
            #expect(try await bench.recorded.count == 8)
        }
    }

    @Test func aStopLeavesNothingAheadOnTheRecord() async throws {
        let directory = TemporaryDirectory()
        let time = ManualTime()
        try await withDesk("rate: 100/min, quota: off", in: directory, time: time) { bench async throws in
            #expect(await bench.burst(4) == 4)
            await bench.client.finish()
            #expect(try await bench.recorded.count == 4)
            #expect(await bench.burst(2) == 2)
            #expect(try await bench.recorded.count == 6, "nothing is reserved ahead any more")
        }
        try await withDesk("rate: 100/min, quota: off", in: directory, time: time) { bench async throws in
            #expect(bench.left == 94)
        }
    }

    @Test func whatAKillLeavesReservedCountsAsMade() async throws {
        let directory = TemporaryDirectory()
        let time = ManualTime()
        // If the client does not end properly, nothing is given back.
        try await withDesk("rate: 100/min, quota: off", in: directory, time: time) { bench async throws in
            #expect(await bench.burst(4) == 4)
        }
        let restart = time.wall()
        try await withDesk("rate: 100/min, quota: off", in: directory, time: time) { bench async throws in
            #expect(bench.left == 92)
            #expect(try await bench.recorded.allSatisfy { $0 <= restart }, "none is dated ahead")
            time.advance(by: .seconds(60))
            #expect(bench.left == 100)
        }
    }

    @Test func otherLimitsFindNothingReservedUnderTheOldOnes() async throws {
        try await withDesk("rate: 100/min, quota: off") { bench async throws in
            #expect(await bench.burst(4) == 4)
            await bench.client.open(ProviderSet(try load("providers: { itunes: { rate: 5/min, quota: off } }")))
            #expect(bench.left == 1)
            #expect(try await bench.recorded.count == 4)
            #expect(await bench.burst(5) == 1)
        }
    }

    @Test func manyAtOnceAreEachCountedOnce() async throws {
        try await withDesk("rate: 200/min, quota: off") { bench async throws in
            let sent = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        guard case .success = await bench.client.perform(bench.call) else { return false }
                        return true
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            // Some calls are refused while others hold a reservation that is used or given back later.
            #expect(sent <= 200 && sent >= 190, "\(sent)")
            bench.time.advance(by: .milliseconds(1002))
            #expect(bench.left == 200 - sent)
            #expect(try await bench.recorded.count == sent)
        }
    }
}
