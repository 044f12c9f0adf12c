// Bodies under way: pausing and resuming a response body, the stall timer, and the request body that goes the other
// way.
import LarderCore
import LarderHTTP
import LarderIO

extension FetchCore {
    /// Resumes a transfer whose tape was full and has room again.
    func gotRoom(_ id: UInt64) {
        guard let exchange = exchanges[id], case .transferring(let transfer) = exchange.phase else { return }
        transfer.gotRoom()
        if transfer.canGoOn { multi?.goOn(transfer) }
    }

    /// Handles a piece, the end or a failure from the reader of the request body.
    func took(_ id: UInt64, _ result: Result<Bytes?, BodyFailure>) {
        guard let exchange = exchanges[id], let feed = exchange.feed else { return }
        do throws(BodyFailure) {
            try feed.take(result)
        } catch {
            guard !feed.isDropped else { return }
            // The connection is closed in the middle of the body, so that the upstream does not take a part for the
            // whole.
            finish(
                exchange, exchange.fault(.cancelled, "The body of the request did not arrive whole. \(error.reason)"))
            return pump()
        }
        guard case .transferring(let transfer) = exchange.phase else { return gathered(exchange, feed) }
        if transfer.canGoOn { multi?.goOn(transfer) }
    }

    /// Cancels a response whose last reader has left. Another reader may have come since; then nothing happens.
    func desert(_ id: UInt64) {
        guard let exchange = exchanges[id] else {
            // The exchange may have moved to the home loop.
            if number != Self.home { places.post(to: Self.home) { $0.desert(id) } }
            return
        }
        if let tape = exchange.tape, !tape.closeIfDeserted() { return }
        cancel(id)
    }

    /// Fails the exchange if nothing comes for `stall` although the tape has room. A full tape is looked at even if
    /// silence has no limit.
    func watchStall(_ exchange: Exchange, _ transfer: CurlTransfer, at deadline: MonotonicTime) {
        exchange.stallTimer = loop.schedule(at: deadline) { [self] in
            exchange.stallTimer = nil
            let now = loop.monotonic
            if transfer.isFull {
                // If the tape has no reader at all, nothing will ever make room.
                if exchange.tape?.readers == 0, exchange.unreadMark == transfer.received {
                    finish(exchange, exchange.fault(.cancelled, "Nobody reads the answer."))
                    return pump()
                }
                // One reader that does not advance must not hold up readers that wait for more.
                if exchange.unreadMark == transfer.received { _ = exchange.tape?.dropSlowest() }
                exchange.unreadMark = transfer.received
                return watchStall(exchange, transfer, at: now + exchange.nextLook)
            }
            exchange.unreadMark = nil
            guard let stall = exchange.stall, exchange.feed?.waitsForReader != true else {
                return watchStall(exchange, transfer, at: now + exchange.nextLook)
            }
            let due = transfer.touched + stall
            guard due <= now else { return watchStall(exchange, transfer, at: min(due, now + exchange.nextLook)) }
            finish(exchange, exchange.fault(.timedOut, "Nothing came for \(Units.format(duration: stall))."))
            pump()
        }
    }

    /// Limits how long a held request body waits for a 100 (`UploadFeed.longestHold`). Lets libcurl go on if the body
    /// is dropped or no longer held.
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

    /// Passes on interim responses while the upstream still works (RFC 9110 §15.2).
    func tellInterim(_ exchange: Exchange, _ transfer: CurlTransfer) {
        guard let tell = exchange.order.interim else { return }
        for head in transfer.head.interim.dropFirst(exchange.interimTold) { tell(head) }
        exchange.interimTold = transfer.head.interim.count
    }

    /// Watches a request body that is still being sent although its response is complete. The upstream may still want
    /// the rest, so the upload continues while it moves. A client that waits for the end of the response sends no more,
    /// so the exchange ends if the upload stands still. It also ends if the upstream takes no more.
    /// - Parameter looks: the number of consecutive looks at which nothing had moved.
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

    /// Makes libcurl ask for the request body again, which in turn asks the reader.
    private func letGoOn(_ transfer: CurlTransfer) {
        if transfer.canGoOn { multi?.goOn(transfer) }
    }
}
