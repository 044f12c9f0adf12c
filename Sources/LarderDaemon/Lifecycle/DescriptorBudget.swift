// How the descriptors of the process are shared out. Clients may not take them all: an upstream call, a database and a
// loop need some too, and without a free one no client can be accepted, so that closing idle ones comes too late. With less
// than a minimum the daemon does not start. Pure.

/// The descriptors that this process may open, and who gets them.
struct DescriptorBudget: Sendable, Hashable {
    /// The limit in force (RLIMIT_NOFILE); nil where it is not known.
    let openFiles: Int?
    /// Those that serve clients, and the home loop.
    var loops: Int
    let listeners: Int

    /// The databases with their logs and locks, the log, signals, and files that are read for a moment.
    private static let base = 64
    /// Clients, upstream calls and bodies need some, however few.
    private static let least = 16
    /// Of each loop: epoll, its wake-up, both ends of a probe, the cache database with its log, and a connection to an upstream
    /// that is kept for the next call.
    private static let ofLoop = 7

    /// What the daemon has open or may need at any moment, whatever it is asked.
    private var own: Int { Self.base + Self.ofLoop * loops + listeners }

    /// With fewer it would run out of them, and accept nobody for as long as that lasts.
    var minimum: Int { own + Self.least }
    var isEnough: Bool { openFiles.map { $0 >= minimum } ?? true }

    /// The same with no more loops than there are descriptors for, two at least.
    var fitting: DescriptorBudget {
        guard let openFiles else { return self }
        var fitting = self
        fitting.loops = max(2, min(loops, loops - (minimum - openFiles + Self.ofLoop - 1) / Self.ofLoop))
        return fitting
    }

    /// Files of large bodies that may be open at once, to be read or written or for the next use: a quarter of what the
    /// daemon does not need itself.
    var bodies: Int { openFiles.map { max(1, ($0 - own) / 4) } ?? .max }

    /// Connections to upstreams that each loop may keep for later calls: one, and its part of an eighth of what the daemon does
    /// not need itself. Calls under way have another eighth at least.
    var keptByLoop: Int { openFiles.map { 1 + max(0, $0 - own) / 8 / loops } ?? .max }

    /// Descriptors that are kept from clients, where there are that many.
    /// - Parameters:
    ///   - transfers: upstream calls at a time; each has a connection.
    ///   - idle: connections to upstreams that are kept for later calls, beyond one of each loop. None of them need be of use to
    ///     those under way.
    func kept(transfers: Int, idle: Int) -> Int {
        own + (openFiles == nil ? 0 : bodies) + transfers + idle
    }

    /// Client connections for which there are descriptors: no more than wanted. Where what is kept would leave clients
    /// less than half of what the daemon does not need itself, they get half: rarely does everything need its most at once.
    func connections(wanted: Int, transfers: Int, idle: Int) -> Int {
        guard let openFiles else { return wanted }
        return min(wanted, max(1, openFiles - kept(transfers: transfers, idle: idle), (openFiles - own) / 2))
    }
}
