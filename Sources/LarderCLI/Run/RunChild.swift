// The command of a run, as a child process of the same process group, so that the terminal's signals reach it. Signals
// that somebody sends to the run alone are passed on. The run ends when the command has ended, with its status.
import Glibc
import LarderCore
import LarderIO

struct RunChild: Sendable {
    let pid: pid_t
    /// Whether the command has ended, and its number may be another process's.
    private let hasEnded = Lock(false)

    /// The signals that the run takes from its main thread (`CommandLineTool.prepareProcess`).
    static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Starts a command.
    /// - Throws: a usage failure if it cannot be found or started, or if a signal came before.
    init(_ words: [String], environment: [String: String]) throws(CommandFailure) {
        guard !Self.wasInterrupted else { throw CommandFailure(.failed, "interrupted before the command began") }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        // Those that this process ignores for itself (`Signals.ignoreWriteSignals`). What its parent ignored stays so.
        for number in [SIGPIPE, SIGXFSZ] { sigaddset(&usual, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            for pointer in arguments + variables { free(pointer) }
        }
        var child = pid_t()
        let code = posix_spawnp(&child, words[0], nil, &attributes, &arguments, &variables)
        guard code == 0 else {
            throw CommandFailure(.usage, "\(words[0]) cannot be started: \(String(cString: strerror(code)))")
        }
        pid = child
    }

    /// Whether one of the signals waits.
    private static var wasInterrupted: Bool {
        var waiting = sigset_t()
        return sigpending(&waiting) == 0 && signals.contains { sigismember(&waiting, $0) == 1 }
    }

    /// Waits for the end of the command.
    /// - Returns: its exit status; 128 and the signal's number if a signal ended it, as shells say.
    func wait() async -> Int32 {
        let (pid, hasEnded) = (pid, hasEnded)
        return await handover { (continuation: TaskContinuation<Int32, Never>) in
            let waiting: @Sendable () -> Void = {
                var status: Int32 = 0
                // No signal interrupts it: they are blocked in all threads.
                var reaped: pid_t
                repeat { reaped = waitpid(pid, &status, 0) } while reaped < 0 && kill(pid, 0) == 0
                hasEnded.withLock { $0 = true }
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
            // Without a thread the wait blocks this one.
            guard let thread = try? SystemThread.start(waiting) else { return waiting() }
            thread.detach()
        }
    }

    /// Passes signals on to the command, as long as the process lives. What the kernel sent reached it as well.
    func passSignals() {
        guard Interruption.isPrepared else { return }
        let (pid, hasEnded) = (pid, hasEnded)
        try? SystemThread.start {
            var set = sigset_t()
            sigemptyset(&set)
            for number in Self.signals { sigaddset(&set, number) }
            while true {
                var info = siginfo_t()
                let number = sigwaitinfo(&set, &info)
                if number > 0, info.si_code <= 0 { hasEnded.withLock { if !$0 { kill(pid, number) } } }
            }
        }.detach()
    }
}
