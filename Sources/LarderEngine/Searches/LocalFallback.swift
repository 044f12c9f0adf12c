// What stored results give to `/v1/search` in place of a source that is down and of whose answer nothing is kept: results
// of other questions that hold all the words. It is said with them, and why; the whole is partial and never kept.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderStore

extension Engine {
    /// The part of a source that failed, from the results that are stored of it; nil where there are none, where the
    /// failure is no outage, or where the client would not have it.
    func localFallback(
        for failure: UpstreamFailure, _ provider: ConfiguredProvider, _ endpoint: Endpoint, _ request: SearchRequest,
        _ directives: ClientDirectives
    ) async -> SourceAnswer? {
        guard failure.failure.isOutage, Self.permitsStandIn(directives) else { return nil }
        let terms = LocalQuestion.terms(request.term)
        guard (1...LocalQuestion.mostTerms).contains(terms.count),
            let kinds = provider.provider.kinds(of: request.category)
        else { return nil }
        var question = FullTextQuestion(terms: terms, limit: min(max(request.limit ?? 50, 1), 200))
        question.providers = [provider.name]
        question.kinds = kinds
        question.keyParts = [signerMark] + Self.bounds(endpoint, request)
        let answer: FullTextAnswer
        do throws(StoreError) {
            answer = try await cache.store.search(question)
        } catch {
            countLocal(.standIn, .failed)
            return nil
        }
        countLocal(.standIn, answer.matches.isEmpty ? .noResults : .results)
        guard !answer.matches.isEmpty else { return nil }
        let now = time.wall()
        let results = await compute.run { LocalAnswer.results(answer.matches, now: now) }
        var source = SourceAnswer(provider: provider.name, failure: failure)
        source.normalised = NormalisedEntry(
            NormalisedAnswer(results: results, count: answer.matches.count), query: endpoint.query)
        source.isLocal = true
        source.isStale = answer.matches.contains { $0.freshUntil <= now }
        // The oldest of them: no client must think it newer.
        source.fetchedAt = answer.matches.map(\.storedAt).min()
        return source
    }

    /// What other questions must have in common with this one: that explicit results are spared, as far as the source took
    /// it so, and the country and language where they were asked for.
    private static func bounds(_ endpoint: Endpoint, _ request: SearchRequest) -> [Bytes] {
        endpoint.parameters.filter { parameter in
            switch parameter.name {
            case "explicit": parameter.value == "false"
            case "country", "region": request.country != nil
            case "lang", "language": request.language != nil
            default: false
            }
        }.map(CacheKey.part)
    }

    /// Who wants an answer of a certain age, or none out of a cache, or the stored answer to this very question, does not
    /// want those of other questions (RFC 9111 §5.2.1).
    private static func permitsStandIn(_ directives: ClientDirectives) -> Bool {
        !directives.noCache && !directives.noStore && !directives.onlyIfCached && directives.maxAge == nil
            && directives.minFresh == nil
    }
}
