// The goals of the figures. A figure that misses its goal is printed unchanged, beside its goal.

/// A ratio between larder and another server of the same run.
struct Goal {
    var server: ServerKind
    var peer: ServerKind
    /// The least ratio of hits a second, by body size.
    var least: [BodySize: Double]

    static let all = [
        Goal(server: .larder, peer: .nginx, least: [.one: 1.8, .ten: 1.5, .hundred: 1.0]),
        Goal(server: .larder, peer: .nginxCopy, least: [:]),
        Goal(server: .larder, peer: .bareloop, least: [.one: 0.85, .ten: 0.85, .hundred: 0.95]),
        Goal(server: .larder, peer: .varnish, least: [:]),
        Goal(server: .larderSQLite, peer: .nginx, least: [.one: 1.0, .ten: 0.9, .hundred: 0.8]),
    ]

    /// The most that a miss may add: a fraction of what nginx adds in the same run, and microseconds for the smallest
    /// body.
    static let addedByMiss: [BodySize: Double] = [.one: 0.5, .ten: 0.6, .hundred: 0.8]
    static let addedBySmallMiss = 150.0
    /// The least rate of the mixed workload, as a multiple of the other server's rate in the same run.
    static let mixed: [ServerKind: Double] = [.nginx: 1.3, .varnish: 2.0]
    /// The least rate at which a body of 1 GiB is stored, in megabytes a second.
    static let storedLargeBody = 300.0
    /// The most that a search of 200 iTunes results may add, in milliseconds. The plan of the engine demands half of
    /// the earlier value (4.1 to 5.9).
    static let addedByNormalising = 2.5
    /// The greatest allowed p99 of memory hits while something slow is done, as a multiple of the p99 without it.
    static let p99BesideStalls = 2.0
    /// The most memory that an idle daemon may use, in KiB.
    static let idleAnonymous = 10 * 1024
    static let idleResident = 32 * 1024
}
