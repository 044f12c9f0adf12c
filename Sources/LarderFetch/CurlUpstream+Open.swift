// Responses that are passed on while they come.
import LarderCore
import LarderIO

/// The route from any thread to the fetch state of one loop.
struct WayBack: Sendable {
    let loop: EventLoop
    let core: LoopBound<FetchCore>

    func post(_ body: @escaping @Sendable (FetchCore) -> Void) {
        loop.post { [core] in body(core.value) }
    }

    /// Runs `body` at once on the loop's own thread, else by `post`.
    func go(_ body: @escaping @Sendable (FetchCore) -> Void) {
        guard loop.isCurrent else { return post(body) }
        // A deadline counts from now, but the loop may have read its clock long ago in this turn.
        loop.readClock()
        body(core.value)
    }
}

extension CurlUpstream {
    /// Performs one exchange and returns with the final head. The body goes onto the tape. The tape ends well only if
    /// libcurl and the framing both say that the body is complete.
    ///
    /// Redirects and the retry come before the head. A body that comes together with its head is complete on return.
    /// With an upload no redirect is followed and nothing is retried, and the deadline counts from the last piece of it
    /// that was taken. A final response of 300 or above ends the upload. Any other final response lets it continue, and
    /// the tape ends when both have ended.
    public func open(
        _ order: FetchOrder, upload: Upload?, stall: Duration?
    ) async throws(FetchError) -> UpstreamStream {
        try await perform(order, abandoned: { upload?.reader.abandon() }) { ticket, core, continuation in
            core.start(ticket, order, upload: upload, stall: stall) { continuation.resume(returning: $0) }
        }
    }

    /// See `Upstream`.
    public func start(of order: FetchOrder) -> UpstreamStart? {
        let way = way(for: order)
        guard way.loop.isCurrent, isAccepting else { return nil }
        let ticket = newTicket()
        return { order, stall, done in
            way.go { core in
                // Posted, because the outcome comes in the middle of a step of the fetcher, which may be this one.
                core.start(ticket, order, upload: nil, stall: stall) { [loop = way.loop] outcome in
                    ticket.end()
                    loop.post { done(outcome) }
                }
            }
            return {
                if ticket.cancel() { way.post { $0.cancel(ticket.id) } }
            }
        }
    }
}
