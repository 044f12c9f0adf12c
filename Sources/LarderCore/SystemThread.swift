// Starts every thread of the program. This room has no thread of its own: the caller provides the body that runs.
// Stacks have the system's default size.
import CLinux
import Glibc

/// A started thread. Its starter must call exactly one of `join` and `detach`, once.
public struct SystemThread: Sendable {
    /// Which signals a new thread receives.
    public enum Signals: Sendable {
        /// The same signals as the thread that starts it.
        case inherited
        /// None.
        case blocked
    }

    /// Why the thread could not be started: the error code of pthread_create(3).
    public struct Failure: Error, Sendable, Hashable {
        public let code: Int32
    }

    private let handle: pthread_t

    /// Starts a thread that runs the body and ends with it.
    /// - Parameters:
    ///   - name: shown by debuggers. The kernel keeps 15 bytes of it. Without a name the thread has the name of its
    ///     starter.
    ///   - body: retained until it has returned.
    public static func start(
        named name: String? = nil, signals: Signals = .inherited, _ body: @escaping @Sendable () -> Void
    ) throws(Failure) -> SystemThread {
        let start = Unmanaged.passRetained(Start(name: name, signals: signals, body: body))
        var handle = pthread_t()
        let code = pthread_create(&handle, nil, run, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw Failure(code: code)
        }
        return SystemThread(handle: handle)
    }

    /// Waits until the thread has ended. Must not be called on the thread itself.
    public func join() { pthread_join(handle, nil) }

    /// Lets the thread run without being joined.
    public func detach() { pthread_detach(handle) }

    private final class Start {
        let name: String?
        let signals: Signals
        let body: @Sendable () -> Void

        init(name: String?, signals: Signals, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.signals = signals
            self.body = body
        }
    }

    /// A C function, not a closure of the caller. It carries no isolation, so nothing checks for an executor on the new
    /// thread.
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
        guard let pointer else { return nil }
        let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
        if case .blocked = start.signals {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
        }
        if let name = start.name { _ = larder_set_thread_name(String(name.prefix(15))) }
        start.body()
        return nil
    }
}
