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
            guard case .success(let read) = await read(cursor, waits: false, within: settings.timeout) else { break }
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
            // After a failure it does not wait. What it waits for is read whole, and may be too large: then the entry is
            // passed over before it waits again.
            switch await read(cursor, waits: failures == 0) {
            case .success(let read):
                (failures, garbled) = (0, 0)
                let news = cursor.take(tip: read.tip, entries: read.entries)
                await carryOut(news, apply)
                let now = loop.clock.monotonic()
                if news.contains(.gap) { reportedAt = .distantPast }
                // A report that was not received is repeated with the next reading.
                let isDue = reportedAt == .distantPast || now - reportedAt >= Self.reporting
                if isDue, await report() { reportedAt = now }
                if news.contains(where: { if case .foreign = $0 { false } else { true } }) { await keep(cursor) }
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
            noteRarely("removals of other hosts may have been missed: what is stored is validated before it is used")
            survives = await apply(.gap)
            count(SharedCounters.heard, "gap")
        case .foreign(let number):
            noteRarely("the stream of removals holds entries that are not of this fleet: they are passed over")
            counters.cell(SharedCounters.heard, "foreign").add(number)
            return true
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
}
