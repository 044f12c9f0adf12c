// State that one loop owns crosses `Sendable` borders inside a box that checks the thread on each access: the promise
// the compiler is asked to believe is verified at run time. It is the only unchecked `Sendable` of this room.
import Glibc
import Synchronization

/// Which thread a loop runs on; none before it starts and after it ends.
final class ThreadMark: Sendable {
    private let thread = Atomic<UInt>(0)

    @inline(__always)
    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func setCurrent() { thread.store(UInt(pthread_self()), ordering: .relaxed) }
    func clear() { thread.store(0, ordering: .relaxed) }
}

/// A value that only its loop's thread may touch. Every access is checked and traps elsewhere.
///
/// The value is destroyed by whoever drops the last reference: it must not mind on which thread.
public final class LoopBound<Value>: @unchecked Sendable {
    private let mark: ThreadMark
    private var stored: Value

    /// May be made on any thread; the value must have no other owner.
    public init(_ value: sending Value, on loop: EventLoop) {
        self.mark = loop.mark
        self.stored = value
    }

    init(_ value: sending Value, mark: ThreadMark) {
        self.mark = mark
        self.stored = value
    }

    /// The value, for the loop alone.
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
