// Answers that are passed on while they come.
import LarderCore
import LarderIO

/// The way from any thread to what one loop owns of fetching.
struct WayBack: Sendable {
    let loop: EventLoop
    let core: LoopBound<FetchCore>

    func post(_ body: @escaping @Sendable (FetchCore) -> Void) {
        loop.post { [core] in body(core.value) }
    }

    /// On the loop's own thread at once, else by `post`.
    func go(_ body: @escaping @Sendable (FetchCore) -> Void) {
        guard loop.isCurrent else { return post(body) }
        // A deadline counts from now, and the turn may have begun long ago.
        loop.readClock()
        body(core.value)
    }
}

extension CurlUpstream {
    /// Performs one exchange and returns with the final head; the body goes onto the tape, which ends well only where
    /// libcurl and the framing both say that the body is whole.
    ///
    /// Redirects and the second try come before the head. A body that comes with its head is whole on return. With an
    /// upload nothing is followed or tried again, and the deadline counts from the last piece of it that was taken. A
    /// final answer that is no success ends the upload; any other leaves it going on, and the tape ends with both.
    public func open(
        _ order: FetchOrder, upload: Upload?, stall: Duration
    ) async throws(FetchError) -> UpstreamStream {
        let demand = StreamDemand(upload: upload, stall: stall)
        return try await perform(order, abandoned: { upload?.reader.abandon() }) { ticket, core, continuation in
            core.start(ticket, order, demand, continuation)
        }
    }
}
