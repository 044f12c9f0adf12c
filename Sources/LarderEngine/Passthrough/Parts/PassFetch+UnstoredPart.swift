// Uses missing bytes of stored parts that must not be stored themselves, such as those of a 206 with `no-store`. They
// complete one response (RFC 9111 §3.4). The stored parts stay, because they are parts of the same representation.
import LarderCache
import LarderCore
import LarderHTTP

extension PassFetch {
    /// Completes one response with a part that is not stored.
    func usePart(
        _ taken: Taken, _ stream: UpstreamStream, _ found: EntryCache.Found, _ began: RemovalStamp
    ) async -> FlightResult {
        let known = taken.known ?? found.part?.stored
        var row = row(taken, stream.head, known)
        let place = place(of: row, taken.answer.length)
        row.arrival = place.number
        place.spareSame()
        hideOthersUnderWay(than: row, began, place)
        var made = Made(entry: row, origin: .upstream(status: stream.head.status, isAnswer: true))
        made.storing = taken.verdict.rule
        made.asked = found.part?.range
        made.own = Made.Own(fields: own(stream.head, known), interim: stream.head.interim)
        made.selection = selection(of: row, began, place)
        made.mayBeShared = false
        let content = known?.content ?? PartialContent(taken.answer, keptUntil: row.staleUntil)
        func show(_ body: PartsBody.Live.Source) {
            made.entry = parts.entry(
                of: StoredParts(row: row, content: content), PartsBody.Live(range: taken.answer.range, body: body))
        }
        let live = LiveTape(stream.body)
        await engine.settle(stream.body, stream.head.length)
        if let whole = stream.body.whole, whole.count == taken.answer.range.count {
            show(.bytes(whole))
            return .answered(made)
        }
        if let failure = stream.body.failure { return .failed(request.cutOff(failure)) }
        show(.tape(live))
        live.release(on: engine.flights.home)
        return .answered(made)
    }

    /// Whether a 304 confirms stored parts and forbids to keep them. Their bytes would be read while the response goes out,
    /// so the request is sent again instead. A refresh reads nothing, and what a client is told alone leaves the parts.
    func losesParts(_ entry: StoredResponse, by head: UpstreamHead) -> Bool {
        guard entry.large is PartsBody, !isRefresh else { return false }
        let news = Validation.freshening(entry, by: head, rule: rule, targets: request.targets)
        guard !request.tellsItsClientAlone(news.entry) else { return false }
        guard case .store = news.verdict.decision else { return true }
        return names(news.entry) != names(entry) || request.groups(news.entry) != request.groups(entry)
    }
}
