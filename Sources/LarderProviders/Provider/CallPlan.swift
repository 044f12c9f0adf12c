// Questions that one upstream call does not answer: a list of ids and the records they name, or a search and the tables
// that are needed to read it. A plan is a value that says which calls come next, given what the last ones brought; it
// performs none. The daemon does: out of the cache where it can, side by side, within the budget and the deadline.
import LarderCore

/// The plan of one answer that takes several calls. A state machine: each step is given what the calls of the step
/// before brought, in their order.
public protocol CallPlan: Sendable {
    /// The next step; the first is given nothing.
    ///
    /// - Throws: where what was brought cannot be read: the source is reported as broken.
    mutating func next(
        _ brought: [CallOutcome], _ signer: ArtworkSigner
    ) throws(NormaliseError) -> PlanStep
}

/// What a plan wants.
public enum PlanStep: Sendable {
    /// These calls, side by side, and then the next step. Each is cached by itself, so that other questions find it.
    case fetch([PlannedCall])
    /// It is finished. `missing` is not the plan's to count: the daemon knows which parts it could not have.
    case done(NormalisedAnswer)
}

/// One call of a plan.
public struct PlannedCall: Sendable, Hashable {
    /// What the answer loses without this call.
    public enum Role: Sendable, Hashable {
        /// Everything: if it fails, or what it asks for does not exist, that is the answer.
        case subject
        /// One of many parts: without it the answer is partial and says so; that it does not exist is no failure.
        case part
        /// Nothing that anybody would miss: it helps to read the others. Its age and its failures are not the answer's.
        case aid
    }

    /// One of `about.endpoints`: lifetime and classification.
    public var endpoint: String
    /// In the form that `canonical` gives, so that `/raw` shares what was fetched.
    public var request: UpstreamRequest
    public var role: Role

    public init(_ endpoint: String, _ request: UpstreamRequest, role: Role) {
        self.endpoint = endpoint
        self.request = request
        self.role = role
    }
}

/// What a call of a plan brought.
public enum CallOutcome: Sendable {
    /// An answer classified as data or empty, its content coding undone.
    case answered(UpstreamResponse)
    /// What was asked for does not exist. A plan never sees it of its subject.
    case absent
    /// Nothing usable came, and nothing stale was at hand. A plan never sees it of its subject.
    case failed(FailureClass)

    /// The answer, where there is one.
    public var response: UpstreamResponse? {
        if case .answered(let response) = self { response } else { nil }
    }
}

extension Endpoint {
    /// A question that takes several calls.
    ///
    /// - Parameter subject: the canonical request of the call without which there is no answer; it names the entry to
    ///   people.
    public init(
        provider: String, name: String, parameters: [KeyParameter], subject: UpstreamRequest, query: Bytes,
        plan: any CallPlan
    ) {
        self.init(
            provider: provider, name: name, parameters: parameters, upstream: subject, query: query,
            normalise: { _, _ throws(NormaliseError) in
                throw NormaliseError(provider: provider, message: "This question takes several calls.")
            })
        self.plan = plan
    }
}
