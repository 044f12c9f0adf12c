// Holds back the calls for a question of a session: waits for its debounce unless stored entries or a flight answer it.
import LarderCache
import LarderCore
import LarderProviders

extension Engine {
    /// Returns the function that holds back the question's calls; nil if the question belongs to no session.
    func holding(_ question: NormalisedQuestion, _ key: CacheKey) -> (@Sendable () async -> Bool)? {
        guard let scope = question.scope else { return nil }
        return { await self.hold(question, key, scope) }
    }

    /// Holds back the calls for one question of a session if the question needs any. There is no pause if the answer is
    /// stored in another form or if a flight already fetches it.
    /// - Returns: whether the question should still be asked.
    private func hold(_ question: NormalisedQuestion, _ key: CacheKey, _ scope: SessionScope) async -> Bool {
        guard question.debounce > .zero, !flights.isAnswered(key.digest), await !isAtHand(question) else {
            return !scope.isSuperseded
        }
        return await sessions.hold(scope, for: question.debounce)
    }

    /// Whether a fresh raw entry answers the question, either its own or that of a wider question.
    public func isAtHand(_ question: NormalisedQuestion) async -> Bool {
        let provider = question.provider
        let rule = provider.rule(for: question.endpoint.name)
        for request in [question.endpoint.upstream] + question.endpoint.wider().map(\.request) {
            if await cache.fresh(provider.rawKey(request), question.directives, rule) != nil {
                return true
            }
        }
        return false
    }
}
