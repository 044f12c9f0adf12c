// A box for state that one loop owns. It crosses `Sendable` boundaries and checks the thread on each access, so the
// promise given to the compiler is verified at run time. It is the only unchecked `Sendable` type of this target.
import Glibc
import Synchronization

/// Records which thread a loop runs on; none before the loop starts and after it ends.
final class ThreadMark: Sendable {
    private let thread = Atomic<UInt>(0)

    @inline(__always)
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func setCurrent() { thread.store(UInt(pthread_self()), ordering: .relaxed) }
    func clear() { thread.store(0, ordering: .relaxed) }
}

/// A value that only its loop's thread may touch. Every access is checked, and traps on another thread.
///
/// The thread that drops the last reference destroys the value. Its destruction must be safe on any thread.
public final class LoopBound<Value>: @unchecked Sendable {
    private let mark: ThreadMark
    private var stored: Value

    /// May be called on any thread. The value must have no other owner.
    public init(_ value: sending Value, on loop: EventLoop) {
        self.mark = loop.mark
        self.stored = value
    }

    init(_ value: sending Value, mark: ThreadMark) {
        self.mark = mark
        self.stored = value
    }

    /// The value. Traps unless called on the loop.
    public var value: Value {
        get {
            precondition(mark.isCurrent, "touched away from its loop")
            return stored
        }
        set {
            precondition(mark.isCurrent, "touched away from its loop")
            stored = newValue
        }
    }
}
