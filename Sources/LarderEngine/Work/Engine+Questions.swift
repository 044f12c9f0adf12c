// The work of a flight. A raw entry is fetched, classified and stored. A normalised entry is made from its raw parent,
// which is fetched only if it is missing or no longer fresh. One fetch serves both layers.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// The question for one raw entry: provider, request, cache key and fetch order.
public struct RawQuestion: Sendable {
    let provider: ConfiguredProvider
    let endpoint: String
    let request: UpstreamRequest
    /// The client's demands on a stored answer. They also apply to an entry that a flight stored a moment ago.
    let directives: ClientDirectives
    let settings: Settings
    let key: CacheKey
    /// The order for the fetcher. It may carry credentials of the client.
    public var order: FetchOrder
    /// The client's fields, for the rules of RFC 9111 that depend on them.
    public var clientFields: HeaderFields = [:]
    /// A digest of the client's own credentials that the order carries; empty if there are none.
    public var caller: Bytes = []

    /// - Parameter identity: a hash of the client's own credentials; empty if all clients share the answer.
    public init(
        _ provider: ConfiguredProvider, _ request: UpstreamRequest, endpoint: String, identity: Bytes = [],
        _ directives: ClientDirectives, _ settings: Settings
    ) {
        self.provider = provider
        self.endpoint = endpoint
        self.request = request
        self.directives = directives
        self.settings = settings
        key = provider.rawKey(request, identity: identity)
        order = provider.order(request, settings: settings)
    }

    /// False if the client forbade storing.
    var isStored: Bool { !directives.noStore }

    /// The account that the call is made for. It comes from the provider that made the key, so both are about the same
    /// account.
    var claim: AccountClaim? { provider.claim(for: request) }
}

extension Engine {
    /// Returns the recipe of a raw entry.
    func rawRecipe(_ question: RawQuestion) -> EntryRecipe {
        EntryRecipe(cache, question.key, provider: question.provider.name) { _ in await self.makeRaw(question) }
    }

    /// Returns the answer of a raw request, from the cache or made now.
    /// - Parameter pool: the pool that the answer is drawn from; nil if it is none of a pool.
    public func obtain(_ question: RawQuestion, from pool: PoolTerms?) async throws(UpstreamFailure) -> Served {
        let provider = question.provider
        if let pool {
            return try await drawnRaw(
                PoolQuestion(
                    provider: provider, endpoint: question.endpoint, terms: pool, directives: question.directives,
                    settings: question.settings))
        }
        return try await EntryRequest(
            engine: self, recipe: rawRecipe(question),
            terms: RequestTerms(
                directives: question.directives, judge: provider.judge(for: question.endpoint),
                patience: question.settings.fetch.softDeadline)
        ).served()
    }

    /// Sends a raw request on its own, within the provider's budget. It is neither joined nor stored.
    public func send(_ question: RawQuestion) async throws(UpstreamFailure) -> UpstreamResponse {
        var question = question
        question.order.mayRetry = false
        return try await upstream.perform(call(for: question, mayBeCoded: true)).get().0
    }

    private func makeRaw(_ question: RawQuestion) async -> FlightResult {
        // Another flight may have committed this row after the look-up and before this flight began.
        let judge = question.provider.judge(for: question.endpoint)
        let began = cache.begin(question.key)
        if let entry = await cache.fresh(question.key, question.directives, judge.rule) {
            return .answered(Made(found: entry))
        }
        let terms = SharedTerms(
            provider: question.provider, judge: judge, directives: question.directives, began: began)
        return await shared(question.key, terms, isStored: question.isStored) { await fetchRaw(question, began) }
    }

    private func fetchRaw(_ question: RawQuestion, _ began: RemovalStamp) async -> FlightResult {
        let call = call(for: question)
        switch await upstream.perform(call) {
        case .failure(let failure) where !call.subject.isKnownPath:
            let longest = question.provider.rule(for: question.endpoint).negativeTTL
            return .failed(failure.lastingAbsence(atMost: longest))
        case .failure(let failure): return .failed(failure)
        case .success((let response, let classification)):
            return .answered(await keep(response, classification, question, began))
        }
    }

    /// - Parameter mayBeCoded: whether an answer that cannot be decoded is of use: only the client reads it.
    private func call(for question: RawQuestion, mayBeCoded: Bool = false) -> UpstreamCall {
        let provider = question.provider
        let endpoint = question.endpoint
        let request = question.request
        let limit = question.order.maxBody
        var call = UpstreamCall(
            provider: provider.name, order: question.order, isBudgeted: true, claim: question.claim,
            caller: question.caller,
            classify: { [bodies] response in
                guard let plain = response.decoded(limit: limit, in: bodies) ?? (mayBeCoded ? response : nil) else {
                    return .broken("The body's content coding could not be decoded.")
                }
                return provider.provider.classify(plain, endpoint: endpoint, of: request)
            })
        call.subject = provider.subject(of: request, endpoint: endpoint)
        return call
    }

    /// Returns the endpoint's freshness rule. Its lifetime is longer if the answer says that it no longer changes,
    /// unless the user configured a lifetime.
    private func rule(
        for question: RawQuestion, _ response: UpstreamResponse, _ classification: Classification
    ) async -> FreshnessRule {
        let provider = question.provider
        var rule = provider.rule(for: question.endpoint)
        guard classification == .data, rule.semantics == .ttl,
            let lifetime = provider.provider.contentLifetime(of: question.endpoint),
            provider.about.endpoints.contains(where: { $0.name == question.endpoint && $0.ttl == rule.ttl })
        else { return rule }
        let limit = question.order.maxBody
        let own = await compute.run(reading: response.plainSize) { [bodies] in
            response.decoded(limit: limit, in: bodies).flatMap(lifetime)
        }
        if let own { rule.ttl = max(rule.ttl, own) }
        return rule
    }

    private func keep(
        _ response: UpstreamResponse, _ classification: Classification, _ question: RawQuestion,
        _ began: RemovalStamp
    ) async -> Made {
        let rule = await rule(for: question, response, classification)
        let decision = StorePolicy.decide(
            request: question.request, requestFields: question.clientFields, response: response,
            classification: classification, rule: rule, key: question.key)
        var entry = StoredResponse(
            key: question.key, layer: .raw, provider: question.provider.name, endpoint: question.endpoint,
            status: response.status, reason: response.reason, fields: HopByHop.endToEnd(response.fields),
            body: response.body, requestTime: response.requestTime, responseTime: response.responseTime,
            freshUntil: response.responseTime, staleUntil: response.responseTime,
            label: "\(question.request.method) \(question.provider.url(question.request))")
        guard question.isStored, case .store(let lifetimes) = decision else {
            if rule.semantics == .rfc || classification == .notFound,
                Displacement(status: response.status, isForOneClient: true) == .all
            {
                cache.hide(entry)
            }
            var made = Made(entry: entry, hold: response.hold)
            made.mayBeShared = rule.semantics == .ttl
            return made
        }
        entry.initialAge = lifetimes.initialAge
        entry.freshUntil = lifetimes.freshUntil
        entry.staleUntil = lifetimes.staleUntil
        entry.isNegative = lifetimes.isNegative
        entry.fields = StorePolicy.storedFields(of: response)
        var made = Made(entry: entry, written: await cache.write(entry, since: began), hold: response.hold)
        made.mayLeave = question.caller.isEmpty
        return made
    }
}

/// The question for one normalised entry.
public struct NormalisedQuestion: Sendable {
    let provider: ConfiguredProvider
    let endpoint: Endpoint
    let directives: ClientDirectives
    let settings: Settings
    /// How long the client waits for this source.
    let deadline: Duration?
    /// The question's place in a session, if it has one. Calls for it are then held back for a moment.
    let scope = SessionScope.current
    /// How long calls are held back.
    let debounce = SessionScope.debounce

    /// The question belongs to the session that this task works for.
    public init(
        _ provider: ConfiguredProvider, _ endpoint: Endpoint, _ directives: ClientDirectives, _ settings: Settings,
        deadline: Duration? = nil
    ) {
        (self.provider, self.endpoint, self.directives) = (provider, endpoint, directives)
        (self.settings, self.deadline) = (settings, deadline)
    }
}

extension Engine {
    /// Returns the answer of one endpoint, from the cache or made now.
    public func obtain(_ question: NormalisedQuestion) async throws(UpstreamFailure) -> Served {
        let provider = question.provider
        if case .pooled(let terms) = provider.provider.constancy(of: question.endpoint.upstream) {
            return try await drawn(question, terms)
        }
        let key = provider.normalisedKey(question.endpoint, signer: signer)
        var demands = RequestTerms(
            directives: question.directives, judge: provider.judge(for: question.endpoint.name),
            patience: question.settings.fetch.softDeadline)
        demands.worksFromStore = true
        return try await EntryRequest(
            engine: self,
            recipe: EntryRecipe(cache, key, provider: provider.name) { hasFallback in
                await self.makeNormalised(question, key: key, hasFallback: hasFallback)
            }, terms: demands, deadline: question.deadline, hold: holding(question, key), isMissed: true
        ).served()
    }

    private func makeNormalised(_ question: NormalisedQuestion, key: CacheKey, hasFallback: Bool) async -> FlightResult
    {
        let began = cache.begin(key)
        let terms = SharedTerms(
            provider: question.provider, judge: question.provider.judge(for: question.endpoint.name),
            directives: question.directives, began: began)
        return await shared(key, terms, isStored: !question.directives.noStore) {
            await makeHere(question, key: key, hasFallback: hasFallback, began)
        }
    }

    private func makeHere(
        _ question: NormalisedQuestion, key: CacheKey, hasFallback: Bool, _ began: RemovalStamp
    ) async -> FlightResult {
        if let plan = question.endpoint.plan {
            return await PlannedWork(
                engine: self, question: question, key: key, hasFallback: hasFallback, began: began
            ).run(plan)
        }
        if let made = await answerFromWider(question, key, began) { return .answered(made) }
        let raw: Served
        do {
            raw = try await obtainRaw(question, question.endpoint.upstream, endpoint: question.endpoint.name)
        } catch {
            return .failed(error)
        }
        // A stored normalised answer already covers for this failure. It need not be made again from the raw one.
        if let failure = raw.failure, hasFallback { return .failed(failure) }
        return await normalise(raw, question, key, began)
    }

    /// Returns a raw entry to make a normalised one from. It is fresh, or stale if only a stale one can cover for a
    /// failure.
    ///
    /// - Parameters:
    ///   - deadline: how long to wait for the entry. Its fetch goes on after that.
    ///   - plan: the clock of a whole plan, whose end also ends the wait.
    func obtainRaw(
        _ question: NormalisedQuestion, _ request: UpstreamRequest, endpoint: String, deadline: Duration? = nil,
        plan: WaitClock? = nil
    ) async throws(UpstreamFailure) -> Served {
        let provider = question.provider
        let raw = RawQuestion(provider, request, endpoint: endpoint, question.directives, question.settings)
        return try await EntryRequest(
            engine: self, recipe: rawRecipe(raw),
            terms: RequestTerms(
                directives: question.directives, judge: provider.judge(for: endpoint), wantsFresh: true),
            deadline: deadline, plan: plan
        ).served()
    }

    private func normalise(
        _ raw: Served, _ question: NormalisedQuestion, _ key: CacheKey, _ began: RemovalStamp
    ) async -> FlightResult {
        let endpoint = question.endpoint
        let signer = signer
        let rawEntry = raw.entry
        var entry = StoredResponse(
            key: key, layer: .normalised, provider: question.provider.name, endpoint: endpoint.name,
            isNegative: rawEntry.isNegative, requestTime: rawEntry.requestTime, responseTime: rawEntry.responseTime,
            initialAge: rawEntry.initialAge, freshUntil: rawEntry.freshUntil, staleUntil: rawEntry.staleUntil,
            parents: [rawEntry.key.digest], normaliserVersion: question.provider.about.normaliserVersion,
            label: rawEntry.label)
        if !rawEntry.isNegative {
            let response = UpstreamResponse(rawEntry, url: question.provider.url(endpoint.upstream))
            let limit = Int(clamping: question.settings.fetch.maxBody)
            let provider = question.provider
            let made = await time.timing(.normalise, provider.name) {
                await compute.run(reading: response.plainSize) {
                    [bodies] () -> Result<NormalisedEntry, UpstreamFailure> in
                    guard let plain = response.decoded(limit: limit, in: bodies) else {
                        return .failure(Self.unreadable(endpoint.provider, "its content coding could not be decoded."))
                    }
                    do throws(NormaliseError) {
                        let answer = try endpoint.normalise(plain, signer)
                        return .success(NormalisedEntry(answer, of: endpoint, provider))
                    } catch {
                        return .failure(Self.unreadable(endpoint.provider, error.message))
                    }
                }
            }
            switch made {
            case .failure(let failure):
                await shorten(rawEntry)
                return .failed(failure)
            case .success(let normalised):
                entry.fields = normalised.fields
                entry.body = normalised.results
                noteDropped(normalised, of: endpoint.provider)
            }
        }
        var made = Made(entry: entry, covering: raw.failure)
        // An entry from this host's own store may have been removed from the fleet without this host knowing yet. A
        // normalised entry made from it must not be published under the generation that was read just now.
        made.mayLeave = raw.isBroughtNow && SharedStorability.obstacle(fields: rawEntry.fields) == nil
        if raw.failure == nil, raw.hasRow, !question.directives.noStore {
            made.written = await cache.write(entry, since: began)
        }
        return .answered(made)
    }

    /// Shortens the lifetime of a raw entry that was classified as an answer but cannot be read. It is asked for again
    /// after a minute; otherwise the source would stay broken for the entry's whole lifetime.
    func shorten(_ raw: StoredResponse) async {
        await cache.shorten(raw, to: time.wall() + .seconds(60))
    }

    func noteDropped(_ normalised: NormalisedEntry, of provider: String) {
        guard normalised.dropped > 0 else { return }
        counters.cell(EngineCounters.dropped, provider).add(normalised.dropped)
        log.notice("results dropped", ["provider": provider, "count": String(normalised.dropped)])
    }

    /// - Parameter why: a sentence.
    static func unreadable(_ provider: String, _ why: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider, failure: .broken, detail: "The answer of \(provider) could not be read: \(why)")
    }
}

extension UpstreamResponse {
    /// A stored answer as the response it was made from.
    init(_ entry: StoredResponse, url: String) {
        self.init(
            status: entry.status, reason: entry.reason, fields: entry.fields, body: entry.body,
            requestTime: entry.requestTime, responseTime: entry.responseTime, url: url)
    }

    /// The size of the body without content coding, in bytes; `Int.max` if the body is coded, because only decoding
    /// would tell.
    var plainSize: Int {
        guard let coding = fields.first(.contentEncoding), !ASCII.equalFolded(coding, "identity") else {
            return body.count
        }
        return .max
    }

    /// Returns the answer without content coding. Returns nil if the coding is unknown or broken, or if the body grows
    /// past the limit: a small body may inflate to any size.
    /// - Parameter memory: the memory budget that the decoded body counts against while it is in use.
    public func decoded(limit: Int, in memory: BodyMemory? = nil) -> UpstreamResponse? {
        guard let coding = fields.first(.contentEncoding), !ASCII.equalFolded(coding, "identity") else { return self }
        guard let body = try? ContentCoding.inflate(body, coding: coding, limit: limit) else { return nil }
        var plain = self
        plain.body = body
        plain.hold = memory?.claim(body.count)
        plain.fields.remove(.contentEncoding)
        plain.fields.remove(.contentLength)
        return plain
    }
}
