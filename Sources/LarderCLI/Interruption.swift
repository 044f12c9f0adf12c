// Cleans up what a command has started when the user presses Ctrl-C.
import Glibc
import LarderCore
import LarderIO

/// Runs a clean-up once, at the end of the work or on a signal, whichever comes first.
final class Interruption: Sendable {
    private let clearing: Hook<(@Sendable () -> Void)?>
    /// The signals. They are blocked on the main thread before the first task (`CommandLineTool.prepareProcess`).
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Whether this process has blocked the signals, to wait for them in a thread. If not, their default actions apply.
    static var isPrepared: Bool {
        var blocked = sigset_t()
        return pthread_sigmask(SIG_BLOCK, nil, &blocked) == 0 && sigismember(&blocked, SIGINT) == 1
    }

    init(_ clear: @escaping @Sendable () -> Void) {
        clearing = Hook(clear)
        // If the thread cannot be started, a signal causes no clean-up.
        try? SystemThread.start { self.wait() }.detach()
    }

    func clear() {
        clearing.exchange(nil)?()
    }

    /// Discards the clean-up. If a signal has already begun it, this call waits for the end of the process.
    func disarm() {
        if clearing.exchange(nil) == nil { pause() }
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
