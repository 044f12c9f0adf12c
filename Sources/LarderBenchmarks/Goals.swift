// What a figure is held against. A figure that falls short is printed as it is, beside its goal.

/// A ratio between two servers of the same run.
struct Goal {
    var server: ServerKind
    var peer: ServerKind
    /// The least ratio of hits a second, by body size.
    var least: [BodySize: Double]

    static let all = [
        Goal(server: .larder, peer: .nginx, least: [.one: 1.6, .ten: 1.4, .hundred: 1.0]),
        Goal(server: .larder, peer: .nginxCopy, least: [:]),
        Goal(server: .larder, peer: .bareloop, least: [.one: 0.85, .ten: 0.85, .hundred: 0.95]),
        Goal(server: .larder, peer: .varnish, least: [:]),
        Goal(server: .larderSQLite, peer: .nginx, least: [.one: 1.0, .ten: 0.9, .hundred: 0.8]),
    ]

    /// The most that a miss may add, in microseconds.
    static let addedByMiss = 200.0
    /// The most that a search of 200 iTunes results may add, in milliseconds: the plan of the engine asks for half of what it was
    /// (4.1 to 5.9).
    static let addedByNormalising = 2.5
    /// The most memory that an idle daemon may hold, in KiB.
    static let idleAnonymous = 10 * 1024
    static let idleResident = 32 * 1024
}
