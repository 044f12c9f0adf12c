// Random jokes are dealt from a pool. One call to the API returns one joke (icndb: ten), but with a pool a hundred
// clients at the same moment get different jokes for the cost of a few calls.
import LarderCore

extension Jokes {
    /// Parameters that many clients use alike. A request with any other parameter, such as a name that replaces the
    /// hero's, is personal to one client and uses no pool.
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

    /// Each joke in the form of a response to `/jokes/random`.
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
