// A call is recorded before it is sent. The record of a call that was not sent is removed.
import LarderCache
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct CallReservationTests {
    private static let unsent: FetchError = {
        var error = FetchError(stage: .cancelled, origin: "", message: "")
        error.isUnsent = true
        return error
    }()

    /// An upstream that does what the test says.
    private struct Told: Upstream {
        var act: @Sendable (FetchOrder) async -> FetchError?

        func fetch(_ order: FetchOrder) async throws(FetchError) -> UpstreamResponse {
            if let error = await act(order) { throw error }
            let time = WallTime(seconds: 1_767_225_600)
            return UpstreamResponse(status: 200, body: Bytes(text: "{}"), requestTime: time, responseTime: time)
        }

        func open(_ order: FetchOrder, upload: Upload?, stall: Duration?) async throws(FetchError) -> UpstreamStream {
            throw CallReservationTests.unsent
        }
    }

    private func withDesk(
        limits: String = "rate: 2/min, quota: off", in directory: TemporaryDirectory = TemporaryDirectory(),
        _ act: @escaping @Sendable (FetchOrder) async -> FetchError?,
        _ body: (UpstreamClient, StateStore, UpstreamCall) async throws -> Void
    ) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "calls", index: 0, time: time)
        try loop.start()
        let counters = CounterRegistry()
        let state = try StateStore.open(directory: directory.path, log: .silent, counters: counters, time: time)
        let settings = try load("providers: { itunes: { \(limits) } }")
        let upstream = Told(act: act)
        let accounts = AccountCoordinator(
            loop: loop, upstream: upstream, store: state, secrets: SecretRegistry(settings), time: time, log: .silent,
            counters: counters)
        let client = UpstreamClient(
            loop: loop, upstream: upstream, accounts: accounts, state: state, compute: ComputeGate(width: 1),
            time: time, log: .silent, counters: counters)
        await client.open(ProviderSet(settings))
        let order = FetchOrder(
            url: "http://127.0.0.1/", addresses: .configured, maxBody: 100, deadline: .seconds(1))
        try await body(
            client, state,
            UpstreamCall(provider: "itunes", order: order, isBudgeted: true, classify: { _ in .data }))
        await state.close()
        loop.stop()
        loop.join()
    }

    @Test func whatMayBeCalledOfAProviderWithoutALaneIsNotKnownAndNothingIs() async throws {
        try await withDesk { _ in
            Issue.record("it was sent")
            return nil
        } _: { client, _, call in
            var call = call
            call.provider = "added"
            guard case .failure(let failure) = await client.perform(call) else {
                Issue.record("it was answered")
                return
            }
            #expect(failure.failure == .notConfigured, "\(failure)")
            guard case .spent = client.spare("added") else {
                Issue.record("there is something to spare")
                return
            }
        }
    }

    private func recorded(_ client: UpstreamClient, _ state: StateStore) async throws -> Int {
        await client.flush()
        return try await state.calls(of: "itunes", since: .distantPast).count
    }

    @Test func aCallIsCountedAtItsTurn() async throws {
        try await withDesk { order in
            await order.beforeSending?() == true ? nil : Self.unsent
        } _: {
            (client, state, call) async throws in
            guard case .success = await client.perform(call) else {
                Issue.record("it was not sent")
                return
            }
            #expect(try await recorded(client, state) == 1)
            #expect(client.report("itunes")?.rate?.remaining == 1)
        }
    }

    /// This upstream leaves every order to a task.
    @Test func aCallThatNeedsATaskIsNotBegunWithoutOne() async throws {
        try await withDesk { _ in
            nil
        } _: {
            (client, state, call) async throws in
            let isBegun = await handover { (told: TaskContinuation<Bool, Never>) in
                client.home.post {
                    let cancel = client.begin(call, stall: nil) { _ in Issue.record("it was answered") }
                    told.resume(returning: cancel != nil)
                }
            }
            #expect(!isBegun)
            #expect(client.report("itunes")?.rate?.remaining == 2)
            #expect(try await recorded(client, state) == 0)
        }
    }

    @Test func aCallWithoutALimitIsPermittedAtOnceAndNothingIsWrittenDown() async throws {
        try await withDesk(limits: "rate: off, quota: off") { order in
            order.beforeSendingAtOnce?() == true ? nil : Self.unsent
        } _: { (client, state, call) async throws in
            guard case .success = await client.perform(call) else {
                Issue.record("it was not sent")
                return
            }
            #expect(try await recorded(client, state) == 0)
        }
    }

    @Test func aCallWithALimitIsNotPermittedBeforeItIsWrittenDown() async throws {
        let answer = Lock<Bool??>(nil)
        try await withDesk { order in
            answer.withLock { $0 = .some(order.beforeSendingAtOnce?()) }
            return Self.unsent
        } _: { (client, state, call) async throws in
            _ = await client.perform(call)
            #expect(answer.withLock { $0 } == .some(.none))
            #expect(client.report("itunes")?.rate?.remaining == 2)
        }
    }

    @Test func aCallThatLeftTheQueueIsOnNoRecord() async throws {
        try await withDesk { _ in
            Self.unsent
        } _: { (client, state, call) async throws in
            for _ in 0..<5 { _ = await client.perform(call) }
            #expect(try await recorded(client, state) == 0)
            #expect(client.report("itunes")?.rate?.remaining == 2)
        }
    }

    @Test func aCallThatIsGivenUpAfterItsTurnIsTakenBack() async throws {
        try await withDesk { order in
            _ = await order.beforeSending?()
            return Self.unsent
        } _: { (client, state, call) async throws in
            for _ in 0..<5 { _ = await client.perform(call) }
            #expect(try await recorded(client, state) == 0)
            #expect(client.report("itunes")?.rate?.remaining == 2)
        }
    }

    /// The asker gives up while the reservation is being written.
    @Test func aCallThatIsGivenUpInItsTurnIsTakenBack() async throws {
        try await withDesk { order in
            async let _ = order.beforeSending?() == true
            for _ in 0..<10 { await Task.yield() }
            return Self.unsent
        } _: { (client, state, call) async throws in
            for _ in 0..<20 { _ = await client.perform(call) }
            #expect(try await recorded(client, state) == 0)
            #expect(client.report("itunes")?.rate?.remaining == 2)
        }
    }

    @Test func theRedirectsOfACallThatFailedAreCountedToo() async throws {
        try await withDesk { order in
            _ = await order.beforeSending?()
            var error = FetchError(stage: .receive, origin: "", message: "")
            error.redirects = 1
            return error
        } _: { (client, state, call) async throws in
            _ = await client.perform(call)
            #expect(try await recorded(client, state) == 2)
            #expect(client.report("itunes")?.rate?.remaining == 0)
        }
    }

    /// A lock on the state database that another connection holds, on a thread of its own. Meanwhile the store waits
    /// for the lock without end, because a test may take any time.
    private struct HeldLock {
        let goOn = Gate()
        private let holder: Task<Void, any Error>

        init(_ directory: TemporaryDirectory, of state: StateStore) async throws {
            let (isHeld, locked, goOn) = (Lock(true), Gate(), self.goOn)
            let path = directory.path + "/state.db"
            state.ending.locks.hold { isHeld.withLock { $0 } }
            holder = Task {
                try await onOwnThread {
                    defer {
                        isHeld.withLock { $0 = false }
                        locked.open()
                    }
                    let other = try LarderStore.DatabaseConnection(path: path)
                    defer { other.close() }
                    try other.execute("BEGIN IMMEDIATE")
                    locked.open()
                    goOn.wait()
                    try other.execute("ROLLBACK")
                }
            }
            try await onOwnThread { locked.wait() }
        }

        func release() async throws {
            goOn.open()
            try await holder.value
        }
    }

    @Test func aLockedDatabaseDelaysTheNotesOfALaneAndNoAnswer() async throws {
        let directory = TemporaryDirectory()
        try await withDesk(limits: "rate: off, quota: off", in: directory) { _ in
            FetchError(stage: .receive, origin: "", message: "")
        } _: { (client, state, call) async throws in
            let lock = try await HeldLock(directory, of: state)
            defer { lock.goOn.open() }
            // Enough failures for a suspension.
            for _ in 0..<9 { _ = await client.perform(call) }
            let waits = client.notes.written < client.notes.added
            #expect(waits, "the answers are there, and nothing is written yet")
            try await lock.release()
            await client.flush()
            #expect(try await state.value("suspension.itunes") != nil)
        }
    }

    /// The wait and the end of the write reach the client's loop together, the wait first.
    @Test(.timeLimit(.minutes(10))) func whoWaitsForTheNotesOfALaneIsToldOfOneThatIsWrittenJustThen() async throws {
        let directory = TemporaryDirectory()
        try await withDesk(in: directory) { _ in
            nil
        } _: { (client, state, _) async throws in
            for _ in 0..<5 {
                let (blocked, unblock) = (Gate(), Gate())
                let lock = try await HeldLock(directory, of: state)
                defer { lock.goOn.open() }
                async let first = client.resume("itunes")
                while client.notes.written == client.notes.added { await Task.yield() }
                client.home.post {
                    blocked.open()
                    unblock.wait()
                }
                try await onOwnThread { blocked.wait() }
                async let second: Void = client.flush()
                for _ in 0..<200 { await Task.yield() }
                try await lock.release()
                // The state database's thread works in order. When this read returns, the note is written.
                _ = try await state.value("suspension.itunes")
                unblock.open()
                await second
                #expect(await first)
            }
        }
    }

    @Test func aTurnThatComesAfterTheEndReservesNothing() async throws {
        let late = Hook<(@Sendable () async -> Bool)?>(nil)
        try await withDesk { order in
            late.set(order.beforeSending)
            return Self.unsent
        } _: { (client, state, call) async throws in
            _ = await client.perform(call)
            let kept = late.get()
            let turn = try #require(kept)
            #expect(await turn() == false)
            #expect(try await recorded(client, state) == 0)
            #expect(client.report("itunes")?.rate?.remaining == 2)
        }
    }

    /// Another connection holds the lock of the state database while the body runs. Meanwhile the store waits for the
    /// lock without end, because the body may take any time.
    private func locked<Value>(
        _ directory: TemporaryDirectory, _ state: StateStore, _ body: () async throws -> Value
    ) async throws -> Value {
        let isHeld = Lock(true)
        state.ending.locks.hold { isHeld.withLock { $0 } }
        defer { isHeld.withLock { $0 = false } }
        let other = try LarderStore.DatabaseConnection(path: directory.path + "/state.db")
        try other.execute("BEGIN IMMEDIATE")
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try other.execute("ROLLBACK")
        other.close()
        return try result.get()
    }

    @Test func aCallThatIsGivenUpWhileTheDatabaseIsLockedIsOverAtOnceAndTakenBackLater() async throws {
        let directory = TemporaryDirectory()
        let turn = Lock<Task<Bool, Never>?>(nil)
        let goOn = Hook<(@Sendable () async -> Bool)?>(nil)
        try await withDesk(in: directory) { order in
            turn.withLock { $0 = Task { await order.beforeSending?() ?? true } }
            while await goOn.get()?() != true { await Task.yield() }
            return Self.unsent
        } _: { (client, state, call) async throws in
            goOn.set { client.isReserving }
            try await locked(directory, state) {
                _ = await client.perform(call)
                #expect(client.isReserving, "it is still being written down")
            }
            #expect(await turn.withLock { $0 }?.value == false, "it is not sent")
            #expect(try await recorded(client, state) == 0)
            #expect(client.report("itunes")?.rate?.remaining == 2)
        }
    }

    /// The flight has ended, so the stop goes on. The reservation has not ended yet.
    @Test func aStopWaitsForAReservationAndForItsBeingTakenBack() async throws {
        let directory = TemporaryDirectory()
        let goOn = Hook<(@Sendable () async -> Bool)?>(nil)
        try await withDesk(in: directory) { order in
            Task { await order.beforeSending?() }
            while await goOn.get()?() != true { await Task.yield() }
            return Self.unsent
        } _: { (client, state, call) async throws in
            goOn.set { client.isReserving }
            let hasEnded = Lock(false)
            let end = try await locked(directory, state) {
                _ = await client.perform(call)
                let end = Task {
                    await client.finish()
                    await state.close()
                    hasEnded.withLock { $0 = true }
                }
                while !client.hasWaiters, !hasEnded.withLock({ $0 }) { await Task.yield() }
                #expect(client.hasWaiters, "it does not wait")
                return end
            }
            await end.value
            let next = try StateStore.open(
                directory: directory.path, log: .silent, counters: CounterRegistry(), time: ManualTime())
            #expect(try await next.calls(of: "itunes", since: .distantPast).isEmpty)
            await next.close()
        }
    }

    @Test(arguments: [
        (FetchError.Stage.overloaded, "overloaded"), (.connect, "unreachable"), (.cancelled, "cancelled"),
    ])
    func aCallThatWasNotSentIsCountedAsSuchAndNotAsSent(_ stage: FetchError.Stage, _ word: String) async throws {
        try await withDesk { _ in
            var error = FetchError(stage: stage, origin: "", message: "")
            error.isUnsent = true
            return error
        } _: { (client, _, call) async throws in
            _ = await client.perform(call)
            #expect(client.counters.cell(EngineCounters.upstreamCalls, "itunes", word).current == 0)
            #expect(client.counters.cell(EngineCounters.unsentCalls, "itunes", word).current == 1)
        }
    }

    private func unsent(_ client: UpstreamClient) async -> [String: Int] {
        var found: [String: Int] = [:]
        for sample in client.counters.snapshot() where sample.family.name == EngineCounters.unsentCalls.name {
            if let word = sample.labels.last, sample.value > 0 { found[word] = Int(sample.value) }
        }
        return found
    }

    @Test func aCallThatTheStateDatabaseDoesNotTakeAtItsTurnIsCountedAsUnsent() async throws {
        try await withDesk { order in
            await order.beforeSending?() == true ? nil : Self.unsent
        } _: { (client, state, call) async throws in
            await state.close()
            _ = await client.perform(call)
            #expect(await unsent(client) == ["overloaded": 1])
        }
    }

    @Test func aCallWhoseProviderIsSuspendedBeforeItsTurnIsCountedAsUnsent() async throws {
        let meanwhile = Hook<(@Sendable () async -> Void)?>(nil)
        try await withDesk(limits: "rate: off, quota: off") { order in
            guard let suspend = meanwhile.exchange(nil) else {
                _ = await order.beforeSending?()
                return FetchError(stage: .receive, origin: "", message: "")
            }
            await suspend()
            return await order.beforeSending?() == true ? nil : Self.unsent
        } _: { (client, _, call) async throws in
            // Enough failures for a suspension.
            meanwhile.set { for _ in 0..<9 { _ = await client.perform(call) } }
            _ = await client.perform(call)
            #expect(await unsent(client) == ["suspended": 1])
        }
    }

    @Test func aCallWhoseBudgetIsSpentAtItsTurnIsARefusalOfTheBudgetAndNoOther() async throws {
        let meanwhile = Hook<(@Sendable () async -> Void)?>(nil)
        try await withDesk(limits: "rate: 1/min, quota: off") { order in
            if let spend = meanwhile.exchange(nil) { await spend() }
            return await order.beforeSending?() == true ? nil : Self.unsent
        } _: { (client, _, call) async throws in
            meanwhile.set { _ = await client.perform(call) }
            _ = await client.perform(call)
            #expect(await unsent(client).isEmpty)
            #expect(client.counters.cell(EngineCounters.budgetRefusals, "itunes").current == 1)
        }
    }

    /// The call ended because there was no memory for its answer, or because its client left.
    @Test(arguments: [(FetchError.Stage.overloaded, "overloaded"), (.cancelled, "cancelled")])
    func aCallThatWasSentIsCountedWhateverEndedIt(_ stage: FetchError.Stage, _ word: String) async throws {
        try await withDesk { order in
            _ = await order.beforeSending?()
            return FetchError(stage: stage, origin: "", message: "")
        } _: { (client, _, call) async throws in
            _ = await client.perform(call)
            #expect(client.counters.cell(EngineCounters.upstreamCalls, "itunes", word).current == 1)
            #expect(client.counters.cell(EngineCounters.unsentCalls, "itunes", word).current == 0)
        }
    }

    @Test func aRedirectIsCountedWithoutWaitingForTheDatabase() async throws {
        let directory = TemporaryDirectory()
        try await withDesk(in: directory) { _ in
            var error = FetchError(stage: .receive, origin: "", message: "")
            error.redirects = 1
            return error
        } _: { (client, state, call) async throws in
            try await locked(directory, state) {
                _ = await client.perform(call)
                #expect(client.notes.written == 0)
                #expect(client.report("itunes")?.rate?.remaining == 1)
            }
            #expect(try await recorded(client, state) == 1)
        }
    }
}

extension UpstreamClient {
    fileprivate var notes: (added: Int, written: Int) { step { ($0.notes.added, $0.notes.written) } }
    /// Whether a task waits for the end of a reservation.
    fileprivate var hasWaiters: Bool { step { !$0.reservationWaiters.isEmpty } }
    fileprivate var isReserving: Bool { step { $0.isReserving } }
}
