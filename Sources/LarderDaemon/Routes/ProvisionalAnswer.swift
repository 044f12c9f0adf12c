// While a fetch is needed for "milan", stored results for "mila" may be shown. Such an answer is marked as provisional,
// is not stored, and is given once per question, so a repeated request gets the real answer. The fetch starts at once.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer
import LarderSettings

struct ProvisionalAnswer: Sendable {
    let engine: Engine
    let responder: Responder

    /// The most prefixes to look up for one question, longest first.
    static let most = 16
    /// The parameters that hold a search term on the various routes.
    static let termParameters = ["q", "term", "query", "name"]

    /// Returns a provisional answer if the client wants one, the question needs a fetch, and a shorter term is stored.
    ///
    /// - Parameter make: makes the search that the given parameters ask for.
    /// - Returns: nil if the request must be answered in the ordinary way.
    func answer(
        _ request: ServerRequest, route: RouteName,
        _ make: (QueryParameters) throws(ClientFacingError) -> SearchPlan?
    ) async -> ServerResponse? {
        let context = RequestContext(request: request, snapshot: engine.snapshot, route: route)
        let settings = context.snapshot.settings
        // The ordinary way reports what is wrong with a request.
        guard let scope = SessionScope.current, Self.isWanted(request.fields),
            let query = try? QueryParameters(parsing: request.query ?? ""),
            let place = query.items.firstIndex(where: { Self.termParameters.contains($0.name) }),
            let asked = try? make(query), await needsFetch(asked, settings), scope.takeProvisional()
        else { return nil }
        for prefix in Self.prefixes(of: query.items[place].value ?? "") {
            var shorter = query
            shorter.items[place].value = prefix
            guard let candidate = try? make(shorter) else { continue }
            let found = await stored(candidate, of: asked)
            guard found.contains(where: { ($0.normalised?.count ?? 0) > 0 }) else { continue }
            begin(asked, scope, settings)
            return await render(found, asked, prefix, context)
        }
        return nil
    }

    /// True with `Prefer: provisional` (RFC 7240 §2) and no directive that forbids a stored answer.
    static func isWanted(_ fields: HeaderFields) -> Bool {
        fields.contains(.prefer) && Preferences(fields).values["provisional"] != nil
            && ClientDirectives(fields: fields) == .none
    }

    /// The shorter terms that a person typed before, without the extra spaces that no provider sees.
    static func prefixes(of term: String) -> [String] {
        var rest = term.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var found: [String] = []
        while rest.count > 1, found.count < most {
            rest.removeLast()
            if rest.last == " " { rest.removeLast() }
            if !rest.isEmpty { found.append(rest) }
        }
        return found
    }

    private func needsFetch(_ asked: SearchPlan, _ settings: Settings) async -> Bool {
        for (provider, endpoint) in asked.endpoints {
            let key = provider.normalisedKey(endpoint, signer: engine.signer)
            if let entry = await engine.cache.read(key), isUsable(entry, provider.rule(for: endpoint.name)) {
                continue
            }
            let question = NormalisedQuestion(provider, endpoint, .none, settings)
            if await !engine.isAtHand(question) { return true }
        }
        return false
    }

    private func isUsable(_ entry: StoredResponse, _ rule: FreshnessRule) -> Bool {
        ConfiguredReuse.decide(entry: entry, directives: .none, rule: rule, now: engine.time.wall()).decision.isUsable
    }

    /// Stored answers to a shorter term, from the sources that are asked for the longer one.
    private func stored(_ candidate: SearchPlan, of asked: SearchPlan) async -> [SourceAnswer] {
        var found: [SourceAnswer] = []
        for (provider, endpoint) in candidate.endpoints
        where asked.endpoints.contains(where: { $0.provider === provider }) {
            let key = provider.normalisedKey(endpoint, signer: engine.signer)
            guard let entry = await engine.cache.read(key), !entry.isNegative,
                isUsable(entry, provider.rule(for: endpoint.name)), let normalised = NormalisedEntry(entry)
            else { continue }
            let isFresh = engine.time.wall() < entry.freshUntil
            found.append(SourceAnswer(Served(entry, Provenance(outcome: isFresh ? .hit : .stale)), normalised))
        }
        return found
    }

    /// Starts the fetch of the real answer for later requests. A newer question of the session cancels it.
    private func begin(_ asked: SearchPlan, _ scope: SessionScope, _ settings: Settings) {
        let engine = engine
        let task = AskingClient.$current.withValue(AskingClient.current?.detached) {
            Task(executorPreference: engine.flights.home) {
                await withTaskGroup(of: Void.self) { group in
                    for (provider, endpoint) in asked.endpoints {
                        group.addTask {
                            // A failure is remembered, and later requests get it.
                            _ = try? await engine.obtain(NormalisedQuestion(provider, endpoint, .none, settings))
                        }
                    }
                }
            }
        }
        scope.whenSuperseded { task.cancel() }
    }

    private func render(
        _ found: [SourceAnswer], _ asked: SearchPlan, _ prefix: String, _ context: RequestContext
    ) async -> ServerResponse? {
        let usable = found.compactMap(\.normalised)
        let (sort, shape) = (asked.sort, asked.shape)
        let merged = try? await engine.compute.run {
            try shape.applied(to: ResultOrder.merge(usable.map(\.results), by: sort))
        }
        guard let results = merged else { return nil }
        let body = Envelope.render(
            query: asked.query, sources: found, count: usable.reduce(0) { $0 + $1.count }, results: results)
        let now = engine.time.wall()
        var answer = Answer(
            fields: [
                "Content-Type": "application/json", "Cache-Control": "no-store", "Preference-Applied": "provisional",
            ],
            body: .bytes(Self.marked(body, prefix)), bornAt: found.map(\.bornAt).min() ?? now,
            freshUntil: found.compactMap(\.freshUntil).min() ?? now,
            provenance: Provenance(outcome: found.contains(where: \.isStale) ? .stale : .hit), provider: nil)
        answer.provenance.detail = "provisional"
        // It must not count as the cache's answer to this question.
        answer.isMerged = true
        engine.counters.cell(TypingCounters.provisional).add()
        return responder.respond(answer, to: context)
    }

    /// The envelope with the provisional mark as its first members.
    private static func marked(_ envelope: Bytes, _ prefix: String) -> Bytes {
        var writer = JSONWriter(reserving: envelope.count + 128)
        writer.object { writer in
            writer.member("provisional", true)
            writer.member("provisionalTerm", prefix)
        }
        return writer.bytes.dropLast() + [0x2C] + envelope.dropFirst()
    }
}
