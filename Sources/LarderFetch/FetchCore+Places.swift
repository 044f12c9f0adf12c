// The places of exchanges. An exchange needs a place to be sent, and gives it back when it ends.
//
// Before it is sent, a fetch waits in a queue for a place, for `queueTimeout` at most. When it has a place, its caller is
// asked whether it is still to be sent (`beforeSendingAtOnce`, `beforeSending`). The caller reserves the call then, and has `queueTimeout` once more
// to do so. The fetch keeps its place to its end, over redirects and a second try. After it is sent, the queue never turns it
// away.
//
// There are two kinds of places: for exchanges that their upstream paces, and for exchanges that a client paces. Some answers
// turn out to be paced by their readers. They then move to a place of the second kind: an event stream when its head has come,
// any other answer when its tape is full for the first time or when it is still under way after a moment.
//
// While no place of the second kind is free, such an answer keeps its first place. If a fetch waits for that place, an event
// stream, or an answer whose tape was full, is cut to free it, but not within the first moment. A request that asks for an
// event stream (`Accept`) waits for a place of the second kind from the start. None of this counts against an upstream.
import LarderCore
import LarderIO

extension FetchCore {
    /// An answer that takes no longer than this needs no other place. One that must move may keep its place for so long, even
    /// if others wait.
    static let moment = Duration.milliseconds(500)

    func ask(_ exchange: Exchange, hasWaited: Bool = false) {
        let (id, holder, client, pace) = (exchange.id, exchange.holder, exchange.order.client, exchange.pace)
        let verdict = places.step {
            $0.ask(id, holder, core: number, client: client, pace: pace, hasWaited: hasWaited)
        }
        switch verdict {
        case .granted: reserve(exchange)
        case .waits: wait(exchange)
        case .refused: refuse(exchange)
        }
    }

    /// Does what was decided for an exchange of this loop. It may have ended, or gone a step on, while the errand was on its way.
    func perform(_ errand: PlaceErrand) {
        let exchange = exchanges[errand.exchange]
        switch errand.kind {
        case .granted(let grant):
            // It may have asked for a place of the other kind meanwhile.
            guard let exchange, case .waiting = exchange.phase, exchange.pace == grant.pace else {
                return places.step { $0.giveBack(grant) }
            }
            reserve(exchange)
        case .replaced:
            // It may wait for a place of the other kind by now: `finish` takes it out of that queue.
            guard let exchange, case .waiting = exchange.phase else { return }
            refuse(exchange)
        case .moved: exchange.map(moved)
        case .cut:
            guard let exchange, places.step({ $0.confirmCut(exchange.id) }) else { return }
            finish(
                exchange,
                exchange.fault(
                    .overloaded,
                    "All places are taken for answers that clients pace, and others wait for the one it has."))
        }
    }

    private func wait(_ exchange: Exchange) {
        exchange.phase = .waiting
        exchange.tell(isWaiting: true, at: loop.monotonic)
        if exchange.waitingSince == nil {
            exchange.waitingSince = loop.monotonic
            watchQueue(exchange)
        }
        exchange.feed?.gather()
    }

    private func watchQueue(_ exchange: Exchange) {
        exchange.queueTimer = loop.schedule(at: loop.monotonic + settings.queueTimeout) { [weak self, weak exchange] in
            guard let self, let exchange else { return }
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

    /// The place of the exchange is taken: its caller says whether it is still to be sent.
    private func reserve(_ exchange: Exchange) {
        exchange.hasPlace = true
        if let since = exchange.waitingSince {
            cells.waited.add()
            cells.waitedTime.add(Int((loop.monotonic - since).milliseconds))
        }
        exchange.phase = .idle
        if let isWanted = exchange.order.beforeSendingAtOnce?() { return decided(exchange, isWanted) }
        guard let beforeSending = exchange.order.beforeSending, let way else { return send(exchange) }
        exchange.phase = .reserving
        exchange.tell(isWaiting: true, at: loop.monotonic)
        // A bound of its own: what was left of the wait may be too short to write the call down.
        exchange.queueTimer.map(loop.cancel)
        watchQueue(exchange)
        let id = exchange.id
        Task(executorPreference: loop) {
            let isWanted = await beforeSending()
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
            finish(exchange, exchange.fault(.cancelled, "It was no longer to be sent when its turn came."))
        }
    }

    /// Has everything done that was decided: here what is this loop's, by a post what is another's.
    func pump() {
        while !isShut, let errand = places.step({ $0.next() }) {
            if errand.core == number {
                perform(errand)
            } else {
                places.post(to: errand.core) {
                    $0.perform(errand)
                    $0.pump()
                }
            }
        }
    }

    /// The exchange has ended: it gives its place back, if it had one.
    func releasePlace(of exchange: Exchange) {
        guard exchange.hasPlace else { return }
        exchange.hasPlace = false
        let (id, holder, pace) = (exchange.id, exchange.holder, exchange.pace)
        places.step { $0.release(id, holder, pace: pace) }
    }

    // MARK: Requests

    /// A body that is short is gathered before a place is asked for: its sender then paces nothing.
    func gather(_ exchange: Exchange, _ feed: UploadFeed) {
        let most = settings.maxQueue
        guard places.step({ $0.beginGathering(most: most) }) else { return refuse(exchange) }
        exchange.phase = .gathering
        feed.gather()
    }

    /// More of a request's body has come while its transfer is not under way.
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
        if comesWhole(head) { return }
        exchange.placeTimer = loop.schedule(at: loop.monotonic + Self.moment) { [weak self, weak exchange] in
            guard let self, let exchange else { return }
            exchange.placeTimer = nil
            stay(exchange)
            pump()
        }
    }

    /// Whether the readers of a body do not matter: one that fits the window is taken whole from its upstream.
    func comesWhole(_ head: UpstreamHead) -> Bool {
        guard !head.isEventStream, let length = head.length else { return false }
        return length <= Int64(settings.streamWindow)
    }

    /// The tape of an answer was found full.
    func rests(_ exchange: Exchange) {
        if exchange.isPacedByReaders { mustLeave(exchange) }
    }

    private func mustLeave(_ exchange: Exchange) {
        guard exchange.pace == .upstream, !exchange.mustLeave else { return }
        exchange.mustLeave = true
        stay(exchange)
        exchange.placeTimer.map(loop.cancel)
        exchange.placeTimer = loop.schedule(at: loop.monotonic + Self.moment) { [weak self, weak exchange] in
            guard let self, let exchange else { return }
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
