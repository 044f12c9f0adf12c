// `/v1/search` and the typed routes of each provider. One source gives the same entry whichever way it is asked; several
// are asked at once, each with its own deadline, and merged.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer

struct SearchRoute: Sendable {
    let context: DaemonContext

    /// `GET /v1/{prefix}/…`.
    func typed(
        _ request: ServerRequest, prefix: String, path: [String], route: String
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = context.snapshot
        guard let provider = snapshot.providers.searchable.first(where: { $0.about.routePrefix == prefix })
        else { throw Self.noSuchRoute }
        let query = try Self.parameters(request)
        let endpoint = try provider.provider.endpoint(path: path, query: query)
        return try await single(request, provider, endpoint, snapshot.settings, route: route)
    }

    /// `GET /v1/search`.
    func search(_ request: ServerRequest, route: String) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = context.snapshot
        let plan = try SearchPlan(query: Self.parameters(request), providers: snapshot.providers)
        if let only = plan.parts.first, plan.parts.count == 1 {
            switch only {
            case .ask(let provider, let endpoint):
                do throws(ClientFacingError) {
                    return try await single(request, provider, endpoint, snapshot.settings, route: route)
                } catch {
                    let failure = UpstreamFailure(error, provider: provider.name, now: context.time.wall())
                    let directives = ClientDirectives(fields: request.fields)
                    guard
                        let source = await context.localStandIn(
                            for: failure, provider, endpoint, plan.request, directives)
                    else { throw error }
                    return try await merged(
                        request, plan, [(source, nil)], context.tier.stamp(keys: [], providers: []), route: route)
                }
            case .unavailable(let failure):
                throw failure.clientFacing(now: context.time.wall())
            }
        }
        let directives = ClientDirectives(fields: request.fields)
        let stamp = context.tier.stamp(
            keys: plan.keys(signer: context.signer), providers: plan.parts.map(\.providerName))
        let answers = await askAll(plan, directives, snapshot.settings)
        for (part, answer) in zip(plan.parts, answers) {
            if case .ask(_, let endpoint) = part, let served = answer.1 {
                explain(served, endpoint, request)
            } else if let failure = answer.0.failure {
                var part = ExplainedPart(provider: failure.provider)
                part.failure = failure.failure
                part.detail = failure.detail
                context.explanations.note(request.id, at: context.time.wall(), part)
            }
        }
        return try await merged(request, plan, answers, stamp, route: route)
    }

    private func single(
        _ request: ServerRequest, _ provider: ConfiguredProvider, _ endpoint: Endpoint, _ settings: Settings,
        route: String
    ) async throws(ClientFacingError) -> ServerResponse {
        let served: Served
        do throws(UpstreamFailure) {
            guard provider.isConfigured else { throw provider.notConfigured }
            served = try await context.obtain(
                NormalisedQuestion(
                    provider: provider, endpoint: endpoint, directives: ClientDirectives(fields: request.fields),
                    settings: settings))
        } catch {
            context.countFailure(provider.name)
            throw error.clientFacing(now: context.time.wall())
        }
        explain(served, endpoint, request)
        let source = SourceAnswer(served, served.entry.isNegative ? nil : NormalisedEntry(served.entry))
        guard let normalised = source.normalised else {
            if served.entry.isNegative { throw Self.notFound(served, context) }
            throw ClientFacingError(status: 500, code: "internal", detail: "A stored answer could not be read.")
        }
        let tag = Envelope.entityTag(query: normalised.query, sources: [source], order: "")
        var fields = Self.fields(tag, source)
        if served.isDrawn { fields.set("Cache-Control", "no-store") }
        let body = Envelope.render(
            query: normalised.query, sources: [source], count: normalised.count, results: normalised.results)
        return context.respond(
            Answer(
                fields: fields, body: body, bornAt: source.bornAt, freshUntil: served.entry.freshUntil,
                outcome: served.outcome, forward: served.forward, forwardStatus: served.forward.map { _ in 200 },
                isStored: served.isStored, provider: provider.name, route: route, digest: served.entry.key.digest,
                // A partial answer must not outlive the outage that made it so.
                stamp: source.isWhole ? served.stamp : nil),
            to: request)
    }

    private func explain(_ served: Served, _ endpoint: Endpoint, _ request: ServerRequest) {
        let key = [KeyParameter("endpoint", endpoint.name)] + endpoint.parameters
        context.explanations.note(request.id, at: context.time.wall(), served.explained(key))
    }

    private func askAll(
        _ plan: SearchPlan, _ directives: ClientDirectives, _ settings: Settings
    ) async -> [(SourceAnswer, Served?)] {
        let context = context
        return await withTaskGroup(of: (Int, SourceAnswer, Served?).self) { group in
            for (index, part) in plan.parts.enumerated() {
                group.addTask {
                    switch part {
                    case .unavailable(let failure):
                        return (index, SourceAnswer(provider: failure.provider, failure: failure), nil)
                    case .ask(let provider, let endpoint):
                        do throws(UpstreamFailure) {
                            guard provider.isConfigured else { throw provider.notConfigured }
                            let served = try await context.obtain(
                                NormalisedQuestion(
                                    provider: provider, endpoint: endpoint, directives: directives, settings: settings,
                                    deadline: settings.searchDeadline))
                            let normalised = served.entry.isNegative ? nil : NormalisedEntry(served.entry)
                            return (index, SourceAnswer(served, normalised), served)
                        } catch {
                            context.countFailure(provider.name)
                            var failure = error
                            if failure.provider.isEmpty { failure.provider = provider.name }
                            if let source = await context.localStandIn(
                                for: failure, provider, endpoint, plan.request, directives)
                            {
                                return (index, source, nil)
                            }
                            return (index, SourceAnswer(provider: provider.name, failure: failure), nil)
                        }
                    }
                }
            }
            var answers: [(Int, SourceAnswer, Served?)] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
        }
    }

    private func merged(
        _ request: ServerRequest, _ plan: SearchPlan, _ answers: [(SourceAnswer, Served?)], _ stamp: MemoryStamp,
        route: String
    ) async throws(ClientFacingError) -> ServerResponse {
        let sources = answers.map(\.0)
        let usable = sources.compactMap(\.normalised)
        let now = context.time.wall()
        guard !usable.isEmpty else {
            throw Self.nothingUsable(sources, now)
        }
        let order = plan.sort
        let count = usable.reduce(0) { $0 + $1.count }
        let results: Bytes
        do {
            results = try await context.compute.run { try ResultOrder.merge(usable.map(\.results), by: order) }
        } catch {
            // Rows hold what we wrote; one that does not parse was changed behind our back.
            throw ClientFacingError(status: 500, code: "internal", detail: "Stored results could not be merged.")
        }
        let tag = Envelope.entityTag(query: plan.query, sources: sources, order: order.rawValue)
        let body = Envelope.render(query: plan.query, sources: sources, count: count, results: results)
        let outcome = Self.combined(answers.compactMap { $0.1?.outcome })
        let isWhole = sources.allSatisfy(\.isWhole)
        let oldest = sources.filter { $0.normalised != nil }.map(\.bornAt).min() ?? now
        let freshUntil = sources.compactMap(\.freshUntil).min() ?? now
        var answer = Answer(
            fields: Self.fields(tag, bornAt: oldest, freshUntil: freshUntil, mayBeKept: isWhole), body: body,
            bornAt: oldest, freshUntil: freshUntil, outcome: outcome, provider: "search", route: route)
        answer.isMerged = true
        if sources.contains(where: \.isLocal) { answer.detail = "local" }
        for case let served? in answers.map(\.1) {
            context.count(served.outcome, of: served.entry.provider)
        }
        answer.forward = outcome == .miss || outcome == .joined ? .uriMiss : nil
        // A partial answer must not outlive the outage that made it so; a whole one is ready for the next asker.
        if isWhole {
            answer.digest = Digest(of: plan.query)
            answer.stamp = stamp
            answer.rows = plan.keys(signer: context.signer)
        }
        return context.respond(answer, to: request)
    }

    /// The outcome of a merged answer: that of the part that cost most.
    private static func combined(_ outcomes: [CacheOutcome]) -> CacheOutcome {
        let cost: [CacheOutcome] = [.miss, .bypass, .joined, .stale, .negative, .hit]
        return cost.first { outcomes.contains($0) } ?? .none
    }

    private static func fields(_ tag: String, _ source: SourceAnswer) -> HeaderFields {
        fields(
            tag, bornAt: source.bornAt, freshUntil: source.freshUntil ?? source.bornAt, mayBeKept: source.isWhole)
    }

    /// The client may keep what we may: `max-age` is the whole lifetime, since `Age` tells how much of it is gone.
    private static func fields(
        _ tag: String, bornAt: WallTime, freshUntil: WallTime, mayBeKept: Bool
    ) -> HeaderFields {
        let lifetime = max(0, (freshUntil - bornAt).milliseconds / 1000)
        return [
            "Content-Type": "application/json", "ETag": tag,
            "Cache-Control": mayBeKept ? "private, max-age=\(lifetime)" : "no-cache",
        ]
    }

    private static func parameters(_ request: ServerRequest) throws(ClientFacingError) -> QueryParameters {
        do {
            return try QueryParameters(parsing: request.query ?? "")
        } catch {
            throw ClientFacingError(
                status: 400, code: "malformedQuery",
                detail: "The query string is not percent-encoded UTF-8 (a space is %20 or +).")
        }
    }

    private static let noSuchRoute = ClientFacingError(
        status: 404, code: "noSuchRoute", detail: "There is nothing at this path; /openapi.json lists what there is.")

    private static func notFound(_ served: Served, _ context: DaemonContext) -> ClientFacingError {
        context.count(served.outcome, of: served.entry.provider)
        var error = ClientFacingError(
            status: 404, code: "notFound", detail: "\(served.entry.provider) has nothing of that name.",
            provider: served.entry.provider, failure: .notFound, retryable: false)
        let now = context.time.wall()
        error.fields = [
            "Age": String(served.entry.age(at: now)),
            "Cache-Status": CacheStatus.render(
                outcome: served.outcome, ttl: (served.entry.freshUntil - now).wholeSeconds, fwdStatus: nil,
                stored: nil, collapsed: served.outcome == .joined, fwdReason: served.forward),
        ]
        return error
    }

    /// The error when no source gave anything: that of the failure which promises most to a retry.
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

extension DaemonContext {
    func countFailure(_ provider: String) {
        count(.none, of: provider)
    }
}
