// `/raw/{provider}/…` and listeners bound to a provider's root: the API's own bytes, status and fields through the same
// cache. The raw entry is the one that the typed routes use.
import LarderCache
import LarderCore
import LarderHTTP
import LarderIO
import LarderProviders
import LarderServer

struct RawRoute: Sendable {
    let context: DaemonContext

    /// - Parameter path: what follows the provider's root, percent-encoded as it came, beginning with "/".
    func pass(
        _ request: ServerRequest, provider name: String, path: String, route: String
    ) async throws(ClientFacingError) -> ServerResponse {
        let snapshot = context.snapshot
        guard let provider = snapshot.providers.named(name) else {
            throw ClientFacingError(
                status: 404, code: "unknownProvider", detail: "There is no provider \"\(name)\".",
                parameter: "provider", allowed: snapshot.providers.all.map(\.name))
        }
        guard provider.settings.enabled else { throw provider.notConfigured.clientFacing(now: context.time.wall()) }
        if provider.isPassthrough {
            return try await PassRoute(context: context).pass(
                request, provider: provider, path: path, snapshot: snapshot, route: route)
        }
        var raw = try RawRequest(request, provider: provider, path: path)
        guard !provider.about.needsKey || raw.hasCredentials else {
            throw provider.notConfigured.clientFacing(now: context.time.wall())
        }
        // What belongs to an account is not for everybody on this machine: it names the secrets by which pictures are
        // deleted, for one.
        let claim = provider.claim(for: raw.upstream)
        if claim != nil { try Authority.check(request, snapshot.settings, what: "Answers for an account") }
        let constancy = raw.identity.isEmpty ? provider.provider.constancy(of: raw.upstream) : .constant
        if case .fleeting = constancy { raw.isBypass = true }
        if raw.isBypass { return try await bypass(raw, provider, request, snapshot.settings, route) }
        let endpoint = provider.provider.endpointName(for: raw.upstream)
        let rule = provider.rule(for: endpoint)
        let directives = ClientDirectives(fields: request.fields)
        let key = provider.rawKey(raw.upstream, identity: raw.identity)
        let question = RawQuestion(
            provider: provider, endpoint: endpoint, request: raw.upstream, key: key,
            order: raw.order(provider, snapshot.settings), clientFields: request.fields,
            directives: directives, isStored: !directives.noStore)
        do {
            if case .pooled(let terms) = constancy {
                let served = try await context.drawnRaw(
                    PoolQuestion(
                        provider: provider, endpoint: endpoint, terms: terms, directives: directives,
                        settings: snapshot.settings))
                return await answer(served, provider, raw, request, route)
            }
            let served = try await EntryFlow(
                context: context, provider: provider.name, key: key, rule: rule,
                staleWhileRefresh: provider.settings.staleWhileRefresh, directives: directives,
                patience: snapshot.settings.fetchSoftDeadline, work: context.rawWork(question)
            ).run()
            return await answer(served, provider, raw, request, route)
        } catch {
            return try await mirrored(error, provider, raw, .uriMiss, request, route)
        }
    }

    /// Neither joined nor stored: the client's own business with the API, within its budget.
    private func bypass(
        _ raw: RawRequest, _ provider: ConfiguredProvider, _ request: ServerRequest, _ settings: Settings,
        _ route: String
    ) async throws(ClientFacingError) -> ServerResponse {
        var order = raw.order(provider, settings)
        order.mayRetry = false
        let endpoint = provider.provider.endpointName(for: raw.upstream)
        let limit = order.maxBody
        let call = UpstreamCall(
            provider: provider.name, order: order, isBudgeted: true, claim: provider.claim(for: raw.upstream),
            classify: { response in
                // For built-in providers Larder asks for gzip whoever the client is. A part of a coded body (206)
                // cannot be read, and is the client's own business.
                provider.provider.classify(response.decoded(limit: limit) ?? response, endpoint: endpoint)
            })
        switch await context.upstream.perform(call) {
        case .failure(let failure): return try await mirrored(failure, provider, raw, .bypass, request, route)
        case .success((let response, _)):
            var answer = Answer(
                status: response.status, reason: response.reason,
                fields: PassFields.toClient(response.fields, isShared: false, received: response.responseTime),
                body: response.body, bornAt: response.responseTime, freshUntil: response.responseTime,
                outcome: .bypass, forward: raw.upstream.method.isSafe ? .bypass : .method,
                forwardStatus: response.status, provider: provider.name, route: route)
            answer.isMirroredError = true
            if request.listenerProvider == nil { PassFields.confine(&answer.fields) }
            return context.respond(await context.accepted(answer, by: request), to: request)
        }
    }

    private func answer(
        _ served: Served, _ provider: ConfiguredProvider, _ raw: RawRequest, _ request: ServerRequest, _ route: String
    ) async -> ServerResponse {
        let entry = served.entry
        context.explanations.note(
            request.id, at: context.time.wall(),
            served.explained(raw.keyParts))
        let isShared = served.isStored || served.outcome != .miss
        var answer = Answer(
            status: entry.status, reason: entry.reason.isEmpty ? nil : entry.reason,
            fields: PassFields.toClient(entry.fields, isShared: isShared, received: entry.responseTime),
            body: entry.body,
            bornAt: entry.responseTime + .milliseconds(-entry.initialAge), freshUntil: entry.freshUntil,
            outcome: served.outcome, forward: served.forward, forwardStatus: served.forward.map { _ in entry.status },
            isStored: served.isStored, provider: provider.name, route: route)
        answer.isOurs = false
        if served.isDrawn { answer.fields.set("Cache-Control", "no-store") }
        // Only what the store keeps may be ready in memory, else nothing would ever purge it; and only what is anybody's,
        // since memory knows a request by its target alone and not by the key the client sent.
        if provider.claim(for: raw.upstream) != nil {
            answer.fields.set("Cache-Control", "private, no-store")
        } else if entry.status == 200, raw.identity.isEmpty {
            answer.digest = entry.key.digest
            answer.stamp = served.stamp
        }
        answer.variesByCoding = entry.fields.contains("Content-Encoding")
        if request.listenerProvider == nil { PassFields.confine(&answer.fields) }
        return context.respond(await context.accepted(answer, by: request), to: request)
    }

    /// A failure in raw mode is the upstream's own answer, where it gave one.
    private func mirrored(
        _ failure: UpstreamFailure, _ provider: ConfiguredProvider, _ raw: RawRequest, _ forward: ForwardReason,
        _ request: ServerRequest, _ route: String
    ) async throws(ClientFacingError) -> ServerResponse {
        guard let response = failure.response else {
            context.countFailure(provider.name)
            var failure = failure
            if failure.provider.isEmpty { failure.provider = provider.name }
            throw failure.clientFacing(now: context.time.wall())
        }
        var part = ExplainedPart(failure)
        part.provider = provider.name
        part.key = raw.keyParts
        part.outcome = forward == .bypass ? .bypass : .miss
        part.forward = forward
        part.upstreamStatus = response.status
        part.isStored = false
        context.explanations.note(request.id, at: context.time.wall(), part)
        var answer = Answer(
            status: response.status, reason: response.reason.isEmpty ? nil : response.reason,
            fields: PassFields.toClient(response.fields, isShared: forward != .bypass, received: response.responseTime),
            body: response.body, bornAt: response.responseTime, freshUntil: response.responseTime,
            outcome: forward == .bypass ? .bypass : .miss, forward: forward, forwardStatus: response.status,
            provider: provider.name, route: route)
        answer.isMirroredError = true
        if request.listenerProvider == nil { PassFields.confine(&answer.fields) }
        return context.respond(await context.accepted(answer, by: request), to: request)
    }
}

extension RawRequest {
    /// What makes the entry's identity, for explanations.
    fileprivate var keyParts: [KeyParameter] {
        [KeyParameter("path", upstream.path), KeyParameter("query", upstream.query)]
    }
}

extension Answer {
    /// Gives the plain bytes to a client that does not take the coding they came in. The entity tag then names other
    /// bytes than these, so it becomes weak (RFC 9110 §8.8.1).
    mutating func undoCoding() {
        let response = UpstreamResponse(
            status: status, fields: fields, body: body, requestTime: bornAt, responseTime: bornAt)
        guard let plain = response.decoded(limit: 256 << 20) else { return }
        body = plain.body
        fields = plain.fields
        weakenTag()
    }

    /// The tag of the coded bytes does not name the plain ones exactly.
    mutating func weakenTag() {
        if let tag = fields.first("ETag"), !tag.hasPrefix("W/") { fields.set("ETag", "W/\(tag)") }
    }
}

extension DaemonContext {
    /// The coding of an answer that the client does not take; nil where it gets the answer as it is.
    func unwantedCoding(_ answer: Answer, by request: ServerRequest) -> String? {
        // A part of a coded body cannot be undone.
        guard let coding = answer.fields.first("Content-Encoding"), answer.status != 206,
            !ContentCoding.accepts(request.fields.combined("Accept-Encoding"), coding),
            !CacheControl(answer.fields.all("Cache-Control")).noTransform
        else { return nil }
        return coding
    }

    /// The answer in a coding that the client takes, undone off the loops where it must be.
    func accepted(_ answer: Answer, by request: ServerRequest) async -> Answer {
        guard let coding = unwantedCoding(answer, by: request) else { return answer }
        return await plain(answer, coding)
    }

    /// The answer with its coding undone.
    func plain(_ answer: Answer, _ coding: String) async -> Answer {
        if let stream = answer.stream {
            guard ContentInflater(coding: coding) != nil else { return answer }
            var answer = answer
            answer.stream = .plain(stream, coding: coding)
            answer.fields.remove("Content-Encoding")
            answer.weakenTag()
            return answer
        }
        return await compute.run {
            var answer = answer
            answer.undoCoding()
            // Memory tells clients apart by whether they take gzip; others may get another form of this one.
            if !ASCII.equalFolded(coding, "gzip") { answer.digest = nil }
            return answer
        }
    }
}
