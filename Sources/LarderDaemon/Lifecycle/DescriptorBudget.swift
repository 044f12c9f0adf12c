// How the descriptors of the process are divided. Clients must not take them all: upstream calls, databases and loops
// need some too. Without a free descriptor no client can be accepted, so closing idle connections would come too late.
// Below a minimum the daemon does not start. Pure.

/// The descriptors that the process may open, and their division.
struct DescriptorBudget: Sendable, Hashable {
    /// The limit in force (RLIMIT_NOFILE); nil if it is unknown.
    let openFiles: Int?
    /// The number of loops: those that serve clients, and the home loop.
    var loops: Int
    let listeners: Int

    /// The databases with their logs and locks, the log, signals, and files that are open for a moment.
    private static let base = 64
    /// The minimum for clients, upstream calls and bodies together.
    private static let least = 16
    /// Per loop: epoll, its wake-up, both ends of a probe, the cache database with its log, and one upstream connection
    /// kept for the next call.
    private static let ofLoop = 7

    /// Descriptors that the daemon itself has open or may need at any moment.
    private var own: Int { Self.base + Self.ofLoop * loops + listeners }

    /// With fewer descriptors the daemon could run out of them, and it accepts no client while none is free.
    var minimum: Int { own + Self.least }
    var isEnough: Bool { openFiles.map { $0 >= minimum } ?? true }

    /// The same budget with no more loops than the descriptors allow, but at least two.
    var fitting: DescriptorBudget {
        guard let openFiles else { return self }
        var fitting = self
        fitting.loops = max(2, min(loops, loops - (minimum - openFiles + Self.ofLoop - 1) / Self.ofLoop))
        return fitting
    }

    /// The files of large bodies that may be open at once, for reading, writing or the next use: a quarter of what the
    /// daemon does not need itself.
    var bodies: Int { openFiles.map { max(1, ($0 - own) / 4) } ?? .max }

    /// The upstream connections that each loop may keep for later calls: one, and its share of an eighth of what the
    /// daemon does not need itself. Calls in progress have at least another eighth.
    var keptByLoop: Int { openFiles.map { 1 + max(0, $0 - own) / 8 / loops } ?? .max }

    /// The descriptors reserved from clients, if there are that many.
    /// - Parameters:
    ///   - transfers: the most upstream calls at a time; each has a connection.
    ///   - idle: upstream connections kept for later calls, beyond one per loop. The calls in progress might not be
    ///     able to use any of them.
    func kept(transfers: Int, idle: Int) -> Int {
        own + (openFiles == nil ? 0 : bodies) + transfers + idle
    }

    /// The client connections for which there are descriptors, at most `wanted`. Clients get at least half of what the
    /// daemon does not need itself, because everything rarely needs its maximum at once.
    func connections(wanted: Int, transfers: Int, idle: Int) -> Int {
        guard let openFiles else { return wanted }
        return min(wanted, max(1, openFiles - kept(transfers: transfers, idle: idle), (openFiles - own) / 2))
    }
}
