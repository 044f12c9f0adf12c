// One search as it is carried out: which sources are asked, and what each gave. It is the same for every route, and
// whether or not the client waits.
import LarderCache
import LarderCore
import LarderProviders
import LarderSettings

/// A search, and what is demanded of it.
@dynamicMemberLookup
public struct SearchQuestion: Sendable {
    let plan: SearchPlan
    let directives: ClientDirectives
    let settings: Settings

    /// A search over the sources of a plan.
    public init(_ plan: SearchPlan, _ directives: ClientDirectives, _ settings: Settings) {
        (self.plan, self.directives, self.settings) = (plan, directives, settings)
    }

    /// A member of the plan.
    public subscript<Value>(dynamicMember member: KeyPath<SearchPlan, Value>) -> Value { plan[keyPath: member] }

    /// Returns the keys of the normalised entries that make up the answer.
    public func keys(signer: ArtworkSigner) -> [Digest] {
        plan.endpoints.map { $0.provider.normalisedKey($0.endpoint, signer: signer).digest }
    }
}

/// The answers of the sources, in the order in which they were named.
public struct SearchAnswers: Sendable {
    /// Each source's answer, and the entry that it was read from.
    public var parts: [(source: SourceAnswer, served: Served?)]
    /// The memory tier's state before the first source was asked.
    public var stamp: ReadyStamp

    /// Each source's answer.
    public var sources: [SourceAnswer] { parts.map(\.source) }
}

extension Engine {
    /// Asks all sources at once, each with its own deadline.
    /// - Parameter report: gets each source's answer as soon as it arrives.
    public func ask(
        _ question: SearchQuestion, report: @escaping @Sendable (Int, SourceAnswer) -> Void = { _, _ in }
    ) async -> SearchAnswers {
        let stamp = cache.readyStamp(question.keys(signer: signer), of: question.endpoints.map(\.provider.name))
        if let only = question.parts.first, question.isSingle {
            let answer = await ask(only, question)
            report(0, answer.source)
            return SearchAnswers(parts: [answer], stamp: stamp)
        }
        return await withTaskGroup(of: (Int, (source: SourceAnswer, served: Served?)).self) { group in
            for (index, part) in question.parts.enumerated() {
                group.addTask {
                    let answer = await self.ask(part, question)
                    return (index, answer)
                }
            }
            var answers: [(Int, (source: SourceAnswer, served: Served?))] = []
            for await (index, answer) in group {
                report(index, answer.source)
                answers.append((index, answer))
            }
            return SearchAnswers(parts: answers.sorted { $0.0 < $1.0 }.map(\.1), stamp: stamp)
        }
    }

    private func ask(
        _ part: SearchPlan.Part, _ question: SearchQuestion
    ) async -> (source: SourceAnswer, served: Served?) {
        let (provider, endpoint): (ConfiguredProvider, Endpoint)
        switch part {
        case .unavailable(let failure): return (SourceAnswer(provider: failure.provider, failure: failure), nil)
        case .ask(let asked, let wanted): (provider, endpoint) = (asked, wanted)
        }
        do throws(UpstreamFailure) {
            guard provider.isConfigured else { throw provider.notConfigured }
            let served = try await obtain(
                NormalisedQuestion(
                    provider, endpoint, question.directives, question.settings,
                    deadline: question.isSingle ? nil : question.settings.search.deadline))
            let normalised = served.entry.isNegative ? nil : NormalisedEntry(served.entry)
            var source = SourceAnswer(served, normalised)
            source.failure = source.failure?.withBoundedRetry(at: time.wall())
            return (source, served)
        } catch {
            // If the client left or the question was superseded, there is no answer to count.
            if !Task.isCancelled, SessionScope.current?.isSuperseded != true { countFailure(provider.name) }
            if let request = question.request,
                let source = await localFallback(for: error, provider, endpoint, request, question.directives)
            {
                return (source, nil)
            }
            return (SourceAnswer(provider: provider.name, failure: error.withBoundedRetry(at: time.wall())), nil)
        }
    }

    /// Whether every source's answer is stored and fresh, so that nothing must be fetched.
    public func isAtHand(_ question: SearchQuestion) async -> Bool {
        for (provider, endpoint) in question.endpoints {
            if case .pooled = provider.provider.constancy(of: endpoint.upstream) { return false }
            let key = provider.normalisedKey(endpoint, signer: signer)
            guard await cache.fresh(key, question.directives, provider.rule(for: endpoint.name)) != nil
            else { return false }
        }
        return true
    }
}
