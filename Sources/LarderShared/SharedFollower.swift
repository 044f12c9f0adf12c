// How a host hears of the others: a connection of its own, which waits for the stream's next entry and gives a sign of life each time
// it asks. The engine is asked again at once after each answer; where it is away, after a pause as the breaker makes it, but never a
// long one: the other hosts take this one for gone after some seconds, and a new ledger waits for its report no longer than that.
import LarderCache
import LarderCore
import LarderIO

/// The follower's connection and what status tells of it.
final class SharedFollower: Sendable {
    let client: SharedClient
    private let settings: SharedSettings
    private let loop: EventLoop
    private let state = Lock(false)

    init(_ client: SharedClient, _ settings: SharedSettings, _ loop: EventLoop) {
        self.client = client
        self.settings = settings
        self.loop = loop
    }

    /// The engine answered last time.
    var isFollowing: Bool { state.withLock { $0 } }

    func close() {
        state.withLock { $0 = false }
        client.close()
    }

    /// For how long the engine holds a question whose answer is not there yet; a sign of life comes as often.
    static let patience = Duration.seconds(3)

    /// Nil where there is no answer, or one of its parts is an error.
    func ask(_ commands: [Command], within time: Duration? = nil) async -> Result<[Reply], SharedFailure> {
        let usual = Self.patience + max(settings.timeout, .seconds(1))
        let result = await client.perform(commands, within: time ?? usual)
        let failure: SharedFailure? =
            switch result {
            case .success(let replies): replies.lazy.compactMap(\.failure).first
            case .failure(let failure): failure
            }
        state.withLock { $0 = failure == nil }
        if let failure { return .failure(failure) }
        return result
    }
}

extension SharedTier {
    private static let kept = "shared.place"

    /// This host has been one of a fleet.
    static func hasShared(_ keeping: any SharedKeeping) async -> Bool { await keeping.kept(kept) != nil }

    /// A sign of life, by the engine's clock. A table without a living host goes by itself; rows of hosts that were silent for ten
    /// minutes are deleted by whoever joins: hosts that come once and never again would fill it.
    private static let sign = """
        local t=redis.call('TIME') redis.call('HSET',KEYS[1],ARGV[1],t[1]..' '..ARGV[2]) \
        redis.call('PEXPIRE',KEYS[1],600000) if ARGV[3]=='1' then local h=redis.call('HGETALL',KEYS[1]) \
        for i=1,#h,2 do local s=tonumber(string.match(h[i+1],'^(%d+)')) \
        if not s or math.abs(t[1]-s)>600 then redis.call('HDEL',KEYS[1],h[i]) end end end return t
        """

    /// Hears what the other hosts remove, from now until the tier is closed. Returns when it has found its place, or after the
    /// tier's time: what may have been missed is best dropped before anything is under way.
    /// - Parameters:
    ///   - apply: carries it out; the next is told when it has returned.
    ///   - report: tells the ledgers of budgets what this host has called, and whether they have heard; asked after the engine was
    ///     away, and now and then.
    public func follow(
        report: @escaping @Sendable () async -> Bool = { true }, _ apply: @escaping @Sendable (SharedNews) async -> Void
    ) async {
        let kept = await keeping.kept(Self.kept).map { String(decoding: $0, as: UTF8.self) }
        var cursor = SharedStreamCursor(kept: kept)
        // The first to come finds no stream, and begins it.
        for _ in 0..<2 {
            guard case .success(let read) = await read(cursor, within: settings.timeout) else { break }
            for item in cursor.take(tip: read.tip, entries: read.entries) { await carryOut(item, apply) }
            if read.tip != nil { break }
        }
        if let text = cursor.text, text != kept { await keeping.keep(Self.kept, Bytes(text: text)) }
        let found = cursor
        Task(executorPreference: loop) { await self.followAll(found, report, apply) }
    }

    /// With each sign of life: what a host has seen of a budget is what is known of it when the engine is lost together with the
    /// host that called.
    private static let reporting = Duration.seconds(2)
    /// Less than a sign of life is good for, and than a new ledger waits for reports.
    private static let longestPause = Duration.seconds(1)
    /// Replies in a row that make no sense, after which the stream is taken for another one.
    private static let mostGarbled = 3

    private func followAll(
        _ found: SharedStreamCursor, _ report: @Sendable () async -> Bool, _ apply: @Sendable (SharedNews) async -> Void
    ) async {
        var cursor = found
        var (failures, garbled) = (0, 0)
        var reportedAt = MonotonicTime.distantPast
        if await report() { reportedAt = loop.clock.monotonic() }
        while !isClosed {
            switch await read(cursor) {
            case .success(let read):
                (failures, garbled) = (0, 0)
                let news = cursor.take(tip: read.tip, entries: read.entries)
                for item in news { await carryOut(item, apply) }
                let now = loop.clock.monotonic()
                if news.contains(.gap) { reportedAt = .distantPast }
                // One that was not heard is told again with the next reading.
                let isDue = reportedAt == .distantPast || now - reportedAt >= Self.reporting
                if isDue, await report() { reportedAt = now }
                if let text = cursor.text, !news.isEmpty {
                    await keeping.keep(Self.kept, Bytes(text: text))
                }
            case .failure(let failure):
                guard failure != .closed else { return }
                note(failure: failure)
                reportedAt = .distantPast
                garbled = failure == .garbage || failure == .wrongType ? garbled + 1 : 0
                if garbled == Self.mostGarbled {
                    // What stands after the place cannot be read, and would not be the next time: it goes on from the tip.
                    await carryOut(.gap, apply)
                    cursor = SharedStreamCursor()
                }
                let wait = SharedBreaker.pause(step: failures, random: .random(in: 0 ... .max))
                await pause(min(wait, Self.longestPause))
                failures += 1
            }
        }
    }

    private func carryOut(_ news: SharedStreamCursor.News, _ apply: @Sendable (SharedNews) async -> Void) async {
        switch news {
        case .gap:
            count(SharedCounters.heard, "gap")
            log.notice("removals of other hosts may have been missed; what came from the shared tier is dropped")
            await apply(.gap)
        case .order(let entry) where takeOwn(entry.nonce): break
        case .order(let entry) where Self.tellsOfSuspension(entry.order):
            guard let told = suspension(in: entry.order) else { break }
            count(SharedCounters.suspensions, told.suspension == nil ? "ended" : "begun")
            await apply(.suspension(told.suspension, of: told.code))
        case .order(let entry) where entry.order == Self.dropAll:
            count(SharedCounters.heard, "gap")
            await apply(.gap)
        case .order(let entry):
            count(SharedCounters.heard, "order")
            await apply(.order(entry.order))
        }
    }

    private struct Reading {
        var tip: SharedStreamCursor.Place?
        var entries: [SharedStreamEntry] = []
    }

    /// Gives a sign of life and waits for what is new.
    /// - Parameter time: where it is given, only what is there is read.
    private func read(_ cursor: SharedStreamCursor, within time: Duration? = nil) async -> Result<
        Reading, SharedFailure
    > {
        var sign = Command(
            "EVAL", Bytes(text: Self.sign), Bytes(text: "1"), names.hosts, Bytes(text: host.id),
            host.sign(place: cursor.place?.id, calls: callsInHand))
        sign.words.append(Bytes(text: time == nil ? "" : "1"))
        let tip = Command("XREVRANGE", names.stream, Bytes(text: "+"), Bytes(text: "-"), Bytes(text: "COUNT"), one)
        var commands = [sign, tip]
        if let place = cursor.place {
            var wait = Command("XREAD")
            if time == nil {
                wait.words += [Bytes(text: "BLOCK"), Bytes(text: String(SharedFollower.patience.milliseconds))]
            }
            wait.words += [Bytes(text: "COUNT"), Bytes(text: "128"), Bytes(text: "STREAMS"), names.stream]
            wait.words.append(Bytes(text: place.id.text))
            commands.append(wait)
        }
        switch await follower.ask(commands, within: time) {
        case .failure(let failure): return .failure(failure)
        case .success(let replies):
            if let engine = Self.engineTime(replies[0]) {
                state.withLock { $0.clock = (engine, loop.clock.monotonic()) }
            }
            guard let tips = entries(replies[1]) else { return .failure(.garbage) }
            guard let tip = tips.first else {
                // There is none yet: whoever finds that begins it.
                if case .failure(let failure) = await follower.ask([entry([], isFirst: true)], within: time) {
                    return .failure(failure)
                }
                return .success(Reading())
            }
            var reading = Reading(tip: SharedStreamCursor.Place(id: tip.id, nonce: tip.nonce))
            if replies.count > 2, replies[2] != .none {
                guard let stream = replies[2].elements?.first?.elements, stream.count == 2,
                    let found = entries(stream[1])
                else { return .failure(.garbage) }
                reading.entries = found
            }
            return .success(reading)
        }
    }

    var one: Bytes { Bytes(text: "1") }

    /// Entries as the engine gives them: an id, and names and values in the order in which they were added.
    private func entries(_ reply: Reply) -> [SharedStreamEntry]? {
        guard let items = reply.elements else { return nil }
        var found: [SharedStreamEntry] = []
        for item in items {
            guard let parts = item.elements, parts.count == 2,
                let id = parts[0].bytes.flatMap({ SharedStreamID(text: String(decoding: $0, as: UTF8.self)) })
            else { return nil }
            let words = parts[1].elements?.compactMap(\.bytes) ?? []
            guard words.count == 8, let nonce = SharedGeneration(text: words[1]) else {
                // Somebody else's: it is no order, and the chain is broken by it.
                found.append(
                    SharedStreamEntry(
                        id: id, nonce: SharedGeneration(high: id.milliseconds, low: id.number), before: nil, order: [],
                        isGenuine: false))
                continue
            }
            let code = codec.code(of: nonce.text + words[5], names.stream).bytes
            found.append(
                SharedStreamEntry(
                    id: id, nonce: nonce, before: SharedGeneration(text: words[3]), order: words[5],
                    isGenuine: Secrets.equal(code, words[7])))
        }
        return found
    }
}
