// `/v1/explain/{request-id}`: the decisions behind one response, as JSON that includes sentences for people.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer
import LarderShared
import LarderStore

struct ExplainRoute: Sendable {
    /// Asks the loop of a request for its record of a memory hit. Nil until the server exists.
    typealias Hits = Hook<(@Sendable (RequestID) async -> HitRecord?)?>

    let engine: Engine
    let explanations: ExplanationLog
    let hits: Hits

    /// A viewer without authority sees no more of the question than `/v1/requests` shows: the path and the names of
    /// parameters.
    func explain(
        _ text: String, for request: ServerRequest, route: RouteName
    ) async throws(ClientFacingError) -> ServerResponse {
        let isRedacted = try !Authority.isGiven(request, engine.snapshot.settings)
        guard let id = RequestID(text) else {
            throw .invalid(
                "request-id", "\"\(text)\" is not a request id. The field X-Request-Id of an answer has one.")
        }
        guard var explanation = await find(id) else {
            throw ClientFacingError(
                status: 404, code: "unknownRequest",
                detail: "Nothing is known of request \(id) any more. The last \(ExplanationLog.capacity) are kept.",
                parameter: "request-id")
        }
        var lanes: [String: LaneReport] = [:]
        for part in explanation.parts { lanes[part.provider] = engine.upstream.report(part.provider) }
        let fates = explanation.parts.map { part in
            part.isStored == true ? part.digest.map(engine.cache.store.fate) : nil
        }
        if isRedacted { explanation.redact { engine.snapshot.providers.named($0)?.about } }
        return .json(render(explanation, isRedacted, lanes, fates), route: route)
    }

    private func find(_ id: RequestID) async -> Explanation? {
        if var known = explanations.find(id) {
            // If there is only one source, the response's status shows what Larder made of its answer.
            if known.parts.count == 1 { known.parts[0].further += known.parts[0].form(status: known.status) }
            return known
        }
        guard let ask = hits.get(), let hit = await ask(id) else { return nil }
        let entry = await stored(hit.entry)
        let providers = engine.snapshot.providers
        if let (part, request) = explanations.request(hit.entry) {
            return Self.explanation(id, hit, part, HitEntry(part, request, providers).target.path, entry)
        }
        // An entry of an earlier run that only the loops have answered from.
        guard let name = await engine.cache.store.name(of: hit.entry) else {
            return Self.explanation(id, hit, nil, "", entry)
        }
        var part = ExplainedPart(provider: name.provider)
        part.key = [KeyParameter("label", name.label)]
        return Self.explanation(id, hit, part, HitEntry(part, nil, providers).target.path, entry)
    }

    /// The entry as it is now; nil if it is gone or the disk takes too long.
    private func stored(_ digest: Digest) async -> StoredResponse? {
        guard let detail = try? await engine.cache.store.detail(of: digest) else { return nil }
        return await engine.cache.open(detail.key)
    }

    /// Explains a hit without a task. The loop's record has the figures, and the explanation log knows the entry.
    /// - Parameters:
    ///   - path: of the request whose answer is kept ready, or of the entry. The record has no room for a target.
    ///   - entry: the entry as it is now. It may be newer than the one that was used.
    private static func explanation(
        _ id: RequestID, _ hit: HitRecord, _ known: ExplainedPart?, _ path: String, _ entry: StoredResponse?
    ) -> Explanation {
        var part = known ?? ExplainedPart(provider: "")
        part.digest = hit.entry
        part.outcome = .hit
        part.rule = .fresh
        part.forward = nil
        part.storing = nil
        part.isStored = nil
        part.shared = .none
        part.receivedAt = hit.answeredAt + .seconds(-Int64(hit.age))
        part.initialAge = 0
        part.freshUntil = hit.answeredAt + .seconds(Int64(hit.ttl))
        // The record counts whole seconds. The entry has the exact times, and the rest of its head.
        if let entry, let told = part.freshUntil, entry.freshUntil >= told, entry.freshUntil - told < .seconds(2) {
            part.whole.tell(entry)
        }
        part.further = part.form(status: Int(hit.status))
        part.detail = hit.isFromStore ? "It was read from the database." : "It was answered from memory."
        return Explanation(
            id: id, at: hit.answeredAt, method: hit.method == .head ? "HEAD" : "GET", path: path,
            route: hit.isFromStore ? .store : .memory,
            status: Int(hit.status), parts: [part])
    }

    // MARK: Rendering

    /// - Parameter fates: for each part, the result of the commit if the answer counts as stored.
    private func render(
        _ explanation: Explanation, _ isRedacted: Bool, _ lanes: [String: LaneReport], _ fates: [CommitFate?]
    ) -> Bytes {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.member("requestId", explanation.id.description)
            writer.member("redacted", isRedacted)
            writer.member("at", explanation.at.rfc3339)
            writer.member("method", explanation.method)
            writer.member("path", explanation.path)
            writer.member("route", explanation.route.text)
            writer.member("status", explanation.status)
            writer.member(ifPresent: "trace", explanation.trace)
            if let answered = explanation.answered {
                writer.member("milliseconds", number: answered.took.roundedMilliseconds)
                writer.member("client", answered.peer.client)
            }
            if let refusal = explanation.refusal {
                writer.name("problem")
                writer.object { writer in
                    writer.member("code", refusal.code)
                    writer.member("detail", refusal.detail)
                    writer.member(ifPresent: "parameter", refusal.parameter)
                    if !refusal.allowed.isEmpty { writer.member("allowed", strings: refusal.allowed) }
                }
            }
            if let timeline = explanation.timeline { Self.write(timeline, to: &writer) }
            writer.name("sources")
            writer.array { writer in
                for (part, fate) in zip(explanation.parts, fates) {
                    part.write(to: &writer, at: explanation.at, lane: lanes[part.provider], commit: fate)
                }
            }
        }
        return writer.bytes
    }

    /// Writes the stages in the order in which they began, with start times relative to the request's.
    private static func write(_ timeline: Timeline, to writer: inout JSONWriter) {
        let (spans, leftOut) = timeline.told()
        writer.name("timeline")
        writer.array { writer in
            for span in spans {
                writer.object { writer in
                    writer.member("stage", span.stage.rawValue)
                    writer.member(ifPresent: "provider", span.provider)
                    writer.member(
                        "startMilliseconds", number: max(.zero, span.began - timeline.began).roundedMilliseconds)
                    writer.member("milliseconds", number: (span.ended - span.began).roundedMilliseconds)
                }
            }
        }
        if leftOut > 0 { writer.member("timelineLeftOut", leftOut) }
    }
}

extension ExplainedPart {
    func write(to writer: inout JSONWriter, at time: WallTime, lane: LaneReport?, commit: CommitFate? = nil) {
        writer.object { writer in
            writer.member("provider", self.provider)
            writer.member("outcome", self.outcome.rawValue)
            writer.member("explanation", strings: sentences(at: time, lane: lane))
            writer.name("key")
            writer.object { writer in
                for part in key { writer.member(part.name, part.value ?? "(absent)") }
                writer.member(ifPresent: "digest", self.digest.map { Base64URL.encode($0.bytes) })
            }
            writer.member(ifPresent: "forward", self.forward?.rawValue)
            if let upstreamStatus = self.upstreamStatus { writer.member("upstreamStatus", upstreamStatus) }
            Self.write(self.rule, as: "rule", to: &writer)
            Self.write(self.storing, as: "storing", to: &writer)
            if !self.further.isEmpty {
                writer.name("further")
                writer.array { writer in
                    for rule in self.further { Self.write(rule, to: &writer) }
                }
            }
            if let isStored = self.isStored, !self.isBeingStored { writer.member("stored", isStored) }
            if self.isOfParts { writer.member("partial", true) }
            writer.member(ifPresent: "asked", self.asked)
            writer.member(ifPresent: "commit", commit?.rawValue)
            if let receivedAt = self.receivedAt {
                writer.member("receivedAt", receivedAt.rfc3339)
                let age = max(0, (self.initialAge ?? 0) + max(0, (time - receivedAt).milliseconds)) / 1000
                writer.member("age", age)
            }
            // Nobody else uses an answer that is not stored, so its lifetime has no meaning.
            if self.isStored != false {
                if let freshUntil = self.freshUntil {
                    writer.member("freshUntil", freshUntil.rfc3339)
                    writer.member("ttl", (freshUntil - time).wholeSeconds)
                }
                writer.member(ifPresent: "staleUntil", self.staleUntil?.rfc3339)
            }
            writer.member(ifPresent: "deprecatedAt", self.deprecation?.deprecatedAt?.rfc3339)
            writer.member(ifPresent: "sunsetAt", self.deprecation?.sunsetAt?.rfc3339)
            writer.member(ifPresent: "class", self.failure?.rawValue)
            writer.member(ifPresent: "detail", self.detail)
            if let lane { write(lane, to: &writer) }
        }
    }

    private static func write(_ rule: CacheRule?, as name: String, to writer: inout JSONWriter) {
        guard let rule else { return }
        writer.name(name)
        write(rule, to: &writer)
    }

    private static func write(_ rule: CacheRule, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", rule.rawValue)
            writer.member("section", rule.section)
            writer.member("sentence", rule.sentence)
        }
    }

    /// Writes the limits and the suspension as they are at the time of the explain request.
    private func write(_ lane: LaneReport, to writer: inout JSONWriter) {
        writer.name("limiter")
        writer.object { writer in
            if let rate = lane.rate { writer.member("rateRemaining", rate.remaining) }
            if let quota = lane.quota { writer.member("quotaRemaining", quota.remaining) }
            writer.member(ifPresent: "resetsAt", lane.resetsAt?.rfc3339)
            if !lane.credits.isEmpty {
                writer.name("credits")
                writer.array { writer in
                    for allowance in lane.credits {
                        writer.object { writer in
                            writer.member("name", allowance.name)
                            if let limit = allowance.limit { writer.member("limit", limit) }
                            writer.member("remaining", allowance.remaining)
                            writer.member("resetsAt", allowance.resetsAt.rfc3339)
                        }
                    }
                }
            }
            writer.member("suspended", lane.suspension != nil)
            writer.member(ifPresent: "suspendedUntil", lane.suspension?.until.rfc3339)
            writer.member("reachability", lane.reachability.word)
        }
    }
}
