// Turns an answer into the HTTP response to one request, in one place for all routes: conditional requests, ranges,
// Age, Cache-Status, and the ready form that memory and the database keep.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderProviders
import LarderServer
import LarderSettings

/// Finishes answers, and keeps the notes for their explanations.
struct Responder: Sendable {
    let engine: Engine
    let explanations = ExplanationLog()
    let plainLengths = PlainLengths()

    init(_ engine: Engine) {
        self.engine = engine
    }

    /// Notes for `/v1/explain` how each source answered. A failure that ends the request is noted by the dispatch.
    func note(_ answers: SearchAnswers, of question: SearchQuestion, _ request: RequestID, hasProblem: Bool = true) {
        for (part, answer) in zip(question.parts, answers.parts) {
            if case .ask(_, let endpoint) = part, let served = answer.served {
                let key = [KeyParameter("endpoint", endpoint.name)] + endpoint.parameters
                explanations.note(request, at: engine.time.wall(), served.explained(key))
            } else if let failure = answer.source.failure,
                !question.isSingle || !hasProblem || answer.source.isLocal
            {
                explanations.note(request, at: engine.time.wall(), ExplainedPart(failure))
            }
        }
    }
}

extension Responder {
    /// Turns an answer into the response to one request.
    func respond(_ answer: Answer, to context: RequestContext) -> ServerResponse {
        let now = engine.time.wall()
        var answer = answer
        // A stored response keeps its origin's Date. An answer that Larder made, or one without Date, was made when its
        // age was zero (RFC 9110 §6.6.1). The server adds its own X-Request-Id, so the upstream's is removed.
        answer.fields.remove(.xRequestID)
        if answer.isOurs || !answer.fields.contains(.date) {
            answer.fields.set(.date, HTTPDate.format(answer.bornAt))
        }
        // The sources of a merged answer were counted one by one.
        if !answer.isMerged, let provider = answer.provider { engine.count(answer.provenance.outcome, of: provider) }
        let age = max(0, (now - answer.bornAt).milliseconds) / 1000
        var response = ServerResponse(
            status: answer.status, reason: answer.reason, fields: answer.fields,
            body: answer.body.response(isRead: context.request.method != .head),
            outcome: answer.provenance.outcome, provider: answer.provider, route: context.route)
        if answer.status == 200, !answer.isMirroredError {
            keepReady(answer, context, now)
            applyConditions(answer, context.request, &response, now)
        }
        // A slow client may hold the body for long. A body from the store, or one made here, has no reservation yet.
        if context.request.method != .head {
            response.hold = answer.hold ?? engine.bodies.claim(response.body.heldBytes)
        }
        response.fields.set(.age, String(age))
        response.fields.add(.cacheStatus, cacheStatus(answer, now))
        return response
    }

    private func cacheStatus(_ answer: Answer, _ now: WallTime) -> String {
        let left = (answer.freshUntil - now).milliseconds
        let ttl = left >= 0 ? left / 1000 : (left - 999) / 1000
        let how = answer.provenance
        // A stale response for which the upstream was asked in vain is not a hit (RFC 9211 §2.2).
        if how.outcome == .stale, !answer.isOurs, let reason = how.forward {
            return CacheStatus.forwarded(reason, status: how.forwardStatus, ttl: ttl, detail: how.detail)
        }
        return CacheStatus.render(
            outcome: how.outcome, ttl: ttl, fwdStatus: how.forwardStatus,
            stored: how.outcome == .miss || how.outcome == .bypass || how.confirmsOtherVariant ? how.isStored : nil,
            collapsed: how.outcome == .joined,
            fwdReason: how.forward, detail: how.detail ?? (how.isBeingStored ? "storing" : nil))
    }

    /// RFC 9110 §13 and §14: conditions take precedence over ranges.
    private func applyConditions(
        _ answer: Answer, _ request: ServerRequest, _ response: inout ServerResponse, _ now: WallTime
    ) {
        // Most requests have no conditions and no range. Then nothing is compared.
        guard Conditional.isConditional(request.fields) else {
            response.fields.set(.acceptRanges, "bytes")
            return
        }
        let etag = answer.fields.first(.etag).flatMap { EntityTag.asGiven($0) }
        let lastModified = answer.fields.first(.lastModified).flatMap { HTTPDate.parse($0, now: now) }
        switch Conditional.evaluate(
            method: request.method, requestFields: request.fields, status: 200, etag: etag,
            lastModified: lastModified ?? dated(answer, now), now: now, role: answer.isOurs ? .origin : .cache)
        {
        case .notModified:
            response.status = 304
            response.reason = nil
            response.body = .empty
            response.fields = Answer.notModified(response.fields)
        case .preconditionFailed:
            response.status = 412
            response.reason = nil
            response.body = .empty
            response.fields.remove(.contentType)
        case .proceed:
            response.fields.set(.acceptRanges, "bytes")
            // Ranges do not apply to HEAD (RFC 9110 §14.2).
            guard request.method == .get else { return }
            applyRange(answer, request, &response, etag, lastModified)
        }
    }

    /// The date that a cache compares with If-Modified-Since if the response has no Last-Modified (RFC 9111 §4.3.2).
    private func dated(_ answer: Answer, _ now: WallTime) -> WallTime? {
        answer.isOurs ? nil : answer.fields.first(.date).flatMap { HTTPDate.parse($0, now: now) }
    }

    private func applyRange(
        _ answer: Answer, _ request: ServerRequest, _ response: inout ServerResponse, _ etag: EntityTag?,
        _ lastModified: WallTime?
    ) {
        guard request.fields.contains(.range) else { return }
        guard let length = answer.body.length else { return }
        let now = engine.time.wall()
        let date = answer.fields.first(.date).flatMap { HTTPDate.parse($0, now: now) }
        switch ByteRange.evaluate(
            requestFields: request.fields, length: length, etag: etag, lastModified: lastModified, date: date)
        {
        case .whole: break
        case .unsatisfiable:
            response.status = 416
            response.reason = nil
            response.fields.set(.contentRange, ByteRange.unsatisfiedRange(length: length))
            response.fields.remove(.contentType)
            response.fields.remove(DigestFields.ofContent)
            response.fields.remove(DigestFields.ofRepresentation)
            response.body = .empty
        case .single(let range):
            response.status = 206
            response.fields.remove(DigestFields.ofContent)
            response.reason = nil
            response.fields.set(.contentRange, ByteRange.contentRange(range, length: length))
            response.body = answer.body.part(range)
        case .several(let ranges):
            // An arriving body can be read only once. The whole body is a valid response too (RFC 9110 §14.2).
            guard
                let parts = MultipartRanges(answer.body, ranges, type: answer.fields.first(.contentType))
            else { return }
            response.status = 206
            response.fields.remove(DigestFields.ofContent)
            response.reason = nil
            response.fields.set(.contentType, "multipart/byteranges; boundary=\(parts.boundary)")
            response.body = parts.body
        }
    }

    private func mount(_ request: ServerRequest) -> ReadyMount {
        guard request.listenerProvider == nil else { return .providersListener }
        return engine.snapshot.settings.browserOrigins.isEmpty ? .ownInterface : .sharedInterface
    }

    /// Keeps a fresh, whole, shared answer ready. The next request then finds it without leaving its loop.
    private func keepReady(_ answer: Answer, _ context: RequestContext, _ now: WallTime) {
        let request = context.request
        guard let keeping = answer.keeping, !engine.cache.memory.isOff || keeping.row != nil,
            now < answer.freshUntil,
            answer.provenance.outcome != .bypass, answer.provenance.outcome != .stale,
            request.method == .get || request.method == .head,
            request.isPlain,
            // Memory cuts parts itself. A part of this answer would have two Content-Range fields.
            !answer.fields.contains(.contentRange),
            // Memory distinguishes clients by gzip support and by nothing else.
            answer.fields.combined(.contentEncoding).map({ ASCII.equalFolded($0, "gzip") }) ?? true,
            let body = answer.body.whole
        else { return }
        let form = ReadyForm(
            answer, digest: keeping.digest, mount: mount(request), now: now,
            hits: answer.provider.map { engine.counters.cell(DaemonCounters.memoryHits, $0) }
                ?? engine.counters.cell(DaemonCounters.mergedMemoryHits))
        let accepted = request.fields.first(.acceptEncoding)
        let takesGzip = answer.variesByCoding ? ContentCoding.acceptsGzip(accepted) : nil
        let target = keeping.target
        let kept = KeptRequest(
            path: request.shownPath(nil), query: SeenTarget.noted(request.query),
            listenerProvider: request.listenerProvider,
            route: context.route, bytes: body.count)
        let (digest, provider) = (keeping.digest, answer.provider)
        let explain: @Sendable () -> Void = { [explanations] in
            var part = ExplainedPart.Content(provider: provider ?? "search")
            part.target = target
            explanations.keep(digest, ExplainedPart(part), for: kept)
        }
        // What was found in the database is kept ready there too. Of what was fetched, memory makes the forms at the
        // first hit. The hits are explained from then on.
        let ready = keeping.row == nil ? nil : form.response(body)
        if !engine.cache.memory.isOff {
            let late = ready == nil ? form.late(keeping: 2 * request.target.count, explain) : nil
            engine.cache.memory.insert(
                listener: request.listener, target: request.target, takesGzip: takesGzip,
                response: ready ?? form.bare(body), forms: late, key: digest, rows: keeping.rows, stamp: keeping.stamp,
                now: now)
        }
        guard let ready else { return }
        if let row = keeping.row, let provider {
            engine.cache.keepReady(
                ready, of: row, scope: request.readyScope, target: request.target,
                takesGzip: takesGzip, provider: provider, under: request.mark, keeping.stamp)
        }
        explain()
    }
}

extension ServerRequest {
    /// Whether the fast path would have looked for an answer: no field of the request asks for a different one.
    var isPlain: Bool {
        // Several Accept-Encoding lines form one list (RFC 9110 §5.3), but memory compares one line only.
        guard self.body.isEmpty, self.fields.all(.acceptEncoding).count <= 1 else { return false }
        return !self.fields.contains(anyOf: Self.special)
    }

    private static let special: FieldNameSet = [
        "Authorization", "Cookie", "Cache-Control", "Pragma", "Prefer", "X-Larder-Session",
    ]
}
