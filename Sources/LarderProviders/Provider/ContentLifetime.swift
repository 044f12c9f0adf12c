// Lifetimes that follow from what an answer says: some records are past all change, though their endpoint's are not.
import LarderCore

extension Provider {
    public func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)? { nil }
}
