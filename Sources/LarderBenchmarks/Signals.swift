// The only place where the harness sleeps. It wakes when a child ends, when the time is over, or when the harness is
// interrupted. The signals are blocked and read from a descriptor. So an interruption is an error like any other, and
// every `defer` runs.
import CLinux
import Glibc
import LarderCore

/// The signals of this process. Exists from its start to its end.
final class Signals {
    private let descriptor: Int32

    init() throws(Failure) {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&mask, signal) }
        sigprocmask(SIG_BLOCK, &mask, nil)
        descriptor = signalfd(-1, &mask, larder_SFD_FLAGS)
        guard descriptor >= 0 else { throw .failed("signals", systemReason()) }
    }

    deinit { close(descriptor) }

    /// Sleeps until a child has changed its state or this many milliseconds have passed.
    func pause(milliseconds: Int) throws(Failure) {
        var waited = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        poll(&waited, 1, Int32(clamping: milliseconds))
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while read(descriptor, &information, size) == size {
            if information.ssi_signo != UInt32(SIGCHLD) { throw .interrupted(Int32(information.ssi_signo)) }
        }
    }
}

/// The system's message for the call that has just failed.
func systemReason() -> String { String(cString: strerror(errno)) }

/// Nanoseconds of CLOCK_MONOTONIC, which never steps back.
func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
