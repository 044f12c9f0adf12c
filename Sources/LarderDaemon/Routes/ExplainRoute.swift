// `/v1/explain/{request-id}`: the decisions behind one answer, as JSON with sentences for a person in it.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderServer
import LarderShared
import LarderStore

struct ExplainRoute: Sendable {
    /// Asks the loop of a request for what it remembers of a memory hit; empty until the server is there.
    typealias Hits = Lock<(@Sendable (RequestID) async -> HitRecord?)?>

    let engine: Engine
    let explanations: ExplanationLog
    let hits: Hits

    func explain(_ text: String, route: RouteName) async throws(ClientFacingError) -> ServerResponse {
        guard let id = RequestID(text) else {
            throw .invalid("request-id", "\"\(text)\" is no request id; the field X-Request-Id of an answer has one.")
        }
        guard let explanation = await find(id) else {
            throw ClientFacingError(
                status: 404, code: "unknownRequest",
                detail: "Nothing is known of request \(id) any more: the last \(ExplanationLog.capacity) are kept.",
                parameter: "request-id")
        }
        var lanes: [String: LaneReport] = [:]
        for part in explanation.parts { lanes[part.provider] = engine.upstream.report(part.provider) }
        let fates = explanation.parts.map { part in
            part.isStored == true ? part.digest.map(engine.cache.store.fate) : nil
        }
        var response = ServerResponse(status: 200)
        response.fields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        response.body = .bytes(render(explanation, lanes, fates))
        response.route = route
        return response
    }

    private func find(_ id: RequestID) async -> Explanation? {
        if let known = explanations.find(id) { return known }
        guard let ask = hits.withLock({ $0 }), let hit = await ask(id) else { return nil }
        if let known = explanations.ready(hit.entry) { return Self.explanation(id, hit, known) }
        // An entry of an earlier run, which nobody has asked for but by the loops.
        guard let name = await engine.cache.store.name(of: hit.entry) else { return Self.explanation(id, hit, nil) }
        var part = ExplainedPart(provider: name.provider)
        part.key = [KeyParameter("label", name.label)]
        return Self.explanation(id, hit, part)
    }

    /// A hit without a task: the loop noted the figures, the log knows whose entry it was.
    private static func explanation(_ id: RequestID, _ hit: HitRecord, _ known: ExplainedPart?) -> Explanation {
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
        part.detail = hit.isFromStore ? "It was read from the database." : "It was answered from memory."
        // The record has no room for a target; the entry's key says what was asked.
        let path = part.key.first { $0.name == "path" }?.value ?? ""
        return Explanation(
            id: id, at: hit.answeredAt, method: hit.method == .head ? "HEAD" : "GET", path: path,
            route: hit.isFromStore ? .store : .memory,
            status: Int(hit.status), parts: [part])
    }

    // MARK: Rendering

    /// - Parameter fates: for each part, what became of the commit of an answer that counts as stored.
    private func render(
        _ explanation: Explanation, _ lanes: [String: LaneReport], _ fates: [CommitFate?]
    ) -> Bytes {
        var writer = JSONWriter(reserving: 1024)
        writer.object { writer in
            writer.member("requestId", explanation.id.description)
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

    /// In the order in which the stages began, with their beginnings counted from the request's.
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
    /// In words: what happened, then the rules, each with the section it comes from.
    /// - Parameter lane: the provider's budget as it is now; told where the request was passed on beside the cache, since
    ///   each such request costs a call.
    func sentences(at time: WallTime, lane: LaneReport? = nil) -> [String] {
        var out = [headline(at: time)]
        if let rule { out.append("\(rule.sentence) (\(rule.section))") }
        if let storing, storing != rule { out.append("\(storing.sentence) (\(storing.section))") }
        if isOfParts { out.append("The answer is made of parts that are stored.") }
        if let asked { out.append("Of the representation the upstream was asked for \(asked) only.") }
        if let sentence = shared.sentence { out.append(sentence) }
        if let detail { out.append(detail) }
        out += deprecation.map { Self.sentences(of: $0, at: time) } ?? []
        if outcome == .bypass, let lane { out.append(Self.budget(lane)) }
        return out
    }

    private static func sentences(of deprecation: Deprecation, at time: WallTime) -> [String] {
        var out: [String] = []
        if let date = deprecation.deprecatedAt {
            let since =
                date <= time
                ? "The upstream deprecated this resource at" : "The upstream will deprecate this resource at"
            out.append("\(since) \(date.rfc3339). (RFC 9745 §2)")
        }
        if let date = deprecation.sunsetAt {
            let until = date <= time ? "expected to be gone since" : "expected to be gone from"
            out.append("The resource is \(until) \(date.rfc3339). (RFC 8594 §3)")
        }
        return out
    }

    private static func budget(_ lane: LaneReport) -> String {
        let left = [lane.rate, lane.quota].compactMap { $0 }.map { "\($0.remaining) of \($0.limit)" }
        return left.isEmpty
            ? "No budget limits the calls to it."
            : "It costs a call of the budget each time: \(left.joined(separator: " and ")) are left."
    }

    func headline(at time: WallTime) -> String {
        let left = freshUntil.map { ($0 - time).wholeSeconds }
        return switch outcome {
        case .hit: "A stored answer was used; it is fresh for another \(left ?? 0) s."
        case .negative: "A remembered absence was used; it holds for another \(left ?? 0) s."
        case .stale where forward != nil:
            "The upstream did not help, so a stored answer was used, stale for \(-(left ?? 0)) s."
        case .stale: "A stored answer was used although it is stale for \(-(left ?? 0)) s; it is refreshed behind."
        case .joined: "Another request's fetch of the same thing answered this one too."
        case .miss: "The upstream was asked\(forward.map { " (\($0.rawValue))" } ?? "")\(kept)."
        case .revalidated:
            "The upstream was asked\(forward.map { " (\($0.rawValue))" } ?? "") and confirmed the stored answer."
        case .bypass: passedBy(forward.map { " (\($0.rawValue))" } ?? "")
        case .none: "Nothing could be answered from the cache or the upstream."
        }
    }

    private func passedBy(_ reason: String) -> String {
        switch sent {
        case .asItCame: "The request was passed on as it is\(reason), beside the cache."
        case .configuredKey:
            "The upstream was asked beside the cache\(reason), with the configured key instead of the client's."
        case .account:
            "The upstream was asked beside the cache\(reason), for the account that is signed in."
        }
    }

    private var kept: String {
        if isBeingStored { return ", and its answer was being stored while it went out" }
        return isStored == true ? ", and its answer was stored" : ", and its answer was not stored"
    }

    func write(to writer: inout JSONWriter, at time: WallTime, lane: LaneReport?, commit: CommitFate? = nil) {
        writer.object { writer in
            writer.member("provider", provider)
            writer.member("outcome", outcome.rawValue)
            writer.member("explanation", strings: sentences(at: time, lane: lane))
            writer.name("key")
            writer.object { writer in
                for part in key { writer.member(part.name, part.value ?? "(absent)") }
                writer.member(ifPresent: "digest", digest.map { Base64URL.encode($0.bytes) })
            }
            writer.member(ifPresent: "forward", forward?.rawValue)
            if let upstreamStatus { writer.member("upstreamStatus", upstreamStatus) }
            Self.write(rule, as: "rule", to: &writer)
            Self.write(storing, as: "storing", to: &writer)
            if let isStored, !isBeingStored { writer.member("stored", isStored) }
            if isOfParts { writer.member("partial", true) }
            writer.member(ifPresent: "asked", asked)
            writer.member(ifPresent: "commit", commit?.rawValue)
            if let receivedAt {
                writer.member("receivedAt", receivedAt.rfc3339)
                let age = max(0, (initialAge ?? 0) + max(0, (time - receivedAt).milliseconds)) / 1000
                writer.member("age", age)
            }
            if let freshUntil {
                writer.member("freshUntil", freshUntil.rfc3339)
                writer.member("ttl", (freshUntil - time).wholeSeconds)
            }
            writer.member(ifPresent: "staleUntil", staleUntil?.rfc3339)
            writer.member(ifPresent: "deprecatedAt", deprecation?.deprecatedAt?.rfc3339)
            writer.member(ifPresent: "sunsetAt", deprecation?.sunsetAt?.rfc3339)
            writer.member(ifPresent: "class", failure?.rawValue)
            writer.member(ifPresent: "detail", detail)
            if let lane { write(lane, to: &writer) }
        }
    }

    private static func write(_ rule: CacheRule?, as name: String, to writer: inout JSONWriter) {
        guard let rule else { return }
        writer.name(name)
        writer.object { writer in
            writer.member("name", rule.rawValue)
            writer.member("section", rule.section)
            writer.member("sentence", rule.sentence)
        }
    }

    /// Limiter and suspension as they are when it is asked.
    private func write(_ lane: LaneReport, to writer: inout JSONWriter) {
        writer.name("limiter")
        writer.object { writer in
            if let rate = lane.rate { writer.member("rateRemaining", rate.remaining) }
            if let quota = lane.quota { writer.member("quotaRemaining", quota.remaining) }
            writer.member(ifPresent: "resetsAt", lane.resetsAt?.rfc3339)
            writer.member("suspended", lane.suspension != nil)
            writer.member(ifPresent: "suspendedUntil", lane.suspension?.until.rfc3339)
            writer.member("reachability", lane.reachability.word)
        }
    }
}
