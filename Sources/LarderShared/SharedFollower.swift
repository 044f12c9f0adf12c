// Follows the removals of the other hosts. A separate connection waits for the next entry of the engine's stream and
// gives a sign of life with each question. After each reply the next question follows at once. If the engine is away,
// it follows after a pause like the breaker's, but never a long one: the other hosts consider this host gone after some
// seconds, and a new ledger does not wait longer for its report.
import LarderCache
import LarderCore
import LarderIO

/// The follower's connection, and its state for status reports.
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

    /// Whether the last question to the engine succeeded.
    var isFollowing: Bool { state.withLock { $0 } }

    func close() {
        state.withLock { $0 = false }
        client.close()
    }

    /// How long the engine holds a question that it cannot answer yet. A sign of life is given at least as often.
    static let patience = Duration.seconds(3)

    /// Performs the commands. Fails if there is no reply or if one of the replies is an error.
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

    /// Whether this host has ever been part of a fleet.
    static func hasShared(_ keeping: any SharedKeeping) async -> Bool { await keeping.kept(kept) != nil }

    /// Writes a sign of life with the engine's time. A table without a living host expires by itself. A host that joins
    /// deletes the rows of hosts that were silent for ten minutes; otherwise hosts that come only once would fill the
    /// table.
    private static let sign = """
        local t=redis.call('TIME') redis.call('HSET',KEYS[1],ARGV[1],t[1]..' '..ARGV[2]) \
        redis.call('PEXPIRE',KEYS[1],600000) if ARGV[3]=='1' then local h=redis.call('HGETALL',KEYS[1]) \
        for i=1,#h,2 do local s=tonumber(string.match(h[i+1],'^(%d+)')) \
        if not s or math.abs(t[1]-s)>600 then redis.call('HDEL',KEYS[1],h[i]) end end end return t
        """

    /// Follows the removals of the other hosts, from now until the tier is closed. Returns after finding its place in
    /// the stream, or after the tier's timeout. If removals may have been missed, the drop is best done before any
    /// request is under way.
    /// - Parameters:
    ///   - report: reports this host's calls to the ledgers of budgets and returns whether they have received them.
    ///     Called after the engine was away, and periodically.
    ///   - apply: carries out one piece of news, and returns whether that survives a restart. The next one is passed
    ///     after it has returned.
    public func follow(
        report: @escaping @Sendable () async -> Bool = { true }, _ apply: @escaping @Sendable (SharedNews) async -> Bool
    ) async {
        let kept = await keeping.kept(Self.kept).map { String(decoding: $0, as: UTF8.self) }
        var cursor = SharedStreamCursor(kept: kept)
        // The first host to come finds no stream and creates it.
        for _ in 0..<2 {
            guard case .success(let read) = await read(cursor, within: settings.timeout) else { break }
            await carryOut(cursor.take(tip: read.tip, entries: read.entries), apply)
            if read.tip != nil { break }
        }
        if cursor.text != kept { await keep(cursor) }
        let found = cursor
        Task(executorPreference: loop) { await self.followAll(found, report, apply) }
    }

    /// The interval of reports. If the engine is lost together with the host that made calls, the budget's use is known
    /// only from what other hosts have seen.
    private static let reporting = Duration.seconds(2)
    /// The longest pause while the engine is away. It is shorter than the validity of a sign of life and than the time
    /// for which a new ledger waits for reports.
    private static let longestPause = Duration.seconds(1)
    /// After this many unintelligible replies in a row, the stream is treated as a different one.
    private static let mostGarbled = 3

    private func followAll(
        _ found: SharedStreamCursor, _ report: @Sendable () async -> Bool, _ apply: @Sendable (SharedNews) async -> Bool
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
                await carryOut(news, apply)
                let now = loop.clock.monotonic()
                if news.contains(.gap) { reportedAt = .distantPast }
                // A report that was not received is repeated with the next reading.
                let isDue = reportedAt == .distantPast || now - reportedAt >= Self.reporting
                if isDue, await report() { reportedAt = now }
                if !news.isEmpty { await keep(cursor) }
            case .failure(let failure):
                guard failure != .closed else { return }
                note(failure: failure)
                reportedAt = .distantPast
                garbled = failure == .garbage || failure == .wrongType ? garbled + 1 : 0
                if garbled == Self.mostGarbled {
                    // The entries after this place cannot be read, and repeating would not help. Continue from the tip
                    // of the stream.
                    await carryOut([.gap], apply)
                    cursor = SharedStreamCursor()
                }
                let wait = SharedBreaker.pause(step: failures, random: .random(in: 0 ... .max))
                await pause(min(wait, Self.longestPause))
                failures += 1
            }
        }
    }

    /// Writes the place down from which the next run continues. Not if a removal before it is lost with this run: the
    /// next run carries out everything from the place before it again.
    private func keep(_ cursor: SharedStreamCursor) async {
        guard let text = cursor.text, state.withLock({ $0.newsSurvive }) else { return }
        await keeping.keep(Self.kept, Bytes(text: text))
    }

    private func carryOut(
        _ news: [SharedStreamCursor.News], _ apply: @Sendable (SharedNews) async -> Bool
    ) async {
        for item in news where await !carryOut(item, apply) { state.withLock { $0.newsSurvive = false } }
    }

    /// Carries out one piece of news. Counts it afterwards: the counters tell what is carried out.
    /// - Returns: whether that survives a restart.
    private func carryOut(
        _ news: SharedStreamCursor.News, _ apply: @Sendable (SharedNews) async -> Bool
    ) async -> Bool {
        let survives: Bool
        switch news {
        case .gap:
            log.notice("removals of other hosts may have been missed: what is stored is validated before it is used")
            survives = await apply(.gap)
            count(SharedCounters.heard, "gap")
        case .order(let entry) where takeOwn(entry.nonce): return true
        case .order(let entry) where Self.tellsOfSuspension(entry.order):
            guard let told = suspension(in: entry.order) else { return true }
            survives = await apply(.suspension(told.suspension, of: told.code))
            count(SharedCounters.suspensions, told.suspension == nil ? "ended" : "begun")
        case .order(let entry) where entry.order == Self.dropAll:
            survives = await apply(.gap)
            count(SharedCounters.heard, "gap")
        case .order(let entry):
            survives = await apply(.order(entry.order))
            count(SharedCounters.heard, "order")
        }
        return survives
    }

    private struct Reading {
        var tip: SharedStreamCursor.Place?
        var entries: [SharedStreamEntry] = []
    }

    /// Gives a sign of life and waits for new entries.
    /// - Parameter time: if given, only entries that are already there are read, within this time.
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
                // There is no stream yet. A host that finds none creates it.
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

    /// Parses stream entries: each is an id, and names and values in the order in which they were added.
    private func entries(_ reply: Reply) -> [SharedStreamEntry]? {
        guard let items = reply.elements else { return nil }
        var found: [SharedStreamEntry] = []
        for item in items {
            guard let parts = item.elements, parts.count == 2,
                let id = parts[0].bytes.flatMap({ SharedStreamID(text: String(decoding: $0, as: UTF8.self)) })
            else { return nil }
            let words = parts[1].elements?.compactMap(\.bytes) ?? []
            guard words.count == 8, let nonce = SharedGeneration(text: words[1]) else {
                // Another program's entry: it is no order, and it breaks the chain.
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
