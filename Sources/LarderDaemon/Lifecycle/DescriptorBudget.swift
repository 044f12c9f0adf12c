// How the descriptors of the process are shared out. Clients may not take them all: an upstream call, a database and a
// loop need some too, and without a free one no client can be accepted, so that closing idle ones comes too late. Pure.
import LarderStore

/// The descriptors that this process may open, and who gets them.
struct DescriptorBudget: Sendable, Hashable {
    /// The limit in force (RLIMIT_NOFILE); nil where it is not known.
    let openFiles: Int?
    let loops: Int
    let listeners: Int

    /// The databases with their logs and locks, the log, signals, and files that are read for a moment; then files of large
    /// bodies that stay open.
    private static let base = 64 + SQLiteStore.openFiles
    /// Of each loop: epoll, its wake-up, both ends of a probe, and the cache database with its log.
    private static let ofLoop = 6

    /// Descriptors that are kept from clients, where there are that many.
    /// - Parameters:
    ///   - transfers: upstream calls at a time; each has a connection.
    ///   - idle: connections to upstreams that are kept for later calls. None of them need be of use to those under way.
    func kept(transfers: Int, idle: Int) -> Int {
        Self.base + Self.ofLoop * loops + listeners + transfers + idle
    }

    /// Client connections for which there are descriptors: no more than wanted. Where what is kept would leave clients
    /// less than half of all, they get half: rarely does everything need its most at once.
    func connections(wanted: Int, transfers: Int, idle: Int) -> Int {
        guard let openFiles else { return wanted }
        return min(wanted, max(1, openFiles - kept(transfers: transfers, idle: idle), openFiles / 2))
    }
}
