// Questions that one upstream call cannot answer: a list of ids and the records they name, or a search and the tables
// needed to read it. A plan is a value that names the next calls, given what the last ones returned; it performs none.
// The daemon performs them: from the cache if possible, in parallel, within the budget and the deadline.
import LarderCore

/// The plan of one answer that needs several calls. It is a state machine: each step receives the outcomes of the
/// previous step's calls, in the order of those calls.
public protocol CallPlan: Sendable {
    /// The next step. The first step receives no outcomes.
    ///
    /// - Throws: if an outcome cannot be read. The source is then reported as broken.
    mutating func next(
        _ brought: [CallOutcome], _ signer: ArtworkSigner
    ) throws(NormaliseError) -> PlanStep
}

/// One step of a plan.
public enum PlanStep: Sendable {
    /// Perform these calls in parallel, then ask for the next step. Each call is cached by itself, for other questions
    /// too.
    case fetch([PlannedCall])
    /// The plan is finished. The plan does not set `missing`: the daemon counts the parts that it could not get.
    case done(NormalisedAnswer)
}

/// One call of a plan.
public struct PlannedCall: Sendable, Hashable {
    /// What the answer loses without this call.
    public enum Role: Sendable, Hashable {
        /// Everything. If the call fails, the answer fails. If its resource does not exist, that is the answer.
        case subject
        /// One of many parts. Without it the answer is partial and says so. An absent part is not a failure.
        case part
        /// Nothing visible: the call only helps to read the others. Its age and failures do not affect the answer.
        case aid
    }

    /// One of `about.endpoints`. It decides the lifetime and the classification.
    public var endpoint: String
    /// The request in canonical form (see `Provider.canonical`), so `/raw` shares the entry.
    public var request: UpstreamRequest
    public var role: Role

    public init(_ endpoint: String, _ request: UpstreamRequest, role: Role) {
        self.endpoint = endpoint
        self.request = request
        self.role = role
    }
}

/// The outcome of one call of a plan.
public enum CallOutcome: Sendable {
    /// A response classified as data or empty, its content coding undone.
    case answered(UpstreamResponse)
    /// The requested resource does not exist. A plan never receives this for its subject.
    case absent
    /// The call failed, and no usable stale entry exists. A plan never receives this for its subject.
    case failed(FailureClass)

    /// The response, if the call was answered.
    public var response: UpstreamResponse? {
        if case .answered(let response) = self { response } else { nil }
    }
}

extension Endpoint {
    /// Makes an endpoint whose question needs several calls.
    ///
    /// - Parameter subject: the canonical request of the call without which there is no answer. Texts for people name
    ///   the entry by it.
    public init(
        provider: String, name: String, parameters: [KeyParameter], subject: UpstreamRequest, query: Bytes,
        plan: any CallPlan
    ) {
        self.init(
            provider: provider, name: name, parameters: parameters, upstream: subject, query: query,
            normalise: { _, _ throws(NormaliseError) in
                throw NormaliseError(provider: provider, message: "This request takes several calls.")
            })
        self.plan = plan
    }
}
