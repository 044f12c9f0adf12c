// The places of exchanges. A fetch waits for a place before it is sent, for `queueTimeout` at most. Then its caller is
// asked whether it must still be sent, and reserves the call (`FetchWatcher`). The place is kept to the end, across
// redirects and a retry; once a fetch was sent, the queue never refuses it.
//
// Exchanges that a client paces have places of their own kind: an event stream from its head on, and any other response
// when its tape is first full or after `moment`. While none is free, such a response keeps its first place. If another
// fetch waits for that, an event stream, or a response whose tape was full, is cut, after the first `moment`. This is
// no failure of the upstream.
import LarderCore
import LarderIO

extension FetchCore {
    /// A response that takes no longer than this keeps its place. A response that must move may keep its place for this
    /// long even if other fetches wait.
    static let moment = Duration.milliseconds(500)

    func ask(_ exchange: Exchange, hasWaited: Bool = false) {
        let (id, holder, turn, pace) = (exchange.id, exchange.holder, exchange.turn, exchange.pace)
        let watcher = exchange.order.watcher
        let verdict = places.step {
            $0.ask(id, holder, core: number, turn: turn.named(by: watcher), pace: pace, hasWaited: hasWaited)
        }
        switch verdict {
        case .granted: reserve(exchange)
        case .waits: wait(exchange)
        case .refused: refuse(exchange)
        }
    }

    /// Performs an action for an exchange of this loop. The exchange may have ended or advanced while the action was on
    /// its way.
    func perform(_ action: PlaceAction) {
        let exchange = exchanges[action.exchange]
        switch action.kind {
        case .granted(let grant):
            // The exchange may have asked for a place of the other kind since.
            guard let exchange, case .waiting = exchange.phase, exchange.pace == grant.pace else {
                return places.step { $0.giveBack(grant) }
            }
            reserve(exchange)
        case .replaced:
            // The exchange may now wait for a place of the other kind. `finish` removes it from that queue.
            guard let exchange, case .waiting = exchange.phase else { return }
            refuse(exchange)
        case .moved: exchange.map(moved)
        case .cut:
            guard let exchange, places.step({ $0.confirmCut(exchange.id) }) else { return }
            finish(
                exchange,
                exchange.fault(
                    .overloaded,
                    "All places for streams are taken, and another fetch needs the place of this one."))
        }
    }

    private func wait(_ exchange: Exchange) {
        exchange.phase = .waiting
        exchange.tell(isWaiting: true, at: loop.monotonic)
        if exchange.waitingSince == nil {
            exchange.waitingSince = loop.monotonic
            watchQueue(exchange)
            watchClients(exchange)
            watchUrgency(exchange)
        }
        exchange.feed?.gather()
    }

    /// Lets an exchange that waits go before others as soon as a more urgent client waits for it too.
    private func watchUrgency(_ exchange: Exchange) {
        guard let way else { return }
        let id = exchange.id
        exchange.order.watcher?.begins { urgency in way.post { $0.rise(id, to: urgency) } }
    }

    private func rise(_ id: UInt64, to urgency: Urgency) {
        guard let exchange = exchanges[id] else { return }
        exchange.turn.urgency = exchange.turn.urgency.raised(to: urgency)
        guard case .waiting = exchange.phase else { return }
        places.step { $0.rise(id, to: urgency) }
    }

    private func watchQueue(_ exchange: Exchange) {
        exchange.queueTimer = loop.schedule(at: loop.monotonic + settings.queueTimeout) { [self] in
            exchange.queueTimer = nil
            cells.late.add()
            let what =
                if case .reserving = exchange.phase { "The call could not be counted" } else {
                    "No place for the transfer became free"
                }
            finish(
                exchange,
                exchange.fault(.overloaded, "\(what) within \(Units.format(duration: settings.queueTimeout))."))
            pump()
        }
    }

    /// Looks every second whether an exchange still waits for a client. One that is gone must not hold its place in the
    /// queue for as long as the queue is slow.
    private func watchClients(_ exchange: Exchange) {
        guard let watcher = exchange.order.watcher else { return }
        exchange.clientTimer = loop.schedule(at: loop.monotonic + .seconds(1)) { [self] in
            exchange.clientTimer = nil
            guard case .waiting = exchange.phase else { return }
            guard watcher.isForsaken(at: loop.monotonic) else { return watchClients(exchange) }
            cells.forsaken.add()
            finish(
                exchange,
                exchange.fault(
                    .cancelled,
                    "The clients had ended their input (server.halfClose) before a place for the transfer was free."))
            pump()
        }
    }

    /// Asks the caller whether an exchange, which now has its place, must still be sent.
    private func reserve(_ exchange: Exchange) {
        exchange.hasPlace = true
        if let since = exchange.waitingSince {
            cells.waited.add()
            cells.waitedTime.add(Int((loop.monotonic - since).milliseconds))
        }
        exchange.phase = .idle
        guard let watcher = exchange.order.watcher else { return send(exchange) }
        if let isWanted = watcher.maySendAtOnce() { return decided(exchange, isWanted) }
        guard let way else { return refuse(exchange) }
        exchange.phase = .reserving
        exchange.tell(isWaiting: true, at: loop.monotonic)
        // The reservation has its own time limit, because the rest of the wait may be too short to write the call down.
        exchange.queueTimer.map(loop.cancel)
        watchQueue(exchange)
        let id = exchange.id
        Task(executorPreference: loop) {
            let isWanted = await watcher.maySend()
            way.post { $0.reserved(id, isWanted) }
        }
    }

    private func reserved(_ id: UInt64, _ isWanted: Bool) {
        guard let exchange = exchanges[id], case .reserving = exchange.phase else { return }
        exchange.phase = .idle
        decided(exchange, isWanted)
        pump()
    }

    private func decided(_ exchange: Exchange, _ isWanted: Bool) {
        if isWanted {
            send(exchange)
        } else {
            finish(exchange, exchange.fault(.cancelled, "The request was no longer needed when it got a place."))
        }
    }

    /// Performs all pending actions. Actions of other loops are posted to those loops.
    func pump() {
        while !isShut, let action = places.step({ $0.next() }) {
            if action.core == number {
                perform(action)
            } else {
                places.post(to: action.core) {
                    $0.perform(action)
                    $0.pump()
                }
            }
        }
    }

    /// Returns the place of an exchange that has ended, if it had one.
    func releasePlace(of exchange: Exchange) {
        guard exchange.hasPlace else { return }
        exchange.hasPlace = false
        let (id, holder, pace) = (exchange.id, exchange.holder, exchange.pace)
        places.step { $0.release(id, holder, pace: pace) }
    }

    // MARK: Requests

    /// Gathers a short request body before the exchange asks for a place. The sender then does not pace the transfer.
    func gather(_ exchange: Exchange, _ feed: UploadFeed) {
        let most = settings.maxQueue
        guard places.step({ $0.beginGathering(most: most) }) else { return refuse(exchange) }
        exchange.phase = .gathering
        feed.gather()
    }

    /// Handles a new piece of a request body whose transfer is not under way.
    func gathered(_ exchange: Exchange, _ feed: UploadFeed) {
        guard feed.hasEnded else { return feed.gather() }
        let hasWaited: Bool
        switch exchange.phase {
        case .gathering:
            hasWaited = false
            places.step { $0.endGathering() }
        case .waiting:
            guard !exchange.wantsEvents else { return }
            hasWaited = true
            let id = exchange.id
            places.step { $0.withdraw(id) }
        case .idle, .reserving, .pausing, .transferring: return
        }
        exchange.phase = .idle
        exchange.pace = exchange.wantsEvents ? .client : .upstream
        ask(exchange, hasWaited: hasWaited)
        pump()
    }

    private func refuse(_ exchange: Exchange) {
        cells.full.add()
        finish(exchange, exchange.fault(.overloaded, "Too many fetches are waiting already."))
    }

    // MARK: Answers

    /// Notes that the readers of a response body now set its pace.
    func becamePaced(_ id: UInt64) {
        guard let exchange = exchanges[id], case .transferring(let transfer) = exchange.phase else { return }
        becamePaced(exchange, transfer)
        pump()
    }

    func becamePaced(_ exchange: Exchange, _ transfer: CurlTransfer) {
        guard !exchange.isPacedByReaders, exchange.pace == .upstream, let head = transfer.finalHead else { return }
        exchange.isPacedByReaders = true
        if head.isEventStream || transfer.restsReceiving { return mustLeave(exchange) }
        if comesWhole(head) { return }
        exchange.placeTimer = loop.schedule(at: loop.monotonic + Self.moment) { [self] in
            exchange.placeTimer = nil
            stay(exchange)
            pump()
        }
    }

    /// Whether the pace of the readers does not matter. A body that fits the window is taken whole from the upstream.
    func comesWhole(_ head: UpstreamHead) -> Bool {
        guard !head.isEventStream, let length = head.length else { return false }
        return length <= Int64(settings.streamWindow)
    }

    /// Handles a response whose tape was found full.
    func rests(_ exchange: Exchange) {
        if exchange.isPacedByReaders { mustLeave(exchange) }
    }

    private func mustLeave(_ exchange: Exchange) {
        guard exchange.pace == .upstream, !exchange.mustLeave else { return }
        exchange.mustLeave = true
        stay(exchange)
        exchange.placeTimer.map(loop.cancel)
        exchange.placeTimer = loop.schedule(at: loop.monotonic + Self.moment) { [self] in
            exchange.placeTimer = nil
            let id = exchange.id
            places.step { $0.mustLeave(id) }
            pump()
        }
    }

    private func stay(_ exchange: Exchange) {
        let (id, holder) = (exchange.id, exchange.holder)
        places.step { $0.stay(id, holder, core: number) }
    }

    private func moved(_ exchange: Exchange) {
        exchange.pace = .client
        exchange.placeTimer.map(loop.cancel)
        exchange.placeTimer = nil
    }
}
