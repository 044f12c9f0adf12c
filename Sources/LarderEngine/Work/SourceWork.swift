// The work of a flight: a raw entry is fetched, classified and stored; a normalised one is made from its raw parent,
// fetched only where that is missing or no longer fresh. Both forms come from one fetch.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderSettings
import LarderStore

/// One raw entry to be had: from whom, by which request, under which key.
public struct RawQuestion: Sendable {
    var provider: ConfiguredProvider
    var endpoint: String
    var request: UpstreamRequest
    var key: CacheKey
    var order: FetchOrder
    /// The client's fields, where a rule of RFC 9111 looks at them.
    var clientFields: HeaderFields = [:]
    /// What the client demands of a stored answer: it holds too for what a flight that just ended has brought.
    var directives: ClientDirectives
    /// The client forbade storing.
    var isStored = true
    /// The order carries the client's own credentials.
    var hasClientCredentials = false

    /// A question whose answer may be stored and that carries no credentials of the client, where nothing else is
    /// said.
    public init(
        provider: ConfiguredProvider, endpoint: String, request: UpstreamRequest, key: CacheKey, order: FetchOrder,
        clientFields: HeaderFields = [:], directives: ClientDirectives, isStored: Bool = true,
        hasClientCredentials: Bool = false
    ) {
        self.provider = provider
        self.endpoint = endpoint
        self.request = request
        self.key = key
        self.order = order
        self.clientFields = clientFields
        self.directives = directives
        self.isStored = isStored
        self.hasClientCredentials = hasClientCredentials
    }

    /// For whom the call is made. Of the provider that made the key: both speak of the same account.
    var claim: AccountClaim? { provider.claim(for: request) }
}

extension Engine {
    /// How a raw entry is had.
    public func rawRecipe(_ question: RawQuestion) -> EntryRecipe {
        EntryRecipe(cache, question.key, provider: question.provider.name) { _ in await self.makeRaw(question) }
    }

    private func makeRaw(_ question: RawQuestion) async -> FlightResult {
        // Between our look-up and our lead another flight may have ended and committed this very row.
        let rule = question.provider.rule(for: question.endpoint)
        let began = cache.begin(question.key)
        if let entry = await cache.fresh(question.key, question.directives, rule) {
            return .answered(Made(found: entry))
        }
        let shared = SharedQuestion(
            key: question.key, provider: question.provider, directives: question.directives, rule: rule, began: began,
            isStored: question.isStored)
        return await self.shared(shared) { await fetchRaw(question, began) }
    }

    private func fetchRaw(_ question: RawQuestion, _ began: RemovalStamp) async -> FlightResult {
        let provider = question.provider
        let endpoint = question.endpoint
        let request = question.request
        let limit = question.order.maxBody
        let call = UpstreamCall(
            provider: provider.name, order: question.order, isBudgeted: true, claim: question.claim,
            hasClientCredentials: question.hasClientCredentials,
            classify: { [bodies] response in
                guard let plain = response.decoded(limit: limit, in: bodies) else {
                    return .broken("The body's content coding could not be undone.")
                }
                return provider.provider.classify(plain, endpoint: endpoint, of: request)
            })
        switch await upstream.perform(call) {
        case .failure(let failure): return .failed(failure)
        case .success((let response, let classification)):
            return .answered(await keep(response, classification, question, began))
        }
    }

    /// The endpoint's rule, with a longer lifetime where the answer itself tells that it no longer changes. A lifetime
    /// that somebody has configured stays.
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
        made.mayLeave = !question.hasClientCredentials
        return made
    }
}

/// One normalised entry to be had.
public struct NormalisedQuestion: Sendable {
    var provider: ConfiguredProvider
    var endpoint: Endpoint
    var directives: ClientDirectives
    var settings: Settings
    /// After which the client is answered without this source.
    var deadline: Duration?
    /// Its place in a session, where it has one: a call is then held back for a moment.
    var scope = SessionScope.current
    /// For how long.
    var debounce = SessionScope.debounce

    /// A question; by default one of the session that this task works for.
    public init(
        provider: ConfiguredProvider, endpoint: Endpoint, directives: ClientDirectives, settings: Settings,
        deadline: Duration? = nil, scope: SessionScope? = SessionScope.current,
        debounce: Duration = SessionScope.debounce
    ) {
        self.provider = provider
        self.endpoint = endpoint
        self.directives = directives
        self.settings = settings
        self.deadline = deadline
        self.scope = scope
        self.debounce = debounce
    }
}

extension Engine {
    /// The answer of one endpoint, out of the cache or made now.
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
        let shared = SharedQuestion(
            key: key, provider: question.provider, directives: question.directives,
            rule: question.provider.rule(for: question.endpoint.name), began: began,
            isStored: !question.directives.noStore)
        return await self.shared(shared) { await makeHere(question, key: key, hasFallback: hasFallback, began) }
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
        // What is stored in normal form covers for the same failure without being made again.
        if let failure = raw.failure, hasFallback { return .failed(failure) }
        return await normalise(raw, question, key, began)
    }

    /// A raw entry from which a normalised one is made: fresh, or stale where only that can cover for a failure.
    ///
    /// - Parameters:
    ///   - deadline: after which it counts as late, though its fetch goes on.
    ///   - plan: with whose end it counts as late too.
    func obtainRaw(
        _ question: NormalisedQuestion, _ request: UpstreamRequest, endpoint: String, deadline: Duration? = nil,
        plan: WaitClock? = nil
    ) async throws(UpstreamFailure) -> Served {
        let provider = question.provider
        let key = provider.rawKey(request)
        return try await EntryRequest(
            engine: self,
            recipe: rawRecipe(
                RawQuestion(
                    provider: provider, endpoint: endpoint, request: request, key: key,
                    order: provider.order(request, settings: question.settings), directives: question.directives,
                    isStored: !question.directives.noStore)),
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
                        return .failure(Self.unreadable(endpoint.provider, "its content coding could not be undone"))
                    }
                    do {
                        let answer = try endpoint.normalise(plain, signer)
                        return .success(NormalisedEntry(answer, of: endpoint, provider))
                    } catch {
                        return .failure(Self.unreadable(endpoint.provider, "\(error)"))
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
        // What lay here may have been removed from the fleet without this host having heard of it yet: made of that, it is not
        // published under what a look-up of now has read.
        made.mayLeave = raw.isBroughtNow && SharedStorability.obstacle(fields: rawEntry.fields) == nil
        if raw.failure == nil, raw.hasRow, !question.directives.noStore {
            made.written = await cache.write(entry, since: began)
        }
        return .answered(made)
    }

    /// A raw form that was taken for an answer and cannot be read is kept for a minute only and then asked for again,
    /// else the source would stay broken for its whole lifetime.
    func shorten(_ raw: StoredResponse) async {
        await cache.shorten(raw, to: time.wall() + .seconds(60))
    }

    func noteDropped(_ normalised: NormalisedEntry, of provider: String) {
        guard normalised.dropped > 0 else { return }
        counters.cell(EngineCounters.dropped, provider).add(normalised.dropped)
        log.notice("results dropped", ["provider": provider, "count": String(normalised.dropped)])
    }

    static func unreadable(_ provider: String, _ why: String) -> UpstreamFailure {
        UpstreamFailure(
            provider: provider, failure: .broken, detail: "The answer of \(provider) could not be read: \(why).")
    }
}

extension UpstreamResponse {
    /// A stored answer as it came.
    init(_ entry: StoredResponse, url: String) {
        self.init(
            status: entry.status, reason: entry.reason, fields: entry.fields, body: entry.body,
            requestTime: entry.requestTime, responseTime: entry.responseTime, url: url)
    }

    /// How many bytes the body has without content coding; `Int.max` where it is coded and only undoing that would tell.
    var plainSize: Int {
        guard let coding = fields.first("Content-Encoding"), !ASCII.equalFolded(coding, "identity") else {
            return body.count
        }
        return .max
    }

    /// The same answer without content coding, or nil where the coding is unknown, broken or the body grows past the
    /// limit (a small body may inflate to anything).
    /// - Parameter memory: where the plain body counts for as long as it is in use.
    public func decoded(limit: Int, in memory: BodyMemory? = nil) -> UpstreamResponse? {
        guard let coding = fields.first("Content-Encoding"), !ASCII.equalFolded(coding, "identity") else { return self }
        guard let body = try? ContentCoding.inflate(body, coding: coding, limit: limit) else { return nil }
        var plain = self
        plain.body = body
        plain.hold = memory?.claim(body.count)
        plain.fields.remove("Content-Encoding")
        plain.fields.remove("Content-Length")
        return plain
    }
}
