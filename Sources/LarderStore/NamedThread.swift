// Threads of the store. They have names, so that debuggers show them, and block all signals, because the daemon reads
// signals from a signal descriptor.
import LarderCore

enum NamedThread {
    /// Starts a detached thread that runs the body and ends. The body's last act must be to report that it is done.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(StoreError) {
        do throws(SystemThread.Failure) {
            try SystemThread.start(named: name, signals: .blocked, body).detach()
        } catch {
            throw StoreError.system("starting thread \(name)", error.code)
        }
    }
}
