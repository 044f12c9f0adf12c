// Answers from stored answers to wider questions. Before a raw entry is fetched for a normalised one, this looks in the
// store for raw answers of other questions that contain the same results (`Endpoint.wider`). It makes no call. The
// result is an ordinary entry with the wider one as its parent, so it is as old and as short-lived as that.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

extension Engine {
    /// Returns the answer from a stored, fresh, wider one. Returns nil if there is none, or if the question's own raw
    /// answer is stored.
    func answerFromWider(_ question: NormalisedQuestion, _ key: CacheKey, _ began: RemovalStamp) async -> Made? {
        let endpoint = question.endpoint
        let provider = question.provider
        let answers = endpoint.wider()
        guard !answers.isEmpty else { return nil }
        let rule = provider.rule(for: endpoint.name)
        let own = provider.rawKey(endpoint.upstream)
        guard await cache.fresh(own, question.directives, rule) == nil else { return nil }
        for wider in answers {
            let raw = provider.rawKey(wider.request)
            guard let stored = await cache.fresh(raw, question.directives, rule), !stored.isNegative,
                let normalised = await read(stored, wider, question)
            else { continue }
            var entry = StoredResponse(
                key: key, layer: .normalised, provider: provider.name, endpoint: endpoint.name,
                requestTime: stored.requestTime, responseTime: stored.responseTime, initialAge: stored.initialAge,
                freshUntil: stored.freshUntil, staleUntil: stored.staleUntil, parents: [stored.key.digest],
                normaliserVersion: provider.about.normaliserVersion, label: stored.label)
            entry.fields = normalised.fields
            entry.body = normalised.results
            cache.used(stored.key.digest)
            counters.cell(EngineCounters.wider, provider.name).add()
            var made = Made(entry: entry, origin: .otherForm("wider"))
            if !question.directives.noStore {
                made.written = await cache.write(entry, since: began)
            }
            return made
        }
        return nil
    }

    private func read(
        _ stored: StoredResponse, _ wider: WiderAnswer, _ question: NormalisedQuestion
    ) async -> NormalisedEntry? {
        let response = UpstreamResponse(stored, url: question.provider.url(wider.request))
        let limit = Int(clamping: question.settings.fetch.maxBody)
        let (endpoint, provider) = (question.endpoint, question.provider)
        let signer = signer
        return await compute.run(reading: response.plainSize) { [bodies] in
            // An unreadable entry gives no answer here. A request for that entry itself reports the error.
            guard let plain = response.decoded(limit: limit, in: bodies), let answer = try? wider.read(plain, signer)
            else {
                return nil
            }
            return NormalisedEntry(answer, of: endpoint, provider)
        }
    }
}
