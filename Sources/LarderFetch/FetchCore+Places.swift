// The places of transfers: asked for, waited for, changed and given back.
//
// A fetch waits for its place before anything is sent, for as long as its deadline allows. Once it was sent it is never
// turned away. An answer whose pace its readers set moves aside, to a place among those that clients pace: an event stream
// at its head, any other when its tape is first full, or when it is still under way after a moment. While none of those
// places is free it stays where it is. There an event stream, or one whose tape was full, is cut for the sake of a fetch
// that waits for its place, a moment later at the earliest. No upstream is to blame for any of this.
import LarderCore
import LarderIO

extension FetchCore {
    /// An answer that takes no longer than this needs no other place; and for so long one that has to leave may stay though
    /// others wait.
    static let moment = Duration.milliseconds(500)

    static func admission(_ settings: FetchSettings) -> Admission {
        Admission(
            brief: Admission.Places(most: settings.maxTransfers, mostPerOrigin: settings.maxConnectionsPerHost),
            paced: Admission.Places(most: settings.maxStreams, mostPerOrigin: settings.maxStreamsPerHost),
            maxWaiting: settings.maxWaiting)
    }

    func put(inForce settings: FetchSettings) {
        let wanted = Self.admission(settings)
        (admission.brief.most, admission.brief.mostPerOrigin) = (wanted.brief.most, wanted.brief.mostPerOrigin)
        (admission.paced.most, admission.paced.mostPerOrigin) = (wanted.paced.most, wanted.paced.mostPerOrigin)
        admission.maxWaiting = wanted.maxWaiting
    }

    func ask(_ exchange: Exchange, isUnderWay: Bool) {
        switch admission.ask(
            exchange.id, origin: exchange.hop.url.origin, pace: exchange.pace, isUnderWay: isUnderWay)
        {
        case .granted: launch(exchange)
        case .waits:
            exchange.phase = .waiting
            exchange.feed?.gather()
        case .refused: refuse(exchange)
        }
    }

    /// Lets those that must, move aside, and those that wait, take the places that are free.
    func pump() {
        while !isShut {
            moveAside()
            if let id = admission.next() {
                guard let exchange = exchanges[id] else {
                    preconditionFailure("a fetch waits that has ended")
                }
                launch(exchange)
            } else if let exchange = nextToCut() {
                finish(
                    exchange,
                    exchange.fault(
                        .overloaded,
                        "All places are taken for answers that clients pace, and others wait for the one it has."))
            } else {
                break
            }
        }
        showLoad()
    }

    /// The transfer of the exchange holds its place no longer.
    func releasePlace(of exchange: Exchange) {
        admission.release(exchange.hop.url.origin, pace: exchange.pace)
        staying.removeAll { $0 == exchange.id }
    }

    // MARK: Requests

    /// A body that is short is gathered before a place is asked for: its sender then paces nothing.
    func gather(_ exchange: Exchange, _ feed: UploadFeed) {
        guard gathering.count < settings.maxWaiting else { return refuse(exchange) }
        gathering.insert(exchange.id)
        exchange.phase = .gathering
        feed.gather()
    }

    /// More of a request's body has come while its transfer is not under way.
    func gathered(_ exchange: Exchange, _ feed: UploadFeed) {
        guard feed.hasEnded else { return feed.gather() }
        let wasWaiting: Bool
        switch exchange.phase {
        case .gathering:
            wasWaiting = false
            gathering.remove(exchange.id)
            exchange.deadline = loop.monotonic + exchange.order.deadline
            watchDeadline(exchange, at: exchange.deadline)
        case .waiting:
            wasWaiting = true
            admission.withdraw(exchange.id)
        case .idle, .pausing, .transferring: return
        }
        exchange.phase = .idle
        exchange.pace = .upstream
        ask(exchange, isUnderWay: wasWaiting)
        pump()
    }

    private func refuse(_ exchange: Exchange) {
        finish(exchange, exchange.fault(.overloaded, "Too many fetches are waiting already."))
    }

    // MARK: Answers

    /// The readers of a body set its pace from now on.
    func becamePaced(_ id: UInt64) {
        guard let exchange = exchanges[id], case .transferring(let transfer) = exchange.phase else { return }
        becamePaced(exchange, transfer)
        pump()
    }

    func becamePaced(_ exchange: Exchange, _ transfer: CurlTransfer) {
        guard !exchange.isPacedByReaders, exchange.pace == .upstream, let head = transfer.finalHead else { return }
        exchange.isPacedByReaders = true
        if head.isEventStream || transfer.restsReceiving { return mustLeave(exchange) }
        // A body that fits the window is taken whole from its upstream, whatever its readers do.
        if let length = head.length, length <= Int64(settings.streamWindow) { return }
        exchange.placeTimer = loop.schedule(at: loop.monotonic + Self.moment) { [weak self, weak exchange] in
            guard let self, let exchange else { return }
            exchange.placeTimer = nil
            staying.append(exchange.id)
            pump()
        }
    }

    /// The tape of an answer was found full.
    func rests(_ exchange: Exchange) {
        if exchange.isPacedByReaders { mustLeave(exchange) }
    }

    private func mustLeave(_ exchange: Exchange) {
        guard exchange.pace == .upstream, exchange.leaveBy == nil else { return }
        if !staying.contains(exchange.id) { staying.append(exchange.id) }
        exchange.leaveBy = loop.monotonic + Self.moment
        exchange.placeTimer.map(loop.cancel)
        exchange.placeTimer = loop.schedule(at: loop.monotonic + Self.moment) { [weak self, weak exchange] in
            exchange?.placeTimer = nil
            self?.pump()
        }
    }

    private func moveAside() {
        guard !staying.isEmpty else { return }
        staying.removeAll { id in
            guard let exchange = exchanges[id] else { return true }
            guard admission.moveAside(exchange.hop.url.origin) else { return false }
            exchange.pace = .client
            exchange.leaveBy = nil
            exchange.placeTimer.map(loop.cancel)
            exchange.placeTimer = nil
            return true
        }
    }

    /// The one that has stayed for longest though it must leave, and whose place somebody waits for.
    private func nextToCut() -> Exchange? {
        guard !staying.isEmpty, admission.waiting > 0 else { return nil }
        let now = loop.monotonic
        return staying.lazy.compactMap { self.exchanges[$0] }.first { exchange in
            guard let due = exchange.leaveBy, due <= now else { return false }
            return admission.isAwaited(exchange.hop.url.origin)
        }
    }
}
