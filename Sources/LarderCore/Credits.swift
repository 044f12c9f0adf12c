// What an API says of the calls it still allows. Its word counts beside our own count: the smaller of both decides.

/// The allowances that an answer tells of.
public struct Credits: Sendable, Hashable {
    /// One of them: "user", "client".
    public struct Allowance: Sendable, Hashable {
        public var name: String
        /// How many there are when all is there again, where the answer tells.
        public var limit: Int?
        /// Not less than 0.
        public var remaining: Int
        /// From then on nothing is known of it any more.
        public var resetsAt: WallTime

        public init(name: String, limit: Int? = nil, remaining: Int, resetsAt: WallTime) {
            self.name = name
            self.limit = limit
            self.remaining = remaining
            self.resetsAt = resetsAt
        }
    }

    /// A few, each name once.
    public var allowances: [Allowance]

    public init(_ allowances: [Allowance]) {
        self.allowances = allowances
    }
}
