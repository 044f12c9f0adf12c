// What is told of a provider's lane, in wall times: `/v1/status`, `/metrics` and explanations are made of it.
import LarderCore

/// One limit of a lane as it stands.
public struct LimitReport: Sendable {
    /// What is permitted.
    public var limit: CallRate
    /// Calls that are left now.
    public var remaining: Int
    /// When all of it will be there again if nothing more is called; nil where it is.
    public var resetsAt: WallTime?
}

/// What status and metrics show of a lane.
public struct LaneReport: Sendable {
    /// Of the rate; nil where there is none.
    public var rate: LimitReport?
    /// Of the quota; nil where there is none.
    public var quota: LimitReport?
    /// What the API itself says is left.
    public var credits: [Credits.Allowance] = []
    /// When both will be whole again if nothing more is called.
    public var resetsAt: WallTime?
    /// The rest that refuses calls now.
    public var suspension: (until: WallTime, failure: FailureClass)?
    /// A rest is over, and the next call tries the provider.
    public var isProbing = false
    /// What came of its last calls.
    public var reachability: Reachability
}
