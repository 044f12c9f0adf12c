// Answers out of bigger answers: before a normalised entry's raw one is fetched, the store is looked through for raw answers
// of other questions that hold the same (`Endpoint.wider`). Read-only, without a call; what is made is an entry like any other,
// with the bigger one as its parent, and so as old and as short-lived as that.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

extension Engine {
    /// The answer out of a stored and fresh one that holds it; nil where there is none, or where its own raw answer is there.
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
            // What cannot be read is no answer here; whoever asks for it by its own name is told so.
            guard let plain = response.decoded(limit: limit, in: bodies), let answer = try? wider.read(plain, signer)
            else {
                return nil
            }
            return NormalisedEntry(answer, of: endpoint, provider)
        }
    }
}
