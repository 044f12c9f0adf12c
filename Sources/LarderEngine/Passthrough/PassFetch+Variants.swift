// A request that selects no stored variant validates those of other requests (RFC 9111 §4.1, §4.3.1). If the upstream
// confirms one of them, the fetch goes on as if the upstream had sent a whole response with the stored body.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

extension PassFetch {
    /// The stored variants that the request may validate, the newest first. There are none for a request whose response is
    /// for its client alone, or that asks for a part.
    func offeredVariants(_ found: EntryCache.Found) async -> [StoredResponse] {
        guard let index = found.index, found.entry == nil, found.hidden == nil, found.part == nil,
            !request.isPersonal, !request.directives.noStore,
            index.variants.allSatisfy({ VariantOffer.mayOffer(selectedBy: $0.names) })
        else { return [] }
        var offered: [StoredResponse] = []
        for variant in index.variants.prefix(VariantOffer.limit)
        where VariantOffer.mayOffer(variant.entry, to: request.forwarded) {
            if let entry = await engine.cache.open(variant.entry.key) { offered.append(entry) }
        }
        return offered
    }

    /// The response to the request if a 304 confirms an offered variant: it is stored like a whole response. Nil if the 304
    /// confirms none.
    func confirmed(
        _ offered: [StoredResponse], by head: UpstreamHead, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ voice: FlightVoice
    ) async -> FlightResult? {
        guard let entry = VariantOffer.confirmed(by: head, among: offered),
            let whole = VariantOffer.head(of: entry, confirmedBy: head, rule: rule, targets: request.targets),
            VariantOffer.suits(whole.fields, request.forwarded)
        else { return nil }
        let tape = BodyTape(promised: entry.bodyLength)
        _ = entry.body.withUnsafeBytes { tape.append($0) }
        tape.finish()
        let classification = request.provider.provider.classify(whole.response, endpoint: request.endpoint)
        let stream = UpstreamStream(head: whole, body: tape, cancel: {})
        let result = await receive(stream, classification, found, began, voice)
        guard case .answered(var made) = result else { return result }
        made.origin = .upstream(status: 304, isAnswer: true)
        let place = made.selection?.place
        if entry.key != made.entry.key { await freshenOthers([entry], by: head, since: began, place) }
        // The requests that wait have their answer; nobody waits for the variants of others.
        Task { [made] in
            guard let index = found.index else { return }
            let same = index.variants.map(\.entry).filter { old in
                VariantOffer.hasTag(of: head, old) && old.key != entry.key && old.key != made.entry.key
            }
            await freshenOthers(same, by: head, since: began, place)
        }
        return .answered(made)
    }

    /// A 304 updates every stored response with the same strong tag (RFC 9111 §4.3.4). A response is removed if its update
    /// must not be stored, or would be selected by other fields than those it lies under.
    /// - Parameter place: that of the 304 among the responses of its URL that are under way.
    func freshenOthers(
        _ others: [StoredResponse], by head: UpstreamHead, since began: RemovalStamp, _ place: AnswerPlace?
    ) async {
        for old in others {
            // It came after this 304.
            if let place, old.arrival > place.number { continue }
            var news = Validation.freshening(old, by: head, rule: rule, targets: request.targets)
            if let place { news.entry.arrival = place.number }
            if case .store = news.verdict.decision, names(news.entry) == names(old),
                request.groups(news.entry) == request.groups(old)
            {
                await engine.cache.freshen(old, to: news.entry, since: began)
            } else if place?.isOvertaken != true, engine.cache.isCurrent(began),
                // A newer response may have taken its place.
                await engine.cache.open(old.key)?.arrival == old.arrival
            {
                await engine.cache.displace(old.key.digest, of: old.provider)
            }
        }
    }
}
