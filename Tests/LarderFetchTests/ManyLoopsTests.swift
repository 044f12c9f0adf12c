// The loop on which a fetch runs, and how exchanges of several loops share the places.
import Glibc
import LarderCore
import LarderIO
import LarderTestSupport
import Testing

@testable import LarderFetch

@Suite struct ManyLoopsTests {
    /// A fetcher with a home loop and two loops of clients.
    private struct Stand: Sendable {
        let rig: Rig
        let clients: [EventLoop]
        let time: ManualTime

        /// The body of the response, or the error in words, for a caller on this loop.
        func text(_ order: FetchOrder, on loop: Int) -> Task<String, Never> {
            Task(executorPreference: clients[loop]) { await rig.text(order) }
        }

        func failure(_ order: FetchOrder, on loop: Int) -> Task<FetchError?, Never> {
            Task(executorPreference: clients[loop]) {
                guard case .failure(let error) = await rig.outcome(order) else { return nil }
                return error
            }
        }

        /// Two turns of each loop. What one loop posts to another in the first turn is done in the second.
        func turn() async {
            for _ in 0..<2 {
                for loop in clients + [rig.loop] { await handover { done in loop.post { done.resume() } } }
            }
        }
    }

    private func withStand(
        _ settings: FetchSettings = FetchSettings(), _ body: (Stand) async throws -> Void
    ) async throws {
        let time = ManualTime()
        let home = try EventLoop(name: "home", index: 9, time: time)
        let clients = try (0..<2).map { try EventLoop(name: "client-\($0)", index: UInt16($0), time: time) }
        let counters = CounterRegistry()
        let fetcher = CurlUpstream(
            loop: home, clients: clients, settings: settings.patient, log: .silent, counters: counters)
        for loop in clients + [home] { try loop.start() }
        let outcome: Result<Void, any Error>
        do {
            let rig = Rig(fetcher: fetcher, counters: counters, loop: home)
            outcome = .success(try await body(Stand(rig: rig, clients: clients, time: time)))
        } catch {
            outcome = .failure(error)
        }
        await fetcher.shutdown()
        for loop in clients + [home] {
            let left = await handover { continuation in
                loop.post { continuation.resume(returning: [loop.load.descriptors, loop.load.timers]) }
            }
            #expect(left == [0, 0], "\(loop.name)")
            loop.stop()
            loop.join()
        }
        #expect(counters.cell(FetchCounters.active).current == 0)
        try outcome.get()
    }

    /// The name of the loop that performs an order from a caller on the first client's loop. The order is not sent.
    private func loop(
        of url: String, _ settings: FetchSettings = FetchSettings(), provider: String? = nil,
        reloaded: FetchSettings? = nil
    ) async throws -> String? {
        let name = Lock<String?>(nil)
        try await withStand(settings) { stand in
            if let reloaded { stand.rig.fetcher.apply(reloaded) }
            var order = order(url)
            order.provider = provider
            order.beforeSendingAtOnce = {
                name.withLock { $0 = EventLoop.current?.name }
                return false
            }
            _ = await stand.failure(order, on: 0).value
        }
        return name.withLock { $0 }
    }

    @Test func plainHTTPRunsOnTheAskersLoop() async throws {
        #expect(try await loop(of: "http://127.0.0.1/") == "client-0")
        #expect(try await loop(of: "HTTP://127.0.0.1/") == "client-0")
    }

    @Test func allOfHTTPSRunsAtHome() async throws {
        #expect(try await loop(of: "https://127.0.0.1/") == "home")
    }

    @Test func whatGoesThroughAProxyRunsAtHome() async throws {
        #expect(try await loop(of: "http://127.0.0.1/", FetchSettings(proxy: "http://127.0.0.1:1")) == "home")
    }

    /// Each loop keeps its own connections, so a small limit on connections would apply to each loop separately.
    @Test(arguments: [
        ExchangeLimits(maxConnections: 7), ExchangeLimits(maxStreams: 31), ExchangeLimits(maxConnections: 1),
    ])
    func whatIsFetchedOfAProviderWithFewConnectionsRunsAtHome(limits: ExchangeLimits) async throws {
        let settings = FetchSettings(providers: ["few": limits, "usual": ExchangeLimits()])
        #expect(try await loop(of: "http://127.0.0.1/", settings, provider: "few") == "home")
        #expect(try await loop(of: "http://127.0.0.1/", settings, provider: "usual") == "client-0")
        #expect(try await loop(of: "http://127.0.0.1/", settings) == "client-0")
    }

    @Test func aProviderThatMayHaveFewerConnectionsAfterAReloadRunsAtHome() async throws {
        let fewer = FetchSettings(providers: ["few": ExchangeLimits(maxConnections: 1)])
        #expect(try await loop(of: "http://127.0.0.1/", provider: "few", reloaded: fewer) == "home")
    }

    @Test func whoAsksOnNoLoopIsServedAtHome() async throws {
        let name = Lock<String?>(nil)
        try await withStand { stand in
            var order = order("http://127.0.0.1/")
            order.beforeSendingAtOnce = {
                name.withLock { $0 = EventLoop.current?.name }
                return false
            }
            _ = await stand.rig.outcome(order)
        }
        #expect(name.withLock { $0 } == "home")
    }

    // MARK: Places

    private static let one = FetchSettings(standard: ExchangeLimits(maxConnections: 1, maxStreams: 1))

    /// Answers `/first` when the gate is opened, and all other targets at once.
    private func origin(_ gate: Gate) -> ScriptedOrigin {
        ScriptedOrigin { request in
            request.target == "/first" ? [.await(gate), .send(ok("first"))] : [.send(ok("next"))]
        }
    }

    /// Runs a test with an exchange of the first client's loop that holds the one place until the gate is opened.
    private func withTakenPlace(
        _ settings: FetchSettings = one, _ body: (Stand, ScriptedOrigin, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        let origin = origin(gate)
        defer {
            gate.open()
            origin.stop()
        }
        try await withStand(settings) { stand in
            let first = stand.text(order(origin.base + "/first"), on: 0)
            try await eventually { origin.requests.count == 1 }
            try await body(stand, origin, gate)
            gate.open()
            #expect(await first.value == "first")
        }
    }

    @Test func aPlaceThatComesFreeGoesToWhoWaitsOnAnotherLoop() async throws {
        try await withTakenPlace { stand, origin, gate in
            let second = stand.text(order(origin.base + "/second"), on: 1)
            try await eventually { stand.rig.count(FetchCounters.waiting) == 1 }
            #expect(origin.requests.count == 1)
            gate.open()
            #expect(await second.value == "next")
            #expect(stand.rig.count(FetchCounters.waited) == 1)
        }
    }

    /// The loop of the exchange is held up. The cancellation and then the grant arrive while the exchange still waits.
    @Test func aGrantForAnExchangeThatHasEndedGivesThePlaceBack() async throws {
        try await withTakenPlace { stand, origin, gate in
            let given = stand.text(order(origin.base + "/given"), on: 1)
            try await eventually { stand.rig.count(FetchCounters.waiting) == 1 }
            let (held, release) = (Gate(), Gate())
            stand.clients[1].post {
                held.open()
                release.wait()
            }
            try await onOwnThread { held.wait() }
            given.cancel()
            gate.open()
            // The other loop already took the place for the exchange.
            try await eventually { stand.rig.count(FetchCounters.waiting) == 0 }
            release.open()
            #expect(await given.value.contains("cancelled"))
            #expect(await stand.text(order(origin.base + "/last"), on: 0).value == "next")
            #expect(origin.requests.map(\.target) == ["/first", "/last"])
        }
    }

    @Test func aCrowdOnOneLoopMakesRoomForAClientOnAnother() async throws {
        let settings = FetchSettings(
            maxQueue: 3, standard: ExchangeLimits(maxConnections: 1, maxStreams: 1, maxQueue: 3))
        try await withTakenPlace(settings) { stand, origin, gate in
            var crowd: [Task<FetchError?, Never>] = []
            for place in 1...3 {
                var asked = order(origin.base + "/crowd")
                asked.turn.client = "crowd"
                crowd.append(stand.failure(asked, on: 0))
                try await eventually { stand.rig.count(FetchCounters.waiting) == place }
            }
            var other = order(origin.base + "/other")
            other.turn.client = "other"
            let second = stand.text(other, on: 1)
            let last = crowd.removeLast()
            #expect(await last.value?.stage == .overloaded)
            gate.open()
            #expect(await second.value == "next")
            for task in crowd { #expect(await task.value == nil) }
        }
    }

    /// An event stream that found no place of its kind keeps a brief place only while no exchange waits for that place.
    @Test func anEventStreamGivesWayToWhoWaitsOnAnotherLoop() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            guard request.target == "/events" else { return [.send(ok("plain"))] }
            return [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"),
                .await(gate),
            ]
        }
        defer {
            gate.open()
            origin.stop()
        }
        try await withStand(Self.one) { stand in
            func events() async -> Result<UpstreamStream, FetchError> {
                await Task(executorPreference: stand.clients[0]) {
                    await stand.rig.opened(order(origin.base + "/events"), stall: .seconds(1_000_000))
                }.value
            }
            let first = try await events().get()
            try await eventually { stand.rig.count(FetchCounters.paced) == 1 }
            let second = try await events().get()
            #expect(stand.rig.count(FetchCounters.active) == 2)
            let waiter = stand.text(order(origin.base + "/plain"), on: 1)
            try await eventually { stand.rig.count(FetchCounters.waiting) == 1 }
            stand.time.advance(by: FetchCore.moment)
            await stand.turn()
            #expect(await waiter.value == "plain")
            first.cancel()
            second.cancel()
        }
    }

    /// A stream that holds a brief place moves when a place of its kind becomes free on another loop.
    @Test func aPlaceOfTheOtherKindThatComesFreeIsFoundByAnotherLoop() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"),
                .await(gate),
            ]
        }
        defer {
            gate.open()
            origin.stop()
        }
        try await withStand(Self.one) { stand in
            func events(on loop: Int) async throws -> UpstreamStream {
                try await Task(executorPreference: stand.clients[loop]) {
                    await stand.rig.opened(order(origin.base + "/events"), stall: .seconds(1_000_000))
                }.value.get()
            }
            let first = try await events(on: 0)
            try await eventually { stand.rig.count(FetchCounters.paced) == 1 }
            let second = try await events(on: 1)
            await stand.turn()
            #expect(stand.rig.count(FetchCounters.paced) == 1)
            first.cancel()
            try await eventually {
                stand.rig.count(FetchCounters.active) == 1 && stand.rig.count(FetchCounters.paced) == 1
            }
            second.cancel()
        }
    }

    /// Each of two loops has a stream that must leave.
    @Test func oneWhoWaitsCutsOneStreamOfSeveralLoops() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { request in
            guard request.target == "/events" else { return [.send(ok("plain"))] }
            return [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n"),
                .await(gate),
            ]
        }
        defer {
            gate.open()
            origin.stop()
        }
        let settings = FetchSettings(standard: ExchangeLimits(maxConnections: 2, maxStreams: 1))
        try await withStand(settings) { stand in
            var streams: [UpstreamStream] = []
            for loop in [0, 0, 1] {
                let stream = try await Task(executorPreference: stand.clients[loop]) {
                    await stand.rig.opened(order(origin.base + "/events"), stall: .seconds(1_000_000))
                }.value.get()
                streams.append(stream)
                await stand.turn()
            }
            stand.time.advance(by: FetchCore.moment)
            await stand.turn()
            #expect(await stand.text(order(origin.base + "/plain"), on: 1).value == "plain")
            await stand.turn()
            #expect(stand.rig.count(FetchCounters.fetches, "overloaded") == 1)
            #expect(streams.map { $0.body.failure != nil } == [false, true, false])
            for stream in streams { stream.cancel() }
        }
    }

    /// The request's body arrived whole while the exchange was being told that it is replaced.
    @Test func whoIsReplacedLeavesNothingInTheOtherQueue() async throws {
        try await withTakenPlace { stand, origin, gate in
            let reader = DrippingReader()
            let upload = Task(executorPreference: stand.clients[1]) {
                await stand.rig.opened(
                    order(origin.base + "/up", method: .put),
                    upload: Upload(reader: reader, length: nil, expectsContinue: false))
            }
            try await eventually { stand.rig.count(FetchCounters.paced) == 1 }
            let replaced = Task(executorPreference: stand.clients[1]) {
                await stand.rig.opened(
                    order(origin.base + "/replaced", method: .put),
                    upload: Upload(reader: DrippingReader(), length: nil, expectsContinue: false))
            }
            try await eventually { stand.rig.count(FetchCounters.waiting) == 1 }
            await stand.turn()
            await handover { done in
                stand.rig.fetcher.ways[2].post { core in
                    let id = core.exchanges.keys.max() ?? 0
                    core.took(id, .success(nil))
                    core.perform(PlaceAction(exchange: id, core: core.number, kind: .replaced))
                    core.pump()
                    done.resume()
                }
            }
            guard case .failure(let error) = await replaced.value else {
                Issue.record("it was sent")
                return
            }
            #expect(error.stage == .overloaded)
            #expect(stand.rig.count(FetchCounters.waiting) == 0)
            reader.end()
            _ = await upload.value
        }
    }

    // MARK: Moving

    /// Redirects the request to an https origin that accepts connections and sends nothing.
    private func withSilentHTTPS(_ body: (Stand, ScriptedOrigin, Int32) async throws -> Void) async throws {
        let (listener, port) = listenOnLoopback()
        defer { Glibc.close(listener) }
        let origin = ScriptedOrigin { _ in
            [
                .send(
                    "HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1:\(port)/\r\nContent-Length: 0\r\n\r\n")
            ]
        }
        defer { origin.stop() }
        try await withStand { stand in try await body(stand, origin, listener) }
    }

    @Test func aRedirectToHTTPSGoesOnAtHomeAndCanBeCancelledThere() async throws {
        try await withSilentHTTPS { stand, origin, listener in
            let led = order(
                origin.base + "/", deadline: .seconds(1_000_000), maxRedirects: 1, permits: { _ in .configured })
            let fetch = stand.failure(led, on: 0)
            let connection = try await onOwnThread { accept(listener, nil, nil) }
            #expect(await socketsAtHome(stand) == 1)
            fetch.cancel()
            #expect(await fetch.value?.stage == .cancelled)
            Glibc.close(connection)
        }
    }

    @Test func whatMovedHasItsDeadlineThere() async throws {
        try await withSilentHTTPS { stand, origin, listener in
            let led = order(origin.base + "/", deadline: .seconds(300), maxRedirects: 1, permits: { _ in .configured })
            let fetch = stand.failure(led, on: 0)
            let connection = try await onOwnThread { accept(listener, nil, nil) }
            #expect(await socketsAtHome(stand) == 1)
            stand.time.advance(by: .seconds(300))
            await stand.turn()
            #expect(await fetch.value?.stage == .timedOut)
            Glibc.close(connection)
        }
    }

    private func socketsAtHome(_ stand: Stand) async -> Int {
        await handover { continuation in
            let home = stand.rig.fetcher.ways[FetchCore.home]
            home.post { continuation.resume(returning: $0.sockets.count) }
        }
    }
}
