// Decides who may have the database open. Before a damaged file is set aside every reader must have closed it: the last
// connection to close removes the log files by name, and those would be the new database's.
import Glibc

/// Counts the readers' connections and lets the writer wait until there are none.
///
/// Unchecked `Sendable`: every stored variable is touched inside of `locked` only.
final class ReaderGate: @unchecked Sendable {
    private let monitor = Monitor()
    private var isOpen = true
    private var connected = 0
    private var generation = 0

    private func locked<Result>(_ body: () -> Result) -> Result { monitor.locked(body) }

    /// The generation of the present database. It rises with each new database.
    var present: Int { locked { generation } }

    /// Whether no reader has a connection.
    var isUnused: Bool { locked { connected == 0 } }

    /// Called by a reader before it uses its connection. False means that the reader must close it.
    func mayStay() -> Bool { locked { isOpen } }

    /// Called by a reader without a connection. The generation of the database if the reader may open a connection,
    /// which then counts.
    func enter() -> Int? {
        locked {
            guard isOpen else { return nil }
            connected += 1
            return generation
        }
    }

    /// Called by a reader after it has closed its connection.
    func leave() {
        locked {
            connected -= 1
            monitor.wakeAll()
        }
    }

    /// Lets no reader in and waits until the last one is out; `nudge` wakes the readers. Reads are short, and so is the
    /// wait, unless a stalled disk holds a reader.
    /// - Parameter limit: how long it waits; nil for no limit.
    /// - Returns: false if a reader is still in.
    @discardableResult
    func shut(within limit: Duration? = nil, nudge: () -> Void) -> Bool {
        locked { isOpen = false }
        nudge()
        let deadline = limit.map { timespec.deadline(after: $0) }
        return locked {
            while connected > 0, monitor.wait(until: deadline) {}
            return connected == 0
        }
    }

    /// Lets readers in, to a new database.
    func reopen() {
        locked {
            generation += 1
            isOpen = true
        }
    }
}
