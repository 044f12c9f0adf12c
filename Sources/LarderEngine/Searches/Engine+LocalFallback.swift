// A substitute in `/v1/search` for a source that is down and has no stored answer: stored results of other questions
// that contain all the words. The answer says so and says why. The whole answer is then partial and never stored.
import LarderCache
import LarderCore
import LarderIO
import LarderProviders
import LarderStore

extension Engine {
    /// Returns stored results in place of a failed source's answer. Returns nil if there are none, if the failure is no
    /// outage, or if the client's directives rule it out.
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
        // The age of the oldest result, so that no client takes the answer for newer.
        source.fetchedAt = answer.matches.map(\.storedAt).min()
        return source
    }

    /// Returns the parameters that the other questions must share: the exclusion of explicit results, if the source
    /// takes that parameter, and the country and language if the client gave them.
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

    /// A client that demands a certain age, an answer past the cache, or the stored answer to this very question does
    /// not want results of other questions (RFC 9111 §5.2.1).
    private static func permitsStandIn(_ directives: ClientDirectives) -> Bool {
        !directives.noCache && !directives.noStore && !directives.onlyIfCached && directives.maxAge == nil
            && directives.minFresh == nil
    }
}
