// Calls providers that cannot be reached while somebody listens for their return (`/v1/events`). `AwayTrials` decides
// when. A trial is a budgeted call like any other: a suspended provider's one trial, refused if the budget is spent.
// It asks a question that succeeded lately. If none is known, it asks for the head of the API's root.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders

/// The trials of providers that are away.
public final class ReturnWatch: Sendable {
    private struct State {
        var trials = AwayTrials()
        var isTicking = false
    }

    private let engine: Engine
    private let feed: EventFeed
    private let state = Lock(State())

    /// How often the providers' states are looked at while somebody listens. A look is no call.
    private static let interval = Duration.seconds(1)

    /// - Parameter feed: the events of providers. Trials are made only while it has readers.
    public init(engine: Engine, feed: EventFeed) {
        self.engine = engine
        self.feed = feed
    }

    /// Begins to look, if this is not done yet. Called when a reader comes.
    public func begin() {
        let begins = state.withLock { state in
            defer { state.isTicking = true }
            return !state.isTicking
        }
        if begins { tickLater() }
    }

    private func tickLater() {
        let home = engine.upstream.home
        home.post {
            _ = home.schedule(at: home.monotonic + Self.interval) { [weak self] in self?.tick() }
        }
    }

    private func tick() {
        let goesOn = feed.hasReaders
        let snapshot = engine.snapshot
        let configured = goesOn ? snapshot.providers.all.filter(\.isConfigured) : []
        let sights = configured.compactMap { provider in
            engine.upstream.sight(provider.name).map { (provider: provider.name, sight: $0) }
        }
        let now = engine.time.monotonic()
        let due = state.withLock { state in
            state.isTicking = goesOn
            return state.trials.due(sights, now: now)
        }
        for name in due {
            guard let provider = snapshot.providers.named(name) else { continue }
            Task(executorPreference: engine.upstream.home) { await self.ask(provider, snapshot) }
        }
        // A reader may have come since the look, and then it found a watch that was ticking.
        if goesOn { tickLater() } else if feed.hasReaders { begin() }
    }

    private func ask(_ provider: ConfiguredProvider, _ snapshot: Snapshot) async {
        var call = engine.upstream.knownQuestion(of: provider.name) ?? Self.rootCall(provider, snapshot)
        // Each redirect, and each repetition, would be one more call.
        call.order.maxRedirects = 0
        call.order.mayRetry = false
        engine.counters.cell(EngineCounters.returnTrials, provider.name).add()
        _ = await engine.upstream.perform(call)
    }

    /// Few APIs have anything at their root, so an error there shows that the API is reached. A gateway's own errors
    /// (RFC 9110 §15.6.3 to §15.6.5) show that it is not.
    private static func rootCall(_ provider: ConfiguredProvider, _ snapshot: Snapshot) -> UpstreamCall {
        UpstreamCall(
            provider: provider.name,
            order: provider.order(UpstreamRequest(method: .head, path: "/"), settings: snapshot.settings),
            isBudgeted: true,
            classify: { response in
                switch response.status {
                case 429: .limited(until: nil)
                case 502...504: .broken("The upstream answered \(response.status).")
                default: .data
                }
            })
    }
}
