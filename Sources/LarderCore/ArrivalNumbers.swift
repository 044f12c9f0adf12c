// The one order of responses: each head gets the next number when it arrives. Clocks order nothing, because two heads may
// arrive in one millisecond, and a clock may be set back. A start goes on above the numbers that the database holds.
import Synchronization

/// Gives out the numbers. Any thread may ask.
public final class ArrivalNumbers: Sendable {
    /// A higher number in the database is damage.
    public static let largest: UInt64 = 1 << 62

    private let given = Atomic<UInt64>(0)

    /// Begins with 1.
    public init() {}

    /// A number above all numbers before.
    public func next() -> UInt64 { given.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The highest number that was given out.
    public var latest: UInt64 { given.load(ordering: .relaxed) }

    /// Gives out only numbers above this one from now on.
    public func goOn(above number: UInt64) { given.max(number, ordering: .relaxed) }
}
