// Clocks that a test controls.
import LarderCore

/// A time source whose time advances only when the test says so.
public final class ManualTime: TimeSource {
    private let now: Lock<(wall: WallTime, monotonic: MonotonicTime)>
    private let leap = Lock(Duration.zero)
    private let start = Lock<UInt32>(0)

    /// - Parameter wall: the initial wall time; 2026-01-01 by default.
    public init(wall: WallTime = WallTime(seconds: 1_767_225_600)) {
        now = Lock((wall, MonotonicTime(nanoseconds: 1_000_000_000)))
    }

    public func wall() -> WallTime { now.withLock { $0.wall } }
    public func monotonic() -> MonotonicTime {
        let leap = leap.withLock { $0 }
        return now.withLock { now in
            now = (now.wall + leap, now.monotonic + leap)
            return now.monotonic
        }
    }

    /// Advances both clocks.
    public func advance(by duration: Duration) {
        now.withLock { $0 = ($0.wall + duration, $0.monotonic + duration) }
    }

    /// Makes both clocks advance by this duration at each reading of the monotonic clock, as on a busy machine.
    public func leap(by duration: Duration) { leap.withLock { $0 = duration } }

    public var boot: UInt32 { start.withLock { $0 } }

    /// Sets which start of the machine the clocks belong to. They go on.
    public func boot(as mark: UInt32) { start.withLock { $0 = mark } }

    /// Sets the wall clock forward or back. The monotonic clock does not change.
    public func step(by duration: Duration) {
        now.withLock { $0.wall = $0.wall + duration }
    }
}

/// A time source that stops the test if it is asked for the time.
public struct ForbiddenTime: TimeSource {
    public init() {}
    public func wall() -> WallTime { preconditionFailure("this room must not read a clock") }
    public func monotonic() -> MonotonicTime { preconditionFailure("this room must not read a clock") }
}
