// Answers drawn from a pool. A pool is an ordinary entry: the usual flow looks it up, joins fetches, refreshes it while
// stale and uses it if the upstream fails. Two things differ: several calls fill a pool, and each request gets a
// different part of it.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings

/// What to draw, and from which pool.
struct PoolQuestion: Sendable {
    var provider: ConfiguredProvider
    var endpoint: String
    var terms: PoolTerms
    var count = 1
    var fits: @Sendable (Bytes) -> Bool = { _ in true }
    var directives: ClientDirectives
    var settings: Settings
}

extension Engine {
    /// Returns the answer to a typed question, with results drawn from the pool.
    func drawn(_ question: NormalisedQuestion, _ terms: PoolTerms) async throws(UpstreamFailure) -> Served {
        let endpoint = question.endpoint
        let provider = question.provider
        let (row, answers) = try await draw(
            PoolQuestion(
                provider: provider, endpoint: endpoint.name, terms: terms, count: endpoint.draws, fits: endpoint.fits,
                directives: question.directives, settings: question.settings))
        var served = row
        served.isDrawn = true
        served.ready = nil
        guard !row.entry.isNegative else { return served }
        let signer = signer
        let entry = row.entry
        let url = provider.url(endpoint.upstream)
        let made = await compute.run { () -> Result<NormalisedEntry, NormaliseError> in
            do throws(NormaliseError) {
                var parts: [NormalisedAnswer] = []
                for answer in answers {
                    let response = UpstreamResponse(
                        status: 200, fields: entry.fields, body: answer.body, requestTime: entry.requestTime,
                        responseTime: entry.responseTime, url: url)
                    parts.append(try endpoint.normalise(response, signer))
                }
                return .success(NormalisedEntry(NormalisedAnswer(joining: parts), of: endpoint, provider))
            } catch {
                return .failure(error)
            }
        }
        switch made {
        case .failure(let error):
            throw UpstreamFailure(
                provider: provider.name, failure: .broken,
                detail: "An answer of \(provider.name) could not be read: \(error.message)")
        case .success(let normalised):
            served.entry.layer = .normalised
            served.entry.fields = normalised.fields
            served.entry.body = normalised.results
            return served
        }
    }

    /// Returns the answer to a raw request: one of the pool's bodies, as the API sent it.
    func drawnRaw(_ question: PoolQuestion) async throws(UpstreamFailure) -> Served {
        let (row, answers) = try await draw(question)
        var served = row
        served.isDrawn = true
        served.ready = nil
        if let answer = answers.first { served.entry.body = answer.body }
        return served
    }

    private func draw(_ question: PoolQuestion) async throws(UpstreamFailure) -> (Served, [PooledAnswer]) {
        let provider = question.provider
        let terms = question.terms
        let key = provider.rawKey(terms.refill, variant: "pool")
        // The pool belongs to no client. A client that wants a new answer gets one by drawing, and its `no-store`
        // concerns only its own share. So only `only-if-cached` applies to the pool.
        var directives = ClientDirectives.none
        directives.onlyIfCached = question.directives.onlyIfCached
        let row = try await EntryRequest(
            engine: self,
            recipe: EntryRecipe(cache, key, provider: provider.name) { _ in
                await self.fill(question, key, isForced: false)
            },
            terms: RequestTerms(
                directives: directives, judge: provider.judge(for: question.endpoint),
                patience: question.settings.fetch.softDeadline)
        ).served()
        let fits = question.fits
        let entry = row.entry
        // Runs away from the loop and before the lock is taken, because the provider's code decides what fits.
        let (pooled, fitting) = await compute.run { () -> ([PooledAnswer], Set<Int>) in
            let pooled = PoolRow.answers(entry)
            return (pooled, Set(pooled.indices.filter { fits(pooled[$0].body) }))
        }
        guard !pooled.isEmpty else { return (row, []) }
        let now = time.monotonic()
        let (places, wantsRefill) = pools.withLock { rounds in
            rounds.deal(
                question.count, from: key.digest, ids: pooled.map(\.id), where: { fitting.contains($0) }, now: now,
                pause: terms.pause, random: { UInt64.random(in: 0...UInt64.max) })
        }
        counters.cell(EngineCounters.poolDraws, provider.name).add(places.count)
        // The pool is filled up only after a fresh hit; a stale pool is refreshed by its own flow.
        if wantsRefill, row.outcome == .hit, !directives.onlyIfCached {
            flights.refresh(key.digest, of: key.digest) { _ in await self.fill(question, key, isForced: true) }
        }
        return (row, places.map { pooled[$0] })
    }

    /// The flight work of a pool: as many calls as the pool needs to be dealt from, at least one.
    private func fill(_ question: PoolQuestion, _ key: CacheKey, isForced: Bool) async -> FlightResult {
        let provider = question.provider
        let terms = question.terms
        let began = cache.begin(key)
        // What may have been removed elsewhere does not come back through a refilled pool.
        let kept = await cache.read(key).flatMap { $0.isUnverified ? nil : $0 }
        if !isForced, let kept, cache.isFresh(kept, .none, provider.rule(for: question.endpoint)) {
            return .answered(Made(found: kept))
        }
        let before = await compute.run { kept.map(PoolRow.answers) ?? [] }
        let missing = max(1, terms.least - before.count)
        let gathered = await gather((missing + terms.perCall - 1) / terms.perCall, question)
        counters.cell(EngineCounters.poolRefills, provider.name).add()
        let now = time.monotonic()
        pools.withLock { $0.filled(key.digest, now: now, pause: terms.pause) }
        guard let answer = gathered.response else {
            return .failed(
                gathered.failure
                    ?? UpstreamFailure(
                        provider: provider.name, failure: .broken,
                        detail: "\(provider.name) gave nothing to choose from.")
            )
        }
        // An absence is stored, but never in place of existing answers.
        let isNegative = gathered.answers.isEmpty
        if isNegative, !before.isEmpty { return .failed(Self.absent(provider.name)) }
        let known = Set(before.map(\.id))
        counters.cell(EngineCounters.poolAdditions, provider.name)
            .add(Set(gathered.answers.map(\.id)).subtracting(known).count)
        return .answered(
            await shelve(
                PoolRow.merged(gathered.answers, into: before, most: terms.most), answer,
                isNegative ? .notFound : .data, question, key, began))
    }

    private struct Gathered {
        var answers: [PooledAnswer] = []
        /// The last response that brought answers; if none did, the first one that said there is nothing.
        var response: UpstreamResponse?
        var failure: UpstreamFailure?
    }

    /// Makes all calls side by side, so the first client waits only as long as one call takes.
    private func gather(_ calls: Int, _ question: PoolQuestion) async -> Gathered {
        let provider = question.provider
        let endpoint = question.endpoint
        let order = provider.order(question.terms.refill, settings: question.settings)
        let limit = order.maxBody
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true,
            classify: { [bodies] response in
                guard let plain = response.decoded(limit: limit, in: bodies) else {
                    return .broken("The body's content coding could not be decoded.")
                }
                return provider.provider.classify(plain, endpoint: endpoint)
            })
        let upstream = upstream
        let results = await withTaskGroup(of: Result<(UpstreamResponse, Classification), UpstreamFailure>.self) {
            group in
            for _ in 0..<calls { group.addTask { await upstream.perform(call) } }
            var results: [Result<(UpstreamResponse, Classification), UpstreamFailure>] = []
            for await result in group { results.append(result) }
            return results
        }
        let answers = question.terms.answers
        return await compute.run { [bodies] in
            var gathered = Gathered()
            for result in results {
                switch result {
                case .failure(let failure): gathered.failure = gathered.failure ?? failure
                case .success((let response, let classification)):
                    let found =
                        classification == .data ? response.decoded(limit: limit, in: bodies).map(answers) ?? [] : []
                    if !found.isEmpty || gathered.response == nil { gathered.response = response }
                    gathered.answers += found
                }
            }
            return gathered
        }
    }

    private func shelve(
        _ pooled: [PooledAnswer], _ response: UpstreamResponse, _ classification: Classification,
        _ question: PoolQuestion, _ key: CacheKey, _ began: RemovalStamp
    ) async -> Made {
        let provider = question.provider
        let request = question.terms.refill
        var entry = StoredResponse(
            key: key, layer: .raw, provider: provider.name, endpoint: question.endpoint, status: response.status,
            reason: response.reason, fields: Self.fieldsOfOne(response),
            body: classification == .data ? PoolRow.encode(pooled) : response.body,
            requestTime: response.requestTime, responseTime: response.responseTime,
            freshUntil: response.responseTime, staleUntil: response.responseTime,
            label: "\(request.method) \(provider.url(request))")
        let decision = StorePolicy.decide(
            request: request, requestFields: [:], response: response, classification: classification,
            rule: provider.rule(for: question.endpoint), key: key)
        guard case .store(let lifetimes) = decision else { return Made(entry: entry) }
        entry.freshUntil = lifetimes.freshUntil
        entry.staleUntil = lifetimes.staleUntil
        entry.isNegative = lifetimes.isNegative
        return Made(entry: entry, written: await cache.write(entry, since: began))
    }

    /// Returns the fields that all answers of a pool share, without the length, coding, date and validators of one
    /// call.
    private static func fieldsOfOne(_ response: UpstreamResponse) -> HeaderFields {
        var fields = StorePolicy.storedFields(of: response)
        for name in ["Content-Length", "Content-Encoding", "ETag", "Last-Modified", "Age", "Date", "Expires"] {
            fields.remove(name)
        }
        return fields
    }

    private static func absent(_ provider: String) -> UpstreamFailure {
        UpstreamFailure(provider: provider, failure: .notFound, detail: "\(provider) has no such thing.")
    }
}

extension NormalisedAnswer {
    /// Joins several answers into one, in order.
    init(joining parts: [NormalisedAnswer]) {
        let inside = parts.filter { $0.count > 0 }.map { $0.results.dropFirst().dropLast() }
        self.init(
            results: [0x5B] + Bytes(inside.joined(separator: [0x2C])) + [0x5D],
            count: parts.reduce(0) { $0 + $1.count }, dropped: parts.reduce(0) { $0 + $1.dropped },
            droppedReasons: parts.reduce(into: [:]) { sums, part in sums.merge(part.droppedReasons, uniquingKeysWith: +)
            })
        leftOut = parts.reduce(0) { $0 + $1.leftOut }
        sources = parts.flatMap(\.sources)
    }
}
