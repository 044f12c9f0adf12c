// Answers that need several calls, as one line of text: the calls, and what is made of their answers.
import LarderCore

@testable import LarderProviders

extension ProviderPins {
    /// The calls of a question's first step; "-" if one call is enough.
    func calls(_ route: String) -> String {
        do {
            guard var plan = try endpoint(route).plan else { return "-" }
            guard case .fetch(let calls) = try plan.next([], signer) else { return "done" }
            return calls.map { "\($0.endpoint) \($0.role) \($0.request.target)" }.joined(separator: "; ")
        } catch {
            return "\(error)"
        }
    }

    /// What a question makes of the answers to its calls. A call without an answer has failed.
    func answer(_ route: String, to calls: [String?]) -> String {
        do {
            let endpoint = try endpoint(route)
            guard var plan = endpoint.plan else { return answer(route, calls.first.flatMap { $0 } ?? "") }
            guard case .fetch(let asked) = try plan.next([], signer) else { return "done" }
            let outcomes = asked.indices.map { place -> CallOutcome in
                let body = place < calls.count ? calls[place] : nil
                return body.map { .answered(Self.response($0)) } ?? .failed(.unreachable)
            }
            guard case .done(let answer) = try plan.next(outcomes, signer) else { return "further calls" }
            return Self.told(answer)
        } catch let error as NormaliseError {
            return error.message
        } catch {
            return "\(error)"
        }
    }
}
