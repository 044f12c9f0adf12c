// Lifetimes that follow from what an answer says: some records are past all change, though their endpoint's are not.
import LarderCore

extension Provider {
    public func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)? { nil }
}

extension HackerNews {
    /// Comments and votes on a post close two weeks after it; of what is older only texts of moderators change.
    private static let closesAfter: Int64 = 14 * 86_400
    private static let closedLifetime = Duration.seconds(86_400)

    public func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)? {
        guard endpoint == "item" else { return nil }
        return { response in
            // A figure of an upstream: what is no time of this calendar says nothing, and nothing is reckoned with it.
            guard let time = HackerNewsResults.value(response)?["time"]?.integer,
                (0..<253_402_300_800).contains(time)
            else { return nil }
            return response.responseTime.seconds - Int64(time) > Self.closesAfter ? Self.closedLifetime : nil
        }
    }
}
