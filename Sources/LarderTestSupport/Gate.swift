// A place where a test holds what runs beside it: a thread, which blocks there, or a task, which does not.
import CLinux
import Glibc
import LarderCore

/// Opened once, by anyone; whoever comes later passes.
public final class Gate: Sendable {
    /// Counts when it can be read: of all who wait, each finds it open.
    private let descriptor = eventfd(0, larder_EFD_FLAGS & ~Int32(O_NONBLOCK))
    private let opened = Promise<Void>()
    /// Tasks that have come to it.
    public let arrived = CounterCell()

    public init() {}

    deinit { close(descriptor) }

    public func open() {
        var many: UInt64 = 1 << 32
        _ = write(descriptor, &many, 8)
        opened.fulfil()
    }

    /// Suspends the task until it is open.
    public func pass() async {
        arrived.add()
        await opened.wait()
    }

    /// Blocks the thread until it is open.
    public func wait() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
        open()
    }

    /// Blocks the thread until it is open, or the other gate; whether it was this one that opened.
    func wait(unless other: Gate) -> Bool {
        var both = [descriptor, other.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&both, 2, -1) < 0, errno == EINTR {}
        return both[0].revents != 0
    }

    /// Whether it opens within that time, for which the thread blocks.
    public func opens(within time: Duration) -> Bool {
        var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&one, 1, Int32(clamping: time.milliseconds)) < 0, errno == EINTR {}
        return one.revents != 0
    }
}
