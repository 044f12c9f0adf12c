// One reading of both clocks. The wall clock may step; the monotonic clock does not. Waits that this program decides on
// are measured on the monotonic clock and become wall times only when they are reported or written down. An instant
// that others name as a wall time is converted to a duration on receipt, so a later step of the clock does not move it.

/// The readings of the wall clock and the monotonic clock at the same instant.
public struct Moment: Sendable, Hashable {
    public var wall: WallTime
    public var monotonic: MonotonicTime

    @inlinable
    public init(wall: WallTime, monotonic: MonotonicTime) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Adds a duration on both clocks. Saturates instead of wrapping.
    @inlinable
    public static func + (left: Moment, right: Duration) -> Moment {
        Moment(wall: left.wall + right, monotonic: left.monotonic + right)
    }

    /// The reading of the wall clock at that monotonic instant, unless the wall clock steps in between.
    @inlinable
    public func wall(at instant: MonotonicTime) -> WallTime { wall + (instant - monotonic) }

    /// The furthest distance at which the end of a wait is reported. It is a day more than the longest window: ends
    /// that others name are believed for a day, and all other ends are ends of windows. An end further ahead was read
    /// from a clock that has been set since.
    public static let furthestEnd: Duration = CallRate.longestWindow + .seconds(86_400)

    /// The reading of the wall clock at that monotonic instant, but no further ahead than `furthestEnd`.
    public func boundedWall(at instant: MonotonicTime) -> WallTime { Self.bounded(wall(at: instant), now: wall) }

    /// Limits an end that is already a wall time to `furthestEnd` from now.
    public static func bounded(_ end: WallTime, now: WallTime) -> WallTime { min(end, now + furthestEnd) }

    /// The monotonic instant at which the wall clock reads `time`, unless the wall clock steps in between.
    @inlinable
    public func monotonic(at time: WallTime) -> MonotonicTime { monotonic + (time - wall) }
}

extension TimeSource {
    /// Both clocks, read one after the other.
    @inlinable
    public func moment() -> Moment { Moment(wall: wall(), monotonic: monotonic()) }
}
