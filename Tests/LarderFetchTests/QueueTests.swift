// What happens between an order and its first request: the wait for a place, the caller's last decision, and then the
// deadline.
import LarderCore
import LarderFetch
import LarderIO
import LarderTestSupport
import Synchronization
import Testing

@Suite struct QueueTests {
    private static let one = FetchSettings(standard: ExchangeLimits(maxConnections: 1, maxStreams: 1))

    /// Runs a test with an exchange that holds the one place until the gate is opened.
    private func withTakenPlace(
        _ settings: FetchSettings = one, _ body: (Rig, ScriptedOrigin, ManualTime, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            request.target == "/first" ? [.await(gate), .send(ok("first"))] : [.send(ok("next"))]
        }
        defer {
            gate.open()
            origin.stop()
        }
        let time = ManualTime()
        try await withRig(settings, time: time) { rig in
            async let first = rig.text(order(origin.base + "/first", deadline: .seconds(1_000_000)))
            try await eventually { origin.requests.count == 1 }
            try await body(rig, origin, time, gate)
            gate.open()
            #expect(await first == "first")
            #expect(rig.count(FetchCounters.active) == 0)
        }
    }

    @Test func theCallerIsAskedWhenItsTurnHasComeAndNotBefore() async throws {
        try await withTakenPlace { rig, origin, _, gate in
            let asked = Atomic(false)
            var second = order(origin.base + "/second")
            second.beforeSending = {
                asked.store(true, ordering: .releasing)
                return true
            }
            async let answer = rig.text(second)
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            await rig.turn()
            let wasEarly = asked.load(ordering: .acquiring)
            #expect(!wasEarly)
            gate.open()
            #expect(await answer == "next")
            let wasAsked = asked.load(ordering: .acquiring)
            #expect(wasAsked)
            #expect(rig.count(FetchCounters.waited) == 1)
        }
    }

    @Test func whatItsCallerNoLongerWantsIsNotSentAndGivesItsPlaceBack() async throws {
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        try await withRig(Self.one) { rig in
            var unwanted = order(origin.base + "/unwanted")
            unwanted.beforeSending = { false }
            let error = await rig.failure(unwanted)
            #expect(error?.stage == .cancelled)
            #expect(error?.isUnsent == true)
            #expect(await rig.text(order(origin.base + "/")) == "here")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func whatIsRefusedAtOnceIsNotSentAndGivesItsPlaceBack() async throws {
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        try await withRig(Self.one) { rig in
            var unwanted = order(origin.base + "/unwanted")
            unwanted.beforeSendingAtOnce = { false }
            let error = await rig.failure(unwanted)
            #expect(error?.stage == .cancelled)
            #expect(error?.isUnsent == true)
            #expect(await rig.text(order(origin.base + "/")) == "here")
            #expect(origin.requests.count == 1)
        }
    }

    @Test func whatIsRefusedAtOnceWhenItsTurnComesLetsTheNextOneGo() async throws {
        try await withTakenPlace { rig, origin, _, gate in
            var unwanted = order(origin.base + "/unwanted")
            unwanted.beforeSendingAtOnce = { false }
            async let refused = rig.failure(unwanted)
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            async let wanted = rig.text(order(origin.base + "/wanted"))
            try await eventually { rig.count(FetchCounters.waiting) == 2 }
            gate.open()
            #expect(await refused?.stage == .cancelled)
            #expect(await wanted == "next")
            #expect(origin.requests.map(\.target) == ["/first", "/wanted"])
        }
    }

    @Test func whatIsPermittedAtOnceIsNotAskedAgain() async throws {
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        try await withRig(Self.one) { rig in
            var permitted = order(origin.base + "/")
            permitted.beforeSendingAtOnce = { true }
            permitted.beforeSending = { false }
            #expect(await rig.text(permitted) == "here")
        }
    }

    @Test func whatCannotBeSaidAtOnceIsAskedAgain() async throws {
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        try await withRig(Self.one) { rig in
            var asked = order(origin.base + "/")
            asked.beforeSendingAtOnce = { nil }
            asked.beforeSending = { false }
            #expect(await rig.failure(asked)?.stage == .cancelled)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func theDeadlineBeginsWhenTheRequestIsSent() async throws {
        // The deadline is shorter than the wait, and longer than any pause of the machine: libcurl gets the rest of it
        // to connect, and reads the real clock.
        var settings = Self.one
        settings.queueTimeout = .seconds(1000)
        try await withTakenPlace(settings) { rig, origin, time, gate in
            async let second = rig.text(order(origin.base + "/second", deadline: .seconds(100)))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            time.advance(by: .seconds(900))
            await rig.turn()
            #expect(rig.count(FetchCounters.waiting) == 1)
            gate.open()
            #expect(await second == "next")
            #expect(rig.count(FetchCounters.waitedTime) >= 900_000)
        }
    }

    @Test func theWaitForATurnHasABoundOfItsOwn() async throws {
        try await withTakenPlace { rig, origin, time, _ in
            async let second = rig.failure(order(origin.base + "/second", deadline: .seconds(1_000_000)))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            time.advance(by: .seconds(10))
            await rig.turn()
            let error = await second
            #expect(error?.stage == .overloaded)
            #expect(error?.isUnsent == true)
            #expect(rig.count(FetchCounters.unplaced, "late") == 1)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func whoLeavesWhileItIsReservedGivesItsPlaceBack() async throws {
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        try await withRig(Self.one, time: ManualTime()) { rig in
            let asked = Atomic(false)
            let isReserved = Atomic(false)
            let goOn = Gate()
            defer { goOn.open() }
            var slow = order(origin.base + "/slow")
            slow.beforeSending = {
                asked.store(true, ordering: .releasing)
                try? await onOwnThread { goOn.wait() }
                isReserved.store(true, ordering: .releasing)
                return true
            }
            let task = Task { [slow] in await rig.failure(slow) }
            try await eventually { asked.load(ordering: .acquiring) }
            task.cancel()
            #expect(await task.value?.isUnsent == true)
            #expect(await rig.text(order(origin.base + "/")) == "here")
            goOn.open()
            // After two more turns the fetcher knows of the reservation, which is too late.
            try await eventually { isReserved.load(ordering: .acquiring) }
            await rig.turn()
            #expect(await rig.text(order(origin.base + "/after")) == "here")
            #expect(origin.requests.map(\.target) == ["/", "/after"])
            #expect(rig.count(FetchCounters.requests, "new") + rig.count(FetchCounters.requests, "kept") == 2)
        }
    }

    @Test func aShutdownEndsWhatIsBeingReservedAndWhatWaitsForIt() async throws {
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        try await withRig(Self.one, time: ManualTime()) { rig in
            let asked = Atomic(false)
            let goOn = Gate()
            defer { goOn.open() }
            var slow = order(origin.base + "/slow")
            slow.beforeSending = {
                asked.store(true, ordering: .releasing)
                try? await onOwnThread { goOn.wait() }
                return true
            }
            async let first = rig.failure(slow)
            try await eventually { asked.load(ordering: .acquiring) }
            async let second = rig.failure(order(origin.base + "/second"))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            await rig.fetcher.shutdown()
            for error in [await first, await second] { #expect(error?.stage == .cancelled && error?.isUnsent == true) }
            #expect(rig.count(FetchCounters.active) == 0)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func aReservationThatStallsHoldsItsPlaceForABoundedTime() async throws {
        let origin = ScriptedOrigin(answering: ok("here"))
        defer { origin.stop() }
        let time = ManualTime()
        try await withRig(Self.one, time: time) { rig in
            let asked = Atomic(false)
            let goOn = Gate()
            defer { goOn.open() }
            var stalled = order(origin.base + "/stalled")
            stalled.beforeSending = {
                asked.store(true, ordering: .releasing)
                try? await onOwnThread { goOn.wait() }
                return true
            }
            async let failure = rig.failure(stalled)
            try await eventually { asked.load(ordering: .acquiring) }
            time.advance(by: .seconds(10))
            await rig.turn()
            #expect(await failure?.stage == .overloaded)
            #expect(await rig.text(order(origin.base + "/")) == "here")
        }
    }

    @Test func aReservationAfterALongWaitHasTheWholeOfItsTime() async throws {
        try await withTakenPlace { rig, origin, time, gate in
            let asked = Atomic(false)
            let goOn = Gate()
            defer { goOn.open() }
            var second = order(origin.base + "/second")
            second.beforeSending = {
                asked.store(true, ordering: .releasing)
                try? await onOwnThread { goOn.wait() }
                return true
            }
            async let answer = rig.text(second)
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            time.advance(by: .seconds(9))
            await rig.turn()
            gate.open()
            try await eventually { asked.load(ordering: .acquiring) }
            time.advance(by: .seconds(9))
            await rig.turn()
            #expect(rig.count(FetchCounters.unplaced, "late") == 0)
            goOn.open()
            #expect(await answer == "next")
        }
    }

    @Test func aRedirectKeepsThePlaceThatItsExchangeHas() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            request.target == "/away"
                ? [.await(gate), .send("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")]
                : [.send(ok(String(request.target.dropFirst())))]
        }
        defer { origin.stop() }
        try await withRig(Self.one, time: ManualTime()) { rig in
            async let moved = rig.text(order(origin.base + "/away", maxRedirects: 1, permits: { _ in .configured }))
            try await eventually { origin.requests.count == 1 }
            async let other = rig.text(order(origin.base + "/other"))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            gate.open()
            #expect(await moved == "there")
            #expect(await other == "other")
            #expect(origin.requests.map(\.target) == ["/away", "/there", "/other"])
        }
    }

    /// An exchange that is meant to last takes no place of those that end soon. Without a free place of its kind,
    /// nothing is sent.
    @Test func whoAsksForEventsWaitsUnsentForAPlaceOfThatKind() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            request.target.hasPrefix("/events")
                ? [.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"), .await(gate)]
                : [.send(ok("plain"))]
        }
        defer {
            gate.open()
            origin.stop()
        }
        let time = ManualTime()
        try await withRig(Self.one, time: time) { rig in
            func events(_ number: Int) -> FetchOrder {
                order(origin.base + "/events\(number)", fields: ["Accept": "application/json, Text/Event-Stream;q=0.9"])
            }
            let first = try await rig.open(events(1), stall: .seconds(1_000_000))
            #expect(rig.count(FetchCounters.paced) == 1)
            async let second = rig.opened(events(2))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            #expect(await rig.text(order(origin.base + "/plain")) == "plain")
            time.advance(by: .seconds(10))
            await rig.turn()
            guard case .failure(let error) = await second else {
                Issue.record("it was sent")
                return
            }
            #expect(error.stage == .overloaded && error.isUnsent)
            #expect(!first.body.hasEnded)
            #expect(origin.requests.map(\.target) == ["/events1", "/plain"])
            first.cancel()
        }
    }

    @Test func aClientsCrowdDelaysAnotherClientByOneTurn() async throws {
        try await withTakenPlace { rig, origin, _, gate in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    var crowd = order(origin.base + "/crowd\(number)")
                    crowd.turn.client = "crowd"
                    group.addTask { [crowd] in #expect(await rig.text(crowd) == "next") }
                    try await eventually { rig.count(FetchCounters.waiting) == number + 1 }
                }
                var single = order(origin.base + "/single")
                single.turn.client = "single"
                group.addTask { [single] in #expect(await rig.text(single) == "next") }
                try await eventually { rig.count(FetchCounters.waiting) == 11 }
                gate.open()
                try await group.waitForAll()
            }
            let targets = origin.requests.map(\.target)
            #expect(targets.prefix(3) == ["/first", "/crowd0", "/single"])
            #expect(targets.count == 12)
        }
    }
}
