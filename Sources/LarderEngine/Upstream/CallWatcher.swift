// What one call tells of itself while the fetcher has it. The time in Larder's own queue goes to the flight, which does not
// count it against its waiters; all stages go to the request's timeline. Before it is sent, the call is taken from its
// lane.
import LarderCore

/// The flight and the client for which the present task makes a call.
struct CallAsker: Sendable {
    let flight: FlightWait?
    let client: AskingClient?

    static var current: CallAsker { CallAsker(flight: .current, client: .current) }

    /// Nobody waits for the daemon's own work.
    var urgency: Urgency { flight?.urgency ?? client?.urgency ?? .background }
}

final class CallWatcher: FetchWatcher {
    private let upstream: UpstreamClient
    private let provider: String
    /// Nil for a call that no budget counts.
    private let attempt: UInt64?
    private let flight: FlightWait?
    private let asker: FlightWait.Asker
    private let timeline: Timeline?
    private let asking: AskingClient?
    /// When the call began to wait.
    private let since = Lock<MonotonicTime?>(nil)

    /// Watches for the present task's flight and request.
    init(
        _ upstream: UpstreamClient, _ call: UpstreamCall, _ attempt: UInt64?, _ asker: CallAsker
    ) {
        self.upstream = upstream
        asking = asker.client
        provider = call.provider
        self.attempt = attempt
        flight = asker.flight
        self.asker = asker.flight.map { .flight($0) } ?? .client(asker.client?.halfClose, asker.urgency)
        timeline = .current
    }

    var client: String { asking?.name ?? "" }

    func begins(rise: @escaping @Sendable (Urgency) -> Void) { flight?.watch(rise) }

    func maySendAtOnce() -> Bool? {
        guard let attempt else { return true }
        return upstream.permitAtOnce(attempt, flight?.urgency)
    }

    func maySend() async -> Bool {
        guard let attempt else { return true }
        return await upstream.reserve(attempt, flight?.urgency)
    }

    func waits(_ isWaiting: Bool, at now: MonotonicTime) {
        flight?.changed(isWaiting, at: now)
        guard let timeline else { return }
        if isWaiting {
            since.withLock { $0 = now }
        } else if let began = since.withLock({ $0.take() }) {
            timeline.note(.wait, provider, from: began, to: now)
        }
    }

    func isForsaken(at now: MonotonicTime) -> Bool { asker.giveUp(at: now) }

    func took(_ stage: Timeline.Stage, from began: MonotonicTime, to ended: MonotonicTime) {
        timeline?.note(stage, provider, from: began, to: ended)
    }
}
