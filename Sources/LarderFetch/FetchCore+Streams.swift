// A body under way: its pauses, the watch over its pace, and the request's body going the other way.
import LarderCore
import LarderHTTP
import LarderIO

extension FetchCore {
    /// A tape that was full has room.
    func gotRoom(_ id: UInt64) {
        guard let exchange = exchanges[id], case .transferring(let transfer) = exchange.phase else { return }
        transfer.gotRoom()
        if transfer.canGoOn { multi?.goOn(transfer) }
    }

    /// The reader of a request's body has answered.
    func took(_ id: UInt64, _ result: Result<Bytes?, BodyFailure>) {
        guard let exchange = exchanges[id], let feed = exchange.feed else { return }
        do throws(BodyFailure) {
            try feed.take(result)
        } catch {
            guard !feed.isDropped else { return }
            // The connection is closed in the middle of the body: the upstream must not take a part for the whole.
            finish(exchange, exchange.fault(.cancelled, "The request's body did not come whole. \(error.reason)"))
            return pump()
        }
        guard case .transferring(let transfer) = exchange.phase else { return gathered(exchange, feed) }
        if transfer.canGoOn { multi?.goOn(transfer) }
    }

    /// The last reader of its body has left; another may have come since.
    func desert(_ id: UInt64) {
        guard let exchange = exchanges[id] else {
            // It may have moved.
            if number != Self.home { places.post(to: Self.home) { $0.desert(id) } }
            return
        }
        if let tape = exchange.tape, !tape.closeIfDeserted() { return }
        cancel(id)
    }

    /// Fails the exchange when nothing comes for its limit though there is room.
    func watchStall(_ exchange: Exchange, _ transfer: CurlTransfer, at deadline: MonotonicTime) {
        exchange.stallTimer = loop.schedule(at: deadline) { [weak self, weak exchange, weak transfer] in
            guard let self, let exchange, let transfer else { return }
            exchange.stallTimer = nil
            let now = loop.monotonic
            if transfer.isFull {
                // Where nobody reads at all, nobody will ever make room.
                if exchange.tape?.readers == 0, exchange.unreadMark == transfer.received {
                    finish(exchange, exchange.fault(.cancelled, "Nobody reads the answer."))
                    return pump()
                }
                // One reader that stands still must not hold up those who wait for more.
                if exchange.unreadMark == transfer.received { _ = exchange.tape?.dropSlowest() }
                exchange.unreadMark = transfer.received
                return watchStall(exchange, transfer, at: now + exchange.stall)
            }
            exchange.unreadMark = nil
            if exchange.feed?.waitsForReader == true {
                return watchStall(exchange, transfer, at: now + exchange.stall)
            }
            let due = transfer.touched + exchange.stall
            guard due <= now else { return watchStall(exchange, transfer, at: due) }
            finish(
                exchange,
                exchange.fault(.timedOut, "Nothing came for \(Units.format(duration: exchange.stall))."))
            pump()
        }
    }

    /// A request's body that is held back waits for a 100 no longer than its second; one that is dropped or may go lets
    /// libcurl go on.
    func attendFeed(_ exchange: Exchange, _ transfer: CurlTransfer) {
        guard let feed = exchange.feed else { return }
        if feed.isHeld, feed.wasAsked, exchange.holdTimer == nil {
            exchange.holdTimer = loop.schedule(at: loop.monotonic + UploadFeed.longestHold) {
                [weak self, weak exchange, weak transfer] in
                guard let self, let exchange, let transfer else { return }
                exchange.holdTimer = nil
                feed.release()
                letGoOn(transfer)
            }
        }
        if feed.isDropped { multi?.drops(transfer) }
        if !feed.isHeld || feed.isDropped { letGoOn(transfer) }
        if transfer.isAnsweredEarly, exchange.earlyTimer == nil { watchEarlyAnswer(exchange, transfer, feed.given) }
    }

    /// Interim answers go on while the upstream still works (RFC 9110 §15.2).
    func tellInterim(_ exchange: Exchange, _ transfer: CurlTransfer) {
        guard let tell = exchange.order.interim else { return }
        for head in transfer.head.interim.dropFirst(exchange.interimTold) { tell(head) }
        exchange.interimTold = transfer.head.interim.count
    }

    /// An upstream that has answered to the end may still want the rest of the request's body: it goes on while it comes.
    /// A client that waits for the end of the answer sends no more, so a pause ends the exchange; so does an upstream that
    /// takes no more.
    /// - Parameter looks: how often nothing had moved.
    private func watchEarlyAnswer(_ exchange: Exchange, _ transfer: CurlTransfer, _ given: Int64, looks: Int = 0) {
        exchange.earlyTimer = loop.schedule(at: loop.monotonic + UploadFeed.earlyLook) {
            [weak self, weak exchange, weak transfer] in
            guard let self, let exchange, let transfer, let feed = exchange.feed else { return }
            exchange.earlyTimer = nil
            guard case .transferring(let current) = exchange.phase, current === transfer, !feed.isWhole else { return }
            if feed.given > given { return watchEarlyAnswer(exchange, transfer, feed.given) }
            let most = feed.waitsForReader ? UploadFeed.senderLooks : UploadFeed.upstreamLooks
            guard looks + 1 >= most else { return watchEarlyAnswer(exchange, transfer, given, looks: looks + 1) }
            multi?.endEarly(transfer)
        }
    }

    /// libcurl asks again, and then the reader is asked.
    private func letGoOn(_ transfer: CurlTransfer) {
        if transfer.canGoOn { multi?.goOn(transfer) }
    }
}
