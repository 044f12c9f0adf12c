// How every thread of the program starts. It is a tool: this room has no thread of its own, and what runs on one is what the
// caller hands over. Stacks have the system's size.
import CLinux
import Glibc

/// A thread that was started and has to be waited for, by `join`, or given up, by `detach`: once, one of the two.
public struct SystemThread: Sendable {
    /// Which signals a new thread takes.
    public enum Signals: Sendable {
        /// Those of the thread that starts it.
        case inherited
        /// None.
        case blocked
    }

    /// Why there is no thread: the code of pthread_create(3).
    public struct Failure: Error, Sendable, Hashable {
        public let code: Int32
    }

    private let handle: pthread_t

    /// Starts a thread that runs the body and ends with it.
    /// - Parameters:
    ///   - name: as debuggers show it; the kernel keeps 15 bytes of it. Without one it has the name of the thread that starts it.
    ///   - body: kept until it has returned.
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

    /// Waits until it has ended. Not from the thread itself.
    public func join() { pthread_join(handle, nil) }

    /// Nobody will wait for it.
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

    /// A C function, not a closure of the caller's: it carries no isolation, so nothing checks for an executor on the new thread.
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
