// What is told of a provider's lane, in wall times: `/v1/status`, `/metrics` and explanations are made of it.
import LarderCore

/// One limit of a lane as it stands.
struct LimitReport: Sendable {
    var limit: CallRate
    var remaining: Int
    /// When all of it will be there again if nothing more is called; nil where it is.
    var resetsAt: WallTime?
}

/// What status and metrics show of a lane.
struct LaneReport: Sendable {
    var rate: LimitReport?
    var quota: LimitReport?
    /// What the API itself says is left.
    var credits: [Credits.Allowance] = []
    /// When both will be whole again if nothing more is called.
    var resetsAt: WallTime?
    /// The rest that refuses calls now.
    var suspension: (until: WallTime, failure: FailureClass)?
    /// A rest is over, and the next call tries the provider.
    var isProbing = false
    var reachability: Reachability
}
