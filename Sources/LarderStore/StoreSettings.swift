// What a person may choose about the store, as one immutable value: it is replaced whole, never changed in place.
import LarderCore

/// Sizes, marks and intervals of the cache database.
public struct StoreSettings: Sendable, Hashable {
    /// Bytes the live part of the database may take. Exceeded by at most one object, and only for a moment.
    public var maxSize: Int64
    /// Answers with a larger body are not stored (`tooLarge`).
    public var maxObject: Int64
    /// Bytes of the file system that are left to others: below it nothing is stored (`diskFull`).
    public var minFree: Int64
    /// Percent of `maxSize` at which room is made, and to which it is made.
    public var highWater: Int
    public var lowWater: Int
    /// How long uses are gathered in memory before they are written.
    public var touchInterval: Duration
    /// Reader threads; fixed when the store is opened.
    public var readers: Int
    /// How long an answer waits for its commit; for a look-up five times as long, for a removal twenty times.
    public var patience: Duration
    /// An answer counts as stored before its commit, which follows within that time; zero: after its commit.
    public var commitWithin: Duration

    public init(
        maxSize: Int64 = 2 << 30, maxObject: Int64 = 32 << 20, minFree: Int64 = 256 << 20, highWater: Int = 95,
        lowWater: Int = 85, touchInterval: Duration = .seconds(30), readers: Int = 2,
        patience: Duration = .milliseconds(50), commitWithin: Duration = .zero
    ) {
        self.maxSize = maxSize
        self.maxObject = maxObject
        self.minFree = minFree
        self.highWater = highWater
        self.lowWater = lowWater
        self.touchInterval = touchInterval
        self.readers = readers
        self.patience = patience
        self.commitWithin = commitWithin
    }

    var highWaterBytes: Int64 { maxSize / 100 * Int64(highWater) }
    var lowWaterBytes: Int64 { maxSize / 100 * Int64(min(lowWater, highWater)) }
}
