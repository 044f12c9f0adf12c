// One reading of both clocks. The wall clock may step; the monotonic one does not. What this program decides to wait for
// is measured on the monotonic clock, and becomes a wall time only where it is told or written down. An instant that
// somebody else names as a wall time becomes a length when it is heard, so that a later step does not move it.

/// What the wall clock and the monotonic clock say at the same instant.
public struct Moment: Sendable, Hashable {
    public var wall: WallTime
    public var monotonic: MonotonicTime

    @inlinable
    public init(wall: WallTime, monotonic: MonotonicTime) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// That much later on both clocks; never wraps.
    @inlinable
    public static func + (left: Moment, right: Duration) -> Moment {
        Moment(wall: left.wall + right, monotonic: left.monotonic + right)
    }

    /// What the wall clock will say at that instant, or said, unless it steps in between.
    @inlinable
    public func wall(at instant: MonotonicTime) -> WallTime { wall + (instant - monotonic) }

    /// No end that is told to anybody lies further ahead. It is a day more than the longest window there is: ends that
    /// others name are believed for a day, and all others are ends of windows. What would be further ahead was read off
    /// a clock that has been set since.
    public static let furthestEnd: Duration = CallRate.longestWindow + .seconds(86_400)

    /// What the wall clock will say at that instant, but no further ahead than `furthestEnd`.
    public func boundedWall(at instant: MonotonicTime) -> WallTime { Self.bounded(wall(at: instant), now: wall) }

    /// An end that was made a wall time before, with the same bound.
    public static func bounded(_ end: WallTime, now: WallTime) -> WallTime { min(end, now + furthestEnd) }

    /// The instant at which the wall clock says that, unless it steps in between.
    @inlinable
    public func monotonic(at time: WallTime) -> MonotonicTime { monotonic + (time - wall) }
}

extension TimeSource {
    /// Both clocks, read one after the other.
    @inlinable
    public func moment() -> Moment { Moment(wall: wall(), monotonic: monotonic()) }
}
