// A request that selects no stored variant validates those of other requests (RFC 9111 §4.1, §4.3.1). If the upstream
// confirms one of them, the fetch goes on as if the upstream had sent a whole answer with the stored body.
import LarderCache
import LarderCore
import LarderHTTP
import LarderProviders

extension PassFetch {
    /// The stored variants that the request may validate, the newest first; none for a request whose answer is for its client
    /// alone, or that asks for a part.
    func offeredVariants(_ found: EntryCache.Found) async -> [StoredResponse] {
        guard let index = found.index, found.entry == nil, found.hidden == nil, found.part == nil,
            !request.isPersonal, !request.directives.noStore
        else { return [] }
        var offered: [StoredResponse] = []
        let mayBeRead = index.variants.filter { VariantOffer.mayOffer(selectedBy: $0.names) }
        for variant in mayBeRead.prefix(VariantOffer.limit) {
            guard let entry = await engine.cache.open(request.variantKey(variant.selection)),
                VariantOffer.mayOffer(entry, to: request.forwarded)
            else { continue }
            offered.append(entry)
        }
        return offered
    }

    /// The answer to the request if a 304 confirms an offered variant: stored like a whole answer. Nil if it confirms none.
    func confirmed(
        _ offered: [StoredResponse], by head: UpstreamHead, _ found: EntryCache.Found, _ began: RemovalStamp,
        _ voice: FlightVoice
    ) async -> FlightResult? {
        let confirmed = VariantOffer.confirmed(by: head, among: offered)
        guard let entry = confirmed.first else { return nil }
        let whole = VariantOffer.head(of: entry, confirmedBy: head, rule: rule, targets: request.targets)
        let tape = BodyTape(promised: entry.bodyLength)
        _ = entry.body.withUnsafeBytes { tape.append($0) }
        tape.finish()
        let classification = request.provider.provider.classify(whole.response, endpoint: request.endpoint)
        let stream = UpstreamStream(head: whole, body: tape, cancel: {})
        var result = await receive(stream, classification, found, began, voice)
        if case .answered(var made) = result {
            made.origin = .upstream(status: 304, isAnswer: true)
            result = .answered(made)
        }
        // The 304 speaks for every stored answer with the same strong tag (RFC 9111 §4.3.4).
        for old in confirmed {
            let fresh = Validation.freshened(old, by: head, rule: rule, targets: request.targets)
            guard names(fresh) == names(old), request.groups(fresh) == request.groups(old) else { continue }
            await engine.cache.freshen(old, to: fresh, since: began)
        }
        return result
    }
}
