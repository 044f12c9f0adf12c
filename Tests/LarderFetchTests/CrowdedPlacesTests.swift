// What happens when all places for transfers paced by clients are taken. An upload waits before it is sent, a response
// stays where it is, and only a response paced by its client gives way to a waiting exchange.
import LarderCore
import LarderFetch
import LarderIO
import LarderTestSupport
import Testing

@Suite struct CrowdedPlacesTests {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
    private static let events = chunked + "Content-Type: text/event-stream\r\n\r\n"
    private static let end = "3\r\nend\r\n0\r\n\r\n"

    /// One place of each kind for each origin.
    private static let narrow = FetchSettings(
        standard: ExchangeLimits(maxConnections: 1, maxStreams: 1))

    /// Answers `/events…` with the head of an event stream, and its end when the gate is opened; `/slow…` likewise with
    /// another body of unknown length; `/short` with a body that fits the window; `/long` with a body that does not;
    /// and all other targets at once.
    private func origin(_ gate: Gate) -> ScriptedOrigin {
        ScriptedOrigin { request in
            switch request.target.prefix(5) {
            case "/even": [.send(Self.events), .await(gate), .send(Self.end)]
            case "/slow": [.send(Self.chunked + "\r\n"), .await(gate), .send(Self.end)]
            case "/shor": [.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), .await(gate), .send("end")]
            case "/long":
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n"), .sendBytes(pattern(300_000))]
            default: [.send(ok("plain"))]
            }
        }
    }

    /// Runs a test with an event stream that holds the one place of its kind.
    private func withFullPlaces(
        _ settings: FetchSettings = narrow, _ body: (Rig, ScriptedOrigin, ManualTime, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        let origin = origin(gate)
        defer {
            gate.open()
            origin.stop()
        }
        let time = ManualTime()
        try await withRig(settings, time: time) { rig in
            let stream = try await rig.open(order(origin.base + "/events"), stall: .seconds(1_000_000))
            try await eventually { rig.count(FetchCounters.paced) == 1 }
            try await body(rig, origin, time, gate)
            stream.cancel()
        }
    }

    private func upload(_ reader: any BodyReader, _ length: Int64? = nil) -> Upload {
        Upload(reader: reader, length: length, expectsContinue: false)
    }

    // MARK: Uploads

    @Test func anUploadThatFindsNoPlaceInTimeWasNotSent() async throws {
        try await withFullPlaces { rig, origin, time, _ in
            let reader = DrippingReader()
            async let outcome = rig.opened(order(origin.base + "/up", method: .post), upload: upload(reader))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            time.advance(by: .seconds(30))
            await rig.turn()
            guard case .failure(let error) = await outcome else {
                Issue.record("there was a place")
                return
            }
            #expect(error.stage == .overloaded)
            #expect(error.isUnsent)
            #expect(origin.requests.count == 1)
            #expect(reader.isAbandoned)
        }
    }

    @Test func aBodyThatIsShortIsNotPacedByItsClient() async throws {
        try await withFullPlaces { rig, origin, _, _ in
            let stream = try await rig.open(
                order(origin.base + "/up", method: .post), upload: upload(PatternReader(9), 9))
            #expect(await text(stream.body) == "plain")
            #expect(origin.requests.last?.body == pattern(9))
        }
    }

    /// The upload asks for a place paced by its client first. When its body has arrived whole, it asks for a place of
    /// the other kind.
    @Test func aBodyOfUnknownLengthThatTurnsOutToBeShortIsNotPacedByItsClient() async throws {
        try await withFullPlaces { rig, origin, _, _ in
            let stream = try await rig.open(order(origin.base + "/up", method: .post), upload: upload(PatternReader(9)))
            #expect(await text(stream.body) == "plain")
        }
    }

    @Test func aShortBodyThatDripsHasNoPlaceAtAll() async throws {
        try await withFullPlaces { rig, origin, time, _ in
            let reader = DrippingReader()
            async let outcome = rig.opened(order(origin.base + "/up", method: .post), upload: upload(reader, 2))
            try await eventually { reader.wasAsked }
            // The time of its sender does not count as the upstream's time.
            time.advance(by: .seconds(1000))
            await rig.turn()
            #expect(rig.count(FetchCounters.active) == 1)
            #expect(await rig.text(order(origin.base + "/plain")) == "plain")
            reader.end()
            guard case .failure(let error) = await outcome else {
                Issue.record("it was shorter than was said")
                return
            }
            #expect(error.stage == .cancelled)
            #expect(error.isUnsent)
        }
    }

    @Test func moreShortBodiesThanMayWaitAreRefused() async throws {
        var settings = Self.narrow
        settings.maxQueue = 1
        try await withFullPlaces(settings) { rig, origin, _, _ in
            let reader = DrippingReader()
            async let first = rig.opened(order(origin.base + "/up", method: .post), upload: upload(reader, 2))
            try await eventually { reader.wasAsked }
            let second = await rig.opened(
                order(origin.base + "/up", method: .post), upload: upload(PatternReader(9), 9))
            guard case .failure(let error) = second else {
                Issue.record("it was not refused")
                return
            }
            #expect(error.stage == .overloaded)
            #expect(error.isUnsent)
            reader.end()
            _ = await first
        }
    }

    // MARK: Answers

    /// The upstream answered: the deadline is met, and no other exchange wants the place.
    @Test func anEventStreamThatFindsNoPlaceIsPassedOn() async throws {
        try await withFullPlaces { rig, origin, time, gate in
            let stream = try await rig.open(
                order(origin.base + "/events2", method: .post, deadline: .seconds(1)), stall: .seconds(1_000_000))
            time.advance(by: .seconds(100))
            await rig.turn()
            #expect(rig.count(FetchCounters.active) == 2)
            gate.open()
            #expect(await text(stream.body) == "end")
        }
    }

    @Test func anEventStreamThatFoundNoPlaceGivesWayToWhoWaits() async throws {
        try await withFullPlaces { rig, origin, time, _ in
            let stream = try await rig.open(order(origin.base + "/events2"), stall: .seconds(1_000_000))
            async let plain = rig.text(order(origin.base + "/plain"))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            #expect(!stream.body.hasEnded)
            time.advance(by: .milliseconds(500))
            await rig.turn()
            #expect(await plain == "plain")
            #expect(stream.body.failure != nil)
            #expect(rig.count(FetchCounters.fetches, "overloaded") == 1)
            // An exchange that waits later does not wait another moment.
            _ = try await rig.open(order(origin.base + "/events3"), stall: .seconds(1_000_000))
            time.advance(by: .milliseconds(500))
            await rig.turn()
            #expect(await rig.text(order(origin.base + "/plain")) == "plain")
        }
    }

    @Test func aPlaceThatComesFreeGoesToTheAnswerThatStayedForWantOfOne() async throws {
        let gates = [Gate(), Gate()]
        let origin = ScriptedOrigin { request in
            [.send(Self.events), .await(gates[request.target == "/0" ? 0 : 1]), .send(Self.end)]
        }
        defer { origin.stop() }
        try await withRig(Self.narrow, time: ManualTime()) { rig in
            let first = try await rig.open(order(origin.base + "/0"))
            let second = try await rig.open(order(origin.base + "/1"))
            await rig.turn()
            #expect(rig.count(FetchCounters.active) == 2)
            gates[0].open()
            #expect(await text(first.body) == "end")
            // The counters change one after the other.
            try await eventually { rig.count(FetchCounters.active) == 1 && rig.count(FetchCounters.paced) == 1 }
            gates[1].open()
            #expect(await text(second.body) == "end")
        }
    }

    @Test func aLimitThatIsRaisedIsUsedAtOnce() async throws {
        try await withFullPlaces { rig, origin, _, _ in
            let stream = try await rig.open(order(origin.base + "/events2"), stall: .seconds(1_000_000))
            var more = Self.narrow
            more.standard.maxStreams = 2
            rig.fetcher.apply(more)
            try await eventually { rig.count(FetchCounters.paced) == 2 }
            stream.cancel()
        }
    }

    @Test func anAnswerWhoseTapeIsFullMovesAside() async throws {
        let origin = origin(Gate())
        defer { origin.stop() }
        var settings = Self.narrow
        settings.streamWindow = 1 << 16
        try await withRig(settings, time: ManualTime()) { rig in
            let stream = try await rig.open(order(origin.base + "/long"))
            try await eventually { rig.count(FetchCounters.paced) == 1 }
            let reader = try #require(stream.body.reader())
            #expect(await readAll(reader) == Passed(count: 300_000))
        }
    }

    @Test func anAnswerWhoseTapeIsFullGivesWayToWhoWaits() async throws {
        var settings = Self.narrow
        settings.streamWindow = 1 << 16
        try await withFullPlaces(settings) { rig, origin, time, _ in
            let stream = try await rig.open(order(origin.base + "/long"), stall: .seconds(1_000_000))
            try await eventually { stream.body.held >= 1 << 16 }
            await rig.turn()
            async let plain = rig.text(order(origin.base + "/plain"))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            // Whether libcurl has met the full tape by now is not determined.
            while rig.count(FetchCounters.fetches, "overloaded") == 0 {
                time.advance(by: .milliseconds(500))
                await rig.turn()
            }
            #expect(await plain == "plain")
        }
    }

    /// Neither a response paced by its upstream nor a response that fits the window is paced by its client.
    @Test(arguments: ["/slow", "/short"])
    func whatIsNotPacedByItsClientIsNotCut(target: String) async throws {
        try await withFullPlaces { rig, origin, time, gate in
            let stream = try await rig.open(order(origin.base + target), stall: .seconds(1_000_000))
            stream.becamePaced()
            async let plain = rig.text(order(origin.base + "/plain", deadline: .seconds(1_000_000)))
            try await eventually { rig.count(FetchCounters.waiting) == 1 }
            for _ in 0..<4 {
                time.advance(by: .seconds(1))
                await rig.turn()
            }
            #expect(!stream.body.hasEnded)
            gate.open()
            #expect(await text(stream.body) == "end")
            #expect(await plain == "plain")
        }
    }
}
