// `/v1/search` and the typed routes of each provider. A source uses the same entry whichever route asks it. Several
// sources are asked at once and merged. A client that prefers not to wait is told where the search continues
// (`LiveRoute`). Both ways ask through `Engine.ask` and make the answer with `compose`.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer

struct SearchRoute: Sendable {
    let engine: Engine
    let responder: Responder
    let live: LiveRoute

    /// `GET /v1/{prefix}/…`.
    func typed(
        _ request: ServerRequest, prefix: String, path: [String], route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        guard let provider = snapshot.providers.searchable.first(where: { $0.about.routePrefix == prefix })
        else { throw Self.noSuchRoute }
        let plan = try SearchPlan(provider, path: path, query: request.parameters())
        return try await answer(RequestContext(request: request, snapshot: snapshot, route: route), plan)
    }

    /// `GET /v1/search`.
    func search(_ request: ServerRequest, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = engine.snapshot
        let plan = try SearchPlan(query: request.parameters(), providers: snapshot.providers)
        return try await answer(RequestContext(request: request, snapshot: snapshot, route: route), plan)
    }

    private func answer(
        _ context: RequestContext, _ plan: SearchPlan
    ) async throws(ClientFacingError) -> ServerResponse {
        let question = SearchQuestion(
            plan, ClientDirectives(fields: context.request.fields), context.snapshot.settings)
        let composing: LiveRoute.Compose = { answers in
            do throws(ClientFacingError) {
                return .success(try await self.compose(question, answers))
            } catch {
                return .failure(error)
            }
        }
        if let begun = try await live.begin(context, question, composing) {
            return begun
        }
        let answers = await engine.ask(question)
        responder.note(answers, of: question, context.request.id)
        return responder.respond(try await compose(question, answers), to: context)
    }

    /// Makes one answer from the sources' answers.
    /// - Throws: the problem, if no source gave a usable answer.
    private func compose(
        _ question: SearchQuestion, _ answers: SearchAnswers
    ) async throws(ClientFacingError) -> Answer {
        if let (source, served) = answers.parts.first, question.isSingle, !source.isLocal {
            return try await single(source, served, question.shape)
        }
        return try await merged(question, answers)
    }

    private func single(
        _ source: SourceAnswer, _ served: Served?, _ shape: ResultShape
    ) async throws(ClientFacingError) -> Answer {
        guard let served else {
            guard let failure = source.failure else { throw Self.noSuchRoute }
            throw failure.clientFacing(now: engine.time.wall())
        }
        guard let normalised = source.normalised else {
            if served.entry.isNegative { throw Self.notFound(served, engine) }
            throw ClientFacingError(status: 500, code: "internal", detail: "A stored answer could not be read.")
        }
        // The entry stores the query of the whole answer, from which this one is cut.
        let query = shape.shown(in: normalised.query)
        let results = try await shaped([normalised.results], by: .relevance, shape)
        let tag = Envelope.entityTag(query: query, sources: [source], order: "")
        var fields = Self.fields(tag, source)
        if served.isDrawn { fields.set(.cacheControl, "no-store") }
        let body = Envelope.render(
            query: query, sources: [source], count: normalised.count, results: results)
        var answer = Answer(
            fields: fields, body: .bytes(body), bornAt: source.bornAt, freshUntil: served.entry.freshUntil,
            provenance: served.provenance, provider: source.provider)
        // A partial answer must not outlive the outage that caused it.
        if source.isWhole, let stamp = served.ready {
            answer.keeping = Answer.Keeping(
                digest: served.entry.key.digest, stamp: stamp, row: engine.cache.row(of: served))
        }
        return answer
    }

    private func merged(
        _ question: SearchQuestion, _ answers: SearchAnswers
    ) async throws(ClientFacingError) -> Answer {
        let sources = answers.sources
        let usable = sources.compactMap(\.normalised)
        let now = engine.time.wall()
        guard !usable.isEmpty else {
            throw Self.nothingUsable(sources, now)
        }
        let order = question.sort
        let count = usable.reduce(0) { $0 + $1.count }
        let results = try await shaped(usable.map(\.results), by: order, question.shape)
        let tag = Envelope.entityTag(query: question.query, sources: sources, order: order.rawValue)
        let body = Envelope.render(query: question.query, sources: sources, count: count, results: results)
        let outcome = Self.combined(answers.parts.compactMap { $0.served?.outcome })
        let isWhole = sources.allSatisfy(\.isWhole)
        let oldest = sources.filter { $0.normalised != nil }.map(\.bornAt).min() ?? now
        let freshUntil = sources.compactMap(\.freshUntil).min() ?? now
        var answer = Answer(
            fields: Self.fields(tag, bornAt: oldest, freshUntil: freshUntil, mayBeKept: isWhole), body: .bytes(body),
            bornAt: oldest, freshUntil: freshUntil, provenance: Provenance(outcome: outcome), provider: nil)
        answer.isMerged = true
        if sources.contains(where: \.isLocal) { answer.provenance.detail = "local" }
        for case let served? in answers.parts.map(\.served) {
            engine.count(served.outcome, of: served.entry.provider)
        }
        answer.provenance.forward = outcome == .miss || outcome == .joined ? .uriMiss : nil
        // A partial answer must not outlive the outage that caused it. A whole one is kept ready for the next request.
        if isWhole {
            answer.keeping = Answer.Keeping(
                digest: Digest(of: question.query), stamp: answers.stamp,
                rows: question.keys(signer: engine.signer))
        }
        return answer
    }

    /// The results of all sources, merged, sorted and reduced to the wanted part. Complete results of a single source
    /// are returned as they are stored, without any work.
    private func shaped(
        _ results: [Bytes], by order: SortOrder, _ shape: ResultShape
    ) async throws(ClientFacingError) -> Bytes {
        if results.count == 1, order == .relevance, shape.projection == nil { return results[0] }
        do {
            return try await engine.compute.run(reading: results.reduce(0) { $0 + $1.count }) {
                try shape.applied(to: ResultOrder.merge(results, by: order))
            }
        } catch {
            // The rows were written by Larder. A row that does not parse was changed by something else.
            throw ClientFacingError(status: 500, code: "internal", detail: "Stored results could not be read.")
        }
    }

    /// The outcome of a merged answer: the most expensive outcome of its parts.
    private static func combined(_ outcomes: [CacheOutcome]) -> CacheOutcome {
        let cost: [CacheOutcome] = [.miss, .bypass, .revalidated, .joined, .stale, .negative, .hit]
        return cost.first { outcomes.contains($0) } ?? .none
    }

    private static func fields(_ tag: String, _ source: SourceAnswer) -> HeaderFields {
        fields(
            tag, bornAt: source.bornAt, freshUntil: source.freshUntil ?? source.bornAt, mayBeKept: source.isWhole)
    }

    /// The client may cache as long as Larder: `max-age` is the whole lifetime, and `Age` the part that is over.
    private static func fields(
        _ tag: String, bornAt: WallTime, freshUntil: WallTime, mayBeKept: Bool
    ) -> HeaderFields {
        let lifetime = max(0, (freshUntil - bornAt).milliseconds / 1000)
        return [
            "Content-Type": "application/json", "ETag": tag,
            "Cache-Control": mayBeKept ? "private, max-age=\(lifetime)" : "no-cache",
        ]
    }

    private static let noSuchRoute = ClientFacingError(
        status: 404, code: "noSuchRoute", detail: "There is no route at this path. /openapi.json lists all routes.")

    private static func notFound(_ served: Served, _ engine: Engine) -> ClientFacingError {
        engine.count(served.outcome, of: served.entry.provider)
        var error = ClientFacingError(
            status: 404, code: "notFound", detail: "\(served.entry.provider) has no such thing.",
            provider: served.entry.provider, failure: .notFound, retryable: false)
        let now = engine.time.wall()
        error.fields = [
            "Age": String(served.entry.age(at: now)),
            "Cache-Status": CacheStatus.render(
                outcome: served.outcome, ttl: (served.entry.freshUntil - now).wholeSeconds, fwdStatus: nil,
                stored: nil, collapsed: served.outcome == .joined, fwdReason: served.provenance.forward),
        ]
        return error
    }

    /// The error if no source gave a usable answer: the one for which a retry is most promising.
    private static func nothingUsable(_ sources: [SourceAnswer], _ now: WallTime) -> ClientFacingError {
        let failures = sources.compactMap(\.failure)
        let order: [FailureClass] = [
            .limited, .timedOut, .unreachable, .suspended, .broken, .overloaded, .refused, .notConfigured,
            .invalidRequest, .notFound,
        ]
        let first = order.lazy.compactMap { wanted in failures.first { $0.failure == wanted } }.first
        guard let first else { return Self.noSuchRoute }
        var error = first.clientFacing(now: now)
        error.detail = failures.map { failure in
            failure.detail.contains(failure.provider) ? failure.detail : "\(failure.provider): \(failure.detail)"
        }.joined(separator: " ")
        return error
    }
}

extension SourceAnswer {
    /// When the answer's age was zero.
    var bornAt: WallTime { (fetchedAt ?? .distantPast) + .milliseconds(-initialAge) }
}
