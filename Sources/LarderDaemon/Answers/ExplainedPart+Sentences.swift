// The sentences in which an explanation describes one source: what happened, then the rules with their RFC sections.
import LarderCache
import LarderCore
import LarderEngine
import LarderHTTP
import LarderShared

extension ExplainedPart {
    /// The sentences: what happened, then the rules.
    /// - Parameter lane: the provider's current limits. They are reported if the request used a budgeted call without
    ///   using the cache, or if a limit refused the call.
    func sentences(at time: WallTime, lane: LaneReport? = nil) -> [String] {
        var out = [headline(at: time)]
        for rule in [self.rule, self.storing == self.rule ? nil : self.storing].compactMap({ $0 }) + self.further {
            out.append("\(rule.sentence) (\(rule.section))")
        }
        if self.isOfParts { out.append("The body was read from stored parts.") }
        if let asked = self.asked { out.append("The upstream was asked only for \(asked).") }
        if self.outcome != .bypass, key.contains(where: { $0.name == "content" }) {
            out.append("The content of the request is part of the key.")
        }
        if let sentence = self.shared.sentence { out.append(sentence) }
        if let detail = self.detail { out.append(detail) }
        out += self.deprecation.map { Self.sentences(of: $0, at: time) } ?? []
        if let lane {
            if self.outcome == .bypass { out.append(Self.budget(lane)) }
            if self.outcome == .bypass || self.failure == .limited { out += lane.credits.map(Self.sentence) }
        }
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
            let until =
                date <= time ? "This resource was due to be removed at" : "This resource will be removed at"
            out.append("\(until) \(date.rfc3339). (RFC 8594 §3)")
        }
        return out
    }

    private static func budget(_ lane: LaneReport) -> String {
        let left = [lane.rate, lane.quota].compactMap { $0 }.map { "\($0.remaining) of \($0.limit)" }
        if !left.isEmpty { return "Each such request uses one call; \(left.joined(separator: " and ")) remain." }
        return lane.credits.isEmpty
            ? "Calls to this API are not limited." : "No configured budget limits calls to this API."
    }

    /// The limit that the API itself reports (in `RateLimit` or fields of its own).
    private static func sentence(_ allowance: Credits.Allowance) -> String {
        let calls = allowance.remaining == 1 ? "call" : "calls"
        return "The API itself allows \(allowance.remaining) more \(calls) until \(allowance.resetsAt.rfc3339) "
            + "(its limit \"\(allowance.name)\")."
    }

    func headline(at time: WallTime) -> String {
        let left = self.freshUntil.map { ($0 - time).wholeSeconds } ?? 0
        return switch self.outcome {
        case .hit: "A stored answer was used; it is fresh for another \(left) s."
        case .negative: "A remembered absence was used; it holds for another \(left) s."
        case .stale where self.forward == nil:
            "A stored answer was used. It has been stale for \(-left) s\(self.isLeftStale ? "" : " and is being refreshed in the background")."
        case .stale where self.failure == nil && self.upstreamStatus == nil:
            "The upstream did not answer in time, so a stored answer was used. It has been stale for \(-left) s."
        case .stale: "The upstream failed, so a stored answer was used. It has been stale for \(-left) s."
        case .joined: "The fetch of another request for the same thing answered this request too."
        case .miss: "The upstream was asked\(reason)\(kept)."
        case .revalidated: "The upstream was asked\(reason) and confirmed the stored answer."
        case .bypass: passedBy
        case .none: "Neither the cache nor the upstream gave an answer."
        }
    }

    private var reason: String { self.forward.map { " (\($0.rawValue))" } ?? "" }

    private var passedBy: String {
        switch self.sent {
        case .asItCame: "The request was sent to the upstream unchanged\(reason), without using the cache."
        case .configuredKey:
            "The request was sent to the upstream with the configured key instead of the client's\(reason), without using the cache."
        case .account:
            "The request was sent to the upstream for the account that is signed in\(reason), without using the cache."
        }
    }

    private var kept: String {
        if self.isBeingStored { return ", and its answer was being stored while it went out" }
        return self.isStored == true ? ", and its answer was stored" : ", and its answer was not stored"
    }
}
