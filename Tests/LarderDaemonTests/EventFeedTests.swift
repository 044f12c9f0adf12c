// Feeds and their readers: every reader gets every event in order. A slow reader loses the oldest events, and they are
// counted. A quiet stream gets a sign of life. No subscription outlives its reader.
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderTestSupport
import Testing

@testable import LarderDaemon
@testable import LarderEngine

/// A loop whose clock the test moves, and the streams on that loop.
private final class Stand: Sendable {
    let time = ManualTime()
    let loop: EventLoop
    let counters = CounterRegistry()
    let streams: EventStreams

    init(limit: Int = 10) throws {
        loop = try EventLoop(name: "test", index: 0, time: time)
        try loop.start()
        streams = EventStreams(loop: loop, limit: limit, counters: counters)
    }

    deinit {
        loop.stop()
        loop.join()
    }

    /// Advances the clock. When this method returns, due timers have run.
    func advance(by duration: Duration) async {
        time.advance(by: duration)
        // The first turn runs the timers. The second turn runs after everything that the timers post.
        for _ in 0..<2 {
            await handover { (done: CheckedContinuation<Void, Never>) in
                loop.post { [loop] in
                    loop.readClock()
                    _ = loop.schedule(at: loop.monotonic) { done.resume() }
                }
            }
        }
    }

    func count(_ family: MetricFamily, _ feed: String? = nil) -> Int {
        if let feed { counters.cell(family, feed).current } else { counters.cell(family).current }
    }
}

@Suite struct EventFeedTests {
    private func text(_ reader: EventReader) async throws -> String? {
        try await reader.next()?.lossyText
    }

    private func event(_ number: Int) -> String { "event: e\nid: \(number)\ndata: \(number)\n\n" }

    private func post(_ numbers: ClosedRange<Int>, to feed: EventFeed) {
        for number in numbers { feed.post("e", Bytes(text: "\(number)")) }
    }

    @Test func everyReaderGetsEveryEventInOrderAndThenTheEnd() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 100)
        post(1...2, to: feed)
        let early = try feed.reader(after: nil, otherwise: .oldest)
        let late = try feed.reader(after: nil, otherwise: .next)
        async let waiting = late.next()
        #expect(try await text(early) == event(1) + event(2))
        post(3...3, to: feed)
        let first = try await waiting
        #expect(first?.lossyText == event(3))
        #expect(try await text(early) == event(3))
        post(4...5, to: feed)
        feed.finish()
        post(6...6, to: feed)
        for reader in [early, late] {
            #expect(try await text(reader) == event(4) + event(5))
            #expect(try await text(reader) == nil)
        }
        #expect(feed.readers == 0)
        #expect(stand.count(EventCounters.streams) == 0)
        #expect(stand.count(EventCounters.posted, "test") == 5)
    }

    @Test func whoComesAgainGetsWhatItHasNotSeen() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 100)
        post(1...4, to: feed)
        #expect(try await text(feed.reader(after: "2", otherwise: .next)) == event(3) + event(4))
        for foreign in ["9", "x", "-1", ""] {
            #expect(
                try await text(feed.reader(after: foreign, otherwise: .oldest)) == (1...4).map(event).joined(),
                "\(foreign)")
        }
        let named = EventFeed("test", streams: stand.streams, keeping: 100, epoch: "b")
        post(1...2, to: named)
        #expect(try await text(named.reader(after: "b-1", otherwise: .next))?.contains("id: b-2\n") == true)
        #expect(try await text(named.reader(after: "a-1", otherwise: .oldest))?.contains("id: b-1\n") == true)
    }

    @Test func aSlowReaderLosesTheOldestAndIsCounted() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        let slow = try feed.reader(after: nil, otherwise: .next)
        post(1...10, to: feed)
        #expect(try await text(slow) == (8...10).map(event).joined())
        #expect(stand.count(EventCounters.dropped, "test") == 7)
    }

    @Test func aLargeEventIsHeldOnceHoweverManyReadIt() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        post(1...1, to: feed)
        feed.post("large", Bytes(repeating: 0x61, count: 100_000))
        feed.finish()
        var pieces: [Bytes] = []
        for _ in 0..<2 {
            let reader = try feed.reader(after: nil, otherwise: .oldest)
            #expect(try await text(reader) == event(1))
            pieces.append(try #require(await reader.next()))
        }
        let places = pieces.map { piece in piece.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }
        #expect(pieces[0].count > 100_000 && places[0] == places[1])
    }

    @Test func aGreetingComesFirstAndToItsReaderAlone() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        let reader = try feed.reader(after: nil, otherwise: .next, greeting: EventText.retry(after: .seconds(1)))
        let other = try feed.reader(after: nil, otherwise: .next)
        reader.greet(EventText.comment("hello"))
        post(1...1, to: feed)
        #expect(try await text(reader) == "retry: 1000\n\n:hello\n\n" + event(1))
        #expect(try await text(other) == event(1))
    }

    @Test func aQuietReaderHearsASignOfLifeEveryFifteenSeconds() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        let reader = try feed.reader(after: nil, otherwise: .next)
        await stand.advance(by: .seconds(6))
        post(1...1, to: feed)
        #expect(try await text(reader) == event(1))
        async let beat = reader.next()
        for _ in 0..<3 { await stand.advance(by: .seconds(6)) }
        let first = try await beat
        #expect(first?.lossyText == ":\n\n")
        for _ in 0..<3 { await stand.advance(by: .seconds(6)) }
        #expect(try await text(reader) == ":\n\n", "and again")
        post(2...2, to: feed)
        #expect(try await text(reader) == event(2))
    }

    @Test func withoutReadersNoTimerRuns() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        let reader = try feed.reader(after: nil, otherwise: .next)
        reader.abandon()
        // The first advance may come before the timer is set.
        for _ in 0..<2 { await stand.advance(by: .seconds(6)) }
        let timers = await handover { (done: CheckedContinuation<Int, Never>) in
            stand.loop.post { [loop = stand.loop] in done.resume(returning: loop.load.timers) }
        }
        #expect(timers == 0)
    }

    @Test func seatsAreLimitedAndGivenBack() async throws {
        let stand = try Stand(limit: 2)
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        let first = try feed.reader(after: nil, otherwise: .next)
        var second: EventReader? = try feed.reader(after: nil, otherwise: .next)
        #expect(second != nil)
        let refused = #expect(throws: ClientFacingError.self) { try feed.reader(after: nil, otherwise: .next) }
        #expect(refused?.status == 503)
        #expect(stand.count(EventCounters.refused) == 1 && stand.count(EventCounters.streams) == 2)
        first.abandon()
        first.abandon()
        let third = try feed.reader(after: nil, otherwise: .next)
        // A reader that is released gives its subscription back too.
        second = nil
        let fourth = try feed.reader(after: nil, otherwise: .next)
        #expect(feed.readers == 2 && stand.count(EventCounters.streams) == 2)
        await #expect(throws: BodyFailure.self) { try await first.next() }
        _ = (third, fourth)
    }

    @Test func whoLeavesWhileWaitingIsTold() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        let reader = try feed.reader(after: nil, otherwise: .next)
        let waiting = Task { try await reader.next() }
        waiting.cancel()
        await #expect(throws: BodyFailure.self) { try await waiting.value }
        #expect(feed.readers == 0)
        let other = try feed.reader(after: nil, otherwise: .next)
        let abandoned = Task { try await other.next() }
        other.abandon()
        await #expect(throws: BodyFailure.self) { try await abandoned.value }
    }

    @Test func aStopEndsEveryStreamWithWhatThereIs() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        let waiting = try feed.reader(after: nil, otherwise: .next)
        let behind = try feed.reader(after: nil, otherwise: .oldest)
        let end = Task { try await waiting.next() }
        stand.streams.close()
        #expect(try await end.value == nil)
        #expect(try await behind.next() == nil)
        #expect(throws: ClientFacingError.self) { try feed.reader(after: nil, otherwise: .next) }
    }

    @Test func aDaemonThatStopsSaysSoToWhoBeginsASearch() throws {
        let stand = try Stand()
        let limits = SearchLimits(count: 10, bytes: 1000, age: .seconds(60))
        let book = LiveSearches(limits: limits, streams: stand.streams, time: stand.time, counters: stand.counters)
        book.shutDown()
        let refused = #expect(throws: ClientFacingError.self) {
            try book.begin(query: Bytes(text: "{}"), sort: .relevance, names: ["a"]) { _ in }
        }
        #expect(refused?.code == "stopping" && stand.count(LiveCounters.refused) == 0, "there was room")
    }

    @Test func theAnswerIsAnEventStreamThatNobodyKeepsAndHEADTakesNoSeat() async throws {
        let stand = try Stand()
        let feed = EventFeed("test", streams: stand.streams, keeping: 3)
        func request(_ method: Method, _ fields: HeaderFields = [:]) -> ServerRequest {
            ServerRequest(
                id: RequestID(loop: 0, sequence: 1), method: method, target: Bytes(text: "/x"), path: "/x",
                fields: fields,
                receivedAt: WallTime(seconds: 0))
        }
        let head = try feed.response(to: request(.head), otherwise: .next, route: .unnamed)
        #expect(head.fields.first("Content-Type") == "text/event-stream" && feed.readers == 0)
        let answer = try feed.response(to: request(.get), otherwise: .next, route: .unnamed)
        #expect(answer.fields.first("Cache-Control") == "no-store")
        #expect(answer.fields.first("X-Accel-Buffering") == "no")
        #expect(feed.readers == 1)
        post(1...1, to: feed)
        feed.finish()
        let again = try feed.response(to: request(.get, ["Last-Event-ID": "1"]), otherwise: .oldest, route: .unnamed)
        #expect(again.status == 204, "a browser that has had all does not come again")
        let behind = try feed.response(to: request(.get, ["Last-Event-ID": "0"]), otherwise: .oldest, route: .unnamed)
        #expect(behind.status == 200)
    }

    @Test func nothingIsLostAmongManyThreads() async throws {
        let stand = try Stand(limit: 100)
        let feed = EventFeed("test", streams: stand.streams, keeping: 10_000)
        let whole = (1...2000).map(event).joined()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                let reader = try feed.reader(after: nil, otherwise: .oldest)
                group.addTask {
                    var text = ""
                    while let piece = try await reader.next() { text += piece.lossyText }
                    return text
                }
            }
            post(1...2000, to: feed)
            feed.finish()
            for try await text in group { #expect(text == whole) }
        }
    }
}
