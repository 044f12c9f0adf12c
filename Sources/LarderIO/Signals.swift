// Delivers signals as readable events on a loop. They are blocked before any thread exists, so no thread is ever
// interrupted by one.
import CLinux
import Glibc
import LarderCore

/// The signal setup of the process, to be done before the first thread.
public enum Signals {
    /// Blocks the signals that a `SignalSource` will deliver, here and in every thread made later.
    public static func block(_ numbers: [Int32]) {
        var set = signalSet(numbers)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// A write to a closed pipe or past the file size limit then fails with an error instead of ending the process.
    public static func ignoreWriteSignals() {
        larder_ignore_signal(SIGPIPE)
        larder_ignore_signal(SIGXFSZ)
    }

    /// Ignores the signals that mean nothing to the daemon and would end it without a line in the log (signal(7)). Some
    /// of them reach it from habit: other servers open their logs again at SIGUSR1.
    public static func ignoreUnused() {
        // From 34 on: the real-time signals that the C library leaves to programs.
        for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT] + Array(34...64) {
            larder_ignore_signal(number)
        }
    }

    fileprivate static func signalSet(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}

/// Delivers blocked signals to a loop, one call for each signal. Pending signals of the same number count as one.
public final class SignalSource: EventHandler {
    private let descriptor: Int32
    private let handler: (Int32) -> Void
    private let loop: EventLoop
    private var registration: Registration?

    /// Must be called on the loop. The signals must be blocked in every thread.
    public init(_ numbers: [Int32], on loop: EventLoop, handler: @escaping (Int32) -> Void) throws(SystemError) {
        var set = Signals.signalSet(numbers)
        self.loop = loop
        self.handler = handler
        descriptor = try Syscall.check("signalfd") { signalfd(-1, &set, larder_SFD_FLAGS) }
        registration = try loop.register(descriptor, .readable, handler: self)
    }

    deinit {
        Syscall.close(descriptor)
    }

    /// Ends delivery. Must be called on the loop.
    public func cancel() {
        if let registration { loop.deregister(registration) }
        registration = nil
    }

    public func ready(_ events: ReadyEvents) {
        var record = signalfd_siginfo()
        while true {
            let transfer = withUnsafeMutableBytes(of: &record) { Syscall.read(descriptor, into: $0) }
            guard transfer == .bytes(MemoryLayout<signalfd_siginfo>.size) else { return }
            handler(Int32(bitPattern: record.ssi_signo))
        }
    }
}
