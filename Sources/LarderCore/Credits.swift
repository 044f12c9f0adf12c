// The calls that an API says it still allows. The API's numbers apply beside Larder's own count: the smaller one
// decides.

/// The allowances that a response reports.
public struct Credits: Sendable, Hashable {
    /// One allowance, such as "user" or "client".
    public struct Allowance: Sendable, Hashable {
        public var name: String
        /// The number of calls when the allowance is full, if the response reports it.
        public var limit: Int?
        /// The calls that are left, at least 0.
        public var remaining: Int
        /// The instant from which this allowance is no longer known.
        public var resetsAt: WallTime

        public init(name: String, limit: Int? = nil, remaining: Int, resetsAt: WallTime) {
            self.name = name
            self.limit = limit
            self.remaining = remaining
            self.resetsAt = resetsAt
        }
    }

    /// A few allowances. Each name occurs once.
    public var allowances: [Allowance]

    public init(_ allowances: [Allowance]) {
        self.allowances = allowances
    }
}
