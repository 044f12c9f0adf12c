// Clocks that a test sets by hand.
import LarderCore

/// Time that passes only when the test says so.
public final class ManualTime: TimeSource {
    private let now: Lock<(wall: WallTime, monotonic: MonotonicTime)>
    private let leap = Lock(Duration.zero)

    /// - Parameter wall: where it begins; 2026-01-01 unless the test cares.
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

    /// Lets time pass on both clocks.
    public func advance(by duration: Duration) {
        now.withLock { $0 = ($0.wall + duration, $0.monotonic + duration) }
    }

    /// So much passes with each look at the monotonic clock, as on a machine that is busy with other things.
    public func leap(by duration: Duration) { leap.withLock { $0 = duration } }

    /// Sets the wall clock forward or back; the monotonic one goes on as it was.
    public func step(by duration: Duration) {
        now.withLock { $0.wall = $0.wall + duration }
    }
}

/// Fails the test that asks it for the time.
public struct ForbiddenTime: TimeSource {
    public init() {}
    public func wall() -> WallTime { preconditionFailure("this room must not read a clock") }
    public func monotonic() -> MonotonicTime { preconditionFailure("this room must not read a clock") }
}
