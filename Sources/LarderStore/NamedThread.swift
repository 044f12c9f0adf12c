// Threads of the store: named, so that they are known in debuggers, and deaf to signals, which the daemon's signal
// descriptor reads.
import Glibc
import LarderCore

enum NamedThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread that runs the body and ends. It is detached: its last act is to say that it is done.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(StoreError) {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let code = pthread_create(&thread, nil, run, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw StoreError.system("starting thread \(name)", code)
        }
        pthread_detach(thread)
    }

    /// Takes the retained start and runs it. A function, not a closure: it must carry no isolation.
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
        guard let pointer else { return nil }
        let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        nameSelf(start.name)
        start.body()
        return nil
    }

    /// Through /proc, since pthread_setname_np needs _GNU_SOURCE and prctl is variadic (proc(5), comm).
    private static func nameSelf(_ name: String) {
        let descriptor = Glibc.open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let text = Bytes(text: String(name.prefix(15)))
        _ = Glibc.write(descriptor, text, text.count)
        Glibc.close(descriptor)
    }
}
