// A gate at which a test holds concurrent work: a thread blocks there, and a task is suspended.
import CLinux
import Glibc
import LarderCore

/// A gate is opened once, by any thread. After that, threads and tasks pass without waiting.
public final class Gate: Sendable {
    /// An eventfd. It is readable while the gate is open, and each waiting thread makes it readable again for the
    /// others.
    private let descriptor = eventfd(0, larder_EFD_FLAGS & ~Int32(O_NONBLOCK))
    private let opened = Promise<Void>()
    /// The number of tasks that have arrived at the gate.
    public let arrived = CounterCell()

    public init() {}

    deinit { close(descriptor) }

    public func open() {
        var many: UInt64 = 1 << 32
        _ = write(descriptor, &many, 8)
        opened.fulfil()
    }

    /// Suspends the task until the gate is open.
    public func pass() async {
        arrived.add()
        await opened.wait()
    }

    /// Blocks the thread until the gate is open.
    public func wait() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        open()
    }

    /// Blocks the thread until this gate or the other gate is open. Returns whether this gate is open.
    func wait(unless other: Gate) -> Bool {
        var both = [descriptor, other.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&both, 2, -1) < 0, errno == EINTR {}
        return both[0].revents != 0
    }

    /// Blocks the thread until the gate is open, at most for this time. Returns whether the gate is open.
    public func opens(within time: Duration) -> Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&one, 1, Int32(clamping: time.milliseconds)) < 0, errno == EINTR {}
        return one.revents != 0
    }
}
