// What holds back the calls for a question of a session: its debounce, where nothing stored or under way answers it.
import LarderCache
import LarderCore
import LarderProviders

extension Engine {
    /// What holds back the calls for a question of a session; nil where it is of none.
    func holding(_ question: NormalisedQuestion, _ key: CacheKey) -> (@Sendable () async -> Bool)? {
        guard let scope = question.scope else { return nil }
        return { await self.hold(question, key, scope) }
    }

    /// Holds back the calls for one question of a session, where it would cost any: what is stored in another form, or is
    /// under way for somebody else, is answered without a pause.
    /// - Returns: whether the question is still to be asked.
    private func hold(_ question: NormalisedQuestion, _ key: CacheKey, _ scope: SessionScope) async -> Bool {
        guard question.debounce > .zero, !flights.isAnswered(key), await !isAtHand(question) else {
            return !scope.isSuperseded
        }
        return await sessions.hold(scope, for: question.debounce)
    }

    /// Whether a fresh raw entry answers the question, or one that may hold its answer.
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
