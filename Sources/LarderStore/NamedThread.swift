// Threads of the store: named, so that they are known in debuggers, and deaf to signals, which the daemon's signal
// descriptor reads.
import LarderCore

enum NamedThread {
    /// Starts a thread that runs the body and ends. It is detached: its last act is to say that it is done.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(StoreError) {
        do throws(SystemThread.Failure) {
            try SystemThread.start(named: name, signals: .blocked, body).detach()
        } catch {
            throw StoreError.system("starting thread \(name)", error.code)
        }
    }
}
