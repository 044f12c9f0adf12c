// The default of `contentLifetime`: no response of an endpoint lives longer than the endpoint's lifetime.
import LarderCore

extension Provider {
    public func contentLifetime(of endpoint: String) -> (@Sendable (UpstreamResponse) -> Duration?)? { nil }
}
