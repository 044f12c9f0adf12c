// A report of a provider's lane, in wall time, for `/v1/status`, `/metrics` and explanations.
import LarderCore

/// The present state of one limit of a lane.
public struct LimitReport: Sendable {
    /// The calls that the limit permits.
    public var limit: CallRate
    /// The calls that are left now.
    public var remaining: Int
    /// When the limit will be whole again if no more calls are made; nil if it is whole.
    public var resetsAt: WallTime?
}

/// The calls of one tool in the windows of the limits.
public struct ToolUse: Sendable {
    public var rate = 0
    public var quota = 0
}

/// The state of a lane, for status and metrics.
public struct LaneReport: Sendable {
    /// The rate limit; nil if there is none.
    public var rate: LimitReport?
    /// The quota; nil if there is none.
    public var quota: LimitReport?
    /// The calls that the API itself says are left.
    public var credits: [Credits.Allowance] = []
    /// When rate and quota will both be whole again if no more calls are made.
    public var resetsAt: WallTime?
    /// The suspension that refuses calls now.
    public var suspension: (until: WallTime, failure: FailureClass)?
    /// A suspension is over, and the next call is its trial.
    public var isProbing = false
    /// The outcome of the provider's last calls.
    public var reachability: Reachability
    /// The calls of each tool in the windows of the limits, as far as this run made them.
    public var tools: [String: ToolUse] = [:]
}
