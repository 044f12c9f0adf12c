// Random jokes come from a pool: a call to the API brings one (icndb: ten), and a hundred readers of one moment get jokes
// that differ from one to the next at the price of a few calls.
import LarderCore

extension Jokes {
    /// Ways of choosing that many askers share; with any other parameter (a name of one's own in place of the hero's) the
    /// answer is for one asker.
    private var shared: [String] { dialect == .icndb ? ["limitTo", "exclude"] : ["category"] }

    public func constancy(of request: UpstreamRequest) -> Constancy {
        guard endpointName(for: request) == "random" else { return .constant }
        let items = (try? QueryParameters(parsing: request.query ?? ""))?.items
        guard request.path == "/jokes/random", let items, items.allSatisfy({ shared.contains($0.name) }) else {
            return .fleeting
        }
        var refill = request
        if dialect == .icndb { refill.path += "/10" }
        return .pooled(
            PoolTerms(
                refill: refill, perCall: dialect == .icndb ? 10 : 1, least: 4, most: 40, pause: .seconds(10),
                answers: Self.answers))
    }

    /// Each joke as the answer to `/jokes/random` that it would have been.
    private static func answers(_ response: UpstreamResponse) -> [PooledAnswer] {
        guard let root = try? JSON.parse(response.body) else { return [] }
        return (JokesResults.records(root) ?? []).compactMap { value in
            guard let joke = JokesResults.Joke(value) else { return nil }
            let isWrapped = root["type"] != nil
            return PooledAnswer(
                id: joke.id,
                body: isWrapped ? Bytes(text: "{\"type\":\"success\",\"value\":") + value.raw + [0x7D] : value.raw)
        }
    }
}
