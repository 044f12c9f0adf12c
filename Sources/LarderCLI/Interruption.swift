// What has been started is cleared away also when somebody presses Ctrl-C.
import Glibc
import LarderCore
import LarderIO

/// Runs a clearing-up once, at the end of the work or at a signal, whichever is first.
final class Interruption: Sendable {
    private let clearing: Lock<(@Sendable () -> Void)?>
    /// Blocked on the main thread before the first task (`CommandLineTool.prepareProcess`).
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Whether this process left the signals to be waited for: without that, nothing needs to be done for them here.
    static var isPrepared: Bool {
        var blocked = sigset_t()
        return pthread_sigmask(SIG_BLOCK, nil, &blocked) == 0 && sigismember(&blocked, SIGINT) == 1
    }

    init(_ clear: @escaping @Sendable () -> Void) {
        clearing = Lock(clear)
        // Without a thread nothing is cleared away at a signal.
        try? SystemThread.start { self.wait() }.detach()
    }

    func clear() {
        let body = clearing.withLock { held in
            defer { held = nil }
            return held
        }
        body?()
    }

    /// There is nothing left to clear up. Where a signal has begun it already, this waits for the process's end.
    func disarm() {
        let wasArmed = clearing.withLock { held in
            defer { held = nil }
            return held != nil
        }
        if !wasArmed { pause() }
    }

    private func wait() {
        var set = sigset_t()
        sigemptyset(&set)
        for number in Self.signals { sigaddset(&set, number) }
        var number: Int32 = 0
        guard sigwait(&set, &number) == 0 else { return }
        clear()
        _exit(128 + number)
    }
}
