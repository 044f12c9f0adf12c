// What a viewer without authority sees of an explanation: no more of the question than `/v1/requests` shows, which is
// the path and the names of parameters. Sentences made from the question, and words of the upstream, are left out.
import LarderCache
import LarderCore
import LarderProviders

extension Explanation {
    /// Leaves out what belongs to the client that asked.
    /// - Parameter about: describes a provider by its name, if it is configured.
    mutating func redact(_ about: (String) -> ProviderAbout?) {
        refusal = refusal.map {
            Refusal(code: $0.code, detail: $0.sentence, parameter: $0.parameter, allowed: $0.allowed)
        }
        for place in parts.indices { parts[place].redact(about(parts[place].provider)) }
    }
}

extension Explanation.Refusal {
    /// The refusal in words that contain nothing from the request.
    var sentence: String {
        "The request was refused: \(code)\(parameter.map { " (parameter \($0))" } ?? "")."
    }
}

extension ExplainedPart {
    /// The parts of a key that are not values of the question.
    private static let structure: Set<String> = [
        "endpoint", "base", "path", "coding", "normaliser", "signer", "dialect", "include",
    ]
    /// The failures whose details may be the upstream's own words. It may repeat the question in them.
    private static let wordsOfUpstream: Set<FailureClass> = [.refused, .invalidRequest, .broken, .notFound]

    fileprivate mutating func redact(_ about: ProviderAbout?) {
        let shown = key.map { part -> KeyParameter in
            guard !Self.structure.contains(part.name), let value = part.value else { return part }
            return switch part.name {
            case "query": KeyParameter(part.name, SeenTarget.names(value))
            case "label": KeyParameter(part.name, EntryLabel.redacted(value, about))
            default: KeyParameter(part.name, "…")
            }
        }
        self.target = nil
        key = shown
        // A digest tells whoever guesses a term that it was asked.
        self.digest = nil
        if let failure = self.failure, Self.wordsOfUpstream.contains(failure) { self.detail = nil }
    }
}
